//! `touchstone mcp`: the tools of a notary over standard input and output, for assistants.
//!
//! Each line is a message of the Model Context Protocol. It is handed to the notary's `/mcp`, and the answer back, but for two
//! things that an assistant cannot do: a call that costs money is paid for within the budget, and a receipt is verified before
//! its verdict is handed on. What a model reads is then the receipt itself: no other text of the notary stands beside a verdict,
//! and a verdict without a receipt is an error.

mod lines;
mod messages;
mod purse;

use std::collections::HashMap;
use std::io;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, bail, ensure};
use axum::http::Method;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use payment::payer::Demand;
use receipt::hash::{ReceiptHash, request_hash};
use receipt::json::{self, Json, Object};
use receipt::verify::{Keys, Verifier};
use verdict::{Clock as _, SystemClock, Usd};

use super::call::http::Server;
use super::call::question::Question;
use super::call::unproven;
use crate::cli::McpArgs;

use lines::{Places, read_line, say};
use messages::{
    add_payment, detail, is_refusal, is_unsigned, key_of, receipt_of, result_of, rpc_error, status, terms,
    terms_of, tool, under_own_id, with_error, with_receipt,
};
use purse::Purse;

/// The most times that a paid call is sent, and the pause between two tries.
const MAX_TRIES: u32 = 6;
const PAUSE: Duration = Duration::from_secs(2);

const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";

/// Answers until standard input ends.
pub fn run(args: &McpArgs) -> anyhow::Result<ExitCode> {
    let server = Server::new(&args.notary, Duration::from_secs(args.timeout.into()))?;
    let purse = args.wallet.as_deref().map(|wallet| Purse::open(wallet, args.budget)).transpose()?;
    let bridge = Arc::new(Bridge {
        server,
        purse,
        tools: args.tools.clone(),
        keys: Mutex::default(),
        unanswered: Mutex::default(),
    });
    let places = Arc::new(Places::default());
    let mut lines = io::stdin().lock();
    loop {
        let line = match read_line(&mut lines) {
            Ok(Some(line)) => line,
            Ok(None) => break,
            Err(error) => {
                // Calls that were paid for are still answered.
                places.wait_for_all();
                return Err(error);
            }
        };
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let (bridge, place) = (Arc::clone(&bridge), Places::take(&places));
        thread::spawn(move || {
            if let Some(answer) = bridge.answer(&line) {
                // Where nobody reads any more, nothing can be told.
                let _ = say(&answer);
            }
            drop(place);
        });
    }
    places.wait_for_all();
    Ok(ExitCode::SUCCESS)
}

/// What stands between the assistant and the notary.
struct Bridge {
    server: Server,
    purse: Option<Purse>,
    /// The names of the tools that the assistant has; all where there is none.
    tools: Vec<String>,
    /// The notary's keys, once they were fetched.
    keys: Mutex<Option<Keys>>,
    /// The payments that were sent and have brought nothing yet, by the calls that they are for. The same call sends the same
    /// payment, which is taken once.
    unanswered: Mutex<HashMap<Vec<u8>, Sent>>,
}

/// A payment that was sent.
#[derive(Clone)]
struct Sent {
    proof: Json,
    demand: Demand,
    price: Usd,
}

impl Bridge {
    /// The answer to a message; `None` where it is a notification.
    fn answer(&self, line: &[u8]) -> Option<String> {
        let message = match json::parse(line) {
            Ok(Json::Object(message)) => message,
            Ok(_) => return Some(rpc_error("null", -32600, "the message must be one object")),
            Err(error) => return Some(rpc_error("null", -32700, &error.to_string())),
        };
        let id = message.get("id").map(|id| String::from_utf8_lossy(&id.canonical()).into_owned())?;
        Some(match self.ask(message) {
            Ok(answer) => answer,
            // The notary cannot be asked: an error of the call, which the assistant is told in words.
            Err(error) => rpc_error(&id, -32603, &format!("{error:#}")),
        })
    }

