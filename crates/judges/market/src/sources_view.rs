//! The public view `GET /sources`: how the sources of records stand.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use verdict::{Clock as _, FieldError, Fields, Objection, PublicView, Question, SystemClock, Table};

use crate::source::{Services, SourceState};

/// The public view `GET /sources`.
#[derive(Debug)]
pub struct SourcesView {
    services: Option<Services>,
    clock: SystemClock,
}

impl SourcesView {
    /// A view of these services.
    #[must_use]
    pub fn new(services: Option<Services>) -> Self {
        Self { services, clock: SystemClock::start() }
    }
}

/// The question of the view, which has no fields.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SourcesQuestion {}

impl Question for SourcesQuestion {
    const TABLE: Table = Table::new("", &[], &[]).describe("The question, which has no fields.");

    fn read(_: &Fields<'_>) -> Result<Self, FieldError> {
        Ok(Self {})
    }
}

/// The sources of records.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct SourceStates {
    /// The sources, in the order of the documentation.
    pub sources: Vec<SourceState>,
}

impl PublicView for SourcesView {
    type Question = SourcesQuestion;
    type Entry = SourceStates;

    async fn look(&self, _: SourcesQuestion) -> Result<Arc<SourceStates>, Objection> {
        let at = self.clock.now();
        let sources = self.services.iter().flat_map(Services::all).map(|source| source.state(at)).collect();
        Ok(Arc::new(SourceStates { sources }))
    }
}
