//! Helpers that the tests share: reading questions, a judge, and replays.

use std::net::IpAddr;

use claim::{ClaimFinding, ClaimJudge, ClaimQuestion};
use fetch::resolve::BoxFuture;
use fetch::{Fetcher, Limits, Policy, Resolve, ResolveError, Roots};
use receipt::json::Json;
use serde_json::Value;
use verdict::{EvidenceBlob, EvidencedFinding, Fields, Judge, Question, Timestamp, Unavailable};

pub fn read(request: &str) -> Result<ClaimQuestion, (String, &'static str)> {
    read_question(request)
}

pub fn read_question<Q: Question>(request: &str) -> Result<Q, (String, &'static str)> {
    let Ok(Json::Object(object)) = receipt::json::parse(request.as_bytes()) else { panic!("{request}") };
    Q::read(&Fields::root(&object)).map_err(|error| {
        let begins = ["must ", "is ", "begins "].iter().any(|verb| error.detail.starts_with(verb));
        assert!(begins, "{error}");
        (error.path.dotted(), error.reason.code())
    })
}

pub fn at() -> Timestamp {
    "2026-11-21T02:00:00.250Z".parse().unwrap()
}

/// Knows no name but those of one host.
pub struct Names;

impl Resolve for Names {
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, Result<Vec<IpAddr>, ResolveError>> {
        Box::pin(async move {
            match host {
                "private.example.org" => Ok(vec!["10.0.0.7".parse().unwrap()]),
                _ => Err(ResolveError::NoAddress),
            }
        })
    }
}

pub fn judge(policy: Policy, limits: Limits) -> ClaimJudge {
    ClaimJudge::new(Fetcher::new(policy, limits, Names, Roots::webpki()))
}

/// Judges, and proves that the replay says the same to the byte.
pub async fn judged(judge: &ClaimJudge, request: &Value) -> Result<(Value, Vec<EvidenceBlob>), Unavailable> {
    let question = read(&request.to_string()).unwrap();
    let EvidencedFinding { finding, evidence } = judge.judge(&question, at().into()).await?;
    let replayed = judge.replay(&question, &evidence, at()).unwrap();
    assert_eq!(serde_json::to_string(&replayed).unwrap(), serde_json::to_string(&finding).unwrap());
    let finding = serde_json::to_value(finding).unwrap();
    let schema = schemars::SchemaGenerator::default().into_root_schema_for::<ClaimFinding>();
    let schema = jsonschema::validator_for(schema.as_value()).unwrap();
    assert!(schema.is_valid(&finding), "{:?} in {finding:#}", schema.validate(&finding));
    let confirmed = finding["verdict"] == "CONFIRMED";
    assert_eq!(finding["resolver_confidence"], u8::from(confirmed));
    assert_eq!(finding["claim"], request["claim"]);
    assert_eq!(finding["method"], "claim-verdict/1");
    assert!(finding["scope"].as_str().is_some_and(|scope| scope.contains("does not")));
    if confirmed {
        assert_eq!(finding.get("reason"), None);
    }
    Ok((finding, evidence))
}
