//! The schemas of the judges' questions and findings, and of the public views' questions and entries.

use std::collections::HashMap;

use schemars::generate::{SchemaGenerator, SchemaSettings};
use serde_json::{Map, Value, json};

use module::RouteTable;
use module::terms::{RouteTerms, UNSIGNED};

/// The schemas of the registered judges and of the available public views.
pub(super) struct JudgeSchemas {
    questions: HashMap<&'static str, Value>,
    findings: HashMap<&'static str, Value>,
    registers: HashMap<&'static str, (Value, Value)>,
    /// The schemas that these refer to, by their names among the components.
    pub(super) definitions: Map<String, Value>,
}

impl JudgeSchemas {
    pub(super) fn of(route_table: &RouteTable) -> Self {
        // A question is written out whole, as the pipeline adds a member to it; a finding is referred to.
        let mut found = generator();
        let (mut questions, mut findings) = (HashMap::new(), HashMap::new());
        for route in route_table.routes() {
            let Some(judge) = &route.judge else { continue };
            questions.insert(route.terms.class, judge.question_schema());
            findings.insert(route.terms.class, judge.finding_schema(&mut found).to_value());
        }
        let mut registers = HashMap::new();
        for path in UNSIGNED.iter().map(|route| route.path) {
            let Some(register) = route_table.view_at(path) else { continue };
            let question = register.question_schema();
            registers.insert(path, (question, register.entry_schema(&mut found).to_value()));
        }
        Self { questions, findings, registers, definitions: found.take_definitions(true) }
    }

    /// The request of a route: the judge's question, and the field that the pipeline reads.
    pub(super) fn request(&self, terms: &RouteTerms) -> Value {
        with_agent(
            self.questions.get(terms.class).cloned().unwrap_or_else(|| json!({"type": "object"})),
            terms,
        )
    }

    /// The schemas of a public view's question and entry; `None` where its module is not there.
    pub(super) fn view_at(&self, path: &str) -> Option<&(Value, Value)> {
        self.registers.get(path)
    }

    /// The finding of a route's judge.
    pub(super) fn finding(&self, class: &str) -> Option<&Value> {
        self.findings.get(class)
    }
}

pub(super) fn generator() -> SchemaGenerator {
    let settings = SchemaSettings::draft2020_12().for_serialize().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
    });
    settings.into_generator()
}

/// The members of an object's schema, each with its type, its values and its description alone, so that the list of tools stays
/// small. OpenAPI has them whole.
pub(super) fn shallow(schema: &Value, definitions: &Map<String, Value>) -> Map<String, Value> {
    let whole = resolved(schema, definitions);
    let members = whole.get("properties").and_then(Value::as_object);
    let member = |(name, of): (&String, &Value)| {
        let target = resolved(of, definitions);
        let kept = ["type", "enum", "const"]
            .iter()
            .filter_map(|key| Some(((*key).to_owned(), target.get(*key)?.clone())));
        let mut member: Map<String, Value> = kept.collect();
        let about = of.get("description").or_else(|| target.get("description"));
        member.extend(about.map(|about| ("description".to_owned(), about.clone())));
        (name.clone(), Value::Object(member))
    };
    members.into_iter().flatten().map(member).collect()
}

fn resolved<'a>(schema: &'a Value, definitions: &'a Map<String, Value>) -> &'a Value {
    let name = schema.get("$ref").and_then(Value::as_str).and_then(|reference| reference.rsplit('/').next());
    name.and_then(|name| definitions.get(name)).unwrap_or(schema)
}

/// Adds `agent` to a question; it is required on every route but those that answer anybody.
pub(super) fn with_agent(mut schema: Value, terms: &RouteTerms) -> Value {
    schema["properties"]["agent"] = json!({"$ref": "#/components/schemas/AgentName"});
    if !terms.anonymous {
        let mut required = vec![json!("agent")];
        required.extend(schema["required"].as_array().cloned().unwrap_or_default());
        schema["required"] = Value::Array(required);
    }
    schema
}
