//! `/a2a`: the Agent2Agent protocol 1.0 over JSON-RPC, with payments by the x402 extension.
//!
//! A message names a skill and its input: `{"skill": CLASS, "input": {...}}` as data. It is made an HTTP request to the skill's
//! route, with the same limits, prices and receipts. A free call is answered by a message, one that must be paid for by a task
//! that waits for the payment. The paying message has the question again: nothing of a question is kept for a payment that may
//! never come.
//!
//! | module | contents |
//! |---|---|
//! | `asked` | what a message asks: a skill, its input, a payment |
//! | `task` | ids and states of tasks |
//!
//! A task's id has the identity of its request, so that each replica can tell what it costs, and a random part, since the answer
//! is not for who guesses a question. Answers of tasks are found by their ids, with a store of several processes by each of them,
//! for as long as they are remembered, and until then no second payment is taken for a task; a payment that is sent again is
//! answered by each replica, and is not taken twice.
//!
//! Invariants: errors of the protocol are HTTP 200, as its clients want it; no answer is told to who has not the task's id.

mod asked;
mod task;

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use axum::Router;
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::response::Response;
use axum::routing::{MethodRouter, post};
use lru::LruCache;
use module::terms::{BODY_LIMIT, Unit};
use receipt::hash::{ReceiptHash, sha256};
use serde_json::{Value, json};

use crate::app::App;
use crate::discovery::Offered;
use crate::json_rpc::{self, Called, Message, RpcError, RpcRequest};
use crate::pipeline::Client;
use crate::refusal::Refusal;
use crate::routes;

use asked::Asked;
use task::{State as TaskState, TaskId};

pub(crate) const PATH: &str = "/a2a";
/// The version of the protocol that is spoken.
pub(crate) const VERSION: &str = "1.0";
/// The extension for payments.
pub(crate) const X402: &str = "https://github.com/google-agentic-commerce/a2a-x402/blob/main/spec/v0.2";

const SEND_MESSAGE: &str = "SendMessage";
/// Maximum size of what a message has around its input.
const ENVELOPE_BYTES: usize = 64 << 10;
/// The text about a task whose price depends on the question.
const UNPRICED: &str = "This costs money for each entity. Send the same parts again, with this task's id and without a payment, to be \
    told the price.";
/// The number of answered tasks that this process remembers.
const REMEMBERED: std::num::NonZeroUsize = std::num::NonZeroUsize::new(4096).unwrap();

/// The kind of notes by which the processes of a store remember answered tasks, and the time for which, in milliseconds.
const TASKS: &str = "a2a";
const REMEMBERED_MS: i64 = 24 * 3_600_000;

/// The answer of a task.
#[derive(Clone)]
struct Answer {
    receipt: ReceiptHash,
    /// The metadata about its payment.
    payment: Value,
}

impl Answer {
    fn to_note(&self) -> Vec<u8> {
        json!({"receipt": self.receipt.to_string(), "payment": self.payment}).to_string().into_bytes()
    }

    fn of_note(note: &[u8]) -> Option<Self> {
        let mut note: Value = serde_json::from_slice(note).ok()?;
        Some(Self { receipt: note["receipt"].as_str()?.parse().ok()?, payment: note["payment"].take() })
    }
}

/// The answers of tasks, by the tasks' ids.
type Answered = Mutex<LruCache<String, Answer>>;

/// What all calls have in common.
struct A2a {
    app: Arc<App>,
    /// The routes that skills call.
    api: Router,
    answered: Answered,
}

/// Makes the route. `api` answers the calls of skills.
pub(crate) fn route(api: Router) -> MethodRouter<Arc<App>> {
    let made: Arc<OnceLock<Arc<A2a>>> = Arc::default();
    post(move |State(app): State<Arc<App>>, client: Client, request: Request| {
        let a2a = made.get_or_init(|| {
            let answered = Mutex::new(LruCache::new(REMEMBERED));
            Arc::new(A2a { app, api: api.clone(), answered })
        });
        Arc::clone(a2a).answer(client, request)
    })
}

