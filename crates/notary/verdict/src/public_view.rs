//! What a module shows to anybody, free and unsigned.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use receipt::json::Object;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;

use crate::{FieldError, Fields, Objection, Question};

/// A view that anybody may look into: no receipt, no price, nothing is kept of the question.
pub trait PublicView: Send + Sync + 'static {
    /// What it is asked: strings of the path and the query.
    type Question: Question;
    /// What it shows.
    type Entry: Serialize + JsonSchema + Send + Sync + 'static;

    /// Whether what it shows never changes, so that it may be kept for ever.
    const LASTING: bool = false;

    /// Looks. It must not hold up the thread: what takes time is done elsewhere, within a bound.
    fn look(
        &self,
        question: Self::Question,
    ) -> impl Future<Output = Result<Arc<Self::Entry>, Objection>> + Send;
}

/// What was found, as JSON.
pub type Looking = Pin<Box<dyn Future<Output = Result<Vec<u8>, Objection>> + Send>>;

/// A view whose types have been forgotten.
pub trait AnyPublicView: Send + Sync {
    /// Reads a request; what comes back looks once it is awaited.
    ///
    /// # Errors
    /// The first field that is wrong.
    fn open(&self, request: &Object) -> Result<Looking, FieldError>;

    /// See [`PublicView::LASTING`].
    fn is_lasting(&self) -> bool;

    /// The schema of the question.
    fn question_schema(&self, generator: &mut SchemaGenerator) -> Schema;

    /// The schema of what is shown.
    fn entry_schema(&self, generator: &mut SchemaGenerator) -> Schema;
}

impl<R: PublicView> AnyPublicView for Arc<R> {
    fn open(&self, request: &Object) -> Result<Looking, FieldError> {
        let question = R::Question::read(&Fields::root(request))?;
        let view = Arc::clone(self);
        Ok(Box::pin(async move {
            let entry = view.look(question).await?;
            Ok(serde_json::to_vec(&*entry).expect("an entry is plain data, which has a JSON form"))
        }))
    }

    fn is_lasting(&self) -> bool {
        R::LASTING
    }

    fn question_schema(&self, generator: &mut SchemaGenerator) -> Schema {
        generator.subschema_for::<R::Question>()
    }

    fn entry_schema(&self, generator: &mut SchemaGenerator) -> Schema {
        generator.subschema_for::<R::Entry>()
    }
}