    fn ask(&self, message: Object) -> anyhow::Result<String> {
        let method = message.get("method").and_then(Json::as_str).unwrap_or_default();
        if method == "tools/call" {
            if !tool(&message).is_none_or(|tool| self.has(tool)) {
                return with_error(&message, "no_such_tool", "this assistant was not given the tool");
            }
            return self.call(message);
        }
        let mut answer = self.send(&message)?;
        if method == "tools/list" && !self.tools.is_empty() {
            answer = self.with_own_tools(&answer)?;
        }
        String::from_utf8(answer).context("the answer is no text")
    }

    fn has(&self, tool: &str) -> bool {
        self.tools.is_empty() || self.tools.iter().any(|own| own == tool)
    }

    /// A list of tools without those that the assistant does not have.
    fn with_own_tools(&self, answer: &[u8]) -> anyhow::Result<Vec<u8>> {
        let Json::Object(mut answer) = json::parse(answer)? else { bail!("the answer is no object") };
        if let Some(Json::Object(mut result)) = answer.remove("result") {
            if let Some(Json::Array(mut tools)) = result.remove("tools") {
                tools.retain(|tool| {
                    tool.get("name").and_then(Json::as_str).is_some_and(|name| self.has(name))
                });
                result.insert("tools", tools);
            }
            answer.insert("result", result);
        }
        Ok(Json::Object(answer).canonical())
    }

    /// Calls a tool: pays where that is asked for, and verifies.
    fn call(&self, mut message: Object) -> anyhow::Result<String> {
        let key = key_of(&message);
        let known = self.unanswered().get(&key).cloned();
        let (mut answer, mut result) = (Vec::new(), Json::Null);
        if known.is_none() {
            answer = self.send(&message)?;
            result = result_of(&answer)?;
        }
        let sent = match (known, terms(&result), &self.purse) {
            (Some(sent), ..) => Some(sent),
            (None, Some(terms), Some(purse)) => {
                let demand = Demand::decode(STANDARD.encode(terms.canonical()).as_bytes())?;
                let (proof, price) = match purse.pay(demand.clone(), &self.server) {
                    Ok(paid) => paid,
                    Err(refused) => return with_error(&message, "not_paid", &format!("{refused:#}")),
                };
                let proof = json::parse(&STANDARD.decode(proof.as_bytes()).context("our own proof")?)?;
                let sent = Sent { proof, demand, price };
                self.unanswered().insert(key.clone(), sent.clone());
                Some(sent)
            }
            _ => None,
        };
        if let Some(sent) = sent {
            let Sent { price, .. } = sent;
            let tool = tool(&message).unwrap_or_default().to_owned();
            (answer, result) = match self.buy(&mut message, &sent) {
                Ok(bought) => bought,
                Err(why) => {
                    let why = format!(
                        "the payment of {price} USDC may have been taken; call the tool again with the same arguments, and the \
                         same payment is sent again: {why:#}"
                    );
                    return with_error(&message, "not_answered", &why);
                }
            };
            if receipt_of(&result).is_some() {
                eprintln!("paid: {price} USDC for {tool}");
                self.unanswered().remove(&key);
            } else if terms_of(&result).is_some() {
                self.unanswered().remove(&key);
            } else {
                eprintln!(
                    "the payment of {price} USDC for {tool} may have been taken; the same call sends the same payment"
                );
            }
        }
        let why = match receipt_of(&result) {
            Some(receipt) => match self.verify(&message, receipt) {
                Ok(()) => return with_receipt(&message, &result, receipt),
                Err(why) => format!("{why:#}"),
            },
            None if is_refusal(&result) || tool(&message).is_some_and(is_unsigned) => {
                return String::from_utf8(answer).context("the answer is no text");
            }
            None => "there is none".to_owned(),
        };
        let why = format!("the receipt is NOT VERIFIED, so rely on nothing in it: {why}");
        with_error(&message, "not_verified", &why)
    }

