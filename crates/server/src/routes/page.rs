//! GET /r/{hash}: a receipt as a plain page for the person who was sent it. No script.

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::Response;
use receipt::json::{Json, parse};
use receipt::verify::Report;

use crate::app::{App, Profile};
use crate::desk::Client;
use crate::dispute::Dispute;
use crate::refusal::Refusal;
use crate::routes::receipts::{self, unreadable};
use crate::routes::{self, Named, verify};

const PATH: &str = "/r/{hash}";

#[derive(Template)]
#[template(path = "receipt.html")]
struct Page<'a> {
    notice: Option<&'a str>,
    verdict: &'a str,
    class: &'a str,
    agent: &'a str,
    signed_at: &'a str,
    scope: &'a str,
    hash: String,
    /// HTML that the class's judge brings, if any.
    section: Option<&'a str>,
    /// The picture that the class's judge draws, if any.
    drawing: Option<&'a str>,
    checks: Vec<Line<'a>>,
    disputes: &'a [Dispute],
    superseded_by: Option<&'a str>,
    evidence: String,
    raw: String,
}

struct Line<'a> {
    name: &'static str,
    ok: bool,
    detail: &'a str,
}

/// The page.
pub async fn show(
    State(app): State<Arc<App>>,
    client: Client,
    name: Result<Named, Refusal>,
) -> Result<Response, Refusal> {
    routes::flood(&app, &client, PATH).await?;
    let asked = name.and_then(|Named(text)| receipts::parse_hash(&text));
    let (hash, quota) = routes::visit_asking(&app, &client, PATH, asked).await?;
    let whole = receipts::find(&app, hash).await?.to_json();
    let (report, shown) = verify::judged(&app, &whole).await.map_err(|_| unreadable())?;
    let receipt = parse(&whole).map_err(|_| unreadable())?;
    let text = |name| receipt.get(name).and_then(Json::as_str).unwrap_or_default();
    let judge = app.docket.judge_of(&receipt);
    let section = judge.and_then(|judge| judge.section(&receipt));
    let drawing = judge.and_then(|judge| judge.drawing(&receipt));
    let page = Page {
        notice: (app.profile == Profile::Dev).then_some(crate::DEV_NOTICE),
        verdict: text("verdict"),
        class: text("class"),
        agent: text("agent"),
        signed_at: text("signed_at"),
        scope: text("scope"),
        hash: hash.to_string(),
        section: section.as_deref(),
        drawing: drawing.as_deref(),
        checks: lines(&report),
        disputes: &shown.disputes,
        superseded_by: shown.superseded_by.as_deref(),
        evidence: receipt.get("evidence").map(pretty).unwrap_or_default(),
        raw: pretty(&receipt),
    };
    let html = page.render().map_err(|_| unreadable())?;
    let mut response = routes::typed("text/html; charset=utf-8", html, quota);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, routes::NO_SCRIPT);
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(HeaderName::from_static("x-content-type-options"), HeaderValue::from_static("nosniff"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-store"));
    Ok(response)
}

fn lines(report: &Report) -> Vec<Line<'_>> {
    report.checks().map(|(name, check)| Line { name, ok: check.ok, detail: &check.detail }).into()
}

/// Indented JSON for reading.
fn pretty(value: &Json) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}
