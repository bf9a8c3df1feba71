//! A request that has arrived: read where it is served when it is small, and in its turn elsewhere when it is large.

use std::sync::Arc;

use axum::http::Method;
use axum::http::request::Parts;
use capacity::compute::{self, ComputeClient};
use listen::MAX_HEAD_BYTES;
use module::terms::Unit;
use module::{Route, Unread};
use receipt::hash::sha256;
use receipt::json::{Json, Object};
use verdict::{AgentName, Case, FieldError};

use super::ONE;
use super::body::WholeBody;
use super::question::{self, read_object};
use super::short_form::FIELDS;
use crate::app::App;
use crate::refusal::Refusal;

/// Maximum size of the members of an unpaid call that its question does not read, in bytes.
pub const MAX_UNREAD: usize = 256 << 10;

/// A request that was read, as far as it could be.
pub(super) struct Asked {
    /// SHA-256 of the raw body.
    pub(super) body_hash: [u8; 32],
    /// The request as it was read, or why it is no JSON object.
    pub(super) read: Result<Read, Refusal>,
}

/// A request that is a JSON object.
pub(super) struct Read {
    pub(super) agent: Result<AgentName, FieldError>,
    /// True where it has a member `agent`.
    pub(super) names_agent: bool,
    /// The question, where there is a judge; or the first field that is wrong.
    pub(super) case: Result<Option<Arc<dyn Case>>, FieldError>,
    /// The number of units that it costs; 1 where that cannot be read.
    pub(super) units: u32,
    /// The canonical form.
    pub(super) request: Vec<u8>,
    /// The members that its question does not read, where they may be too large.
    pub(super) unread: Unread,
}

/// Reads a request. Its body leaves memory here: only what was read is kept.
///
/// # Errors
/// 503: too many large bodies wait to be read.
pub(super) async fn read(
    app: &App,
    party: ComputeClient,
    route: &Arc<Route>,
    parts: &Parts,
    body: WholeBody,
) -> Result<Asked, Refusal> {
    let length = body.bytes.len();
    if length <= compute::READ_HERE {
        return Ok(read_here(route, parts, body));
    }
    let (route, head) = (Arc::clone(route), parts.clone());
    Ok(app.compute.apart(party, length, move || read_here(&route, &head, body)).await?)
}

fn read_here(route: &Route, parts: &Parts, body: WholeBody) -> Asked {
    let body_hash = sha256(&body.bytes);
    let read = read_object(parts, &body.bytes).and_then(|mut object| {
        if route.terms.get && parts.method != Method::POST {
            // It chooses the form of the answer, and is no part of the question.
            object.remove(FIELDS);
        }
        Read::of(route, object)
    });
    Asked { body_hash, read }
}

impl Read {
    /// # Errors
    /// 413: the canonical form, in which it is kept, has more bytes than the body may have (`1e20` has 21 there).
    fn of(route: &Route, object: Object) -> Result<Self, Refusal> {
        let terms = &route.terms;
        let judge = route.judge.as_ref();
        let case: Result<Option<Arc<dyn Case>>, FieldError> =
            judge.map(|judge| judge.receive(&object)).transpose().map(|case| case.map(Arc::from));
        let units = match &case {
            Ok(Some(case)) => case.units(),
            Err(_) if terms.unit == Unit::Entity => {
                judge.and_then(|judge| judge.open(&object).ok()).map_or(ONE, |case| case.units())
            }
            _ => ONE,
        };
        let agent = question::agent(&object, terms);
        let names_agent = object.contains("agent");
        let members = route.members.as_ref().filter(|_| terms.body_limit > MAX_UNREAD);
        let unread = members.map(|members| members.unread(&object)).unwrap_or_default();
        // The tree is many times as large as its text, and judging may take seconds: only the text is kept for it.
        let request = Json::Object(object).canonical();
        // A query has no body, and a bound of its own.
        let limit_bytes = terms.body_limit.max(MAX_HEAD_BYTES);
        if request.len() > limit_bytes {
            return Err(Refusal::TooLarge { limit_bytes });
        }
        Ok(Self { agent, names_agent, case, units, request, unread })
    }
}
