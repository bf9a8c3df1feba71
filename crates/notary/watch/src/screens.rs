//! The judges that screen watched questions.

use std::sync::Arc;

use receipt::json::Object;
use receipt::time::Timestamp;
use verdict::{AnyJudge, FieldError, Fields, Reason};

use ledger::{CurrentEdition, DueClass, SharedVersion};
use module::{FileVersion, Route, RouteTable, WatchSchedule, WatchedSnapshots};

/// A judge who screens, the class and module of its receipts, and the field that asks it.
#[derive(Clone)]
pub(super) struct Screen {
    pub(super) field: &'static str,
    pub(super) class: &'static str,
    pub(super) module: &'static str,
    pub(super) judge: Arc<dyn AnyJudge>,
    pub(super) schedule: WatchSchedule,
}

impl Screen {
    /// Returns true if each screening is a look, whose facts are compared with those of the one before.
    pub(super) fn is_look(&self) -> bool {
        matches!(self.schedule, WatchSchedule::Every(_))
    }
}

/// The judges who can be asked to screen.
#[derive(Clone)]
pub(super) struct Screens(Vec<Screen>);

impl Screens {
    /// The judges of a route table whose questions can be watched.
    pub(super) fn of(route_table: &RouteTable) -> Self {
        let screen = |route: &Arc<Route>| {
            let (judge, watched) = (route.judge.clone()?, route.watched.clone()?);
            Some(Screen {
                field: watched.field,
                class: route.terms.class,
                module: route.terms.module,
                judge,
                schedule: watched.schedule,
            })
        };
        Self(route_table.routes().filter_map(screen).collect())
    }

    /// The editions of the lists that each judge uses on the UTC day of a time. A judge without a list has none, so nothing is due. A
    /// new day is a new edition: a question may say until which day an entry is dismissed.
    pub(super) fn editions(&self, now: Timestamp) -> Vec<CurrentEdition> {
        let edition = |screen: &Screen| {
            let WatchSchedule::Snapshots(snapshots) = &screen.schedule else { return None };
            let WatchedSnapshots { mut ids, file } = snapshots();
            let (class, day) = (screen.class.to_owned(), now.unix_days());
            let lists = file.map(|FileVersion { folder, path, version }| SharedVersion {
                folder: folder.to_owned(),
                path: path.to_owned(),
                version,
            });
            (!ids.is_empty()).then(|| {
                ids.push(now.day().to_string());
                CurrentEdition { class, edition: ledger::edition(&ids), day, lists }
            })
        };
        self.0.iter().filter_map(edition).collect()
    }

    /// The classes whose questions are judged again after a time, and the time of the screenings that are due now.
    pub(super) fn looks(&self, now: Timestamp) -> Vec<DueClass> {
        let due = |screen: &Screen| {
            let WatchSchedule::Every(every) = screen.schedule else { return None };
            let every = i64::try_from(every.as_millis()).unwrap_or(i64::MAX);
            let time = now.saturating_add_millis(-every);
            Some(DueClass::ScreenedBy { class: screen.class.to_owned(), time })
        };
        self.0.iter().filter_map(due).collect()
    }

    /// All judges that screen.
    pub(super) fn all(&self) -> &[Screen] {
        &self.0
    }

    /// The judge that a request asks.
    pub(super) fn asked(&self, request: &Object) -> Result<&Screen, FieldError> {
        let fields = Fields::root(request);
        let mut asked = self.0.iter().filter(|screen| request.contains(screen.field));
        let first = asked.next();
        if let Some(second) = asked.next() {
            let detail = "must not be given as well: a watch is of one name, one wallet or one domain";
            return Err(fields.error(second.field, Reason::NotApplicable, detail));
        }
        first.ok_or_else(|| {
            fields.error("entity", Reason::Missing, "is required, or `wallet` or `domain` in its place")
        })
    }

    /// The judge of a class.
    pub(super) fn of_class(&self, class: &str) -> Option<&Screen> {
        self.0.iter().find(|screen| screen.class == class)
    }
}
