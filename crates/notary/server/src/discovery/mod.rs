//! Discovery: the documents that describe the service, all made from the price table and the declared routes.
//!
//! | module | document |
//! |---|---|
//! | `catalog`, `bounds` | `/catalog`, `/.well-known/service.json`: limits and prices of every route, bounds of the whole |
//! | `x402` | `/.well-known/x402.json`, `/.well-known/x402`: the price list in the terms of x402 |
//! | `agent_card` | `/.well-known/agent-card.json`: A2A 1.0 |
//! | `openapi` | `/openapi.json`: OpenAPI 3.1 |
//! | `texts` | `/llms.txt`, `/llms-full.txt`, `/robots.txt`, `/.well-known/security.txt` (RFC 9116) |
//! | `linkset` | `/.well-known/api-catalog`: RFC 9727 |
//! | `offer` | a route's price, free tier and rate, in the forms that these documents write them in |
//!
//! Invariants: no limit and no price is written here a second time; no two documents disagree.

mod agent_card;
mod bounds;
mod catalog;
mod linkset;
pub(crate) mod offer;
mod openapi;
mod texts;
mod x402;

#[cfg(test)]
mod tests;

use std::sync::{Arc, PoisonError, RwLock};

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::response::Response;
use axum::routing::{MethodRouter, get};
use receipt::key::{KeyId, PublishedKey, did_document, jwks};
use receipt_forms::credential;

use crate::app::App;
use crate::compression::Lasting;
use crate::pipeline::Client;
use crate::refusal::Refusal;
use crate::{pages, routes};

pub use offer::Offered;
pub(crate) use openapi::{receipt_members, request_schema, view_schemas};
pub(crate) use texts::llms as llms_text;

/// The service's name.
pub(crate) const NAME: &str = "Touchstone";
/// The description of the service, in one sentence.
pub(crate) const DESCRIPTION: &str = "A notary for verdicts: ask one question, and a judge's finding comes back in a receipt \
    that is signed with Ed25519, appended to a public log, and verifiable without trusting the notary.";
/// The version of the interface that is served.
const INTERFACE_VERSION: &str = "1.0.0";

const JSON: &str = "application/json";
/// RFC 9727, section 4.2.
const LINKSET: &str = "application/linkset+json; profile=\"https://www.rfc-editor.org/info/rfc9727\"";
const TEXT: &str = "text/plain; charset=utf-8";
pub(crate) const HTML: &str = "text/html; charset=utf-8";

/// A document without a rate limit.
struct Document {
    path: &'static str,
    media_type: &'static str,
    render: fn(&App) -> String,
    /// True where the document stays the same until the keys change, so that it is made once.
    lasting: bool,
}

/// A line of the table below.
const fn lasting(path: &'static str, media_type: &'static str, render: fn(&App) -> String) -> Document {
    Document { path, media_type, render, lasting: true }
}

// JWK sets and DID documents have media types of their own; neither RFC 7517 nor did:web asks for them at a
// well-known address, and plain JSON is what clients expect there.
#[rustfmt::skip]
const DOCUMENTS: &[Document] = &[
    lasting("/", HTML, pages::home),
    lasting("/llms.txt", TEXT, texts::llms),
    lasting("/openapi.json", JSON, openapi::render),
    lasting("/robots.txt", TEXT, texts::robots),
    lasting("/llms-full.txt", TEXT, texts::llms_full),
    lasting("/.well-known/openapi.json", JSON, openapi::render),
    lasting("/.well-known/api-catalog", LINKSET, linkset::render),
    lasting("/.well-known/service.json", JSON, catalog::render),
    lasting("/.well-known/x402.json", JSON, x402::render),
    lasting("/.well-known/x402", JSON, x402::render),
    lasting("/.well-known/agent-card.json", JSON, agent_card::render),
    lasting("/.well-known/jwks.json", JSON, key_set),
    lasting("/.well-known/did.json", JSON, did),
    lasting(credential::CONTEXT_PATH, credential::CONTEXT_MEDIA_TYPE, credential_context),
    Document { lasting: false, ..lasting("/.well-known/security.txt", TEXT, texts::security) },
];

/// The cache lifetime of a document. A price stays valid for longer than that after a change.
const CACHE: HeaderValue = HeaderValue::from_static("public, max-age=60");
const NOSNIFF: HeaderValue = HeaderValue::from_static("nosniff");

/// Makes the OpenAPI document of a service that need not be running.
#[must_use]
pub fn openapi_document(offered: &Offered<'_>) -> serde_json::Value {
    openapi::document(offered)
}

/// Makes the router of all discovery routes.
pub fn router() -> Router<Arc<App>> {
    let kept = Kept::default();
    let catalog = move |State(app): State<Arc<App>>, client: Client, headers: HeaderMap| async move {
        let quota = routes::hit(&app, &client, "/catalog").await?;
        let body = kept.get_or_render(&app, catalog::render).answer(&headers);
        Ok::<_, Refusal>(routes::typed(JSON, body, quota))
    };
    DOCUMENTS.iter().fold(Router::new().route("/catalog", get(catalog)), |router, document| {
        router.route(document.path, serve(document))
    })
}

/// A document that stays the same until the keys change. Clones share it.
#[derive(Clone, Default)]
struct Kept(Arc<RwLock<Option<Rendered>>>);

/// A document, and the version of the keys that it was made with.
type Rendered = (u64, Arc<Lasting>);

impl Kept {
    fn get_or_render(&self, app: &App, render: fn(&App) -> String) -> Arc<Lasting> {
        // Read before the document is made: what is made during a change is made again after it.
        let version = app.notary.keys.version();
        let kept = self.0.read().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some((_, lasting)) = kept.filter(|(of, _)| *of == version) {
            return lasting;
        }
        let mut kept = self.0.write().unwrap_or_else(PoisonError::into_inner);
        match &*kept {
            Some((of, lasting)) if *of == version => Arc::clone(lasting),
            _ => {
                let lasting = Arc::new(Lasting::new(render(app)));
                *kept = Some((version, Arc::clone(&lasting)));
                lasting
            }
        }
    }
}

fn serve(document: &'static Document) -> MethodRouter<Arc<App>> {
    let kept = Kept::default();
    get(move |State(app): State<Arc<App>>, headers: HeaderMap| async move {
        if document.lasting {
            answer(document, kept.get_or_render(&app, document.render).answer(&headers))
        } else {
            answer(document, Lasting::new((document.render)(&app)).answer(&headers))
        }
    })
}

fn answer(document: &Document, body: Response) -> Response {
    let mut response = routes::typed(document.media_type, body, None);
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, CACHE);
    headers.insert(HeaderName::from_static("x-content-type-options"), NOSNIFF);
    if document.media_type == HTML {
        pages::protect(headers, pages::policy(""));
    }
    response
}

fn key_set(app: &App) -> String {
    let keys = app.notary.keys.current();
    jwks(&keys.published, &keys.log_keys).to_string()
}

fn credential_context(app: &App) -> String {
    credential::context(app.base_url()).to_string()
}

fn did(app: &App) -> String {
    let keys = app.notary.keys.current();
    let log = keys.log_keys.iter().filter_map(|log| {
        let public = log.public()?;
        Some(PublishedKey::active(KeyId::new(app.base_url(), &public).ok()?, public))
    });
    did_document(keys.signer.kid().did(), &keys.published, &log.collect::<Vec<_>>()).to_string()
}
