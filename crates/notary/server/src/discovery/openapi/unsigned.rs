//! The operations that sign nothing: receipts and their verification, totals, trials, registers.
//!
//! Some are left out, since a reader that pays by itself wades through all operations: the log's tiles, which C2SP describes, the
//! messages of A2A, which its agent card describes, the pages and the documents. `/catalog` lists them.

use module::terms::{UNSIGNED, Unsigned};
use receipt_forms::{credential, validation};
use serde_json::{Value, json};

use super::operation::{ALWAYS, COUNTED, Operation, answer, refer};
use super::questions::JudgeSchemas;
use crate::routes;

const JSON: &str = "application/json";
const TEXT: &str = "text/plain";

/// The refusals of every counted route.
const BUSY: &[(u16, &str)] = &[(429, "TooManyRequests"), (503, "Unavailable")];
const BAD_HASH: &[(u16, &str)] = &[(400, "BadRequest"), (404, "NotFound")];
const ERASED: &[(u16, &str)] = &[(410, "Erased")];
const BAD_BODY: &[(u16, &str)] = &[(400, "BadRequest"), (413, "TooLarge")];

/// Every operation that is not of a verdict route.
pub(super) fn operations(judged: &JudgeSchemas) -> Vec<Operation> {
    let mut operations = Vec::from(verify());
    operations.extend(receipts());
    operations.extend(service());
    operations.extend(watch());
    operations.push(mcp());
    operations.push(export());
    operations.extend(UNSIGNED.iter().filter_map(|route| register(route, judged)));
    operations.push(json_answer("/catalog", "catalog", "discovery", "Catalog").refuses(BUSY));
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
        .refuses(ERASED)
        .refuses(BUSY);
    let whole = Operation::post(path, "verify", "receipts", summary(path), refer("schemas", "GivenReceipt"))
        .described("Takes a whole receipt. One without a `proof` is given the log's, where the log has it.")
        .answers(200, report)
        .refuses(BAD_BODY)
        .refuses(BUSY);
    [by_hash, whole]
}

fn receipts() -> [Operation; 2] {
    let path = "/receipts/{hash}";
    let headers = [COUNTED, &["Cache-Control"]].concat();
    let operation = |path: &str, id: &str, summary: &str| {
        Operation::get(path, id, "receipts", summary)
            .parameter(refer("parameters", "Hash"))
            .refuses(BAD_HASH)
            .refuses(ERASED)
            .refuses(BUSY)
    };
    let receipt = answer("The receipt.", JSON, refer("schemas", "Receipt"), &headers);
    // All other forms in one operation: readers of the document wade through all operations.
    let parameter = json!({
        "name": "form", "in": "path", "required": true,
        "schema": {"enum": ["jws", "tlog-proof", "times", "cose", "vc", "erc8004"]},
        "description": "`jws`: a compact JWS (RFC 7515). `tlog-proof`: the newest proof of inclusion (C2SP tlog-proof). \
            `times`: who says that it was said by when, with the proofs. `cose`: COSE_Sign1 (RFC 9052) with a COSE Receipt of the log (RFC 9942). `vc`: a W3C Verifiable Credential 2.0, \
            secured with eddsa-jcs-2022. `erc8004`: what a validator submits to the ERC-8004 Validation Registry; nothing is \
            sent.",
    });
    let (text, object) = (json!({"type": "string"}), json!({"type": "object"}));
    let mut form = answer("The receipt in this form.", validation::MEDIA_TYPE, object.clone(), &headers);
    form["content"][credential::MEDIA_TYPE] = json!({"schema": object});
    form["content"]["application/cose"] = json!({"schema": {"type": "string", "format": "binary"}});
    form["content"]["application/jose"] = json!({"schema": text});
    form["content"][TEXT] = json!({"schema": text});
    [
        operation(path, "receipt", summary(path)).answers(200, receipt),
        operation(&format!("{path}.{{form}}"), "receiptForm", "A receipt in another form.")
            .parameter(parameter)
            .answers(200, form),
    ]
}

