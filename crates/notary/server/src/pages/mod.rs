//! The pages for people, and the files that they load.
//!
//! | module | address |
//! |---|---|
//! | `home` | `/`: what the notary is, a box that finds a receipt, the first call |
//! | `receipt_page` | `/r/{hash}`: a receipt in words, its checks, and its verification in the browser |
//! | `verify` | `/verify` for browsers: a pasted or dropped receipt |
//! | `docs` | `/docs`, `/docs/{name}`: the guides, also as Markdown, and the files that they link |
//! | `pricing` | `/pricing`: what each route costs |
//! | `lists` | `/lists`: the snapshots of the lists, and what changed between two |
//! | `log` | `/log`: the tree, its newest entries, how to mirror it |
//! | `stream` | `/stream`: the newest entries of the log, as server-sent events |
//! | `status` | `/status`: modules, lists and latencies against their targets |
//! | `agent` | `/agents/{name}` for browsers: what is left of a name's free calls |
//! | `try_page` | `/try`: a console for every verdict route, with payment |
//! | `fields` | the fields of a question, for that console |
//! | `assets` | `/assets/{name}`: styles and scripts, from the folder `web` |
//!
//! Invariants: every page is readable without a script; a page loads nothing from another host; what callers and strangers
//! wrote is escaped and isolated (`<bdi>`).

mod agent;
mod assets;
mod docs;
mod fields;
mod home;
mod lists;
mod log;
mod pricing;
mod receipt_page;
mod status;
mod still_so;
pub(crate) mod stream;
mod tone;
mod try_page;
mod verify;
mod words;

use std::sync::{Arc, OnceLock};

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::response::Response;
use axum::routing::{MethodRouter, get};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use receipt::hash::sha256;

use crate::app::{App, Profile};
use crate::compression::Lasting;
use crate::discovery::HTML;
use crate::refusal::{Quota, Refusal};
use crate::routes;

pub(crate) use agent::agent;
pub(crate) use docs::{at, guides};
pub(crate) use home::home;
pub(crate) use verify::verify;

/// The policy of all pages, to which a page adds the hashes of the styles that a picture brings along.
const POLICY: &str = "default-src 'none'; script-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; \
    form-action 'self'; frame-ancestors 'none'; style-src 'self'";
/// The route whose rate holds for the pages of totals that have none of their own.
const RATED_AS: &str = "/stats";
/// The time for which browsers and proxies may keep a page that is the same for all.
const CACHE: HeaderValue = HeaderValue::from_static("public, max-age=60");

/// Builds the router of the pages, but for those whose address is a document's or a route's.
pub(crate) fn router() -> Router<Arc<App>> {
    Router::new()
        .route("/stream", get(stream::show))
        .route("/r/{hash}", get(receipt_page::show))
        .route("/docs", get(docs::index))
        .route("/docs/{*name}", get(docs::show))
        .route("/pricing", get(pricing::show))
        .route("/status", get(status::show))
        .route("/lists", get(lists::show))
        .route("/log", get(log::show))
        .route("/try", lasting(try_page::render))
        .route("/assets/{*name}", get(assets::show))
}

/// Serves a page that is rendered once, and is the same for all while the service runs.
fn lasting(render: fn(&App) -> Result<String, Refusal>) -> MethodRouter<Arc<App>> {
    let kept: Arc<OnceLock<(Lasting, HeaderValue)>> = Arc::default();
    get(move |State(app): State<Arc<App>>, headers: HeaderMap| async move {
        let (page, policy) = match kept.get() {
            Some(kept) => kept,
            None => {
                let html = render(&app)?;
                let policy = policy(&html);
                kept.get_or_init(|| (Lasting::new(html), policy))
            }
        };
        let mut response = routes::typed(HTML, page.answer(&headers), None);
        protect(response.headers_mut(), policy.clone());
        response.headers_mut().insert(header::CACHE_CONTROL, CACHE);
        Ok::<_, Refusal>(response)
    })
}

/// Returns true if HTML is asked for by its name, as browsers do.
pub(crate) fn wants_page(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    accepted.flat_map(|list| list.split(',')).any(|range| range.trim_start().starts_with("text/html"))
}

/// The development profile's warning.
pub(crate) fn notice(app: &App) -> Option<&'static str> {
    (app.profile == Profile::Dev).then_some(crate::DEV_NOTICE)
}

/// Answers with a page that is the same for all.
fn shared(html: String) -> Response {
    let mut response = page(html, None);
    response.headers_mut().insert(header::CACHE_CONTROL, CACHE);
    response
}

/// Answers with a page for who asked alone.
fn page(html: String, quota: Option<Quota>) -> Response {
    let policy = policy(&html);
    let mut response = routes::typed(HTML, html, quota);
    protect(response.headers_mut(), policy);
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-store"));
    response
}

/// Sets the headers that keep a page from being misused.
pub(crate) fn protect(headers: &mut HeaderMap, policy: HeaderValue) {
    headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(HeaderName::from_static("x-content-type-options"), HeaderValue::from_static("nosniff"));
}

/// Builds the policy of a page. The styles within it are allowed by their hashes, so that no other can be slipped in.
pub(crate) fn policy(html: &str) -> HeaderValue {
    let mut policy = POLICY.to_owned();
    for style in html.split("<style>").skip(1).filter_map(|rest| rest.split_once("</style>")) {
        policy.push_str(&format!(" 'sha256-{}'", STANDARD.encode(sha256(style.0.as_bytes()))));
    }
    HeaderValue::try_from(policy).unwrap_or(routes::NO_SCRIPT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_style_within_a_page_is_allowed_by_its_hash_alone() {
        let bare = policy("<p>x</p>");
        assert!(bare.to_str().unwrap().ends_with("style-src 'self'"));
        let styled = policy("<svg><style>a{}</style></svg><style>b{}</style>");
        assert_eq!(styled.to_str().unwrap().matches("'sha256-").count(), 2);
        assert!(!styled.to_str().unwrap().contains("unsafe"));
    }
}
