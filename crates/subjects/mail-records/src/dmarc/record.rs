//! A policy record (RFC 9989, 4.7).

use serde::Serialize;

use super::tags::{IgnoredTag, Tags};
use super::uri::{ReportUri, UriError};

/// The tags of RFC 9989 but `v`.
const KNOWN: [&str; 10] = ["p", "sp", "np", "t", "psd", "adkim", "aspf", "fo", "rua", "ruf"];
/// The tags that only RFC 7489 has.
const REMOVED: [&str; 3] = ["pct", "rf", "ri"];

/// The most that is noted of what counts for nothing.
const MAX_IGNORED: usize = 32;

/// The policy for mail that fails DMARC, from the weakest to the strictest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DmarcPolicy {
    /// Take no action.
    None,
    /// Treat the mail as suspicious.
    Quarantine,
    /// Reject the mail.
    Reject,
}

impl DmarcPolicy {
    /// The value of the tag in a record: `none`, `quarantine` or `reject`.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Quarantine => "quarantine",
            Self::Reject => "reject",
        }
    }
}

/// The alignment mode: the required similarity of two domains (RFC 9989, 4.4).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Alignment {
    /// Relaxed: the same organizational domain.
    Relaxed,
    /// Strict: the same domain.
    Strict,
}

/// The value of the tag `psd`: the position of the domain in the tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Psd {
    /// `y`: the domain is a public suffix.
    Yes,
    /// `n`: the domain is an organizational domain.
    No,
    /// `u`: the position is unspecified, which is the default.
    Unknown,
}

/// A DMARC policy record. A field is `None` where its tag is absent or ignored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DmarcRecord {
    /// Tag `p`: policy for the name itself.
    pub policy: Option<DmarcPolicy>,
    /// Tag `sp`: policy for existing names below it.
    pub subdomains: Option<DmarcPolicy>,
    /// Tag `np`: policy for names below it that do not exist.
    pub nonexistent: Option<DmarcPolicy>,
    /// Tag `t`: true if the policy is in test mode.
    pub testing: Option<bool>,
    /// Tag `psd`: the position of the domain in the tree.
    pub psd: Option<Psd>,
    /// Tag `adkim`: alignment mode for DKIM.
    pub dkim_alignment: Option<Alignment>,
    /// Tag `aspf`: alignment mode for SPF.
    pub spf_alignment: Option<Alignment>,
    /// Tag `fo`: the options for failure reports, in lower case.
    pub failure_options: Option<String>,
    /// Tag `rua`: mailboxes for aggregate reports.
    pub aggregate_reports: Vec<ReportUri>,
    /// Tag `ruf`: mailboxes for failure reports.
    pub failure_reports: Vec<ReportUri>,
    /// The ignored tags and values. Their number is bounded.
    pub ignored: Vec<IgnoredTag>,
    /// The policy tag that is missing or invalid in a record with report addresses, so that the record counts as
    /// `p=none` (4.10.1). The policies above are then `None`. `None` where the policies are valid.
    pub overruled: Option<&'static str>,
    /// The reason why the record has no effect; `None` where it has one.
    pub flaw: Option<Flaw>,
    /// The tags of the record.
    pub tags: Tags,
}

