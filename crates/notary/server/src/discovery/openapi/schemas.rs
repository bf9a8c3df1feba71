//! The components that are not made from the route table.

use serde_json::{Map, Value, json};
use verdict::AgentName;

use super::operation::refer;
use crate::routes::trial::MAX_CHARS;
use payment::proof::MAX_HEADER_BYTES;

/// The schemas: `schemas.json`, and those that hold a constant of the program.
pub(super) fn fixed() -> Map<String, Value> {
    let written = serde_json::from_str(include_str!("schemas.json"));
    let mut schemas: Map<String, Value> =
        written.expect("the file is part of the program, and a test reads it");
    schemas.insert("AgentName".to_owned(), agent_name());
    schemas.insert("TrialRequest".to_owned(), trial_request());
    schemas
}

/// White space as Unicode has it (White_Space), for a pattern's class.
const SPACE: &str = r"\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000";
/// Control characters (Cc), for a pattern's class.
const CONTROL: &str = r"\u0000-\u001f\u007f-\u009f";

/// The schema of an agent's name, as [`AgentName::parse`] reads it: trimmed first, so white space around the name does
/// not count.
pub(super) fn agent_name() -> Value {
    let (edge, between) = (format!("[^{SPACE}{CONTROL}]"), AgentName::MAX_CHARS - 2);
    json!({
        "type": "string",
        "description": "A name of the caller's choosing: 1 to 128 characters after trimming, no control characters. \
            Attribution, never a credential.",
        "pattern": format!("^[{SPACE}]*{edge}(?:[^{CONTROL}]{{0,{between}}}{edge})?[{SPACE}]*$"),
        "examples": ["scout-7"],
    })
}

fn trial_request() -> Value {
    let text =
        |description: &str| json!({"type": "string", "maxLength": MAX_CHARS, "description": description});
    json!({
        "type": "object",
        "required": ["agent"],
        "properties": {
            "agent": refer("schemas", "AgentName"),
            "endpoint": text("The route that the trial is for; all where it is not named."),
            "contact": text("How to reach the caller."),
            "reason": text("What the trial is for."),
        },
        "examples": [{"agent": "scout-7", "endpoint": "/claim-verdict", "contact": "mailto:ops@scout.example"}],
    })
}

/// The headers of answers.
pub(super) fn headers() -> Value {
    let header = |required: bool, kind: &str, description: &str, example: Value| json!({"description": description, "required": required, "schema": {"type": kind}, "example": example});
    let text = |description: &str, example: &str| header(false, "string", description, json!(example));
    json!({
        "X-Request-Id": header(true, "string", "Names this request in the service's logs.", json!("8c1f0e5a9b7d2c43")),
        "RateLimit": text("What is left of the limit, where limits hold (draft-ietf-httpapi-ratelimit-headers).",
            "\"claim-verdict\";r=9;t=60"),
        "RateLimit-Policy": text("The limit: `q` calls in any `w` seconds.", "\"claim-verdict\";q=10;w=60"),
        "Free-Tier": text("The agent's free calls of this route that are left, and the seconds until they begin anew; `unlimited` \
            where none is counted.", "left=2;reset=43200"),
        "Retry-After": header(true, "integer", "Seconds until another try makes sense.", json!(42)),
        "Allow": header(true, "string", "The methods that the path has.", json!("POST")),
        "Cache-Control": text("Whether and for how long the answer may be kept.", "public, max-age=60"),
        "PAYMENT-REQUIRED": header(true, "string", "The terms as base64 of x402 version 2's `PaymentRequired`.",
            json!("eyJ4NDAyVmVyc2lvbiI6Mn0=")),
        "WWW-Authenticate": text("The same price as a challenge of the scheme `Payment` (Machine Payments Protocol).",
            "Payment id=\"kM9xPqWvT2nJrHsY4aDfEb\", realm=\"notary.example\", method=\"evm\", intent=\"charge\", request=\"e30\""),
        "Payment-Receipt": text("How a credential of the scheme `Payment` was settled, as base64url of JSON; only when paid so.",
            "eyJzdGF0dXMiOiJzdWNjZXNzIn0"),
        "Link": text("The page of the receipt (RFC 8288).", "</r/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08>; rel=\"alternate\"; type=\"text/html\""),
        "PAYMENT-RESPONSE": text("How the payment was settled, as base64 of x402's `SettlementResponse`; only when paid.",
            "eyJzdWNjZXNzIjp0cnVlfQ=="),
    })
}

/// Parameters that several operations have.
pub(super) fn parameters() -> Value {
    let proof = |name: &str, description: &str| {
        let schema = json!({"type": "string", "contentEncoding": "base64", "maxLength": MAX_HEADER_BYTES});
        json!({"name": name, "in": "header", "required": false, "schema": schema, "description": description})
    };
    json!({
        "XPayment": proof("X-PAYMENT",
            "A proof of payment, base64 of JSON: an x402 payload of version 1 or 2, or a proof of settlement. Only one \
             payment header may be there."),
        "PaymentSignature": proof("PAYMENT-SIGNATURE", "A proof of payment, base64 of an x402 version 2 payload."),
        "Hash": {"name": "hash", "in": "path", "required": true, "schema": refer("schemas", "ReceiptHash")},
        "TileIndex": {
            "name": "index", "in": "path", "required": true,
            "schema": {"type": "string", "pattern": r"^(?:x[0-9]{3}/){0,5}[0-9]{3}(?:\.p/[1-9][0-9]{0,2})?$"},
            "description": "The tile's number in groups of three digits, `x` before all but the last, as in `x001/x234/067`; \
                `.p/W` after it for the first W of a tile that is not full yet. Slashes are sent as they are.",
            "example": "000.p/1",
        },
    })
}