impl A2a {
    async fn answer(self: Arc<Self>, client: Client, request: Request) -> Result<Response, Refusal> {
        let app = &self.app;
        let (parts, body) = request.into_parts();
        routes::flood(app, &client, PATH).await?;
        let limits = app.route_table.offered().map(|route| route.terms.body_limit);
        let limit = limits.max().unwrap_or_default().max(BODY_LIMIT).saturating_add(ENVELOPE_BYTES);
        let shared = Arc::clone(app);
        let read = move |bytes: &[u8]| {
            let mut message = Message::read(bytes)?;
            let mut asked = None;
            if let Message::Request(request) = &mut message
                && request.method == SEND_MESSAGE
            {
                asked = Some(Asked::read(&shared.route_table, request));
                // Nothing else of them is needed, and they may be large.
                request.params = None;
            }
            Ok::<_, RpcError>((message, asked))
        };
        let arrived = json_rpc::arrive(app, &client, (&parts, body), (PATH, limit), read);
        let (read, quota) = arrived.await?;
        let reply = match read {
            Err(error) => error.reply(None, StatusCode::OK),
            Ok((Message::Notification, _)) => {
                RpcError::request("must have an `id`").reply(None, StatusCode::OK)
            }
            Ok((Message::Request(request), asked)) => match self.dispatch(&parts, &request, asked).await {
                Ok(result) => json_rpc::whole(&request.id, &result.to_string()),
                Err(error) => error.reply(Some(&request.id), StatusCode::OK),
            },
        };
        Ok(json_rpc::respond(reply, quota))
    }

    /// Answers a request by its method; `asked` is that of a message.
    async fn dispatch(
        &self,
        parts: &Parts,
        request: &RpcRequest,
        asked: Option<Result<Asked, RpcError>>,
    ) -> Result<Value, RpcError> {
        check_version(&parts.headers)?;
        match &*request.method {
            SEND_MESSAGE => self.send(parts, &asked.ok_or_else(internal)??).await,
            "GetTask" => self.get(request).await,
            "CancelTask" => {
                self.task_of(request)?;
                Err(failure(
                    -32002,
                    "TASK_NOT_CANCELABLE",
                    "a task here is answered at once, or waits for its payment",
                ))
            }
            "SendStreamingMessage" | "SubscribeToTask" | "ListTasks" => {
                Err(failure(-32004, "UNSUPPORTED_OPERATION", "neither streams nor lists are offered"))
            }
            "GetExtendedAgentCard" => {
                Err(failure(-32007, "EXTENDED_AGENT_CARD_NOT_CONFIGURED", "there is no extended card"))
            }
            method
                if method.ends_with("TaskPushNotificationConfig")
                    || method.ends_with("TaskPushNotificationConfigs") =>
            {
                Err(no_push_notifications())
            }
            _ => Err(RpcError::unknown_method()),
        }
    }

    async fn send(&self, parts: &Parts, asked: &Asked) -> Result<Value, RpcError> {
        let task = match &asked.task {
            None => TaskId::new(asked.class(), &asked.identity)?,
            Some(text) => {
                let task = TaskId::parse(text).ok_or_else(task::not_found)?;
                if !task.is_of(asked.class(), &asked.identity) {
                    return Err(RpcError::params(
                        "the task is of another question: send the parts of its first message again, and the payment",
                    ));
                }
                task
            }
        };
        let context = asked.context.as_deref().unwrap_or(task.text());
        // The id of a watch is told to its payer alone, by the route.
        if !self.app.route_table.may_open_watches(asked.class())
            && let Some(answered) = self.known(&task, context).await?
        {
            return Ok(json!({"task": answered}));
        }
        if asked.is_rejected {
            return Ok(
                json!({"task": task.shown(context, TaskState::Canceled, json!({"x402.payment.status": "payment-rejected"}), None)}),
            );
        }
        let Called { status, headers, body } = self.call(parts, asked).await;
        let body: Value = serde_json::from_slice(&body).map_err(|_| internal())?;
        if status.is_success() {
            return Ok(self.answered(asked, &task, &headers, body).await);
        }
        if status == StatusCode::PAYMENT_REQUIRED {
            let terms = json_rpc::decoded(&headers, "payment-required").ok_or_else(internal)?;
            let mut metadata =
                json!({"x402.payment.status": "payment-required", "x402.payment.required": terms});
            if let Some(settled) = json_rpc::x402_response(&headers) {
                metadata["x402.payment.status"] = json!("payment-failed");
                metadata["x402.payment.error"] = json!(asked::error_word(&body));
                metadata["x402.payment.receipts"] = json!([settled]);
            }
            return Ok(json!({"task": task.shown(context, TaskState::InputRequired, metadata, None)}));
        }
        if status == StatusCode::BAD_REQUEST || status == StatusCode::PAYLOAD_TOO_LARGE {
            let detail =
                body["detail"].as_str().unwrap_or("the input is not what the skill takes").to_owned();
            let reason = body["code"].as_str().unwrap_or("invalid_input").to_owned();
            return Err(RpcError::params(&detail).with_data(json!([information(&reason), body])));
        }
        // The rate, an obstacle, a part that is down: the agent does not take a new task on, and one that waits goes on waiting.
        let state = match (body["code"].as_str(), &asked.task) {
            (Some("payment_in_progress"), _) => TaskState::Working,
            // A payment that was sent may have been taken: the same one is answered, and not taken twice.
            (_, task) if task.is_some() || asked.proof.is_some() => TaskState::InputRequired,
            _ => TaskState::Rejected,
        };
        let mut shown = task.shown(context, state, json!({}), None);
        shown["status"]["message"]["parts"] = json!([data(&body)]);
        Ok(json!({"task": shown}))
    }

