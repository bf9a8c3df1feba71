//! The operations that sign nothing: receipts and their verification, the log, totals, trials, registers, documents.

use module::terms::{UNSIGNED, Unsigned};
use serde_json::{Value, json};

use super::operation::{ALWAYS, COUNTED, Operation, answer, refer};
use super::questions::JudgeSchemas;
use crate::discovery::DOCUMENTS;

const JSON: &str = "application/json";
const TEXT: &str = "text/plain";

/// The refusals of every counted route.
const BUSY: &[(u16, &str)] = &[(429, "TooManyRequests"), (503, "Unavailable")];
const BAD_HASH: &[(u16, &str)] = &[(400, "BadRequest"), (404, "NotFound")];
const BAD_BODY: &[(u16, &str)] = &[(400, "BadRequest"), (413, "TooLarge")];

/// Every operation that is not of a verdict route.
pub(super) fn operations(judged: &JudgeSchemas) -> Vec<Operation> {
    let mut operations = Vec::from(verify());
    operations.extend(receipts());
    operations.extend(log());
    operations.extend(service());
    operations.extend(watch());
    operations.push(mcp());
    operations.extend(UNSIGNED.iter().filter_map(|route| register(route, judged)));
    operations.push(json_answer("/catalog", "catalog", "discovery", "Catalog").refuses(BUSY));
    operations.extend(DOCUMENTS.iter().map(|document| {
        let media_type = document.media_type.split(';').next().unwrap_or_default();
        let schema = match document.path {
            "/.well-known/service.json" => refer("schemas", "Catalog"),
            _ if media_type == JSON => json!({"type": "object"}),
            _ => json!({"type": "string"}),
        };
        let headers = [ALWAYS, &["Cache-Control"]].concat();
        Operation::get(document.path, document.id, "discovery", document.summary)
            .answers(200, answer("The document.", media_type, schema, &headers))
    }));
    operations
}

/// The summary of a route in the table.
fn summary(path: &str) -> &'static str {
    UNSIGNED.iter().find(|route| route.path == path).map_or("", |route| route.summary)
}

fn json_answer(path: &str, id: &str, tag: &'static str, schema: &str) -> Operation {
    let body = answer("The answer.", JSON, refer("schemas", schema), COUNTED);
    Operation::get(path, id, tag, summary(path)).answers(200, body)
}

fn verify() -> [Operation; 2] {
    let path = "/verify";
    let report = answer(
        "What holds and what does not, check by check.",
        JSON,
        refer("schemas", "VerifyReport"),
        COUNTED,
    );
    let by_hash = Operation::get(path, "verifyByHash", "receipts", summary(path))
        .parameter(
            json!({"name": "hash", "in": "query", "required": true, "schema": refer("schemas", "ReceiptHash"),
            "description": "The `receipt_hash` of a receipt of this notary."}),
        )
        .answers(200, report.clone())
        .refuses(&[(400, "BadRequest"), (404, "UnknownReceipt")])
        .refuses(BUSY);
    let whole = Operation::post(path, "verify", "receipts", summary(path), refer("schemas", "GivenReceipt"))
        .described("Takes a whole receipt. One without a `proof` is given the log's, where the log has it.")
        .answers(200, report)
        .refuses(BAD_BODY)
        .refuses(BUSY);
    [by_hash, whole]
}

fn receipts() -> [Operation; 5] {
    let path = "/receipts/{hash}";
    let form = |suffix: &str, id: &str, summary: &str, media_type: &str, schema: Value| {
        let headers = [COUNTED, &["Cache-Control"]].concat();
        Operation::get(&format!("{path}{suffix}"), id, "receipts", summary)
            .parameter(refer("parameters", "Hash"))
            .answers(200, answer("The receipt.", media_type, schema, &headers))
            .refuses(BAD_HASH)
            .refuses(BUSY)
    };
    let text = json!({"type": "string"});
    let page = "/r/{hash}";
    let page = Operation {
        path: page.to_owned(),
        ..form("", "receiptPage", summary(page), "text/html", text.clone())
    };
    [
        form("", "receipt", summary(path), JSON, refer("schemas", "Receipt")),
        form(
            ".jws",
            "receiptJws",
            "A receipt as a compact JWS (RFC 7515).",
            "application/jose",
            text.clone(),
        ),
        form(
            ".tlog-proof",
            "receiptProof",
            "A receipt's newest proof of inclusion (C2SP tlog-proof).",
            TEXT,
            text.clone(),
        ),
        form(
            ".svg",
            "receiptDrawing",
            "A receipt's picture; 404 where its judge draws none.",
            "image/svg+xml",
            text,
        ),
        page,
    ]
}

fn log() -> [Operation; 3] {
    let bytes = json!({"type": "string", "contentMediaType": "application/octet-stream"});
    let headers = [ALWAYS, &["Cache-Control"]].concat();
    let tile = |path: &str, id: &str| {
        Operation::get(path, id, "log", summary(path))
            .parameter(refer("parameters", "TileIndex"))
            .answers(200, answer("The tile.", "application/octet-stream", bytes.clone(), &headers))
            .refuses(&[(404, "NotFound"), (503, "Unavailable")])
    };
    let note = answer("A signed note.", TEXT, json!({"type": "string"}), &headers);
    let checkpoint = "/log/checkpoint";
    [
        Operation::get(checkpoint, "logCheckpoint", "log", summary(checkpoint)).answers(200, note),
        tile("/log/tile/entries/{index}", "logEntries")
            .described("An entry is the canonical JSON of `{class, h, kid, t, v}`; `h` is the SHA-256 of the receipt's hash."),
        tile("/log/tile/{level}/{index}", "logTile")
            .parameter(json!({"name": "level", "in": "path", "required": true,
                "schema": {"type": "integer", "minimum": 0, "maximum": 63}, "example": 0})),
    ]
}

