//! `touchstone call`: one call of a notary, paid for where it asks for that.

pub(super) mod http;
pub(super) mod question;
pub(super) mod spending_limit;

use std::io::{self, Write as _};
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, bail, ensure};
use axum::http::header::RETRY_AFTER;
use axum::http::{Method, StatusCode};
use payment::payer::Demand;
use receipt::json::{self, Json};
use receipt::verify::Verifier;
use verdict::{Clock as _, SystemClock};

use self::http::{HttpResponse, Server};
use self::question::Question;
use self::spending_limit::{Paid, SpendingLimit};
use crate::cli::CallArgs;

/// The most times that a paid call is sent.
const MAX_TRIES: u32 = 6;
/// The pause between two tries if the connection broke, and the longest pause.
const PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// Exit 0 where the answer is a 200, and its receipt holds.
pub fn run(args: &CallArgs) -> anyhow::Result<ExitCode> {
    let server = Server::new(&args.server, Duration::from_secs(args.timeout.into()))?;
    let question = Question::read(args)?;
    let spending_limit =
        args.wallet.as_deref().map(|wallet| SpendingLimit::open(wallet, args.max_amount)).transpose()?;
    Call { server, question }.make(spending_limit.as_ref())
}

struct Call {
    server: Server,
    question: Question,
}

impl Call {
    fn make(&self, spending_limit: Option<&SpendingLimit>) -> anyhow::Result<ExitCode> {
        eprintln!("asking: {} {}", self.question.method, self.server.address(&self.question.target)?);
        let mut answer = self.ask(None)?;
        let must_pay = answer.status == StatusCode::PAYMENT_REQUIRED;
        if must_pay {
            let demand = demand(&answer)?;
            let proof = self.pay(&demand, spending_limit)?;
            answer = self.ask_paid(&proof)?;
            if let (Some(paid), Some(spending_limit)) = (unproven_of(&answer), spending_limit) {
                // An earlier try was answered, and the answer lost: only its payer gets it again.
                let shown = spending_limit.attest(&demand, &paid, &self.question)?;
                answer = self.ask(Some(("X-PAYMENT", &shown)))?;
            }
        }
        if answer.status != StatusCode::OK {
            print(&answer.body)?;
            bail!("the notary answered {}", answer.status);
        }
        let receipt = match json::parse(&answer.body) {
            // What is read by GET may be a text or a page.
            Err(_) if !must_pay && self.question.method == Method::GET => Json::Null,
            read => read.context("the answer is not JSON")?,
        };
        if !must_pay && receipt.get("receipt_hash").is_none() {
            eprintln!("receipt: none, this route signs nothing");
            return print(&answer.body).map(|()| ExitCode::SUCCESS);
        }
        say_what_was_paid(&receipt);
        if let Some(id) = answer.headers.get("Watch-Id").and_then(|id| id.to_str().ok()) {
            eprintln!("watch: {id} (whoever has it may end the watch; it is told nowhere else)");
        }
        // A receipt that does not hold is evidence too, so it is printed all the same.
        let verified = self.verify(&answer.body, &receipt);
        if verified.is_ok() {
            eprintln!("receipt: verified");
        }
        print(&answer.body)?;
        verified.context("receipt: NOT VERIFIED").map(|()| ExitCode::SUCCESS)
    }

