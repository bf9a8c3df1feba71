//! The router, made from the route table, and a place for one that can be replaced.

use std::sync::{Arc, PoisonError, RwLock};

use axum::extract::{DefaultBodyLimit, Request};
use axum::routing::{MethodRouter, get, post};
use axum::{Router, middleware};
use module::terms::UNSIGNED;
use tower::ServiceExt as _;
use tower_http::catch_panic::CatchPanicLayer;

use crate::app::App;
use crate::{a2a, compression, discovery, mcp, outer, pages, pipeline, routes};

/// Builds the router of the whole public service.
pub fn router(app: Arc<App>) -> Router {
    let verdicts = app.route_table.routes().map(|route| route.terms.path());
    let paths = verdicts.chain(UNSIGNED.iter().map(|route| route.path.to_owned())).collect();
    let finish = middleware::from_fn_with_state(Arc::clone(&app), outer::finish);
    let called = routes(&app)
        .layer(DefaultBodyLimit::disable())
        .layer(CatchPanicLayer::custom(outer::panicked))
        .layer(finish.clone())
        .with_state(Arc::clone(&app));
    routes(&app)
        .route(mcp::PATH, mcp::route(called.clone()))
        .route(a2a::PATH, a2a::route(called))
        .method_not_allowed_fallback(outer::no_method)
        .layer(DefaultBodyLimit::disable())
        .layer(CatchPanicLayer::custom(outer::panicked))
        .layer(outer::cors())
        .fallback_service(outer::no_route(paths))
        .layer(finish)
        .layer(compression::layer())
        .with_state(app)
}

/// All routes but `/mcp` and `/a2a`, which call them.
fn routes(app: &App) -> Router<Arc<App>> {
    let mut router = Router::new();
    for route in app.route_table.routes() {
        let asked = Arc::clone(route);
        let ask = move |state, client, request| pipeline::handle(state, client, Arc::clone(&asked), request);
        let mut methods: MethodRouter<Arc<App>> = post(ask.clone());
        if route.terms.get {
            methods = methods.get(ask);
        }
        router = router.route(&route.terms.path(), methods);
    }
    router
        .route("/verify", get(routes::verify::by_hash).post(routes::verify::whole))
        .route("/receipts/{hash}", get(routes::receipts::show))
        .route(routes::keys::PATH, get(routes::keys::show))
        .route("/log/{*path}", get(routes::log::show))
        .route("/stats", get(routes::stats::show))
        .route(routes::sla::PATH, get(routes::sla::show))
        .route(routes::export::PATH, get(routes::export::show))
        .route("/health", get(routes::health::show))
        .route("/livez", get(routes::ready::live))
        .route("/readyz", get(routes::ready::ready))
        .route(routes::agents::PATH, get(routes::agents::show))
        .route("/request-trial", post(routes::trial::ask))
        .route(routes::watch::PATH, get(routes::watch::show).delete(routes::watch::end))
        .merge(routes::registers::router(&app.route_table))
        .merge(discovery::router())
        .merge(pages::router())
}

/// A router that can be replaced while it serves. Each request is handled as a whole by one router.
#[derive(Clone)]
pub struct ReplaceableRouter(Arc<RwLock<Router>>);

impl ReplaceableRouter {
    /// Begins with a router.
    #[must_use]
    pub fn new(router: Router) -> Self {
        Self(Arc::new(RwLock::new(router)))
    }

    /// Gives the requests that arrive from now on to another router.
    pub fn replace(&self, router: Router) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = router;
    }

    /// A router that gives each request to the present one.
    pub fn router(&self) -> Router {
        let held = self.clone();
        Router::new().fallback(move |request: Request| {
            let present = held.0.read().unwrap_or_else(PoisonError::into_inner).clone();
            present.oneshot(request)
        })
    }
}