    /// The answer of a call that was answered by a receipt.
    async fn answered(&self, asked: &Asked, task: &TaskId, headers: &HeaderMap, receipt: Value) -> Value {
        let watch = headers.get("watch-id").and_then(|id| id.to_str().ok());
        let secret = watch.map(|id| json!({"watch_id": id}));
        if asked.task.is_none() && asked.proof.is_none() {
            let context = asked.context.as_ref().unwrap_or(&asked.message);
            let mut message = task::message(context, vec![data(&receipt)]);
            if let Some(secret) = secret {
                message["metadata"] = secret;
            }
            return json!({"message": message});
        }
        let mut metadata = json!({});
        if let Some(settled) = json_rpc::x402_response(headers) {
            metadata =
                json!({"x402.payment.status": "payment-completed", "x402.payment.receipts": [settled]});
        }
        // Only what was paid for: ids that a caller invents push no answer out that somebody has paid for.
        let is_paid = metadata.get("x402.payment.receipts").is_some();
        if is_paid && let Some(hash) = receipt["receipt_hash"].as_str().and_then(|hash| hash.parse().ok()) {
            self.remember(task, Answer { receipt: hash, payment: metadata.clone() }).await;
        }
        let context = asked.context.as_deref().unwrap_or(task.text());
        let mut shown = task.shown(context, TaskState::Completed, metadata, Some(data(&receipt)));
        if let Some(secret) = secret {
            shown["metadata"] = secret;
        }
        json!({"task": shown})
    }

    /// Remembers the answer of a task that was paid for.
    async fn remember(&self, task: &TaskId, answer: Answer) {
        let notary = &self.app.notary;
        if notary.ledger.is_shared() {
            let bytes = answer.to_note();
            let (key, now) = (sha256(task.text().as_bytes()), notary.clock.now());
            let until = now.saturating_add_millis(REMEMBERED_MS);
            if let Err(error) = notary.ledger.remember(TASKS, key, bytes, now, until).await {
                tracing::warn!(%error, "the other replicas cannot tell the answer of a task");
            }
        }
        self.answered.lock().unwrap_or_else(PoisonError::into_inner).put(task.text().to_owned(), answer);
    }

    /// The answer of a task, where this process remembers it or another one of the store does.
    async fn recall(&self, task: &TaskId) -> Result<Option<Answer>, RpcError> {
        let known = self.answered.lock().unwrap_or_else(PoisonError::into_inner).get(task.text()).cloned();
        let notary = &self.app.notary;
        if known.is_some() || !notary.ledger.is_shared() {
            return Ok(known);
        }
        let (key, now) = (sha256(task.text().as_bytes()), notary.clock.now());
        let note = notary.ledger.remembered(TASKS, &key, now).await.map_err(|error| {
            tracing::error!(%error, "the answers of tasks cannot be read");
            internal()
        })?;
        note.map(|bytes| Answer::of_note(&bytes).ok_or_else(internal)).transpose()
    }

