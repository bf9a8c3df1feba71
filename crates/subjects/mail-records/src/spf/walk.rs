//! The walk through a domain's record and those that it refers to, without a sender.

use std::collections::VecDeque;

use dns::{Answer, Dns, Failure, Kind, Name, Record};
use futures_util::future::join_all;
use receipt::Timestamp;

use super::assessment::{MAX_WALKED, SpfAssessment, SpfStatus, VisitedRecord};
use super::check::{MAX_LOOK_UPS, MAX_VOID_LOOK_UPS, Problem};
use super::macros::{DependsOnSender, DomainSpec};
use super::mechanisms::MAX_NAMES;
use super::random_senders;
use super::reach::{OpenTo, Reach};
use super::record::{Directive, DualCidr, Mechanism, Qualifier, Select, SpfRecord, select};

/// The longest part of a record that is kept, in bytes.
const SHOWN: usize = 512;

/// A walk under way.
pub(super) struct RecordWalk<'a> {
    dns: &'a dyn Dns,
    domain: &'a Name,
    visits: Vec<VisitedRecord>,
    look_ups: u32,
    void_look_ups: u32,
    /// Qualifier of `all`; `None` where the record redirects to another for each sender.
    all: Option<Qualifier>,
    /// Results of other terms than `all`, by sender.
    reach: Reach,
    failed: Option<(Name, Failure)>,
    /// True if macros make a name for each sender.
    depends_on_sender: bool,
    waiting: VecDeque<QueuedRecord>,
}

/// A record yet to be read.
struct QueuedRecord {
    name: Name,
    /// The domain whose record refers to it; none for the domain itself.
    from: Option<Name>,
    part: RecordRole,
}

/// Role of a record in the domain's own.
#[derive(Clone, Copy)]
enum RecordRole {
    /// The domain's own record, or one that it redirects to: its matches are the domain's.
    Own,
    /// A record that the domain's own includes: a pass is a match with this qualifier.
    Included(Qualifier),
    /// A record that decides no result: its matches only tell if something else matches.
    Aside,
}

enum WalkEnd {
    Absent,
    Whole,
}

/// A name that a term looks up for every sender.
struct TermLookUp<'m> {
    directive: &'m Directive,
    name: Name,
    kinds: &'static [Kind],
}

impl<'a> RecordWalk<'a> {
    pub(super) fn from(dns: &'a dyn Dns, domain: &'a Name) -> Self {
        Self {
            dns,
            domain,
            visits: Vec::new(),
            look_ups: 0,
            void_look_ups: 0,
            all: Some(Qualifier::Neutral),
            reach: Reach::default(),
            failed: None,
            depends_on_sender: false,
            waiting: VecDeque::from([QueuedRecord {
                name: domain.clone(),
                from: None,
                part: RecordRole::Own,
            }]),
        }
    }

    pub(super) async fn finish(mut self, at: Timestamp) -> SpfAssessment {
        let standing = match self.walk().await {
            Ok(WalkEnd::Absent) => SpfStatus::Absent,
            Ok(WalkEnd::Whole) => {
                let is_valid = matches!(self.verdict(None), SpfStatus::Valid { .. });
                let problem = if self.depends_on_sender && is_valid {
                    self.check_random_senders(at).await.err()
                } else {
                    None
                };
                self.verdict(problem)
            }
            Err(problem) => self.verdict(Some(problem)),
        };
        let open_to = self.open_to();
        let Self { visits, look_ups, void_look_ups, .. } = self;
        SpfAssessment { standing, open_to, visits, look_ups, void_look_ups }
    }

    async fn walk(&mut self) -> Result<WalkEnd, Problem> {
        while !self.waiting.is_empty() {
            let room = MAX_WALKED - self.visits.len().min(MAX_WALKED);
            if room == 0 {
                return Err(Problem::TooManyLookUps);
            }
            // All waiting records are read at once, since they do not depend on each other.
            let level: Vec<QueuedRecord> = self.waiting.drain(..self.waiting.len().min(room)).collect();
            let dns = self.dns;
            let answers = join_all(level.iter().map(|waiting| dns.look_up(&waiting.name, Kind::Txt))).await;
            for (QueuedRecord { name, from, part }, answer) in level.into_iter().zip(answers) {
                match (self.read(&name, answer), from) {
                    (Ok(Some(record)), _) => self.follow(&name, &record, part).await?,
                    (Ok(None), Some(from)) => return Err(Problem::NoRecord { name: from }),
                    (Ok(None), None) => return Ok(WalkEnd::Absent),
                    (Err(Problem::LookUp { name, failure }), _) => self.note(name, failure),
                    (Err(problem), _) => return Err(problem),
                }
            }
        }
        Ok(WalkEnd::Whole)
    }