/// The reason why a record has no effect.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, thiserror::Error)]
#[serde(tag = "flaw", content = "tag", rename_all = "snake_case")]
pub enum Flaw {
    /// This tag occurs twice, which makes the whole list invalid (RFC 6376, 3.2).
    #[error("the tag {0} is given more than once")]
    DuplicateTag(&'static str),
    /// This policy tag is invalid, or the record has syntax errors and no policy, and there is no report address (RFC
    /// 9989, 4.10.1).
    #[error("the tag {0} has no valid policy, and no valid address asks for reports")]
    InvalidPolicy(&'static str),
}

impl DmarcRecord {
    /// Reads the text of a record; `None` where it is not a DMARC record, because it does not begin with `v=DMARC1`.
    ///
    /// ```
    /// use mail_records::dmarc::{DmarcPolicy, DmarcRecord};
    ///
    /// let record = DmarcRecord::read(b"v=DMARC1; p=reject; pct=50").expect("begins with the version");
    /// assert_eq!((record.policy, record.flaw), (Some(DmarcPolicy::Reject), None));
    /// assert!(DmarcRecord::read(b"v=spf1 -all").is_none());
    /// ```
    #[must_use]
    pub fn read(text: &[u8]) -> Option<Self> {
        let tags = Tags::read(text)?;
        let mut reader = TagReader { tags: &tags, ignored: Vec::new() };
        let mut record = Self {
            policy: reader.value("p", policy),
            subdomains: reader.value("sp", policy),
            nonexistent: reader.value("np", policy),
            testing: reader.value("t", yes_or_no),
            psd: reader.value("psd", psd),
            dkim_alignment: reader.value("adkim", alignment),
            spf_alignment: reader.value("aspf", alignment),
            failure_options: reader.value("fo", failure_options),
            aggregate_reports: Vec::new(),
            failure_reports: Vec::new(),
            ignored: Vec::new(),
            overruled: None,
            flaw: None,
            tags: Tags::default(),
        };
        let (aggregate_reports, any_uri) = reader.uris("rua");
        record.aggregate_reports = aggregate_reports;
        record.failure_reports = reader.uris("ruf").0;
        reader.ignore_the_rest();
        record.ignored = reader.ignored;
        record.settle(&tags, any_uri);
        record.tags = tags;
        Some(record)
    }

    /// Settles the policies where one is invalid or missing (4.7, 4.10.1).
    fn settle(&mut self, tags: &Tags, reports_asked: bool) {
        if let Some(tag) =
            tags.duplicate(&["v"]).or_else(|| tags.duplicate(&KNOWN)).or_else(|| tags.duplicate(&REMOVED))
        {
            self.flaw = Some(Flaw::DuplicateTag(tag));
            return;
        }
        let given = |tag| tags.get(tag).is_some();
        let invalid = if self.policy.is_none() && (given("p") || !tags.malformed.is_empty()) {
            Some("p")
        } else if self.subdomains.is_none() && given("sp") {
            Some("sp")
        } else if self.nonexistent.is_none() && given("np") {
            Some("np")
        } else {
            None
        };
        match invalid {
            Some(tag) if reports_asked => {
                (self.policy, self.subdomains, self.nonexistent) = (None, None, None);
                self.overruled = Some(tag);
            }
            Some(tag) => self.flaw = Some(Flaw::InvalidPolicy(tag)),
            None => {}
        }
    }

    /// The policy for the name that has the record.
    #[must_use]
    pub fn own_policy(&self) -> DmarcPolicy {
        self.policy.unwrap_or(DmarcPolicy::None)
    }

    /// The policy for existing names below the name of the record.
    #[must_use]
    pub fn subdomain_policy(&self) -> DmarcPolicy {
        self.subdomains.unwrap_or(self.own_policy())
    }

    /// The policy for names below the name of the record that do not exist.
    #[must_use]
    pub fn nonexistent_policy(&self) -> DmarcPolicy {
        self.nonexistent.unwrap_or(self.subdomain_policy())
    }

    /// The effective policy: in test mode one step weaker than `policy` (4.7).
    #[must_use]
    pub fn enforced(&self, policy: DmarcPolicy) -> DmarcPolicy {
        match (self.testing.unwrap_or(false), policy) {
            (false, policy) => policy,
            (true, DmarcPolicy::Reject) => DmarcPolicy::Quarantine,
            (true, DmarcPolicy::Quarantine | DmarcPolicy::None) => DmarcPolicy::None,
        }
    }
}

struct TagReader<'a> {
    tags: &'a Tags,
    ignored: Vec<IgnoredTag>,
}

impl TagReader<'_> {
    fn value<T>(&mut self, tag: &str, read: impl Fn(&str) -> Option<T>) -> Option<T> {
        let value = read(&self.tags.get(tag)?.to_ascii_lowercase());
        if value.is_none() {
            self.ignore(IgnoredTag::InvalidValue { tag: tag.to_owned() });
        }
        value
    }

    fn ignore(&mut self, ignored: IgnoredTag) {
        if self.ignored.len() < MAX_IGNORED && !self.ignored.contains(&ignored) {
            self.ignored.push(ignored);
        }
    }

    /// Notes the tags that mean nothing, and what is no tag.
    fn ignore_the_rest(&mut self) {
        for (tag, _) in &self.tags.pairs {
            if REMOVED.contains(&tag.as_str()) {
                self.ignore(IgnoredTag::RemovedTag { tag: tag.clone() });
            } else if !KNOWN.contains(&tag.as_str()) && tag != "v" {
                self.ignore(IgnoredTag::UnknownTag { tag: tag.clone() });
            }
        }
        for text in &self.tags.malformed {
            self.ignore(IgnoredTag::Malformed { text: text.clone() });
        }
    }

    /// The mailboxes of a list, and whether it has a valid URI at all.
    fn uris(&mut self, tag: &str) -> (Vec<ReportUri>, bool) {
        let Some(list) = self.tags.get(tag) else { return (Vec::new(), false) };
        let (mut mailboxes, mut any) = (Vec::new(), false);
        for element in list.split(',').map(|element| element.trim_matches([' ', '\t'])) {
            let tag = tag.to_owned();
            match ReportUri::parse(element) {
                Ok(uri) => {
                    any = true;
                    if uri.size_limit.is_some() {
                        self.ignore(IgnoredTag::SizeLimit { tag });
                    }
                    mailboxes.push(uri);
                }
                Err(error) => {
                    any |= error == UriError::NoMailbox;
                    self.ignore(IgnoredTag::InvalidUri { tag });
                }
            }
        }
        (mailboxes, any)
    }
}

fn policy(value: &str) -> Option<DmarcPolicy> {
    match value {
        "none" => Some(DmarcPolicy::None),
        "quarantine" => Some(DmarcPolicy::Quarantine),
        "reject" => Some(DmarcPolicy::Reject),
        _ => None,
    }
}

fn yes_or_no(value: &str) -> Option<bool> {
    match value {
        "y" => Some(true),
        "n" => Some(false),
        _ => None,
    }
}

fn psd(value: &str) -> Option<Psd> {
    match value {
        "y" => Some(Psd::Yes),
        "n" => Some(Psd::No),
        "u" => Some(Psd::Unknown),
        _ => None,
    }
}

fn alignment(value: &str) -> Option<Alignment> {
    match value {
        "r" => Some(Alignment::Relaxed),
        "s" => Some(Alignment::Strict),
        _ => None,
    }
}

/// `0` or `1`, `d` and `s`, in any order, none twice.
fn failure_options(value: &str) -> Option<String> {
    let options: Vec<&str> = value.split(':').collect();
    let times = |wanted: &[&str]| options.iter().filter(|option| wanted.contains(option)).count();
    let known = options.iter().all(|option| matches!(*option, "0" | "1" | "d" | "s"));
    let once = times(&["0", "1"]) <= 1 && times(&["d"]) <= 1 && times(&["s"]) <= 1;
    (known && once).then(|| value.to_owned())
}
