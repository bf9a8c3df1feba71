//! `/r/{hash}`: a receipt in words, for the person who was sent it.

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use bytes::Bytes;
use dispute::ReceiptStatus;
use module::SourceStanding;
use qrcode::render::svg;
use qrcode::{EcLevel, QrCode};
use receipt::hash::ReceiptHash;
use receipt::json::{Json, parse};
use receipt::verify::Report;

use super::still_so::{ListNow, StillSo};
use super::tone::Tone;
use super::words::{self, CheckLine, DisputeLine, WatchNow};
use crate::app::App;
use crate::erasure::ErasedDocument;
use crate::pages::{notice, page, wants_page};
use crate::pipeline::Client;
use crate::refusal::Refusal;
use crate::routes::receipts::{self, unreadable};
use crate::routes::{self, PathParameter, verify};
use crate::times::{self, Times};

const PATH: &str = "/r/{hash}";

#[derive(Template)]
#[template(path = "receipt.html")]
struct ReceiptPage<'a> {
    notice: Option<&'a str>,
    /// A sentence that says what was asked and found; receipts of before it was there have none.
    explanation: Option<&'a str>,
    /// The route's own summary, in its place.
    summary: &'a str,
    verdict: &'a str,
    tone: Tone,
    class: &'a str,
    /// False where the notary signs what it was given, and judges nothing.
    judges: bool,
    issuer: &'a str,
    agent: &'a str,
    signed_at: &'a str,
    day: String,
    paid: Option<String>,
    /// The caller's words, each with its name.
    words: Vec<(&'static str, &'a str)>,
    scope: &'a str,
    hash: String,
    /// HTML: what has changed since an earlier look, and what the class's judge says, if any.
    section: Option<&'a str>,
    /// The picture that the class's judge draws, if any.
    drawing: Option<&'a str>,
    /// The sources of the verdict as they are today; `None` if it depends on nothing that changes.
    still_so: Option<StillSo<'a>>,
    /// True if the route can be asked again.
    is_offered: bool,
    is_genuine: bool,
    checks: Vec<CheckLine<'a>>,
    disputes: Vec<DisputeLine<'a>>,
    /// When it was said, and who says so.
    times: &'a Times,
    /// The watch that the receipt has opened, as it stands now.
    watch: Option<WatchNow>,
    superseded_by: Option<&'a str>,
    /// The hash of the receipt that this one is about.
    about: Option<&'a str>,
    vkey: &'a str,
    base_url: &'a str,
    /// The page's address as a QR code, for paper.
    qr: String,
    evidence: String,
    raw: String,
}

/// The message for a person where there is no receipt.
#[derive(Template)]
#[template(path = "no_receipt.html")]
struct Nothing<'a> {
    notice: Option<&'a str>,
    why: &'a str,
}

/// The page in the place of a receipt that was erased.
#[derive(Template)]
#[template(path = "erased.html")]
struct ErasedPage<'a> {
    notice: Option<&'a str>,
    erased: &'a ErasedDocument,
    day: String,
    signed: String,
}

/// Shows the page. Where there is no receipt, a browser gets a page that says so, and any other client the problem
/// document.
pub(super) async fn show(
    State(app): State<Arc<App>>,
    client: Client,
    headers: HeaderMap,
    name: Result<PathParameter, Refusal>,
) -> Result<Response, Refusal> {
    match receipt(&app, &client, name).await {
        Err(Refusal::NotFound { detail, .. }) if wants_page(&headers) => {
            nothing(&app, StatusCode::NOT_FOUND, &format!("At this address there is nothing: {detail}."))
        }
        Err(Refusal::Erased(document)) if wants_page(&headers) => erased(&app, &document),
        Err(Refusal::Field { .. }) if wants_page(&headers) => {
            nothing(&app, StatusCode::BAD_REQUEST, "This address is not whole: it does not end in a hash.")
        }
        shown => shown,
    }
}

fn nothing(app: &App, status: StatusCode, why: &str) -> Result<Response, Refusal> {
    let html = Nothing { notice: notice(app), why }.render().map_err(|_| unreadable())?;
    let mut response = page(html, None);
    *response.status_mut() = status;
    Ok(response)
}

fn erased(app: &App, erased: &ErasedDocument) -> Result<Response, Refusal> {
    let (day, signed) = (words::day(&erased.at), words::day(&erased.signed_at));
    let page_of = ErasedPage { notice: notice(app), erased, day, signed };
    let mut response = page(page_of.render().map_err(|_| unreadable())?, None);
    *response.status_mut() = StatusCode::GONE;
    Ok(response)
}

/// What has happened since the receipt was signed.
struct Later {
    watch: Option<WatchNow>,
    times: Times,
}

