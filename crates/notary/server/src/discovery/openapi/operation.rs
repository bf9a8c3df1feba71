//! The common shape of an operation.

use serde_json::{Map, Value, json};

/// One method of one path.
pub(super) struct Operation {
    pub(super) path: String,
    /// The method in lower case, as OpenAPI keys it.
    pub(super) method: &'static str,
    pub(super) id: String,
    pub(super) tag: &'static str,
    pub(super) summary: String,
    pub(super) description: Option<String>,
    pub(super) parameters: Vec<Value>,
    pub(super) request: Option<Value>,
    pub(super) responses: Vec<(u16, Value)>,
    /// What a call costs, for readers that pay by themselves (`x-payment-info`).
    pub(super) payment: Option<Value>,
}

impl Operation {
    /// A GET without parameters.
    pub(super) fn get(path: &str, id: &str, tag: &'static str, summary: &str) -> Self {
        Self {
            path: path.to_owned(),
            method: "get",
            id: id.to_owned(),
            tag,
            summary: summary.to_owned(),
            description: None,
            parameters: Vec::new(),
            request: None,
            responses: Vec::new(),
            payment: None,
        }
    }

    /// A POST of JSON.
    pub(super) fn post(path: &str, id: &str, tag: &'static str, summary: &str, schema: Value) -> Self {
        let request = json!({"required": true, "content": {"application/json": {"schema": schema}}});
        Self { method: "post", request: Some(request), ..Self::get(path, id, tag, summary) }
    }

    pub(super) fn described(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    pub(super) fn parameter(mut self, parameter: Value) -> Self {
        self.parameters.push(parameter);
        self
    }

    pub(super) fn answers(mut self, status: u16, response: Value) -> Self {
        self.responses.push((status, response));
        self
    }

    /// Refusals that are among the components.
    pub(super) fn refuses(mut self, refusals: &[(u16, &str)]) -> Self {
        let refer = |&(status, name): &(u16, &str)| (status, refer("responses", name));
        self.responses.extend(refusals.iter().map(refer));
        self
    }

    pub(super) fn into_value(self) -> Value {
        let mut operation = json!({
            "operationId": self.id,
            "tags": [self.tag],
            "summary": self.summary,
            // No route asks who the caller is.
            "security": [],
            "responses": self.responses.into_iter().map(|(status, response)| (status.to_string(), response))
                .collect::<Map<_, _>>(),
        });
        let mut put = |name: &str, value: Option<Value>| {
            if let Some(value) = value {
                operation[name] = value;
            }
        };
        put("description", self.description.map(Value::String));
        put("parameters", (!self.parameters.is_empty()).then_some(Value::Array(self.parameters)));
        put("requestBody", self.request);
        put("x-payment-info", self.payment);
        operation
    }
}

/// A reference to a component.
pub(super) fn refer(kind: &str, name: &str) -> Value {
    json!({"$ref": format!("#/components/{kind}/{name}")})
}

/// A 200 of one media type.
pub(super) fn answer(description: &str, media_type: &str, schema: Value, headers: &[&str]) -> Value {
    let named = |name: &&str| ((*name).to_owned(), refer("headers", name));
    json!({
        "description": description,
        "headers": headers.iter().map(named).collect::<Map<_, _>>(),
        "content": {media_type: {"schema": schema}},
    })
}

/// The headers of every answer.
pub(super) const ALWAYS: &[&str] = &["X-Request-Id"];
/// The headers of an answer that was counted against a rate.
pub(super) const COUNTED: &[&str] = &["X-Request-Id", "RateLimit", "RateLimit-Policy"];
