//! Ids and states of tasks.

use serde_json::{Value, json};

use super::{X402, failure, internal};
use crate::json_rpc::RpcError;

/// A task's id: the class, the identity of the request, and a random part.
pub(super) struct TaskId {
    text: String,
    class: String,
    request: String,
}

/// The states that a task can be in here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum State {
    /// The answer is there.
    Completed,
    /// It waits for its payment.
    InputRequired,
    /// Its payment is being settled.
    Working,
    /// The client will not pay.
    Canceled,
    /// It was not taken on.
    Rejected,
}

impl State {
    fn word(self) -> &'static str {
        match self {
            Self::Completed => "TASK_STATE_COMPLETED",
            Self::InputRequired => "TASK_STATE_INPUT_REQUIRED",
            Self::Working => "TASK_STATE_WORKING",
            Self::Canceled => "TASK_STATE_CANCELED",
            Self::Rejected => "TASK_STATE_REJECTED",
        }
    }
}

impl TaskId {
    /// Makes the id of a new task.
    ///
    /// # Errors
    /// There is no randomness.
    pub(super) fn new(class: &str, request: &str) -> Result<Self, RpcError> {
        let mut secret = [0; 16];
        getrandom::fill(&mut secret).map_err(|_| internal())?;
        let text = format!("{class}.{request}.{}", hex::encode(secret));
        Ok(Self { text, class: class.to_owned(), request: request.to_owned() })
    }

    /// Reads an id; `None` where it is none.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let [class, request, secret]: [&str; 3] = text.split('.').collect::<Vec<_>>().try_into().ok()?;
        let is_hex = |text: &str, bytes: usize| {
            text.len() == 2 * bytes && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        };
        let is_id = is_hex(request, 32) && is_hex(secret, 16);
        is_id.then(|| Self { text: text.to_owned(), class: class.to_owned(), request: request.to_owned() })
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn class(&self) -> &str {
        &self.class
    }

    /// Returns true if the task is of this request.
    pub(super) fn is_of(&self, class: &str, request: &str) -> bool {
        self.class == class && self.request == request
    }

    /// The task in a state. `metadata` is that of the status's message, `answer` the artifact's only part.
    pub(super) fn shown(&self, context: &str, state: State, metadata: Value, answer: Option<Value>) -> Value {
        let mut said = message(context, Vec::new());
        said["taskId"] = json!(self.text);
        said["parts"] = json!([{"text": told(state)}]);
        if metadata.as_object().is_some_and(|metadata| !metadata.is_empty()) {
            said["metadata"] = metadata;
            said["extensions"] = json!([X402]);
        }
        let mut task = json!({
            "id": self.text,
            "contextId": context,
            "status": {"state": state.word(), "message": said},
        });
        if let Some(part) = answer {
            task["artifacts"] =
                json!([{"artifactId": "receipt", "name": "The signed receipt", "parts": [part]}]);
        }
        task
    }
}

/// What a state is in words.
fn told(state: State) -> &'static str {
    match state {
        State::Completed => "The receipt is the artifact.",
        State::InputRequired => {
            "This costs money. Send the same parts again, with this task's id and the payment; where it was paid for already, the \
             same payment is answered and not taken twice."
        }
        State::Working => "The payment is being settled. Send the same message again, with the same payment.",
        State::Canceled => "Nothing was asked and nothing is owed.",
        State::Rejected => "It was not taken on: the problem says why.",
    }
}

/// A message of this agent.
pub(super) fn message(context: &str, parts: Vec<Value>) -> Value {
    let mut id = [0; 16];
    // Without randomness the id is of no use, and harmless.
    let _ = getrandom::fill(&mut id);
    json!({"messageId": hex::encode(id), "role": "ROLE_AGENT", "contextId": context, "parts": parts})
}

pub(super) fn not_found() -> RpcError {
    failure(-32001, "TASK_NOT_FOUND", "there is no such task")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_of_its_request_alone_and_no_two_are_the_same() {
        let request = "ab".repeat(32);
        let first = TaskId::new("commit", &request).unwrap();
        let again = TaskId::new("commit", &request).unwrap();
        assert_ne!(first.text(), again.text());
        let read = TaskId::parse(first.text()).unwrap();
        assert!(read.is_of("commit", &request) && read.class() == "commit");
        assert!(!read.is_of("dispute", &request) && !read.is_of("commit", &"cd".repeat(32)));
        for text in
            ["", "commit", "commit.ab.cd", &format!("commit.{request}.x"), &format!("a.{request}.{request}")]
        {
            assert!(TaskId::parse(text).is_none(), "{text}");
        }
    }
}
