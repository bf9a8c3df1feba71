//! The payee of a question, compared with the domain's own statements.
//!
//! The statements are looked up only where the question names a payee, and are evidence of their own.

use brand_names::{Resemblance, brand, look_alike, owner};
use dns::{Answer, Dns as _, DnsTranscript, Kind, Name};
use domain_name::{DomainName, PublicSuffixes, Rules, Subject};
use futures_util::FutureExt as _;
use probe::payee::{PayeeObservation, is_same_payee, payees_in_text, payees_in_txt};
use probe::site::WellKnownTextResult;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use verdict::{EvidenceBlob, EvidenceMissing};

use super::facts::organisation;
use super::observations::{DomainObservations, ProbeResult};
use super::question::TrustQuestion;
use crate::score::PayeeBinding;

/// The role of the evidence.
const ROLE: &str = "payee_statements";
/// The label below a name at which its payees are stated in the DNS.
pub(super) const LABEL: &str = "_x402";
/// The most payees that a finding repeats.
const MAX_SHOWN: usize = 16;
/// The most words of a name in which a brand is looked for.
const MAX_BRAND_WORDS: usize = 4;
/// Words of a company's form, which do not tell companies apart.
const LEGAL_FORMS: [&str; 26] = [
    "ab",
    "ag",
    "aps",
    "as",
    "bv",
    "co",
    "company",
    "corp",
    "corporation",
    "gmbh",
    "inc",
    "incorporated",
    "kg",
    "limited",
    "llc",
    "llp",
    "lp",
    "ltd",
    "nv",
    "oy",
    "plc",
    "pte",
    "pty",
    "sa",
    "sarl",
    "the",
];

/// The statements of a domain about its payees.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PayeeStatements {
    /// The discovery documents of the host.
    pub documents: ProbeResult<PayeeObservation>,
    /// The answer of the DNS at `_x402` below the name.
    pub dns: DnsTranscript,
    /// The brand whose name the counterparty uses, if the domain is not the brand's. It is stored because the list of brands
    /// changes, and a replay uses that of its time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub brand_of_another: Option<String>,
}

/// The result of comparing the payee of a question with the domain's own statements.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct PayeeFinding {
    /// `no` if the address or the name contradicts a statement; else `yes` if one is confirmed; else `absent`.
    pub bound: PayeeBinding,
    /// The address of the question: `yes` if the domain names it, `no` if it names others only, `absent` if it names none.
    /// Absent where the question has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pay_to: Option<PayeeBinding>,
    /// The name of the question: `yes` if it is that of the organisation that the certificate's authority verified, `no` if
    /// it is another or the name is a well-known brand's that does not own the domain, `absent` if there is none. Absent
    /// where the question has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counterparty_name: Option<PayeeBinding>,
    /// The payees that the domain names, at most 16.
    pub named: Vec<NamedPayee>,
    /// SHA-256 of the statements, which are kept for replays.
    #[schemars(regex(pattern = "^[0-9a-f]{64}$"))]
    pub statements_sha256: String,
}

/// A payee that a domain names.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct NamedPayee {
    /// The address.
    pub address: String,
    /// The place of the statement: a path, or `dns`.
    pub place: String,
}

