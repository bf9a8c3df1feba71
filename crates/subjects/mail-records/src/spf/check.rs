//! The evaluation of a record for a sender (RFC 7208, 4 to 6).

use dns::{Answer, Dns, Failure, Kind, Name, Record};
use serde::Serialize;

use super::macros::{DomainSpec, MacroString};
use super::parse::SyntaxError;
use super::record::{Qualifier, Select, SpfRecord, select};
use super::session::Session;

/// The most terms that may cause look-ups (4.6.4).
pub const MAX_LOOK_UPS: u32 = 10;
/// The most void look-ups (4.6.4).
pub const MAX_VOID_LOOK_UPS: u32 = 2;

/// The result of the evaluation for a sender (RFC 7208, 2.6).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SpfResult {
    /// There is no domain to be checked, or it has no record.
    None,
    /// The domain makes no statement about the sender.
    Neutral,
    /// The sender is authorized.
    Pass,
    /// The sender is not authorized.
    Fail,
    /// The sender is probably not authorized.
    SoftFail,
    /// A look-up failed, and a later check may succeed.
    TempError,
    /// The record cannot be evaluated.
    PermError,
}

/// The result of a check, with its circumstances.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CheckHostResult {
    /// The result of the evaluation.
    pub result: SpfResult,
    /// The domain's explanation of a fail; `None` where there is none or it could not be looked up (6.2).
    pub explanation: Option<String>,
    /// The number of terms that caused look-ups.
    pub look_ups: u32,
    /// The number of void look-ups among them.
    pub void_look_ups: u32,
    /// The reason why the result is an error; `None` where it is not.
    pub problem: Option<Problem>,
}

/// The reason why a record cannot be evaluated, temporarily or permanently.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Problem {
    /// A look-up failed, which is a temporary error. All other problems are permanent.
    #[error("looking up {name}: {failure}")]
    LookUp {
        /// The name that was looked up.
        name: Name,
        /// The reason of the failure.
        failure: Failure,
    },
    /// A name has several SPF records (4.5).
    #[error("{name} has {count} records")]
    SeveralRecords {
        /// The name.
        name: Name,
        /// The number of SPF records at the name.
        count: usize,
    },
    /// A record has a syntax error (4.6).
    #[error("the record of {name}: {error}")]
    Syntax {
        /// The domain that has the record.
        name: Name,
        /// The error.
        error: SyntaxError,
    },
    /// An `include` or `redirect` refers to a name without a record (5.2, 6.1).
    #[error("{name} refers to a name without a record")]
    NoRecord {
        /// The domain whose record refers to that name.
        name: Name,
    },
    /// More than [`MAX_LOOK_UPS`] terms cause look-ups.
    #[error("more than {MAX_LOOK_UPS} terms cause look-ups")]
    TooManyLookUps,
    /// There are more than [`MAX_VOID_LOOK_UPS`] void look-ups.
    #[error("more than {MAX_VOID_LOOK_UPS} look-ups find nothing")]
    TooManyVoidLookUps,
    /// A domain has more than ten mail exchangers (4.6.4).
    #[error("{name} has too many mail exchangers")]
    TooManyExchangers {
        /// The domain.
        name: Name,
    },
}

impl Problem {
    /// The stable code of the problem.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::LookUp { failure, .. } => failure.code(),
            Self::SeveralRecords { .. } => "several_records",
            Self::Syntax { .. } => "syntax",
            Self::NoRecord { .. } => "refers_to_no_record",
            Self::TooManyLookUps => "too_many_look_ups",
            Self::TooManyVoidLookUps => "too_many_void_look_ups",
            Self::TooManyExchangers { .. } => "too_many_mail_exchangers",
        }
    }

    fn result(&self) -> SpfResult {
        if matches!(self, Self::LookUp { .. }) { SpfResult::TempError } else { SpfResult::PermError }
    }
}

/// Checks a sender: `check_host()` of RFC 7208 (4), with the explanation of a fail.
pub async fn check_host(dns: &dyn Dns, session: &Session<'_>) -> CheckHostResult {
    let mut check =
        Evaluation { dns, session, client: None, look_ups: 0, void_look_ups: 0, max_void: MAX_VOID_LOOK_UPS };
    let domain = Name::parse(session.domain()).ok().filter(|name| name.labels().count() > 1);
    let decided = match &domain {
        Some(domain) => check.decide(domain).await,
        None => Ok(EvaluationResult::of(SpfResult::None)),
    };
    let (result, explanation, problem) = match decided {
        Ok(EvaluationResult { result: SpfResult::Fail, explained_at: Some((target, domain)) }) => {
            (SpfResult::Fail, check.explain(&target, &domain).await, None)
        }
        Ok(decision) => (decision.result, None, None),
        Err(problem) => (problem.result(), None, Some(problem)),
    };
    let Evaluation { look_ups, void_look_ups, .. } = check;
    CheckHostResult { result, explanation, look_ups, void_look_ups, problem }
}

