//! Discovery documents, all of them made from the price table and the declared routes.

use std::sync::Arc;

use axum::Router;

use crate::app::App;

/// Every discovery route.
pub fn router() -> Router<Arc<App>> {
    Router::new()
}
