//! Routes of the interface whose module is not built yet: they exist, and answer 503 with its name.

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::get;

use crate::app::App;
use crate::desk::Client;
use crate::refusal::Refusal;
use crate::routes;
use crate::terms::UNSIGNED;

/// The unsigned routes that the table says are missing.
pub fn router() -> Router<Arc<App>> {
    let missing = UNSIGNED.iter().filter_map(|route| Some((route.path, route.missing_module?)));
    missing.fold(Router::new(), |router, (path, module)| {
        let answer = move |State(app): State<Arc<App>>, client: Client| async move {
            routes::visit(&app, &client, path).await?;
            Err::<Response, _>(Refusal::unavailable(module, 3600, "this route is not available yet"))
        };
        router.route(path, get(answer))
    })
}