    /// Evaluates the record for random senders, since some of its terms depend on the sender.
    async fn check_random_senders(&mut self, at: Timestamp) -> Result<(), Problem> {
        match random_senders::check(self.dns, self.domain, at).await {
            Ok(results) => {
                self.all.get_or_insert(results.v4.weaker(results.v6));
                self.reach.add_random_senders(results);
            }
            Err(Problem::LookUp { name, failure }) => self.note(name, failure),
            Err(problem) => return Err(problem),
        }
        Ok(())
    }

    /// Notes the first look-up that failed.
    fn note(&mut self, name: Name, failure: Failure) {
        self.failed.get_or_insert((name, failure));
    }

    /// A permanent error stands whatever could not be looked up; else that which could not leaves all unknown.
    fn verdict(&self, problem: Option<Problem>) -> SpfStatus {
        let limit = if self.look_ups > MAX_LOOK_UPS {
            Some(Problem::TooManyLookUps)
        } else if self.void_look_ups > MAX_VOID_LOOK_UPS {
            Some(Problem::TooManyVoidLookUps)
        } else {
            None
        };
        match (problem.or(limit), &self.failed) {
            (Some(problem), _) => SpfStatus::Invalid(problem),
            (None, Some((name, failure))) => SpfStatus::Unknown { name: name.clone(), failure: *failure },
            (None, None) => SpfStatus::Valid { all: self.last_word() },
        }
    }

    fn last_word(&self) -> Qualifier {
        self.open_to().map_or_else(|| self.all.unwrap_or(Qualifier::Neutral), |open| open.says)
    }

    /// Result of other terms for everybody, where that is weaker than the one of `all`.
    fn open_to(&self) -> Option<OpenTo> {
        let all = self.all.unwrap_or(Qualifier::Fail);
        self.reach.open_to().filter(|open| all.weaker(open.says) != all)
    }

    fn read(&mut self, name: &Name, answer: Answer<Record>) -> Result<Option<SpfRecord>, Problem> {
        let texts = answer.texts().records();
        let texts = texts.map_err(|failure| Problem::LookUp { name: name.clone(), failure })?;
        let mut visit = VisitedRecord { name: name.clone(), record: None, look_ups: 0, void_look_ups: 0 };
        let record = match select(&texts) {
            Select::None => Ok(None),
            Select::One(text) => {
                visit.record = Some(shown(text));
                let parsed = SpfRecord::parse(text);
                parsed.map(Some).map_err(|error| Problem::Syntax { name: name.clone(), error })
            }
            Select::Several(count) => Err(Problem::SeveralRecords { name: name.clone(), count }),
        };
        self.visits.push(visit);
        record
    }

    /// Counts what a record's terms cause, looks up what they name, and lines up the records that they refer to.
    async fn follow(&mut self, name: &Name, record: &SpfRecord, part: RecordRole) -> Result<(), Problem> {
        let visit = self.visits.len() - 1;
        let (before, before_void) = (self.look_ups, self.void_look_ups);
        if let (RecordRole::Own, Some(all)) = (part, record.all()) {
            self.all = Some(all);
        }
        let mut asked = Vec::new();
        let mut outcome = Ok(());
        for directive in record.reachable() {
            let mechanism = &directive.mechanism;
            self.look_ups += u32::from(mechanism.looks_up());
            let target = mechanism.target().map(|target| self.target(target, name));
            let named = target.clone().and_then(Result::ok).flatten();
            if let Some(says) = part.says(directive.qualifier) {
                self.reach.add_term(says, mechanism, matches!(part, RecordRole::Own), named.as_ref());
            }
            if let (Mechanism::Include(_), Some(target)) = (mechanism, &target) {
                let included = part.of_include(directive.qualifier);
                outcome = outcome.and(self.wait_for(target.clone(), name, included));
            }
            // Beyond the limit the record is invalid, so its names are not looked up.
            if self.look_ups <= MAX_LOOK_UPS {
                let about = if target.is_none() { Some(name.clone()) } else { named };
                asked.extend(about.and_then(|about| TermLookUp::by(directive, about)));
            }
        }
        if let (None, Some(redirect)) = (record.all(), &record.redirect) {
            self.look_ups += 1;
            if let (true, Some(says)) = (redirect.is_chosen_by_sender(), part.says(Qualifier::Pass)) {
                self.reach.add_everybody(says);
            }
            let target = self.target(redirect, name);
            if let (RecordRole::Own, Err(DependsOnSender)) = (part, &target) {
                self.all = None;
            }
            outcome = outcome.and(self.wait_for(target, name, part));
        }
        let outcome = outcome.and(self.ask(asked, part).await);
        if let Some(visit) = self.visits.get_mut(visit) {
            visit.look_ups = self.look_ups - before;
            visit.void_look_ups = self.void_look_ups - before_void;
        }
        outcome
    }

