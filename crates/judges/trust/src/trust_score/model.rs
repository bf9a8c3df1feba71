//! `GET /trust-score/model`: the rules, for anybody.

use std::sync::Arc;

use schemars::JsonSchema;
use verdict::{FieldError, Fields, Objection, PublicView, Question};

use crate::model::{Model, model};

/// The register of the rules.
#[derive(Debug)]
pub struct ModelView(Arc<Model>);

impl Default for ModelView {
    fn default() -> Self {
        Self(Arc::new(model()))
    }
}

/// The question, which has no fields.
#[derive(Clone, Copy, PartialEq, Eq, Debug, JsonSchema)]
pub struct ModelQuestion {}

impl Question for ModelQuestion {
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