fn service() -> [Operation; 4] {
    let report = |description| answer(description, JSON, refer("schemas", "Health"), ALWAYS);
    let (health, trial) = ("/health", "/request-trial");
    [
        json_answer("/stats", "stats", "service", "Stats").refuses(BUSY),
        json_answer("/agents/{name}", "agent", "service", "Agent")
            .parameter(json!({"name": "name", "in": "path", "required": true, "schema": refer("schemas", "AgentName"),
                "example": "scout-7"}))
            .refuses(&[(400, "BadRequest")])
            .refuses(BUSY),
        Operation::get(health, "health", "service", summary(health))
            .answers(200, report("Receipts can be issued; `degraded` where a module is down."))
            .answers(503, report("No receipt can be issued.")),
        Operation::post(trial, "requestTrial", "service", summary(trial), refer("schemas", "TrialRequest"))
            .answers(
                200,
                answer(
                    "The request is kept for the operator.",
                    JSON,
                    refer("schemas", "TrialReceived"),
                    COUNTED,
                ),
            )
            .refuses(BAD_BODY)
            .refuses(BUSY),
    ]
}

/// The Model Context Protocol has a description of its own: here is what every message of it has.
fn mcp() -> Operation {
    let path = "/mcp";
    let message = json!({
        "type": "object",
        "required": ["jsonrpc", "method"],
        "properties": {
            "jsonrpc": {"const": "2.0"},
            "id": {"type": ["string", "integer"]},
            "method": {"type": "string"},
            "params": {"type": "object"},
        },
        "example": {"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
    });
    let reply = |description: &str| answer(description, JSON, json!({"type": "object"}), ALWAYS);
    let mut noted = reply("A notification was taken.");
    if let Some(noted) = noted.as_object_mut() {
        noted.remove("content");
    }
    Operation::post(path, "mcp", "service", summary(path), message)
        .described("Streamable HTTP without sessions: one JSON-RPC message, and one answer.")
        .answers(200, answer("The answer, or an error in it.", JSON, json!({"type": "object"}), COUNTED))
        .answers(202, noted)
        .answers(400, reply("No message of the protocol, as a JSON-RPC error."))
        .answers(404, reply("No such method or session, as a JSON-RPC error."))
        .refuses(&[(403, "Forbidden"), (413, "TooLarge")])
        .refuses(BUSY)
}

fn watch() -> [Operation; 2] {
    let path = "/watch/{id}";
    let id = json!({"name": "id", "in": "path", "required": true,
        "schema": {"type": "string", "pattern": "^[0-9a-f]{32}$"},
        "description": "The id that the watch's receipt names. Who holds it may look at the watch and end it."});
    let headers = [COUNTED, &["Cache-Control"]].concat();
    let operation = |id_of_operation: &str| {
        Operation::get(path, id_of_operation, "sanctions", summary(path))
            .parameter(id.clone())
            .refuses(BAD_HASH)
            .refuses(BUSY)
    };
    let watch = answer("The watch.", JSON, refer("schemas", "Watch"), &headers);
    let mut ended = answer("The watch has ended.", JSON, json!({}), COUNTED);
    if let Some(ended) = ended.as_object_mut() {
        ended.remove("content");
    }
    [
        operation("watchById").answers(200, watch),
        Operation { method: "delete", ..operation("endWatch") }
            .described("One that has ended already stays so.")
            .answers(204, ended),
    ]
}

/// The operation of a module's public view; without its module it answers 501.
fn register(route: &Unsigned, judged: &JudgeSchemas) -> Option<Operation> {
    let module = route.module?;
    let words = route.path.split(['/', '{', '}']).filter(|word| !word.is_empty());
    let id = words.collect::<Vec<_>>().join("-");
    let operation = Operation::get(route.path, &id, module, route.summary).refuses(BUSY);
    let in_path: Vec<&str> =
        route.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}')).collect();
    let parameter = |name: &str, place: &str, schema: &Value| json!({"name": name, "in": place, "required": true, "schema": schema});
    let Some((question, entry)) = judged.view_at(route.path) else {
        let text = json!({"type": "string", "minLength": 1});
        let operation = operation
            .described("Not offered by this notary: answered 501.")
            .refuses(&[(501, "NotOffered")])
            .answers(200, answer("The answer.", JSON, json!({"type": "object"}), COUNTED));
        return Some(
            in_path
                .iter()
                .fold(operation, |operation, name| operation.parameter(parameter(name, "path", &text))),
        );
    };
    let headers = [COUNTED, &["Cache-Control"]].concat();
    let mut operation = operation.answers(200, answer("The answer.", JSON, entry.clone(), &headers));
    let asked = question["properties"].as_object();
    if asked.is_some_and(|asked| !asked.is_empty()) {
        operation = operation.refuses(BAD_HASH);
    }
    for (name, schema) in asked.into_iter().flatten() {
        let is_in_path = in_path.contains(&name.as_str());
        let mut parameter = parameter(name, if is_in_path { "path" } else { "query" }, schema);
        let required = question["required"].as_array();
        parameter["required"] = json!(required.is_some_and(|required| required.contains(&json!(name))));
        operation = operation.parameter(parameter);
    }
    Some(operation)
}
