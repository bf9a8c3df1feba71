//! The finding, member by member as it stands in the receipt.

use std::borrow::Cow;

use domain_name::DomainName;
use futures_util::FutureExt as _;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};
use threat_feeds::FeedLookUp;
use verdict::{EvidenceBlob, EvidenceMissing, Timestamp};

use super::checks::checks;
use super::facts::{Derived, DomainFacts, domain_facts, facet, risk_facts};
use super::finding_v1::{self, TrustFindingV1};
use super::memory::DomainMemory;
use super::observations::DomainObservations;
use super::page::reason_sentence;
use super::payee::{PayeeFinding, PayeeStatements, payee};
use super::question::TrustQuestion;
use crate::model::METHOD;
use crate::popularity::PopularityLookUp;
use crate::records;
use crate::score::{Hygiene, ModelVersion, Purpose, Risk, TrustVerdict, weigh};

const SCOPE: &str = "What the domain's own records in the DNS, its certificate, its pages, its registry and the feeds and lists \
    named here said when they were looked at. `risk` gives the verdict, for the purpose named here; `hygiene` says how well \
    the domain is maintained. It does not say who is behind it, or that what they offer is honest: TRUSTED means that no \
    warning was found, and that the domain has been what it is for a while.";

/// The finding of `/trust-score`.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
#[schemars(rename = "TrustFinding")]
pub struct TrustFindingV2 {
    /// The name that was looked at, in A-labels.
    pub domain: String,
    /// The name that is its owner's own: below a public suffix.
    pub registrable: String,
    /// The purpose for which it was judged.
    pub purpose: Purpose,
    /// The verdict: that of the gravest reason of `risk`, or `INCOMPLETE` where too little was observed.
    pub verdict: TrustVerdict,
    /// The reasons against the domain, and the signs of its continuity.
    pub risk: Risk,
    /// How well the domain is maintained. It never outweighs a risk.
    pub hygiene: Hygiene,
    /// The result of comparing the domain's own statements with the payee of the question; absent where it names none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payee: Option<PayeeFinding>,
    /// Facts that a later look can be compared with.
    pub facts: DomainFacts,
    /// The observations that it rests on.
    pub evidence: TrustEvidence,
    /// The question, the answer and the reason for the verdict, in a sentence or two.
    pub explanation: String,
    /// The claims that the verdict makes, and those that it does not make.
    pub scope: Cow<'static, str>,
    /// The name and version of the rules that decided: those of `/trust-score/model`.
    pub method: Cow<'static, str>,
    /// The memory for the next look, for the ledger.
    #[serde(skip)]
    #[schemars(skip)]
    pub(super) memory: Option<DomainMemory>,
}

/// The finding of the version of the rules under which the domain was looked at.
#[derive(Clone, PartialEq, Debug)]
pub enum TrustFinding {
    /// By `trust-score/1`, of old evidence only.
    V1(Box<TrustFindingV1>),
    /// By `trust-score/2`.
    V2(Box<TrustFindingV2>),
}

impl Serialize for TrustFinding {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::V1(finding) => finding.serialize(serializer),
            Self::V2(finding) => finding.serialize(serializer),
        }
    }
}

/// The published schema is that of the present rules: no new receipt has another.
impl JsonSchema for TrustFinding {
    fn schema_name() -> Cow<'static, str> {
        TrustFindingV2::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        TrustFindingV2::json_schema(generator)
    }
}

/// The observations that a finding rests on.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct TrustEvidence {
    /// The SHA-256 of all that was seen, which is kept for replays.
    #[schemars(regex(pattern = "^[0-9a-f]{64}$"))]
    pub observations_sha256: String,
    /// Time of the observations: a few minutes before the receipt where somebody else had just asked.
    #[schemars(with = "String")]
    pub observed_at: Timestamp,
    /// The feeds of bad domains that it was looked for on; absent where there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub feeds: Vec<FeedLookUp>,
    /// The popularity list that it was looked for on; absent where none is configured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub popularity: Option<PopularityLookUp>,
    /// The SHA-256 of what this notary remembered of its earlier looks; absent where there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = "^[0-9a-f]{64}$"))]
    pub earlier_looks_sha256: Option<String>,
}

