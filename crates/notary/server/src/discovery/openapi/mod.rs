//! `/openapi.json`: OpenAPI 3.1 of the whole public interface.
//!
//! The verdict routes are made from the route table: a route's question and finding are the JSON Schemas of its
//! judge's types (2020-12, OpenAPI 3.1's own dialect), with the envelope that the pipeline and the notary put around
//! them. The examples of refusals are the very documents that the service answers.
//!
//! | module | holds |
//! |---|---|
//! | `verdicts` | the operations of the verdict routes |
//! | `unsigned` | the operations of all other routes |
//! | `schemas` | the components: what is fixed is in `schemas.json`, the rest is made from constants |
//! | `questions` | the judges' schemas |
//! | `example` | a receipt to show |
//! | `refusals` | the problem responses, and examples of them |
//! | `generators` | the forms of schemas that all generators of clients read |
//! | `operation` | the common shape of an operation |

mod example;
mod generators;
mod operation;
mod questions;
mod refusals;
mod schemas;
#[cfg(test)]
mod tests;
mod unsigned;
mod verdicts;

use module::{Route, RouteTable};
use serde_json::{Map, Value, json};

use super::offer::Offered;
use super::{DESCRIPTION, INTERFACE_VERSION, NAME};
use crate::app::App;
use operation::Operation;

/// What an agent does with the routes, for directories that hand it on.
const GUIDANCE: &str = "Choose the route of your question and POST its JSON with a name of your choosing in `agent`; the example of \
    each operation can be sent as it is. The answer is a signed receipt: read `verdict`, `explanation` and `scope`, and act on no \
    verdict but the one that you need. Where free calls are used up, the answer is 402 with terms of x402 and of the Machine Payments \
    Protocol: pay, and send the identical request again. 400 names the field that is wrong. POST /verify checks a receipt of anybody.";

/// The document.
pub(super) fn render(app: &App) -> String {
    document(&app.into()).to_string()
}

pub(super) fn document(offered: &Offered<'_>) -> Value {
    let judged = questions::JudgeSchemas::of(offered.route_table);
    let mut schemas = schemas::fixed();
    for (name, schema) in judged.definitions.clone() {
        let other = schemas.insert(name, schema);
        debug_assert!(other.is_none(), "two schemas have one name: {other:?}");
    }
    let mut operations = verdicts::operations(offered, &judged, &mut schemas);
    operations.extend(unsigned::operations(&judged));
    generators::adapt(&mut schemas);
    for parameter in operations.iter_mut().flat_map(|operation| &mut operation.parameters) {
        generators::forms(parameter);
    }
    json!({
        "openapi": "3.1.0",
        "info": info(offered),
        "x-service-info": {
            "categories": ["data", "developer-tools"],
            "docs": {
                "homepage": format!("{}/", offered.base_url),
                "apiReference": format!("{}/openapi.json", offered.base_url),
                "llms": format!("{}/llms.txt", offered.base_url),
            },
        },
        "servers": [{"url": offered.base_url}],
        "tags": tags(&operations),
        "paths": paths(operations),
        "components": {
            "schemas": schemas,
            "responses": refusals::components(),
            "headers": schemas::headers(),
            "parameters": schemas::parameters(),
        },
    })
}

/// The schema of a route's request, without references to components; `None` without a judge.
pub(crate) fn request_schema(route: &Route) -> Option<Value> {
    let mut schema = questions::with_agent(route.judge.as_ref()?.question_schema(), &route.terms);
    schema["properties"]["agent"] = schemas::agent_name();
    Some(schema)
}

/// The members of a route's receipts that its judge finds, each with its type and description alone.
pub(crate) fn receipt_members(route: &Route) -> Map<String, Value> {
    let Some(judge) = &route.judge else { return Map::new() };
    let mut generator = questions::generator();
    let finding = judge.finding_schema(&mut generator).to_value();
    questions::shallow(&finding, &generator.take_definitions(true))
}

/// The schemas of a public view's question and, likewise, of its answer; `None` where its module is not there.
pub(crate) fn view_schemas(route_table: &RouteTable, path: &str) -> Option<(Value, Value)> {
    let view = route_table.view_at(path)?;
    let mut generator = questions::generator();
    let entry = view.entry_schema(&mut generator).to_value();
    let members = questions::shallow(&entry, &generator.take_definitions(true));
    Some((view.question_schema(), json!({"type": "object", "properties": members})))
}

fn info(offered: &Offered<'_>) -> Value {
    let rules = "A method that a path does not have is answered 405 with `Allow` (`MethodNotAllowed` below), an unknown \
        path 404. JSON is I-JSON: names given twice, lone surrogates, nesting over 64 levels and numbers that a double \
        changes are refused. Unknown members are allowed; they are part of the hashed request. The log's tiles (C2SP tlog-tiles \
        below /log/), the pages and the documents are files, which /catalog lists.";
    json!({
        "title": NAME,
        "version": INTERFACE_VERSION,
        "summary": "A notary for verdicts",
        "description": format!("{DESCRIPTION} {rules} {}", offered.notice()).trim_end(),
        "contact": {"url": offered.base_url},
        "x-guidance": GUIDANCE,
    })
}

/// The descriptions of the tags; a tag that names a judge's field needs none.
fn tags(operations: &[Operation]) -> Value {
    let mut names: Vec<&str> = Vec::new();
    for operation in operations {
        if !names.contains(&operation.tag) {
            names.push(operation.tag);
        }
    }
    let described = |name: &&str| match *name {
        "receipts" => json!({"name": name, "description": "Receipts, and whether they hold."}),
        "log" => json!({"name": name, "description": "The public log (RFC 6962, C2SP tlog-tiles)."}),
        "discovery" => json!({"name": name, "description": "What the service says of itself."}),
        "service" => json!({"name": name, "description": "Health, totals, trials."}),
        module => {
            json!({"name": name, "description": format!("Verdicts and data of the module `{module}`.")})
        }
    };
    names.iter().map(described).collect()
}

fn paths(operations: Vec<Operation>) -> Value {
    let mut paths: Map<String, Value> = Map::new();
    for operation in operations {
        let methods = paths.entry(operation.path.clone()).or_insert_with(|| json!({}));
        let method = operation.method;
        methods[method] = operation.into_value();
    }
    Value::Object(paths)
}