/// The page of a receipt. Its hash may be written in capitals.
async fn receipt(
    app: &Arc<App>,
    client: &Client,
    name: Result<PathParameter, Refusal>,
) -> Result<Response, Refusal> {
    routes::flood(app, client, PATH).await?;
    let asked = name.and_then(|PathParameter(text)| receipts::parse_hash(&text.to_ascii_lowercase()));
    let (hash, quota) = routes::visit_asking(app, client, PATH, asked).await?;
    let found = receipts::find(app, hash).await?;
    let (_, tree_size) = found.said_of_time()?;
    let times = times::of(app, found.leaf(), tree_size).await?;
    let whole = Bytes::from(found.to_json());
    let party = client.party();
    let (report, shown) = verify::judged(app, party, whole.clone()).await.map_err(|_| unreadable())?;
    let watch = app.notary.ledger.watch_opened_by(&hash).await?;
    let watch = watch.map(|watch| WatchNow::of(&watch, app.notary.clock.now()));
    let (of_app, length) = (Arc::clone(app), whole.len());
    let later = Later { watch, times };
    let drawn = move || render(&of_app, hash, &whole, &report, &shown, later);
    let mut response = page(app.compute.apart(party, length, drawn).await??, quota);
    receipts::link_forms(app, response.headers_mut(), &hash);
    Ok(response)
}

fn render(
    app: &App,
    hash: ReceiptHash,
    whole: &[u8],
    report: &Report,
    shown: &ReceiptStatus,
    Later { watch, times }: Later,
) -> Result<String, Refusal> {
    let receipt = parse(whole).map_err(|_| unreadable())?;
    let text = |name| receipt.get(name).and_then(Json::as_str).unwrap_or_default();
    let judge = app.route_table.judge_of(&receipt);
    let sections = [watch::section_of_changes(&receipt), judge.and_then(|judge| judge.section(&receipt))];
    let section = sections.into_iter().flatten().reduce(|changes, section| changes + &section);
    let drawing = judge.and_then(|judge| judge.drawing(&receipt));
    let (class, verdict) = (text("class"), text("verdict"));
    let sources: Vec<SourceStanding> = app.standings().flat_map(|(_, standing)| standing.sources).collect();
    let html = ReceiptPage {
        notice: notice(app),
        explanation: receipt.get("explanation").and_then(Json::as_str),
        summary: app.route_table.route(class).map_or("", |route| route.terms.summary),
        verdict,
        tone: Tone::of(verdict),
        class,
        judges: !matches!(verdict, "COMMITTED" | "WATCHING" | "ERASED"),
        issuer: text("iss"),
        agent: text("agent"),
        signed_at: text("signed_at"),
        day: words::day(text("signed_at")),
        paid: words::paid(&receipt),
        words: words::callers_words(&receipt),
        scope: text("scope"),
        hash: hash.to_string(),
        section: section.as_deref(),
        drawing: drawing.as_deref(),
        still_so: StillSo::of(&receipt, &sources),
        is_offered: judge.is_some(),
        is_genuine: report.valid(),
        checks: words::checks(report),
        disputes: words::disputes(&shown.disputes),
        times: &times,
        watch,
        superseded_by: shown.superseded_by.as_deref(),
        about: receipt.get("ref").and_then(Json::as_str),
        vkey: &app.log_vkey(),
        base_url: app.base_url(),
        qr: qr(&format!("{}/r/{hash}", app.base_url())),
        evidence: receipt.get("evidence").map(pretty).unwrap_or_default(),
        raw: pretty(&receipt),
    };
    html.render().map_err(|_| unreadable())
}

/// A QR code as SVG; nothing where the address is too long for one.
fn qr(address: &str) -> String {
    let code = QrCode::with_error_correction_level(address, EcLevel::M);
    let drawn = code.map(|code| code.render::<svg::Color<'_>>().min_dimensions(120, 120).build());
    let drawn = drawn.unwrap_or_default();
    // Within HTML an SVG has no declaration of XML.
    drawn.split_once("?>").map_or(drawn.clone(), |(_, svg)| svg.to_owned())
}

/// Indented JSON for reading. Characters that turn the direction of writing are escaped, since they would show the rest
/// of the line in another order. In JSON they can stand only in strings, where escapes are allowed.
fn pretty(value: &Json) -> String {
    let text = serde_json::to_string_pretty(value).unwrap_or_default();
    if !text.contains(turns_writing) {
        return text;
    }
    let escaped = |sign: char| {
        if turns_writing(sign) { format!("\\u{:04x}", u32::from(sign)) } else { sign.to_string() }
    };
    text.chars().map(escaped).collect()
}

/// The explicit formatting characters of the Unicode Bidirectional Algorithm (UAX #9, section 2).
fn turns_writing(sign: char) -> bool {
    matches!(sign, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shown_json_is_the_same_json_without_signs_that_turn_its_writing() {
        let text = "{\"agent\":\"a\u{202e}b\u{2066}c\u{2069}\u{200f}\u{61c}\",\"n\":1.0}";
        let value = parse(text.as_bytes()).unwrap();
        let shown = pretty(&value);
        assert!(!shown.contains(turns_writing), "{shown}");
        assert!(shown.contains("a\\u202eb\\u2066c\\u2069\\u200f\\u061c"), "{shown}");
        assert_eq!(parse(shown.as_bytes()).unwrap(), value);
    }
}