    /// Sends a call with its payment, and shows the payer where the notary wants that: an earlier try was answered, and its answer
    /// lost.
    fn buy(&self, message: &mut Object, sent: &Sent) -> anyhow::Result<(Vec<u8>, Json)> {
        add_payment(message, sent.proof.clone())?;
        let mut answer = self.send_paid(message)?;
        let mut result = result_of(&answer)?;
        let paid = result.get("structuredContent").and_then(unproven);
        if let (Some(paid), Some(purse)) = (paid, &self.purse) {
            let params = message.get("params");
            let arguments = params.and_then(|params| params.get("arguments")).map(Json::canonical);
            let question = Question {
                method: Method::POST,
                target: tool(message).unwrap_or_default().to_owned(),
                body: arguments.unwrap_or_else(|| b"{}".to_vec()),
            };
            let shown = purse.limit.attest(&sent.demand, &paid, &question)?;
            add_payment(message, json::parse(&STANDARD.decode(shown.as_bytes()).context("our own proof")?)?)?;
            answer = self.send(message)?;
            result = result_of(&answer)?;
        }
        Ok((answer, result))
    }

    fn unanswered(&self) -> MutexGuard<'_, HashMap<Vec<u8>, Sent>> {
        self.unanswered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a call with its payment until it is answered: it is paid for once, however often it arrives.
    fn send_paid(&self, message: &Object) -> anyhow::Result<Vec<u8>> {
        let mut tries = 1;
        loop {
            let answer = self.send(message);
            let is_busy = match &answer {
                Ok(answer) => result_of(answer).is_ok_and(|result| status(&result) == Some(503)),
                Err(_) => true,
            };
            if !is_busy || tries == MAX_TRIES {
                return answer;
            }
            tries += 1;
            thread::sleep(PAUSE);
        }
    }

    /// Hands a message to the notary, with what the newest revision wants in the head.
    fn send(&self, message: &Object) -> anyhow::Result<Vec<u8>> {
        let text = |name: &str| message.get(name).and_then(Json::as_str);
        let param = |name: &str| message.get("params").and_then(|params| params.get(name));
        let mut headers = Vec::new();
        if let Some(version) = param("_meta").and_then(|meta| meta.get(VERSION_KEY)).and_then(Json::as_str) {
            headers.push(("MCP-Protocol-Version", version.to_owned()));
            headers.push(("Mcp-Method", text("method").unwrap_or_default().to_owned()));
            let name = param("name").or_else(|| param("uri")).and_then(Json::as_str);
            headers.extend(name.map(|name| ("Mcp-Name", format!("=?base64?{}?=", STANDARD.encode(name)))));
        }
        let body = Json::Object(message.clone()).canonical();
        let answer = self.server.post("mcp", &body, &headers)?;
        // An error of the protocol has a body, whatever its status is.
        match json::parse(&answer.body) {
            Ok(Json::Object(read)) if read.contains("result") || read.contains("error") => {
                Ok(under_own_id(message, read))
            }
            _ => bail!("the notary answered {}: {}", answer.status, detail(&answer.body)),
        }
    }

    /// Checks a receipt under the notary's keys, and that it is about this question.
    fn verify(&self, message: &Object, receipt: &Json) -> anyhow::Result<()> {
        let keys = self.keys.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let text = receipt.canonical();
        let keys = match keys {
            Some(keys) => keys,
            None => self.fetch_keys()?,
        };
        let mut report = Verifier::new(keys).at(SystemClock::start().now()).verify(&text)?;
        if !report.valid() {
            // The notary may have a newer key by now.
            report = Verifier::new(self.fetch_keys()?).at(SystemClock::start().now()).verify(&text)?;
        }
        for (name, check) in report.checks() {
            ensure!(check.ok, "{name}: {}", check.detail);
        }
        let empty = Json::Object(Object::new());
        let arguments = message.get("params").and_then(|params| params.get("arguments")).unwrap_or(&empty);
        let asked = ReceiptHash(request_hash(arguments)).to_string();
        let named = receipt.get("request_hash").and_then(Json::as_str);
        ensure!(named == Some(&*asked), "request_hash: it is the receipt of another question");
        ensure!(receipt.get("class").and_then(Json::as_str) == tool(message), "class: it is of another tool");
        Ok(())
    }

    fn fetch_keys(&self) -> anyhow::Result<Keys> {
        let keys = self.server.keys()?;
        *self.keys.lock().unwrap_or_else(PoisonError::into_inner) = Some(keys.clone());
        Ok(keys)
    }
}