/// Evidence beside the observations, which callers share.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct OtherEvidence {
    /// The memory of earlier looks.
    pub(super) memory: DomainMemory,
    /// The domain's statements about its payees, and their SHA-256; `None` where the question names no payee.
    pub(super) statements: Option<(PayeeStatements, [u8; 32])>,
}

impl OtherEvidence {
    /// Returns the evidence to keep.
    pub(super) fn blobs(&self) -> impl Iterator<Item = EvidenceBlob> {
        let memory = (!self.memory.is_empty()).then(|| self.memory.to_blob());
        memory.into_iter().chain(self.statements.as_ref().map(|(statements, _)| statements.to_blob()))
    }

    /// Reads the evidence again.
    pub(super) fn read(evidence: &[EvidenceBlob]) -> Result<Self, EvidenceMissing> {
        Ok(Self { memory: DomainMemory::read(evidence)?, statements: PayeeStatements::read(evidence)? })
    }
}

/// Finds on what was seen, which is kept under this SHA-256, and on the other evidence.
pub(super) fn find(
    seen: &DomainObservations,
    observations: [u8; 32],
    question: &TrustQuestion,
    others: &OtherEvidence,
    at: Timestamp,
) -> TrustFinding {
    let transcript = seen.dns.seen.clone().unwrap_or_default();
    let records = records::read(&transcript, &seen.subject(), seen.observed_at)
        .now_or_never()
        .expect("a transcript answers at once");
    let tables = match &seen.tables {
        Some(tables) => Cow::Borrowed(tables),
        None => Cow::Owned(seen.look_up_in_tables(&records.alias)),
    };
    let (checks, caps) = checks(seen, &records, tables.caa_issuer.as_ref(), at);
    let evidence = TrustEvidence {
        observations_sha256: hex::encode(observations),
        observed_at: seen.observed_at,
        feeds: seen.feeds.clone(),
        popularity: seen.popularity.clone(),
        earlier_looks_sha256: (seen.model != ModelVersion::V1 && !others.memory.is_empty())
            .then(|| hex::encode(others.memory.to_blob().sha256())),
    };
    if seen.model == ModelVersion::V1 {
        let finding = finding_v1::find(seen, checks, caps, evidence, at);
        return TrustFinding::V1(Box::new(finding));
    }
    let mut facts = domain_facts(seen, &records);
    let (earlier, next) = others.memory.compare(&facts, seen.observed_at);
    let payee = payee(seen, question, others.statements.as_ref());
    let asked = (question.purpose, payee.as_ref().map(|payee| payee.bound));
    let read = Derived { records: &records, tables: &tables, checks: &checks, caps: &caps };
    let risk_facts = risk_facts(seen, &read, asked, &earlier, at);
    let mut hygiene = Hygiene::for_purpose(checks, caps, question.purpose);
    let (verdict, risk) = weigh(&risk_facts, &hygiene);
    if matches!(verdict, TrustVerdict::Incomplete | TrustVerdict::Risky) {
        hygiene.grade = None;
    }
    let of_domain = risk.reasons.iter().filter(|reason| !reason.id.is_of_notary());
    facts.0.insert(facet::RISKS, of_domain.map(|reason| reason.id.code()).collect());
    TrustFinding::V2(Box::new(TrustFindingV2 {
        explanation: explanation(&seen.name, question.purpose, verdict, &risk),
        domain: seen.name.to_string(),
        registrable: seen.registrable.to_string(),
        purpose: question.purpose,
        verdict,
        risk,
        hygiene,
        payee,
        facts,
        evidence,
        scope: SCOPE.into(),
        method: METHOD.into(),
        memory: Some(next),
    }))
}

/// The most reasons that an explanation names.
const MAX_NAMED: usize = 3;

