use std::io::Write;
use std::sync::{Mutex, mpsc};

use axum::body::Body;
use axum::http::{Method, Request, StatusCode};
use http_body_util::BodyExt as _;
use ledger::{NewGrant, Period, export_class};
use payment::Wallet;
use tower::ServiceExt as _;

use super::*;
use crate::exports::{Archives, BUFFER, Exports, MAX_EXPORTS, WAITING};
use crate::testing::{Answer, BASE_URL, Service};

/// Writes what was asked for, then waits for a word, and then writes the rest or fails.
struct Fake {
    words: Mutex<mpsc::Receiver<bool>>,
    rest: usize,
}

impl Archives for Fake {
    fn write(
        &self,
        asked: &AskedArchive,
        to: &mut dyn Write,
    ) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        let AskedArchive { agent, since, until } = asked;
        write!(to, "{} {since:?} {until:?}", agent.as_str())?;
        to.flush()?;
        if !self.words.lock().unwrap().recv()? {
            return Err("the store is gone".into());
        }
        to.write_all(&vec![b'x'; self.rest])?;
        Ok(())
    }
}

struct Exporting {
    service: Service,
    say: mpsc::Sender<bool>,
    wallet: Wallet,
}

fn exporting(rest: usize) -> Exporting {
    let (say, words) = mpsc::channel();
    let mut service = Service::new();
    let exports = Arc::new(Exports::new(Fake { words: Mutex::new(words), rest }));
    let app = Arc::new(App { exports, limits: false, ..App::clone(&service.app) });
    service.router = crate::router(Arc::clone(&app));
    service.app = app;
    Exporting { service, say, wallet: Wallet::from_bytes([7; 32]).unwrap() }
}

impl Exporting {
    fn grant(&self, agent: &str) {
        let at = self.service.app.notary.clock.now();
        self.service.grant(NewGrant {
            name: "enterprise".to_owned(),
            agent: agent.to_owned(),
            class: Some(export_class(&self.wallet.address().into_array())),
            calls: 1,
            period: Period::Month,
            until: Timestamp::MAX,
            networks: Vec::new(),
            priority: false,
            request_id: None,
            at,
        });
    }

    /// The target for a question, with the time of now.
    fn target(&self, question: &str) -> String {
        format!("{PATH}?{question}&time={}", self.service.app.notary.clock.now())
    }

    fn signed(&self, target: &str) -> Request<Body> {
        let signature = self.wallet.sign_text(&format!("GET {BASE_URL}{target}"));
        with_signature(target, &signature.to_string())
    }

    async fn answer(&self, target: &str) -> Answer {
        self.service.send(self.signed(target)).await
    }
}

fn with_signature(target: &str, signature: &str) -> Request<Body> {
    let request = Request::builder().method(Method::GET).uri(target).header(SIGNATURE, signature);
    request.body(Body::empty()).unwrap()
}

#[tokio::test]
async fn who_the_export_was_granted_to_gets_the_archive_that_was_asked_for() {
    let exporting = exporting(3 * WAITING * BUFFER);
    exporting.grant("scout-7");
    exporting.say.send(true).unwrap();
    let answer = exporting.answer(&exporting.target("agent=scout-7&since=2026-11-01")).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
    assert_eq!(answer.header("content-type"), "application/x-tar");
    assert_eq!(answer.header("cache-control"), "private, no-store");
    let since: Timestamp = "2026-11-01T00:00:00.000Z".parse().unwrap();
    let first = format!("scout-7 {:?} None", Some(since));
    assert!(answer.body.starts_with(first.as_bytes()));
    assert_eq!(answer.body.len(), first.len() + 3 * WAITING * BUFFER);
}

