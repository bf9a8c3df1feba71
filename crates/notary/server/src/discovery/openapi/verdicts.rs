//! The operations of the verdict routes, made from the route table.

use module::Route;
use module::terms::Unit;
use serde_json::{Map, Value, json};

use super::operation::{COUNTED, Operation, answer, refer};
use super::questions::JudgeSchemas;
use super::{example, refusals, request_schema};
use crate::discovery::offer::{self, Offered};

/// Every operation; what their requests and receipts are is added to the components.
pub(super) fn operations(
    offered: &Offered<'_>,
    judged: &JudgeSchemas,
    schemas: &mut Map<String, Value>,
) -> Vec<Operation> {
    let mut operations = Vec::new();
    for route in offered.route_table.offered() {
        let name = pascal(route.terms.class);
        let request = judged.request(&route.terms);
        let receipt = receipt(route, judged.finding(route.terms.class));
        if route.terms.get {
            operations.push(by_query(offered, route, &request));
        }
        operations.push(by_body(offered, route));
        schemas.insert(format!("{name}Request"), titled(request, &format!("{name}Request")));
        schemas.insert(format!("{name}Receipt"), titled(receipt, &format!("{name}Receipt")));
    }
    operations
}

fn by_body(offered: &Offered<'_>, route: &Route) -> Operation {
    let terms = &route.terms;
    let schema = refer("schemas", &format!("{}Request", pascal(terms.class)));
    let mut operation =
        Operation::post(&terms.path(), &camel(terms.class), terms.module, terms.summary, schema);
    if let (Some(request), Some(example)) = (&mut operation.request, offer::example(route)) {
        request["content"]["application/json"]["examples"] = json!({"question": {"value": example}});
    }
    common(operation, offered, route)
}

/// GET asks the same with a query: the question's members as parameters.
fn by_query(offered: &Offered<'_>, route: &Route, request: &Value) -> Operation {
    let terms = &route.terms;
    let id = format!("{}ByQuery", camel(terms.class));
    let mut operation = Operation::get(&terms.path(), &id, terms.module, terms.summary);
    let example = offer::example(route);
    let required = request["required"].as_array();
    for (name, schema) in request["properties"].as_object().into_iter().flatten() {
        let mut parameter = json!({
            "name": name,
            "in": "query",
            // The elements of an array are joined by commas.
            "explode": false,
            "required": required.is_some_and(|required| required.contains(&json!(name))),
            "schema": schema,
        });
        if let Some(value) = example.as_ref().and_then(|example| example.get(name)) {
            parameter["example"] = value.clone();
        }
        operation = operation.parameter(parameter);
    }
    common(operation, offered, route)
}

/// The parts that GET and POST have in common.
fn common(operation: Operation, offered: &Offered<'_>, route: &Route) -> Operation {
    let terms = &route.terms;
    let receipt = refer("schemas", &format!("{}Receipt", pascal(terms.class)));
    let paid: &[&str] = if terms.price.is_some() { &["PAYMENT-RESPONSE", "Payment-Receipt"] } else { &[] };
    let headers = [COUNTED, &["Free-Tier", "Link"], paid].concat();
    let mut answered = answer("The signed receipt.", "application/json", receipt, &headers);
    if let Some(example) = example::receipt(route) {
        answered["content"]["application/json"]["example"] = example;
    }
    let mut operation = operation.described(description(offered, route)).answers(200, answered).refuses(&[
        (400, "BadRequest"),
        (413, "TooLarge"),
        (429, "TooManyRequests"),
        (501, "NotOffered"),
        (503, "Unavailable"),
    ]);
    if terms.is_bond() {
        operation = operation.refuses(&[(404, "NotFound")]);
    }
    if terms.price.is_some() {
        for name in ["XPayment", "PaymentSignature"] {
            operation = operation.parameter(refer("parameters", name));
        }
        operation =
            operation.answers(402, refusals::payment_required(offered, route)).refuses(&[(409, "Conflict")]);
        operation.payment = payment_info(offered, route);
    }
    operation
}

/// The price in the forms of the directories: `price` and `protocols` of x402's, `offers` of the Machine Payments Protocol
/// (draft-payment-discovery-01). A price for each entity or for a time has no fixed amount.
fn payment_info(offered: &Offered<'_>, route: &Route) -> Option<Value> {
    let (terms, payee) = (&route.terms, offered.payee?);
    let (price, token) = (terms.price?, payee.network().token.to_string());
    // A watch is of thirty days.
    let is_fixed = terms.unit != Unit::Entity;
    let price_words = offered.price_words(terms);
    let schema = request_schema(route).unwrap_or_default();
    let most =
        schema["properties"]["entities"]["maxItems"].as_u64().and_then(|most| u32::try_from(most).ok());
    let most = most.map(|units| price.times(units).to_string());
    let asked = if is_fixed {
        json!({"mode": "fixed", "currency": "USD", "amount": price.to_string()})
    } else {
        json!({"mode": "dynamic", "currency": "USD", "min": price.to_string(), "max": most})
    };
    let amount = if is_fixed { json!(price.atomic().to_string()) } else { Value::Null };
    Some(json!({
        "price": asked,
        "protocols": [{"x402": {}}, {"mpp": {"method": "evm", "intent": "charge", "currency": token}}],
        "offers": [{"method": "evm", "intent": "charge", "amount": amount, "currency": token, "description": price_words}],
    }))
}

fn description(offered: &Offered<'_>, route: &Route) -> String {
    let terms = &route.terms;
    let whose = if terms.anonymous { " (for each client address where none is given)" } else { "" };
    format!(
        "{}\n\nVerdicts: {}. Price: {}; {}. At most {} calls in any 60 seconds for each agent{whose}. The body may have \
         {} bytes. The 95th percentile is to stay under {} ms.",
        terms.summary,
        terms.verdicts.iter().map(|verdict| format!("`{verdict}`")).collect::<Vec<_>>().join(", "),
        offered.price_words(terms),
        offer::free_words(terms.free),
        terms.rate_per_minute,
        terms.body_limit,
        terms.p95_target_ms,
    )
}

/// A flat receipt of the route: the envelope, the finding, and its class. Each member is in one part alone, since generators of
/// clients cannot merge two types of one member.
fn receipt(route: &Route, finding: Option<&Value>) -> Value {
    let own = json!({
        "type": "object",
        "required": ["class"],
        "properties": {"class": {"type": "string", "const": route.terms.class}},
    });
    let parts: Vec<Value> = [Some(refer("schemas", "ReceiptEnvelope")), finding.cloned(), Some(own)]
        .into_iter()
        .flatten()
        .collect();
    json!({"description": format!("A receipt of {}.", route.terms.path()), "allOf": parts})
}

/// A schema under the name of its component: generators of clients name their types by titles.
fn titled(mut schema: Value, title: &str) -> Value {
    schema["title"] = json!(title);
    schema
}

/// `claim-verdict` as `ClaimVerdict`.
fn pascal(class: &str) -> String {
    let capital = |word: &str| {
        let (first, rest) = word.split_at(word.len().min(1));
        first.to_uppercase() + rest
    };
    class.split('-').map(capital).collect()
}

/// `claim-verdict` as `claimVerdict`.
fn camel(class: &str) -> String {
    let name = pascal(class);
    let (first, rest) = name.split_at(name.len().min(1));
    first.to_lowercase() + rest
}