impl PayeeStatements {
    /// Adds the brand whose name the counterparty uses without being its owner.
    pub(super) fn with_names<'a>(
        self,
        names: impl IntoIterator<Item = &'a str>,
        registrable: &DomainName,
    ) -> Self {
        let owner = owner(registrable.as_str()).map(|owner| owner.label);
        let mut named = names.into_iter().filter_map(brand_of);
        let brand_of_another = named.find(|label| owner != Some(label.as_str()));
        Self { brand_of_another, ..self }
    }

    /// Returns the statements as evidence.
    pub(super) fn to_blob(&self) -> EvidenceBlob {
        EvidenceBlob::new(ROLE, serde_json::to_vec(self).expect("what was seen is plain data"))
    }

    /// Reads the statements from evidence; `None` where the question named no payee.
    pub(super) fn read(evidence: &[EvidenceBlob]) -> Result<Option<(Self, [u8; 32])>, EvidenceMissing> {
        let Some(blob) = evidence.iter().find(|blob| blob.role() == ROLE) else { return Ok(None) };
        let read = blob.bytes().and_then(|bytes| serde_json::from_slice(bytes).ok());
        let statements =
            read.ok_or_else(|| EvidenceMissing("the domain's statements about its payees".to_owned()))?;
        Ok(Some((statements, blob.sha256())))
    }

    fn named(&self, name: &Name) -> Vec<NamedPayee> {
        let documents = self.documents.seen.iter().flat_map(PayeeObservation::payees);
        let of_documents = documents
            .map(|(place, address)| NamedPayee { address: address.to_owned(), place: place.to_owned() });
        let texts = name.below(LABEL).ok().and_then(|at| self.dns.look_up(&at, Kind::Txt).now_or_never());
        let texts = match texts.map(Answer::texts) {
            Some(Answer::Found { records, .. }) => records,
            _ => Vec::new(),
        };
        let of_dns = texts.iter().flat_map(|text| payees_in_txt(text));
        let of_dns = of_dns.map(|address| NamedPayee { address, place: "dns".to_owned() });
        of_documents.chain(of_dns).collect()
    }
}

/// Compares the payee of the question with the statements, which are kept under this SHA-256; `None` where it names none.
pub(super) fn payee(
    seen: &DomainObservations,
    question: &TrustQuestion,
    statements: Option<&(PayeeStatements, [u8; 32])>,
) -> Option<PayeeFinding> {
    let (statements, sha256) = statements.filter(|_| question.has_payee())?;
    let mut named = statements.named(&Name::from(&seen.name));
    let names_payees = !named.is_empty();
    // An address there may be for donations or rewards: it confirms, and contradicts nothing.
    named.extend(of_security_txt(seen));
    let pay_to = question.pay_to.as_ref().map(|address| {
        match named.iter().any(|payee| is_same_payee(&payee.address, address)) {
            true => PayeeBinding::Yes,
            false if names_payees => PayeeBinding::No,
            false => PayeeBinding::Absent,
        }
    });
    let counterparty_name = question.counterparty_name.as_ref().map(|_| match organisation(seen) {
        _ if statements.brand_of_another.is_some() => PayeeBinding::No,
        // A further name confirms nothing: anybody can add one.
        Some(organisation)
            if question.counterparty_name.as_ref().is_some_and(|name| is_same_name(&organisation, name)) =>
        {
            PayeeBinding::Yes
        }
        Some(_) => PayeeBinding::No,
        None => PayeeBinding::Absent,
    });
    let found = [pay_to, counterparty_name];
    let bound = [PayeeBinding::No, PayeeBinding::Yes].into_iter().find(|bound| found.contains(&Some(*bound)));
    named.truncate(MAX_SHOWN);
    Some(PayeeFinding {
        bound: bound.unwrap_or(PayeeBinding::Absent),
        pay_to,
        counterparty_name,
        named,
        statements_sha256: hex::encode(sha256),
    })
}

/// The payees that the domain's security.txt names.
fn of_security_txt(seen: &DomainObservations) -> Vec<NamedPayee> {
    let site = seen.site.seen.as_ref();
    let Some(WellKnownTextResult::Answered { text, content_type, is_cut: false, .. }) =
        site.map(|site| &site.security_txt.end)
    else {
        return Vec::new();
    };
    // A page that says whatever its visitors ask for is no such file (RFC 9116 section 3).
    if !content_type.as_deref().is_some_and(|kind| kind.trim_start().starts_with("text/plain")) {
        return Vec::new();
    }
    let place = "/.well-known/security.txt";
    payees_in_text(text).into_iter().map(|address| NamedPayee { address, place: place.to_owned() }).collect()
}