fn service() -> [Operation; 6] {
    let report = |description| answer(description, JSON, refer("schemas", "Health"), ALWAYS);
    let (health, trial) = ("/health", "/request-trial");
    [
        json_answer("/stats", "stats", "service", "Stats").refuses(BUSY),
        json_answer("/sla", "sla", "service", "ServiceLevels").refuses(BUSY),
        json_answer("/keys", "keys", "receipts", "KeyRecords")
            .parameter(json!({"name": "from", "in": "query", "schema": {"type": "integer", "minimum": 0},
                "description": "The first leaf to show: the `next` of the answer before.", "example": 0}))
            .refuses(&[(400, "BadRequest")])
            .refuses(BUSY),
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
            "id": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
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

/// An agent's archive. The wallet's signature is no security scheme: none is over the request's own address.
fn export() -> Operation {
    let path = routes::export::PATH;
    let time = refer("schemas", "Timestamp");
    let day_or_time = json!({
        "type": "string",
        "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z)?$",
        "examples": ["2026-11-01"],
    });
    let signature = json!({"type": "string", "pattern": "^0x[0-9a-fA-F]{130}$"});
    let parameters = [
        ("agent", "query", true, &refer("schemas", "AgentName"), "The name whose receipts are asked for."),
        ("since", "query", false, &day_or_time, "Receipts signed on this UTC day or at this time, or later."),
        ("until", "query", false, &day_or_time, "Receipts signed before this UTC day or time."),
        ("time", "query", true, &time, "The time of the signature, at most five minutes from the notary's."),
        (
            routes::export::SIGNATURE,
            "header",
            true,
            &signature,
            "The wallet's signature (ERC-191, `personal_sign`) of `GET`, a space and the whole address as it is sent.",
        ),
    ];
    let parameters = parameters.map(|(name, place, required, schema, description)| {
        let mut parameter = parameter(name, place, required, schema);
        parameter["description"] = json!(description);
        parameter
    });
    let archive = json!({"type": "string", "format": "binary"});
    let headers = [COUNTED, &["Cache-Control"]].concat();
    let operation = Operation::get(path, "export", "receipts", summary(path)).described(
        "For the wallet that the operator has named in an enterprise plan. docs/export.md has the way to sign, and what is in \
         the archive. One that ended too soon has no `SHA256SUMS`.",
    );
    parameters
        .into_iter()
        .fold(operation, Operation::parameter)
        .answers(
            200,
            answer("The archive, a tar, while it is written.", routes::export::MEDIA_TYPE, archive, &headers),
        )
        .refuses(&[(400, "BadRequest"), (403, "NotGranted")])
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

fn parameter(name: &str, place: &str, required: bool, schema: &Value) -> Value {
    json!({"name": name, "in": place, "required": required, "schema": schema})
}

/// The operation of a module's public view; without its module it answers 501.
fn register(route: &Unsigned, judged: &JudgeSchemas) -> Option<Operation> {
    let module = route.module?;
    let operation = Operation::get(route.path, &route.name(), module, route.summary).refuses(BUSY);
    let in_path: Vec<&str> =
        route.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}')).collect();
    let Some((question, entry)) = judged.view_at(route.path) else {
        let text = json!({"type": "string", "minLength": 1});
        let operation = operation
            .described("Not offered by this notary: answered 501.")
            .refuses(&[(501, "NotOffered")])
            .answers(200, answer("The answer.", JSON, json!({"type": "object"}), COUNTED));
        return Some(
            in_path
                .iter()
                .fold(operation, |operation, name| operation.parameter(parameter(name, "path", true, &text))),
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
        let required = question["required"].as_array();
        let required = required.is_some_and(|required| required.contains(&json!(name)));
        let place = if is_in_path { "path" } else { "query" };
        operation = operation.parameter(parameter(name, place, required, schema));
    }
    Some(operation)
}
