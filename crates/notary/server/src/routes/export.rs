//! GET /export: the archive of an agent's receipts, for whom the operator has granted it to.
//!
//! Names are nobody's property, so the grant names a wallet, and the request is signed by it: an ERC-191 text (`personal_sign`) of
//! method and address, `GET https://notary.example/export?agent=scout-7&time=...`. The address is signed as it is sent, with a
//! time in it, so that a signature is for one notary, one question and a few minutes.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use payment::eip712::{recover, text_digest};
use receipt::json::{Json, Object};
use verdict::{AgentName, Fields, Reason, Timestamp};

use crate::app::App;
use crate::exports::AskedArchive;
use crate::pipeline::{self, Client};
use crate::refusal::Refusal;
use crate::routes;

pub(crate) const PATH: &str = "/export";
/// The media type of an archive.
pub(crate) const MEDIA_TYPE: &str = "application/x-tar";

/// The most milliseconds between the signed time and the notary's.
pub(crate) const MAX_AGE_MS: i64 = 300_000;

/// The header of the signature.
pub(crate) const SIGNATURE: &str = "X-Wallet-Signature";

/// A request that was read, and is not held against any grant yet.
struct Asked {
    archive: AskedArchive,
    /// The signed time.
    time: Timestamp,
    /// The text that was signed.
    text: String,
    signature: Vec<u8>,
}

/// Answers with the archive, while it is written.
pub async fn show(
    State(app): State<Arc<App>>,
    client: Client,
    request: Request,
) -> Result<Response, Refusal> {
    routes::flood(&app, &client, PATH).await?;
    let (parts, _) = request.into_parts();
    let asked = read(&app, &parts);
    let (asked, quota) = routes::visit_asking(&app, &client, PATH, asked).await?;
    check(&app, &client, &asked).await?;
    let body = app.exports.begin(asked.archive).await?;
    let mut response = routes::typed(MEDIA_TYPE, body, quota);
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-store"));
    let disposition = HeaderValue::from_static("attachment; filename=\"audit.tar\"");
    headers.insert(header::CONTENT_DISPOSITION, disposition);
    // nginx would keep gigabytes of it on its disk.
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    Ok(response)
}

fn read(app: &App, parts: &Parts) -> Result<Asked, Refusal> {
    let query = pipeline::query_object(parts.uri.query().unwrap_or_default())?;
    let agent = AgentName::read(&Fields::root(&query))?;
    let archive = AskedArchive { agent, since: time(&query, "since")?, until: time(&query, "until")? };
    let missing = |name, detail| Refusal::field(name, Reason::Missing, detail);
    let signed_at = time(&query, "time")?.ok_or_else(|| {
        missing("time", "is required: the time of the signature, such as 2026-11-27T08:00:00.000Z")
    })?;
    let detail = "is required: the signature by the wallet that the export was granted to; docs/export.md has the form";
    let signature = parts.headers.get(SIGNATURE).ok_or_else(|| missing(SIGNATURE, detail))?;
    let digits = signature.to_str().ok().and_then(|text| text.strip_prefix("0x"));
    let signature = digits.filter(|digits| digits.len() == 130).and_then(|digits| hex::decode(digits).ok());
    let malformed = || {
        Refusal::field(
            SIGNATURE,
            Reason::Malformed,
            "must be `0x` and the 130 hexadecimal digits of 65 bytes",
        )
    };
    let target = parts.uri.path_and_query().map_or(PATH, |target| target.as_str());
    Ok(Asked {
        archive,
        time: signed_at,
        text: format!("GET {}{target}", app.base_url()),
        signature: signature.ok_or_else(malformed)?,
    })
}

/// A time, or the day that begins with it.
fn time(query: &Object, name: &str) -> Result<Option<Timestamp>, Refusal> {
    let Some(text) = query.get(name).and_then(Json::as_str) else { return Ok(None) };
    let read = text.parse().or_else(|_| format!("{text}T00:00:00.000Z").parse());
    let malformed = |_| {
        Refusal::field(
            name,
            Reason::Malformed,
            "must be a UTC day or time, such as 2026-11-27 or 2026-11-27T08:00:00.000Z",
        )
    };
    read.map(Some).map_err(malformed)
}

/// Checks that the request was signed just now, by a wallet that the operator has granted the agent's export to.
async fn check(app: &App, client: &Client, asked: &Asked) -> Result<(), Refusal> {
    let now = app.notary.clock.now();
    let apart = now.as_millis().saturating_sub(asked.time.as_millis());
    if apart.saturating_abs() > MAX_AGE_MS {
        let detail = format!("must be within {} s of the notary's time, {now}: sign anew", MAX_AGE_MS / 1000);
        return Err(Refusal::field("time", Reason::OutOfRange, detail));
    }
    let wallet = recover(&text_digest(&asked.text), &asked.signature);
    let wallet = wallet.map_err(|error| Refusal::field(SIGNATURE, Reason::Malformed, error.to_string()))?;
    let grants = app.notary.ledger.grants_of(asked.archive.agent.as_str(), now).await?;
    if grants.iter().any(|grant| grant.exports_to(&wallet.into_array(), client.address(), now)) {
        return Ok(());
    }
    // The same answer for an unknown agent, one without a plan and another's wallet.
    let detail = format!(
        "the operator has not granted the export of this agent to the wallet {wallet}, which signed `{}`, from this network; an \
         enterprise plan has it",
        asked.text
    );
    Err(Refusal::NotGranted { code: "no_grant", detail })
}

#[cfg(test)]
mod tests;
