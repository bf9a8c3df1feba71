//! `/mcp`: the Model Context Protocol over streamable HTTP, without sessions and without streams.
//!
//! A tool call is made an HTTP request to its route and goes through the same router: limits, prices, payments and receipts
//! are those of HTTP, and an identical call over either is one payment, since its body is the canonical form of the arguments.
//!
//! | module | contents |
//! |---|---|
//! | `revision` | the revisions of the protocol, and what each asks of a request's head |
//! | `reply` | answers, and errors beside those of JSON-RPC |
//! | `tools` | the tools, made from the declared routes |
//! | `call` | a call of a tool |
//! | `resources`, `prompts` | the guides, and three prompts |
//!
//! The protocol is spoken by hand: a library that speaks it reads numbers as doubles and names twice given as once, and has no
//! place for the result `payment_required` (docs/decisions/0038-mcp-by-hand.md).
//!
//! Invariants: no text of a caller is in a tool's name or description; a request from a foreign web page is refused before it
//! is read; nothing is answered before the address's rate is counted.

mod call;
mod prompts;
mod reply;
mod resources;
mod revision;
mod tools;

use std::sync::{Arc, OnceLock};

use axum::Router;
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{MethodRouter, post};
use module::terms::BODY_LIMIT;
use serde_json::{Value, json};
use url::Url;

use crate::app::App;
use crate::discovery::{DESCRIPTION, NAME};
use crate::json_rpc::{self, Message, Reply, RpcError, RpcRequest};
use crate::pipeline::Client;
use crate::refusal::Refusal;
use crate::routes;

use call::Call;
use revision::Revision;
use tools::Tools;

pub(crate) const PATH: &str = "/mcp";
/// Maximum size of what a message has around the arguments of a tool.
const ENVELOPE_BYTES: usize = 64 << 10;
/// Time for which clients may keep a list, in milliseconds.
const LIST_TTL_MS: u64 = 300_000;

/// What all calls have in common.
struct Mcp {
    app: Arc<App>,
    /// The routes that tools call.
    api: Router,
    tools: Tools,
}

/// Makes the route. `api` answers the calls of tools.
pub(crate) fn route(api: Router) -> MethodRouter<Arc<App>> {
    let made: Arc<OnceLock<Arc<Mcp>>> = Arc::default();
    post(move |State(app): State<Arc<App>>, client: Client, request: Request| {
        let mcp = made.get_or_init(|| {
            let tools = Tools::of(&app);
            Arc::new(Mcp { app, api: api.clone(), tools })
        });
        Arc::clone(mcp).answer(client, request)
    })
}

impl Mcp {
    async fn answer(self: Arc<Self>, client: Client, request: Request) -> Result<Response, Refusal> {
        let app = &self.app;
        let (parts, body) = request.into_parts();
        routes::flood(app, &client, PATH).await?;
        check_origin(app.base_url(), &parts.headers)?;
        let limit = self.tools.body_limit().max(BODY_LIMIT).saturating_add(ENVELOPE_BYTES);
        let arrived = json_rpc::arrive(app, &client, (&parts, body), (PATH, limit), Message::read);
        let (read, quota) = arrived.await?;
        let reply = match read {
            Err(error) => error.reply(None, StatusCode::BAD_REQUEST),
            Ok(Message::Notification) => return Ok(StatusCode::ACCEPTED.into_response()),
            Ok(Message::Request(request)) => match Revision::of(&parts.headers, &request) {
                Err((error, status)) => error.reply(Some(&request.id), status),
                Ok(revision) => self.dispatch(&parts, revision, request).await,
            },
        };
        Ok(json_rpc::respond(reply, quota))
    }

    /// Answers a request by its method.
    async fn dispatch(&self, parts: &Parts, revision: Revision, request: RpcRequest) -> Reply {
        let is_listing = request.method.ends_with("/list") && request.param("cursor").is_some();
        let result = match &*request.method {
            _ if is_listing => Err(RpcError::params("there is one page only: send no `cursor`")),
            "initialize" if !revision.is_modern() => Ok(self.initialized(&request)),
            "ping" if !revision.is_modern() => Ok(json!({})),
            "server/discover" if revision.is_modern() => Ok(self.discovered()),
            "tools/list" => return reply::listed(&request.id, revision, "tools", self.tools.listed()),
            "tools/call" => match Call::read(&self.tools, request) {
                Ok(call) => return call.make(self, parts, revision).await,
                Err((id, error)) => return error.reply(Some(&id), StatusCode::OK),
            },
            "resources/list" => Ok(json!({"resources": resources::list(self.app.base_url())})),
            "resources/templates/list" => Ok(json!({"resourceTemplates": []})),
            "resources/read" => resources::read(&self.app, request.text("uri"), revision),
            "prompts/list" => Ok(json!({"prompts": prompts::list()})),
            "prompts/get" => prompts::get(&request),
            _ => Err(RpcError::unknown_method()),
        };
        match result {
            Ok(result) => reply::result(&request.id, revision, &request.method, result),
            Err(error) => {
                let status = reply::status(&error, revision);
                error.reply(Some(&request.id), status)
            }
        }
    }