    /// Looks up what terms name, all at once.
    async fn ask(&mut self, asked: Vec<TermLookUp<'_>>, part: RecordRole) -> Result<(), Problem> {
        let dns = self.dns;
        let answers = asked.iter().map(|TermLookUp { name, kinds, .. }| {
            join_all(kinds.iter().map(move |kind| async move { (*kind, dns.look_up(name, *kind).await) }))
        });
        let answers = join_all(answers).await;
        for (TermLookUp { directive, name, .. }, answers) in asked.into_iter().zip(answers) {
            if let Some(says) = part.says(directive.qualifier) {
                for (_, answer) in &answers {
                    self.reach.add_found(says, &directive.mechanism, answer);
                    if let Mechanism::Mx(_, cidr) = &directive.mechanism
                        && cidr.is_wide()
                    {
                        self.look_around(says, answer, *cidr).await;
                    }
                }
            }
            // The first answer that is not void, of either address family.
            match answers.into_iter().find(|(_, answer)| !answer.is_void()) {
                None => self.void_look_ups += 1,
                Some((_, Answer::Failed(failure))) => self.note(name, failure),
                Some((Kind::Mx, Answer::Found { records, .. })) if records.len() > MAX_NAMES => {
                    return Err(Problem::TooManyExchangers { name });
                }
                Some(_) => {}
            }
        }
        Ok(())
    }

    /// Notes the networks around exchangers, which may be so large that together they are everybody's.
    async fn look_around(&mut self, says: Qualifier, answer: &Answer<Record>, cidr: DualCidr) {
        let hosts: Vec<Name> = match answer.clone().exchangers() {
            Answer::Found { records, .. } => {
                records.into_iter().take(MAX_NAMES).filter_map(|mx| mx.exchange.host().cloned()).collect()
            }
            Answer::NoData | Answer::NxDomain | Answer::Failed(_) => return,
        };
        let dns = self.dns;
        let both = hosts.iter().flat_map(|host| [Kind::A, Kind::Aaaa].map(|kind| (host, kind)));
        let answers =
            join_all(both.map(|(host, kind)| async move { (host, dns.look_up(host, kind).await) })).await;
        for (host, answer) in answers {
            match answer {
                Answer::Found { records, .. } => self.reach.add_around(says, &records, cidr),
                Answer::Failed(failure) => self.note(host.clone(), failure),
                Answer::NoData | Answer::NxDomain => {}
            }
        }
    }

    /// The name that a term of a domain's record is about, as far as that does not hang on the sender, which is noted.
    fn target(&mut self, target: &DomainSpec, domain: &Name) -> Result<Option<Name>, DependsOnSender> {
        let named = target.without_sender(domain, self.domain);
        self.depends_on_sender |= named.is_err();
        named
    }

    /// Lines up the record that a domain's refers to; one that is another for each sender is not followed.
    fn wait_for(
        &mut self,
        target: Result<Option<Name>, DependsOnSender>,
        domain: &Name,
        part: RecordRole,
    ) -> Result<(), Problem> {
        match target {
            Ok(Some(name)) => self.waiting.push_back(QueuedRecord { name, from: Some(domain.clone()), part }),
            Ok(None) => return Err(Problem::NoRecord { name: domain.clone() }),
            Err(DependsOnSender) => {}
        }
        Ok(())
    }
}

impl RecordRole {
    /// Result of a match with such a qualifier; `None` where it decides nothing.
    fn says(self, qualifier: Qualifier) -> Option<Qualifier> {
        match (self, qualifier) {
            (Self::Own, qualifier) => Some(qualifier),
            (Self::Included(meaning), Qualifier::Pass) => Some(meaning),
            (Self::Included(_) | Self::Aside, _) => None,
        }
    }

    /// Role of the record that an `include` in such a record names.
    fn of_include(self, qualifier: Qualifier) -> Self {
        match (self, qualifier) {
            (Self::Own, qualifier) => Self::Included(qualifier),
            (Self::Included(meaning), Qualifier::Pass) => Self::Included(meaning),
            (Self::Included(_) | Self::Aside, _) => Self::Aside,
        }
    }
}

impl<'m> TermLookUp<'m> {
    /// Look-ups of a term about this name that are the same for every sender.
    fn by(directive: &'m Directive, name: Name) -> Option<Self> {
        let kinds: &'static [Kind] = match &directive.mechanism {
            Mechanism::A(..) => &[Kind::A, Kind::Aaaa],
            Mechanism::Mx(..) => &[Kind::Mx],
            Mechanism::Exists(_) => &[Kind::A],
            // `ptr` looks up names of the client, not of the domain.
            Mechanism::All
            | Mechanism::Include(_)
            | Mechanism::Ptr(_)
            | Mechanism::Ip4(..)
            | Mechanism::Ip6(..) => return None,
        };
        Some(Self { directive, name, kinds })
    }
}

fn shown(text: &[u8]) -> String {
    let end = text.len().min(SHOWN);
    String::from_utf8_lossy(text.get(..end).unwrap_or_default()).into_owned()
}