    /// Makes the request that a message stands for, for the client whose request had this head.
    async fn call(&self, parts: &Parts, asked: &Asked) -> Called {
        let proof = asked.proof.as_ref();
        let own = proof.and_then(|(name, proof)| Some((name.clone(), HeaderValue::try_from(proof).ok()?)));
        let target = asked.route.terms.path().parse().expect("the path of a route is an address");
        let request = (Method::POST, target, asked.input.clone());
        json_rpc::call(&self.api, parts, request, own.into_iter().collect()).await
    }

    /// Shows a task: its answer, where it is remembered, or else what it waits for.
    async fn get(&self, request: &RpcRequest) -> Result<Value, RpcError> {
        let task = self.task_of(request)?;
        let context = task.text();
        if let Some(answered) = self.known(&task, context).await? {
            return Ok(answered);
        }
        let route = self.app.route_table.route(task.class()).ok_or_else(task::not_found)?;
        let terms = Offered::from(&*self.app).payment_required(route).ok_or_else(task::not_found)?;
        if route.terms.unit == Unit::Entity {
            // The price depends on the question, which is not kept.
            let mut shown = task.shown(context, TaskState::InputRequired, json!({}), None);
            shown["status"]["message"]["parts"] = json!([{"text": UNPRICED}]);
            return Ok(shown);
        }
        let terms = terms.decoded().ok_or_else(internal)?;
        let metadata = json!({"x402.payment.status": "payment-required", "x402.payment.required": terms});
        Ok(task.shown(context, TaskState::InputRequired, metadata, None))
    }

    /// Shows a task that was answered, for as long as it is remembered.
    async fn known(&self, task: &TaskId, context: &str) -> Result<Option<Value>, RpcError> {
        let Some(Answer { receipt, payment }) = self.recall(task).await? else { return Ok(None) };
        let found = routes::receipts::find(&self.app, receipt).await;
        let receipt = found.map_err(|refusal| match refusal {
            Refusal::Erased(_) => task::not_found(),
            _ => internal(),
        })?;
        let receipt: Value = serde_json::from_slice(&receipt.to_json()).map_err(|_| internal())?;
        Ok(Some(task.shown(context, TaskState::Completed, payment, Some(data(&receipt)))))
    }

    fn task_of(&self, request: &RpcRequest) -> Result<TaskId, RpcError> {
        request.text("id").and_then(TaskId::parse).ok_or_else(task::not_found)
    }
}

/// A part of a message that is JSON.
fn data(value: &Value) -> Value {
    json!({"data": value, "mediaType": "application/json"})
}

/// Checks that the client speaks this version; one that names none speaks 0.3, by the protocol's own rule.
fn check_version(headers: &HeaderMap) -> Result<(), RpcError> {
    let named =
        headers.get("a2a-version").and_then(|version| version.to_str().ok()).unwrap_or_default().trim();
    let is_spoken = named == VERSION || named.strip_prefix(VERSION).is_some_and(|rest| rest.starts_with('.'));
    if is_spoken {
        return Ok(());
    }
    Err(failure(-32009, "VERSION_NOT_SUPPORTED", "the header A2A-Version must be 1.0"))
}

fn no_push_notifications() -> RpcError {
    failure(-32003, "PUSH_NOTIFICATION_NOT_SUPPORTED", "nothing is pushed; /watch has webhooks")
}

fn failure(code: i64, reason: &str, detail: &str) -> RpcError {
    RpcError::new(code, detail.to_owned()).with_data(json!([information(reason)]))
}

/// The reason of an error, as the protocol gives it.
fn information(reason: &str) -> Value {
    json!({
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        "reason": reason.to_ascii_uppercase(),
        "domain": "a2a-protocol.org",
    })
}

fn internal() -> RpcError {
    RpcError::new(-32603, "a fault of this notary; its log has the cause".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_of_an_answer_is_read_as_it_was_written() {
        let payment =
            json!({"x402.payment.status": "payment-completed", "x402.payment.receipts": [{"success": true}]});
        let answer = Answer { receipt: ReceiptHash([7; 32]), payment: payment.clone() };
        let read = Answer::of_note(&answer.to_note()).unwrap();
        assert_eq!((read.receipt, read.payment), (ReceiptHash([7; 32]), payment));
        for wrong in ["", "{}", r#"{"receipt":"x","payment":{}}"#] {
            assert!(Answer::of_note(wrong.as_bytes()).is_none());
        }
    }
}
