//! The public view `GET /trust-score/model`: the scoring rules.

use std::sync::Arc;

use verdict::{FieldError, Fields, Objection, PublicView, Question, Table};

use crate::model::{Model, model};

/// Public view of the scoring model, `GET /trust-score/model`.
#[derive(Debug)]
pub struct ModelView(Arc<Model>);

impl Default for ModelView {
    fn default() -> Self {
        Self(Arc::new(model()))
    }
}

/// The question of the model's view, which has no fields.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ModelQuestion {}

impl Question for ModelQuestion {
    const TABLE: Table = Table::new("", &[], &[]).describe("The question, which has no fields.");

    fn read(_: &Fields<'_>) -> Result<Self, FieldError> {
        Ok(Self {})
    }
}

impl PublicView for ModelView {
    type Question = ModelQuestion;
    type Entry = Model;

    async fn look(&self, _: ModelQuestion) -> Result<Arc<Model>, Objection> {
        Ok(Arc::clone(&self.0))
    }
}