/// True if two names of organisations have the same words, in any order, but for letter case, punctuation and legal forms.
fn is_same_name(one: &str, other: &str) -> bool {
    let sorted = |name| {
        let mut words = words(name);
        words.sort_unstable();
        words
    };
    let one = sorted(one);
    !one.is_empty() && one == sorted(other)
}

/// The brand whose name a counterparty uses: the name itself, or one that reads as it or joins it with other words, as a domain
/// name of these words would (`PayPal Europe`).
fn brand_of(name: &str) -> Option<String> {
    let words = words(name);
    if let Some(brand) = brand(&words.concat()) {
        return (!brand.is_word).then(|| brand.label.to_owned());
    }
    // A brand stands at the front. What cannot be a host name, such as a label over 63 letters, is looked at by fewer words.
    let found = (1..=words.len().min(MAX_BRAND_WORDS)).rev().find_map(|count| {
        let host = format!("{}.com", words[..count].join("-"));
        let subject = Subject::parse(&host, &PublicSuffixes::bundled(), &Rules::default()).ok()?;
        look_alike(&subject)
            .filter(|found| matches!(found.resemblance, Resemblance::Skeleton | Resemblance::Combination))
    });
    found.map(|found| found.brand).or_else(|| {
        let first = brand(words.first()?)?;
        (!first.is_word).then(|| first.label.to_owned())
    })
}

/// The words of a name in lower case, without punctuation and legal forms.
fn words(name: &str) -> Vec<String> {
    let lower = name.to_lowercase();
    let words = lower
        .split(|letter: char| !letter.is_alphanumeric() && letter != '\'')
        .map(|word| word.replace('\'', ""));
    words.filter(|word| !word.is_empty() && !LEGAL_FORMS.contains(&word.as_str())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn legal_forms_and_punctuation_do_not_tell_names_apart() {
        assert!(is_same_name("Example Widgets, Inc.", "example widgets"));
        assert!(is_same_name("The Example Company Ltd", "EXAMPLE"));
        assert!(!is_same_name("Example Widgets, Inc.", "Example"));
        assert!(!is_same_name("Inc.", "Ltd"), "nothing is left to compare");
    }

    #[test]
    fn a_brand_s_name_is_another_s_unless_the_domain_is_its_own() {
        let none = || PayeeStatements {
            documents: ProbeResult { elapsed_ms: 0, seen: None },
            dns: DnsTranscript::default(),
            brand_of_another: None,
        };
        let brand = |name: &str, registrable: &str| {
            none().with_names([name], &DomainName::parse(registrable).unwrap()).brand_of_another
        };
        assert_eq!(brand("PayPal, Inc.", "quiet-orchard.com").as_deref(), Some("paypal"));
        assert_eq!(brand("PayPal", "paypal.com"), None);
        assert_eq!(brand("Quiet Orchard", "quiet-orchard.com"), None);
        assert_eq!(brand("Apple", "orchard.com"), None, "others bear that name as well");
        assert_eq!(brand("PayPal Europe S.à r.l.", "quiet-orchard.com").as_deref(), Some("paypal"));
        assert_eq!(brand("PayPal Europe S.à r.l.", "paypal.com"), None);
        let long = format!("PayPal {}", "settlement".repeat(9));
        assert_eq!(brand(&long, "quiet-orchard.com").as_deref(), Some("paypal"));
        let cyrillic = "\u{440}\u{430}\u{443}\u{440}\u{430}l";
        assert_eq!(brand(cyrillic, "quiet-orchard.com").as_deref(), Some("paypal"));
        let several =
            none().with_names(["Quiet Orchard", "PayPal"], &DomainName::parse("quiet-orchard.com").unwrap());
        assert_eq!(several.brand_of_another.as_deref(), Some("paypal"), "whichever name is another's");
    }
}
