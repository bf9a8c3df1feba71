//! The judges who screen what is watched.

use std::sync::Arc;

use receipt::json::Object;
use verdict::{AnyJudge, FieldError, Fields, Reason};

use crate::route::RouteTable;

/// A judge who screens, the class of its receipts, and the field that asks it.
#[derive(Clone)]
pub(super) struct Screen {
    pub(super) field: &'static str,
    pub(super) class: &'static str,
    pub(super) judge: Arc<dyn AnyJudge>,
}

/// The judges who can be asked to screen.
#[derive(Clone)]
pub(super) struct Screens(Vec<Screen>);

/// Which field asks which judge.
const FIELDS: [(&str, &str); 2] = [("entity", "screen-entity"), ("wallet", "screen-wallet")];

impl Screens {
    /// Those that are seated.
    pub(super) fn of(route_table: &RouteTable) -> Self {
        let seated = |(field, class): (&'static str, &'static str)| {
            let judge = route_table.route(class)?.judge.clone()?;
            Some(Screen { field, class, judge })
        };
        Self(FIELDS.into_iter().filter_map(seated).collect())
    }

    /// All of them.
    pub(super) fn all(&self) -> &[Screen] {
        &self.0
    }

    /// The one that a request asks.
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

    /// The one of a class.
    pub(super) fn of_class(&self, class: &str) -> Option<&Screen> {
        self.0.iter().find(|screen| screen.class == class)
    }
}
