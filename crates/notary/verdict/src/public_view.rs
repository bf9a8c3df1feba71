//! Public views of a module: free and unsigned look-ups.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use receipt::json::Object;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde_json::Value;

use crate::{FieldError, Fields, Objection, Question};

/// A look-up that is open to everybody: it is free, it gives no receipt, and its question is not stored.
pub trait PublicView: Send + Sync + 'static {
    /// The type of the question: strings from the path and the query.
    type Question: Question;
    /// The type of the answer.
    type Entry: Serialize + JsonSchema + Send + Sync + 'static;

    /// True if the answer never changes, so that clients may cache it for ever.
    const LASTING: bool = false;

    /// Looks up the answer. It must not block the thread; slow work must run elsewhere, within a bound.
    fn look(
        &self,
        question: Self::Question,
    ) -> impl Future<Output = Result<Arc<Self::Entry>, Objection>> + Send;

    /// Renders the answer as the content of a page for people, as HTML. `None` if the view has no page.
    fn section(_: &Self::Entry) -> Option<String> {
        None
    }
}

/// A future of the answer, as JSON bytes.
pub type Looking = Pin<Box<dyn Future<Output = Result<Vec<u8>, Objection>> + Send>>;

/// A future of the content of a page, as HTML; of `None` if the view has no page.
pub type LookingAtPage = Pin<Box<dyn Future<Output = Result<Option<String>, Objection>> + Send>>;

/// A [`PublicView`] with its types erased, so that views of any type can be stored together.
pub trait AnyPublicView: Send + Sync {
    /// Reads a request; the returned future makes the look-up when it is awaited.
    ///
    /// # Errors
    /// The first field that is wrong.
    fn open(&self, request: &Object) -> Result<Looking, FieldError>;

    /// Reads a request for the [page](PublicView::section); the returned future makes the look-up when it is awaited.
    ///
    /// # Errors
    /// The first field that is wrong.
    fn open_page(&self, request: &Object) -> Result<LookingAtPage, FieldError>;

    /// True where the answer never changes; see [`PublicView::LASTING`].
    fn is_lasting(&self) -> bool;

    /// The schema of the question.
    fn question_schema(&self) -> Value;

    /// The schema of the answer.
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

    fn open_page(&self, request: &Object) -> Result<LookingAtPage, FieldError> {
        let question = R::Question::read(&Fields::root(request))?;
        let view = Arc::clone(self);
        Ok(Box::pin(async move { view.look(question).await.map(|entry| R::section(&entry)) }))
    }

    fn is_lasting(&self) -> bool {
        R::LASTING
    }

    fn question_schema(&self) -> Value {
        R::Question::TABLE.schema()
    }

    fn entry_schema(&self, generator: &mut SchemaGenerator) -> Schema {
        generator.subschema_for::<R::Entry>()
    }
}
