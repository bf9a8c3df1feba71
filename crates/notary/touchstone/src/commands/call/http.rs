//! HTTP to the one notary that the caller named.

use std::time::Duration;

use anyhow::{Context as _, ensure};
use axum::http::header::{ACCEPT, CONNECTION, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, Uri};
use receipt::json::{self, Json};
use receipt::key::{parse_jwks, parse_log_keys};
use receipt::verify::Keys;
use ureq::{Agent, Body};
use url::{Host, Position, Url};

use super::question::Question;
use crate::commands::client::agent;

/// The most time for the connection, TLS included.
const CONNECT: Duration = Duration::from_secs(5);
/// The time for a whole request where the caller names none: more than any route's target and the notary's wait for a
/// settlement together.
pub const TOTAL: Duration = Duration::from_secs(60);
/// The longest answer that is read.
const MAX_ANSWER_BYTES: u64 = 16 << 20;

/// A notary's address.
pub struct Server {
    base: Url,
    agent: Agent,
}

/// The server's answer.
#[derive(Debug)]
pub struct HttpResponse {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

impl Server {
    /// The notary at an address, which has so much time for each answer.
    pub fn new(base: &str, total: Duration) -> anyhow::Result<Self> {
        let base: Url = base.parse().with_context(|| format!("the server `{base}`"))?;
        ensure!(matches!(base.scheme(), "http" | "https"), "the server `{base}` is not http or https");
        ensure!(base.host().is_some(), "the server `{base}` has no host");
        let is_plain = base.username().is_empty() && base.password().is_none();
        ensure!(is_plain && base.query().is_none(), "the server is an address without a user or a query");
        Ok(Self { base, agent: agent(CONNECT.min(total), total) })
    }

    /// Returns true if nobody on the way can read or change the messages: over TLS, or on this machine.
    pub fn is_private(&self) -> bool {
        self.base.scheme() == "https"
            || match self.base.host() {
                Some(Host::Ipv4(address)) => address.is_loopback(),
                Some(Host::Ipv6(address)) => address.is_loopback(),
                Some(Host::Domain(name)) => name == "localhost",
                None => false,
            }
    }

    /// The keys that the notary publishes: of its receipts, and of its log.
    pub fn keys(&self) -> anyhow::Result<Keys> {
        let set = self.published("jwks.json")?;
        let (receipt, log) = (parse_jwks(&set)?, parse_log_keys(&set)?);
        if !log.is_empty() {
            return Ok(Keys::new(receipt, Vec::new())?.with_log_keys(log));
        }
        // A notary of an earlier version has one key of the log, and names it there.
        let service = json::parse(&self.published("service.json")?)?;
        let vkey = service.get("log").and_then(|log| log.get("vkey")).and_then(Json::as_str);
        let log = vkey.context("service.json names no key of the log")?.parse().context("the log's key")?;
        Ok(Keys::new(receipt, vec![log])?)
    }

    fn published(&self, name: &str) -> anyhow::Result<Vec<u8>> {
        let answer = self.get(&format!(".well-known/{name}"))?;
        ensure!(answer.status == StatusCode::OK, "{name}: the notary answered {}", answer.status);
        Ok(answer.body)
    }

    pub fn get(&self, path: &str) -> anyhow::Result<HttpResponse> {
        let request = self.agent.get(self.address(path)?);
        self.answer(request.header(ACCEPT, JSON).header(CONNECTION, "close").call())
    }

    /// Asks a question, with a header of payment and its value where they are given.
    pub fn ask(
        &self,
        question: &Question,
        proof: Option<(&'static str, &str)>,
    ) -> anyhow::Result<HttpResponse> {
        let mut request = Request::builder()
            .method(&question.method)
            .uri(self.address(&question.target)?)
            .header(ACCEPT, JSON)
            .header(CONNECTION, "close");
        if let Some((name, proof)) = proof {
            let mut proof = HeaderValue::from_str(proof).context("the proof of payment")?;
            proof.set_sensitive(true);
            request = request.header(name, proof);
        }
        self.answer(if question.method == Method::GET {
            self.agent.run(request.body(())?)
        } else {
            self.agent.run(request.header(CONTENT_TYPE, JSON).body(&question.body[..])?)
        })
    }

    /// Posts JSON with further headers.
    pub fn post(
        &self,
        target: &str,
        body: &[u8],
        headers: &[(&str, String)],
    ) -> anyhow::Result<HttpResponse> {
        let mut request = Request::builder()
            .method(Method::POST)
            .uri(self.address(target)?)
            .header(ACCEPT, "application/json, text/event-stream")
            .header(CONTENT_TYPE, JSON)
            .header(CONNECTION, "close");
        for (name, value) in headers {
            request = request.header(*name, value);
        }
        self.answer(self.agent.run(request.body(body)?))
    }

    /// The address of a path, which may have a query.
    pub fn address(&self, target: &str) -> anyhow::Result<Uri> {
        let base = self.base[..Position::AfterPath].trim_end_matches('/');
        format!("{base}/{target}").parse().with_context(|| format!("the route `{target}`"))
    }

    fn answer(&self, answered: Result<Response<Body>, ureq::Error>) -> anyhow::Result<HttpResponse> {
        let failed = || format!("failed to ask {}", self.base);
        let (head, mut body) = answered.with_context(failed)?.into_parts();
        let body = body.with_config().limit(MAX_ANSWER_BYTES).read_to_vec();
        let body = body.context("failed to read the answer").with_context(failed)?;
        Ok(HttpResponse { status: head.status, headers: head.headers, body })
    }
}

const JSON: &str = "application/json";