/// A check under way. The counts are of the whole check, over all its records.
pub(super) struct Evaluation<'a> {
    pub(super) dns: &'a dyn Dns,
    pub(super) session: &'a Session<'a>,
    /// The client's validated name, where it is not looked up.
    pub(super) client: Option<&'a str>,
    look_ups: u32,
    void_look_ups: u32,
    max_void: u32,
}

/// Result of a record, with those that it redirects to.
pub(super) struct EvaluationResult {
    pub(super) result: SpfResult,
    /// The target of the deciding record's `exp`, and the domain of that record.
    explained_at: Option<(DomainSpec, Name)>,
}

impl EvaluationResult {
    fn of(result: SpfResult) -> Self {
        Self { result, explained_at: None }
    }
}

impl<'a> Evaluation<'a> {
    /// The check of a client whose address has this name, and may be one by a receiver that does not count what finds
    /// nothing: RFC 7208 (4.6.4) only says that it should.
    pub(super) fn of_random_sender(dns: &'a dyn Dns, session: &'a Session<'a>, client: &'a str) -> Self {
        Self { dns, session, client: Some(client), look_ups: 0, void_look_ups: 0, max_void: u32::MAX }
    }
}

impl Evaluation<'_> {
    /// Evaluates the record of a domain; [`SpfResult::None`] where it has none.
    pub(super) async fn decide(&mut self, domain: &Name) -> Result<EvaluationResult, Problem> {
        let Some(mut record) = self.record(domain).await? else {
            return Ok(EvaluationResult::of(SpfResult::None));
        };
        let mut domain = domain.clone();
        // Each turn is one redirect, and so one of the ten look-ups.
        loop {
            for directive in &record.directives {
                if self.matches(&directive.mechanism, &domain).await? {
                    let explained_at = record.explanation.map(|target| (target, domain));
                    return Ok(EvaluationResult { result: directive.qualifier.into(), explained_at });
                }
            }
            let Some(redirect) = &record.redirect else {
                return Ok(EvaluationResult::of(SpfResult::Neutral));
            };
            self.count_look_up()?;
            let no_record = Problem::NoRecord { name: domain.clone() };
            domain = self.expand(redirect, &domain).await.ok_or(no_record.clone())?;
            record = self.record(&domain).await?.ok_or(no_record)?;
        }
    }

    async fn record(&mut self, domain: &Name) -> Result<Option<SpfRecord>, Problem> {
        let texts = self.look_up(domain, Kind::Txt).await.texts().records();
        let texts = texts.map_err(|failure| Problem::LookUp { name: domain.clone(), failure })?;
        match select(&texts) {
            Select::None => Ok(None),
            Select::One(text) => SpfRecord::parse(text)
                .map(Some)
                .map_err(|error| Problem::Syntax { name: domain.clone(), error }),
            Select::Several(count) => Err(Problem::SeveralRecords { name: domain.clone(), count }),
        }
    }

    /// The text that a domain gives for a fail. Whatever goes wrong on the way, there is none (6.2).
    async fn explain(&mut self, target: &DomainSpec, domain: &Name) -> Option<String> {
        let name = self.expand(target, domain).await?;
        let texts = self.look_up(&name, Kind::Txt).await.texts().records().ok()?;
        let [text] = texts.as_slice() else { return None };
        let text = MacroString::explanation(text).ok()?;
        let validated = self.validated_name_for(text.needs_validated_name(), domain).await;
        text.expand(self.session, domain, &validated)
    }

    pub(super) async fn look_up(&self, name: &Name, kind: Kind) -> Answer<Record> {
        self.dns.look_up(name, kind).await
    }

    /// The name that a domain-spec makes; `None` where no query can be made for it.
    pub(super) async fn expand(&mut self, target: &DomainSpec, domain: &Name) -> Option<Name> {
        let validated = self.validated_name_for(target.needs_validated_name(), domain).await;
        target.expand(self.session, domain, &validated)
    }

    pub(super) fn count_look_up(&mut self) -> Result<(), Problem> {
        self.look_ups += 1;
        if self.look_ups > MAX_LOOK_UPS { Err(Problem::TooManyLookUps) } else { Ok(()) }
    }

    pub(super) fn count_void(&mut self) -> Result<(), Problem> {
        self.void_look_ups += 1;
        if self.void_look_ups > self.max_void { Err(Problem::TooManyVoidLookUps) } else { Ok(()) }
    }
}

impl From<Qualifier> for SpfResult {
    fn from(qualifier: Qualifier) -> Self {
        match qualifier {
            Qualifier::Pass => Self::Pass,
            Qualifier::Fail => Self::Fail,
            Qualifier::SoftFail => Self::SoftFail,
            Qualifier::Neutral => Self::Neutral,
        }
    }
}