    fn ask(&self, proof: Option<(&'static str, &str)>) -> anyhow::Result<HttpResponse> {
        self.server.ask(&self.question, proof)
    }

    /// The proof of payment that a 402 asks for.
    fn pay(&self, demand: &Demand, spending_limit: Option<&SpendingLimit>) -> anyhow::Result<String> {
        let price = spending_limit::price(demand)?;
        let spending_limit =
            spending_limit.with_context(|| format!("the call costs {price} USDC: give --wallet to pay"))?;
        spending_limit.pay(demand.clone(), price, &self.server)
    }

    /// Sends the call with its proof until it is answered. It is the identical request each time, which is paid for
    /// once however often it arrives, so a lost answer is asked for again.
    fn ask_paid(&self, proof: &str) -> anyhow::Result<HttpResponse> {
        let mut tries = 1;
        loop {
            let answer = self.ask(Some(("PAYMENT-SIGNATURE", proof)));
            let pause = match &answer {
                Ok(given) if given.status != StatusCode::SERVICE_UNAVAILABLE => return answer,
                Ok(given) => retry_after(given),
                Err(_) => Some(PAUSE),
            };
            let (Some(pause), true) = (pause, tries < MAX_TRIES) else {
                eprintln!("the payment may have been taken; to ask again without paying again, send the");
                eprintln!("identical request with this header: PAYMENT-SIGNATURE: {proof}");
                eprintln!(
                    "(ten minutes after it was answered, or for a watch, it must also be shown that you have paid:"
                );
                eprintln!("the notary's 409 says how)");
                return answer;
            };
            tries += 1;
            thread::sleep(pause);
        }
    }

    /// Checks the receipt as anybody can offline, with the keys that the notary publishes, and that it is about this
    /// question.
    fn verify(&self, bytes: &[u8], receipt: &Json) -> anyhow::Result<()> {
        let report = Verifier::new(self.server.keys()?).at(SystemClock::start().now()).verify(bytes)?;
        for (name, check) in report.checks() {
            ensure!(check.ok, "{name}: {}", check.detail);
        }
        let named = |name| receipt.get(name).and_then(Json::as_str);
        if let Some(hash) = self.question.of_stored_receipt() {
            ensure!(named("receipt_hash") == Some(hash), "receipt_hash: it is another receipt");
            return Ok(());
        }
        let asked = self.question.hash()?.to_string();
        ensure!(
            named("request_hash") == Some(&*asked),
            "request_hash: it is the receipt of another question"
        );
        Ok(())
    }
}

/// Returns the payment demand of a 402 answer.
fn demand(answer: &HttpResponse) -> anyhow::Result<Demand> {
    let required = answer.headers.get("PAYMENT-REQUIRED").context("the 402 has no PAYMENT-REQUIRED")?;
    Ok(Demand::decode(required.as_bytes())?)
}

/// The payment that a 409 wants its payer to show himself for.
fn unproven_of(answer: &HttpResponse) -> Option<Paid> {
    if answer.status != StatusCode::CONFLICT {
        return None;
    }
    unproven(&json::parse(&answer.body).ok()?)
}

/// The payment that a problem wants its payer to show himself for.
pub(super) fn unproven(problem: &Json) -> Option<Paid> {
    let text = |name| problem.get(name).and_then(Json::as_str);
    if text("error") != Some("payer_unproven") {
        return None;
    }
    let log_index = problem.get("log_index").and_then(Json::as_number)?.as_u64()?;
    Some(Paid { transaction: text("transaction")?.parse().ok()?, log_index })
}

/// Returns the time that a 503 answer asks to wait; `None` if it does not, or for longer than a command should take.
fn retry_after(answer: &HttpResponse) -> Option<Duration> {
    let seconds = answer.headers.get(RETRY_AFTER)?.to_str().ok()?.parse().ok()?;
    Some(Duration::from_secs(seconds)).filter(|pause| *pause <= LONGEST_PAUSE)
}

fn say_what_was_paid(receipt: &Json) {
    let Some(payment) = receipt.get("payment") else {
        eprintln!("paid: nothing");
        return;
    };
    let text = |name| payment.get(name).and_then(Json::as_str).unwrap_or("?");
    let [amount, asset, payer] = ["amount", "asset", "payer"].map(text);
    eprintln!("paid: {amount} {asset} from {payer}");
    eprintln!("settled: {}, transaction {}", text("settlement"), text("transaction"));
}

fn print(body: &[u8]) -> anyhow::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(body)?;
    Ok(writeln!(stdout)?)
}
