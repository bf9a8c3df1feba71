//! The judges that screen watched questions.

use std::sync::Arc;

use receipt::json::Object;
use verdict::{AnyJudge, FieldError, Fields, Reason};

use ledger::CurrentEdition;
use module::{Route, RouteTable};

/// A judge who screens, the class of its receipts, and the field that asks it.
#[derive(Clone)]
pub(super) struct Screen {
    pub(super) field: &'static str,
    pub(super) class: &'static str,
    pub(super) judge: Arc<dyn AnyJudge>,
    snapshots: Arc<dyn Fn() -> Vec<String> + Send + Sync>,
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
                judge,
                snapshots: watched.snapshots,
            })
        };
        Self(route_table.routes().filter_map(screen).collect())
    }

    /// The editions of the lists that each judge uses on a UTC day. A judge without a list has none, so nothing is due. A
    /// new day is a new edition: a question may say until which day an entry is dismissed.
    pub(super) fn editions(&self, day: &str) -> Vec<CurrentEdition> {
        let edition = |screen: &Screen| {
            let mut snapshots = (screen.snapshots)();
            let class = screen.class.to_owned();
            (!snapshots.is_empty()).then(|| {
                snapshots.push(day.to_owned());
                CurrentEdition { class, edition: ledger::edition(&snapshots) }
            })
        };
        self.0.iter().filter_map(edition).collect()
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
            let detail = "must not be given as well: a watch is of a name or of a wallet";
            return Err(fields.error(second.field, Reason::NotApplicable, detail));
        }
        first.ok_or_else(|| fields.error("entity", Reason::Missing, "is required, or `wallet` in its place"))
    }

    /// The judge of a class.
    pub(super) fn of_class(&self, class: &str) -> Option<&Screen> {
        self.0.iter().find(|screen| screen.class == class)
    }
}