#[tokio::test]
async fn what_is_missing_malformed_or_stale_is_refused_by_its_name() {
    let exporting = exporting(0);
    exporting.grant("scout-7");
    let service = &exporting.service;
    let old = service.app.notary.clock.now().saturating_add_millis(-MAX_AGE_MS - 60_000);
    let early = service.app.notary.clock.now().saturating_add_millis(MAX_AGE_MS + 60_000);
    for (target, field, reason) in [
        (format!("{PATH}?time={old}"), "agent", "missing"),
        (format!("{PATH}?agent=scout-7"), "time", "missing"),
        (format!("{PATH}?agent=scout-7&time=now"), "time", "malformed"),
        (exporting.target("agent=scout-7&since=monday"), "since", "malformed"),
        (format!("{PATH}?agent=scout-7&time={old}"), "time", "out_of_range"),
        (format!("{PATH}?agent=scout-7&time={early}"), "time", "out_of_range"),
    ] {
        let problem = exporting.answer(&target).await;
        assert_eq!(problem.status, StatusCode::BAD_REQUEST, "{target}");
        let problem = problem.json();
        assert_eq!((&problem["field"], &problem["reason"]), (&field.into(), &reason.into()), "{target}");
    }
    let target = exporting.target("agent=scout-7");
    let unsigned = service.get(&target).await.json();
    assert_eq!((&unsigned["field"], &unsigned["reason"]), (&SIGNATURE.into(), &"missing".into()));
    let high = format!("0x{}", "ff".repeat(65));
    for signature in ["", "0x", "signed", &"ab".repeat(65), &format!("0x{}", "zz".repeat(65)), &high] {
        let problem = service.send(with_signature(&target, signature)).await.json();
        assert_eq!((&problem["field"], &problem["reason"]), (&SIGNATURE.into(), &"malformed".into()));
    }
}

#[tokio::test]
async fn no_other_wallet_agent_question_or_network_is_served() {
    let exporting = exporting(0);
    exporting.grant("scout-7");
    let target = exporting.target("agent=scout-7");
    let signature = exporting.wallet.sign_text(&format!("GET {BASE_URL}{target}")).to_string();
    let stranger = Wallet::from_bytes([8; 32]).unwrap();
    let by_stranger = stranger.sign_text(&format!("GET {BASE_URL}{target}")).to_string();
    let of_another_notary = exporting.wallet.sign_text(&format!("GET https://other.example{target}"));
    let wider = exporting.target("agent=scout-7&since=2020-01-01");
    for (target, signature) in [
        (&target, by_stranger),
        (&target, of_another_notary.to_string()),
        (&wider, signature),
        (
            &exporting.target("agent=other"),
            exporting.signed(&exporting.target("agent=other")).headers()[SIGNATURE]
                .to_str()
                .unwrap()
                .to_owned(),
        ),
    ] {
        let refused = exporting.service.send(with_signature(target, &signature)).await;
        assert_eq!(refused.status, StatusCode::FORBIDDEN, "{target}");
        let refused = refused.json();
        assert_eq!((&refused["code"], &refused["error"]), (&"no_grant".into(), &"no_grant".into()));
        assert_eq!(refused["doc_url"], "/docs/errors#not-granted");
    }
}

#[tokio::test]
async fn one_export_runs_for_an_agent_and_few_in_all_until_their_work_has_ended() {
    let exporting = exporting(0);
    let agents: Vec<String> = (0..=MAX_EXPORTS).map(|number| format!("agent-{number}")).collect();
    let mut running = Vec::new();
    for agent in &agents {
        exporting.grant(agent);
        let target = exporting.target(&format!("agent={agent}"));
        let response = exporting.service.router.clone().oneshot(exporting.signed(&target)).await.unwrap();
        running.push(response);
    }
    let statuses: Vec<u16> = running.iter().map(|response| response.status().as_u16()).collect();
    assert_eq!(statuses, [vec![200; MAX_EXPORTS], vec![503]].concat());
    let again = exporting.answer(&exporting.target("agent=agent-0")).await;
    assert_eq!((again.status.as_u16(), again.header("retry-after")), (503, "30"));
    assert_eq!(again.json()["module"], "export");
    // Whichever thread hears of it first.
    (0..MAX_EXPORTS).for_each(|_| exporting.say.send(true).unwrap());
    for response in running.into_iter().take(MAX_EXPORTS) {
        response.into_body().collect().await.unwrap();
    }
    // The places come back when the work has ended, which is after the last byte.
    loop {
        exporting.say.send(true).unwrap();
        let answer = exporting.answer(&exporting.target("agent=agent-0")).await;
        if answer.status == StatusCode::OK {
            break;
        }
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn an_archive_that_fails_on_the_way_has_no_whole_body() {
    let exporting = exporting(0);
    exporting.grant("scout-7");
    exporting.say.send(false).unwrap();
    let target = exporting.target("agent=scout-7");
    let response = exporting.service.router.clone().oneshot(exporting.signed(&target)).await.unwrap();
    assert_eq!(response.status(), StatusCode::OK);
    assert!(response.into_body().collect().await.is_err());
    assert_eq!(Service::new().get(&target).await.status, StatusCode::BAD_REQUEST, "unsigned there too");
}