    fn initialized(&self, request: &RpcRequest) -> Value {
        json!({
            "protocolVersion": revision::negotiated(request.text("protocolVersion")),
            "capabilities": capabilities(),
            "serverInfo": server_info(),
            "instructions": instructions(&self.app),
        })
    }

    fn discovered(&self) -> Value {
        json!({
            "supportedVersions": revision::SUPPORTED,
            "capabilities": capabilities(),
            "instructions": instructions(&self.app),
        })
    }
}

fn capabilities() -> Value {
    json!({"tools": {}, "resources": {}, "prompts": {}, "extensions": {call::PAYMENT_EXTENSION: {}}})
}

/// The name and version of this server.
fn server_info() -> Value {
    json!({"name": NAME.to_lowercase(), "title": NAME, "version": env!("CARGO_PKG_VERSION")})
}

fn instructions(app: &App) -> String {
    let notice = crate::pages::notice(app).map_or_else(String::new, |notice| format!(" {notice}"));
    format!(
        "{DESCRIPTION} Give yourself a name in `agent`. Act on a verdict only as far as its `scope` goes; no answer, an error or an \
         undecided verdict is no permission. A result with `accepts` asks for a payment by x402.{notice}"
    )
}

/// Refuses what a foreign web page asks, and what was sent to a name that somebody else has led here (DNS rebinding).
fn check_origin(base_url: &str, headers: &HeaderMap) -> Result<(), Refusal> {
    let forbidden =
        |field: &'static str, detail: &str| Refusal::Forbidden { field, detail: detail.to_owned() };
    let base = Url::parse(base_url).map_err(|_| Refusal::Bug)?;
    let mut origins = headers.get_all(header::ORIGIN).iter();
    if let Some(origin) = origins.next() {
        let origin = origin.to_str().ok().and_then(|origin| Url::parse(origin).ok());
        let is_own =
            origin.is_some_and(|origin| origin.origin() == base.origin()) && origins.next().is_none();
        if !is_own {
            return Err(forbidden(
                "Origin",
                "must be that of this notary, or absent: web pages of others are refused",
            ));
        }
    }
    let Some(host) = headers.get(header::HOST) else { return Ok(()) };
    let asked = host.to_str().ok().and_then(|host| Url::parse(&format!("{}://{host}/", base.scheme())).ok());
    let is_ours = asked.is_some_and(|asked| asked.host() == base.host() || is_loopback(&asked));
    if is_ours {
        return Ok(());
    }
    Err(forbidden("Host", "must be that of this notary's base address; a proxy must pass it on"))
}

/// A name by which a machine reaches itself: no name server can lead it elsewhere.
fn is_loopback(address: &Url) -> bool {
    match address.host() {
        Some(url::Host::Domain(name)) => name == "localhost",
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn foreign_origins_and_hosts_are_refused() {
        let base = "https://notary.example";
        let check = |name: &'static str, value: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(name, HeaderValue::from_static(value));
            check_origin(base, &headers)
        };
        for (name, value) in [
            ("host", "notary.example"),
            ("host", "notary.example:443"),
            ("host", "NOTARY.example"),
            ("host", "localhost:8402"),
            ("host", "127.0.0.1:8402"),
            ("host", "[::1]:8402"),
            ("origin", "https://notary.example"),
            ("origin", "https://notary.example:443"),
        ] {
            assert!(check(name, value).is_ok(), "{name}: {value}");
        }
        for (name, value) in [
            ("host", "notary.example.evil.example"),
            ("host", "evil.example"),
            ("host", "10.0.0.1"),
            ("host", "a b"),
            ("origin", "null"),
            ("origin", "https://evil.example"),
            ("origin", "http://notary.example"),
            ("origin", "https://notary.example:8443"),
            ("origin", "https://notary.example.evil.example"),
        ] {
            assert!(matches!(check(name, value), Err(Refusal::Forbidden { .. })), "{name}: {value}");
        }
    }
}