/// The sentence that says what was asked, and the gravest reasons or the signs of continuity.
fn explanation(name: &DomainName, purpose: Purpose, verdict: TrustVerdict, risk: &Risk) -> String {
    let purpose = match purpose {
        Purpose::Pay => "to pay or to call",
        Purpose::Web => "to read",
        Purpose::Mail => "to exchange mail with",
    };
    let named = risk.reasons.iter().take(MAX_NAMED).map(|reason| reason_sentence(&reason.id.code()));
    let named: Vec<String> = named.collect();
    let held = risk.continuity.iter().filter(|proof| proof.holds).count();
    let found = match verdict {
        TrustVerdict::Trusted => format!("No warning was found, and {held} signs of continuity hold."),
        TrustVerdict::Caution | TrustVerdict::Risky => named.join(" "),
        TrustVerdict::Incomplete => format!("Too little could be observed. {}", named.join(" ")),
    };
    format!("{name} was looked at as a domain {purpose}. {found}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::{CheckId, RiskId};
    use serde_json::{Value, json};

    /// Of a domain of which nothing was seen but its name.
    fn observations(look_alike: &Value) -> Value {
        let unseen = json!({ "elapsed_ms": 1, "seen": null });
        json!({
            "name": "paypa1.com", "registrable": "paypa1.com", "registered": "paypa1.com",
            "look_alike": look_alike, "observed_at": "2026-11-22T00:00:00.000Z",
            "dns": unseen, "dnssec": unseen, "tls": unseen, "site": unseen, "registry": unseen,
        })
    }

    fn seen(observations: &Value) -> Result<DomainObservations, verdict::EvidenceMissing> {
        DomainObservations::of(&[EvidenceBlob::new("observations", observations.to_string().into_bytes())])
            .map(|(seen, _)| seen)
    }

    /// The finding by the first rules: the evidence names none.
    fn found(observations: &Value) -> TrustFindingV1 {
        let seen = seen(observations).unwrap();
        let question = TrustQuestion::of(seen.name.clone());
        match find(&seen, [0; 32], &question, &OtherEvidence::default(), Timestamp::EPOCH) {
            TrustFinding::V1(finding) => *finding,
            TrustFinding::V2(_) => panic!("the evidence is of before"),
        }
    }

    #[test]
    fn what_a_registry_said_earlier_was_not_seen_now() {
        let mut observations = observations(&Value::Null);
        let mut told = |registry: Value| {
            observations["registry"] = json!({ "elapsed_ms": 1, "seen": registry });
            let finding = found(&observations);
            let when = |id: CheckId| {
                let check = finding.assessment.checks.iter().find(|check| check.id == id).unwrap();
                (check.observed_at.unwrap().to_string(), check.elapsed_ms)
            };
            (when(CheckId::Expiration), when(CheckId::Tls))
        };
        let (now, earlier) = ("2026-11-22T00:00:00.000Z", "2026-11-21T23:56:00.000Z");
        let at = |text: &str, elapsed_ms| (text.to_owned(), elapsed_ms);
        let answer = |observed_at: Option<&str>| {
            json!({
                "name": "paypa1.com", "list": null, "observed_at": observed_at, "elapsed_ms": 70,
                "end": { "answered": { "url": "https://rdap.example/", "status": 404, "answer": null } },
            })
        };
        assert_eq!(told(answer(Some(earlier))), (at(earlier, 70), at(now, 1)));
        assert_eq!(told(answer(None)), (at(now, 1), at(now, 1)));
        // As it was written before answers were kept.
        let mut older = answer(None);
        older.as_object_mut().unwrap().remove("observed_at");
        assert_eq!(told(older), (at(now, 1), at(now, 1)));
        assert_eq!(told(Value::Null), (at(now, 1), at(now, 1)));
    }

    /// The finding by the present rules.
    fn found_now(observations: &Value) -> TrustFindingV2 {
        let mut observations = observations.clone();
        observations["model"] = json!(ModelVersion::V2);
        let seen = seen(&observations).unwrap();
        let question = TrustQuestion::of(seen.name.clone());
        match find(&seen, [0; 32], &question, &OtherEvidence::default(), seen.observed_at) {
            TrustFinding::V2(finding) => *finding,
            TrustFinding::V1(_) => panic!("the evidence names the present rules"),
        }
    }

    #[test]
    fn of_what_nothing_was_seen_nothing_is_said_to_be_absent() {
        let finding = found_now(&observations(&Value::Null));
        assert_eq!(finding.verdict, TrustVerdict::Incomplete);
        let reasons: Vec<RiskId> = finding.risk.reasons.iter().map(|reason| reason.id).collect();
        assert_eq!(reasons, [RiskId::AgeUnknown, RiskId::NoFreshFeed, RiskId::TooFewProofs]);
        // Whatever else could be a reason for this purpose, but for the name itself and what the question does not ask.
        let absent = [RiskId::LookAlike, RiskId::PlatformTenant, RiskId::PayeeNotNamed];
        let of_mail = [RiskId::SpfOpen, RiskId::DmarcUnenforced];
        for id in RiskId::ALL {
            let is_listed = reasons.contains(&id) || finding.risk.unchecked.contains(&id);
            assert_eq!(is_listed, !absent.contains(&id) && !of_mail.contains(&id), "{id:?}");
        }
    }

    #[test]
    fn what_whois_says_of_the_state_counts_where_rdap_says_nothing() {
        let told = |states: &[&str], name: &str| {
            let lines: Vec<String> = states.iter().map(|state| format!("Domain Status: {state}")).collect();
            let text = format!(
                "Domain Name: {name}\nRegistrar: A Registrar\nCreation Date: 2001-02-03\n{}\n",
                lines.join("\n")
            );
            let mut observations = observations(&Value::Null);
            observations["whois"] = json!({
                "name": "paypa1.com", "observed_at": "2026-11-22T00:00:00.000Z", "elapsed_ms": 1,
                "end": { "answered": {
                    "server": "whois.example", "bytes": text.len(), "sha256": "00", "is_cut": false, "text": text,
                } },
            });
            let finding = found_now(&observations);
            let found = |id: RiskId| {
                let is_reason = finding.risk.reasons.iter().any(|reason| reason.id == id);
                (is_reason, finding.risk.unchecked.contains(&id))
            };
            let registrar = finding.facts.0.get(facet::REGISTRAR).cloned().unwrap_or_default();
            (found(RiskId::OnHold), found(RiskId::RegistrationEnded), found(RiskId::Transferred), registrar)
        };
        let (reason, nothing, unseen) = ((true, false), (false, false), (false, true));
        let by = vec!["A Registrar".to_owned()];
        let hold = "clientHold https://icann.org/epp#clientHold";
        assert_eq!(told(&["ok"], "paypa1.com"), (nothing, nothing, unseen, by.clone()));
        assert_eq!(told(&["ok", hold], "paypa1.com"), (reason, nothing, unseen, by.clone()));
        assert_eq!(told(&["pendingDelete"], "paypa1.com"), (nothing, reason, unseen, by.clone()));
        assert_eq!(
            told(&["redemptionPeriod https://icann.org"], "paypa1.com"),
            (nothing, reason, unseen, by)
        );
        assert_eq!(told(&[hold], "other.com"), (unseen, unseen, unseen, vec![]), "of another domain");
    }

    #[test]
    fn what_the_tables_of_then_said_is_what_counts() {
        let mut observations = observations(&Value::Null);
        observations["tables"] = json!({ "caa_issuer": null, "alias_platform": "A Platform of Then" });
        let seen = seen(&observations).unwrap();
        assert_eq!(seen.tables.unwrap().alias_platform.as_deref(), Some("A Platform of Then"));
    }

    #[test]
    fn what_a_name_resembles_is_what_was_known_when_it_was_looked_at() {
        let raised = |look_alike: &Value| {
            let finding = found(&observations(look_alike));
            finding.assessment.flags.raised.into_iter().map(|flag| flag.evidence).collect::<Vec<_>>()
        };
        assert!(raised(&Value::Null).is_empty(), "today's brands say otherwise, and say nothing");
        let forgotten = json!({ "brand": "a-name-of-then", "resemblance": "skeleton" });
        assert_eq!(raised(&forgotten), [forgotten]);
    }

    #[test]
    fn evidence_that_does_not_say_what_the_name_resembles_is_none() {
        let mut older = observations(&Value::Null);
        assert!(seen(&older).is_ok());
        older.as_object_mut().unwrap().remove("look_alike");
        assert!(seen(&older).is_err());
    }
}
