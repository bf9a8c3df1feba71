//! The evaluation of a record for a sender (RFC 7208, 4 to 6).

use dns::{Answer, Dns, Failure, Kind, Name, Record};
use serde::Serialize;

use super::macros::{DomainSpec, MacroString};
use super::parse::SyntaxError;
use super::record::{Qualifier, Select, SpfRecord, select};
use super::session::Session;

/// The most terms that cause look-ups (4.6.4).
pub const MAX_LOOK_UPS: u32 = 10;
/// The most of these that may find nothing (4.6.4).
pub const MAX_VOID_LOOK_UPS: u32 = 2;

/// Result of the evaluation for a sender (2.6).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SpfResult {
    /// There is no domain to ask, or it published no record.
    None,
    /// The domain says nothing of this sender.
    Neutral,
    /// The sender is authorized.
    Pass,
    /// The sender is not authorized.
    Fail,
    /// The sender is probably not authorized.
    SoftFail,
    /// A look-up failed; another time may tell.
    TempError,
    /// The record cannot be evaluated.
    PermError,
}

/// A check's result and how it came about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CheckHostResult {
    /// Result of the evaluation.
    pub result: SpfResult,
    /// Explanation of a fail by the domain; `None` where there is none or it could not be had (6.2).
    pub explanation: Option<String>,
    /// Terms that caused look-ups.
    pub look_ups: u32,
    /// Void look-ups among them.
    pub void_look_ups: u32,
    /// Reason why the result is an error.
    pub problem: Option<Problem>,
}

/// Reason why a record cannot be evaluated, now or at all.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Problem {
    /// A look-up failed: a temporary error. All others are permanent.
    #[error("looking up {name}: {failure}")]
    LookUp {
        /// The name that was looked up.
        name: Name,
        /// Reason of the failure.
        failure: Failure,
    },
    /// A name with several records (4.5).
    #[error("{name} has {count} records")]
    SeveralRecords {
        /// The name.
        name: Name,
        /// Number of SPF records there.
        count: usize,
    },
    /// A record with an error in it (4.6).
    #[error("the record of {name}: {error}")]
    Syntax {
        /// The domain whose record it is.
        name: Name,
        /// The error.
        error: SyntaxError,
    },
    /// An `include` or `redirect` to a name without a record (5.2, 6.1).
    #[error("{name} refers to a name without a record")]
    NoRecord {
        /// The domain whose record refers to it.
        name: Name,
    },
    /// There are more than [`MAX_LOOK_UPS`].
    #[error("more than {MAX_LOOK_UPS} terms cause look-ups")]
    TooManyLookUps,
    /// There are more than [`MAX_VOID_LOOK_UPS`].
    #[error("more than {MAX_VOID_LOOK_UPS} look-ups find nothing")]
    TooManyVoidLookUps,
    /// A domain with more than ten mail exchangers (4.6.4).
    #[error("{name} has too many mail exchangers")]
    TooManyExchangers {
        /// The domain.
        name: Name,
    },
}

impl Problem {
    /// Stable code of the problem.
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
