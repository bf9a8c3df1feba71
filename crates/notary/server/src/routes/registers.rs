//! The public views of the modules, free and unsigned. A view without its module answers 501.

use std::sync::Arc;

use axum::Router;
use axum::extract::rejection::RawPathParamsRejection;
use axum::extract::{RawPathParams, RawQuery, State};
use axum::http::{HeaderValue, header};
use axum::response::Response;
use axum::routing::get;
use module::RouteTable;
use module::terms::UNSIGNED;
use receipt::json::Object;
use verdict::{AnyPublicView, Reason};

use crate::app::App;
use crate::pipeline::{self, Client};
use crate::refusal::Refusal;
use crate::routes;

const IMMUTABLE: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
const NEVER: HeaderValue = HeaderValue::from_static("no-cache");

/// Makes the router of all unsigned routes that modules answer.
pub fn router(route_table: &RouteTable) -> Router<Arc<App>> {
    let routes = UNSIGNED.iter().filter_map(|route| Some((route.path, route.module?)));
    routes.fold(Router::new(), |router, (path, module)| {
        let register = route_table.view_at(path).cloned();
        let answer = move |State(app): State<Arc<App>>,
                           client: Client,
                           params: Result<RawPathParams, RawPathParamsRejection>,
                           RawQuery(query): RawQuery| {
            let register = register.clone();
            async move {
                let Some(register) = register else {
                    routes::hit(&app, &client, path).await?;
                    return Err(Refusal::not_offered(module));
                };
                routes::flood(&app, &client, path).await?;
                let request = request(params, query.as_deref().unwrap_or_default());
                show(&app, &client, path, &*register, request).await
            }
        };
        router.route(path, get(answer))
    })
}

/// The query as an object of strings, and the path's parameters, which stand above it.
fn request(params: Result<RawPathParams, RawPathParamsRejection>, query: &str) -> Result<Object, Refusal> {
    let mut object = pipeline::query_object(query)?;
    match params {
        Ok(params) => params.iter().for_each(|(name, value)| {
            object.insert(name, value.to_owned());
        }),
        Err(RawPathParamsRejection::InvalidUtf8InPathParam(_)) => {
            return Err(Refusal::field("path", Reason::Malformed, "must be percent-encoded UTF-8"));
        }
        // The path has none.
        Err(_) => {}
    }
    Ok(object)
}

async fn show(
    app: &App,
    client: &Client,
    path: &str,
    register: &dyn AnyPublicView,
    request: Result<Object, Refusal>,
) -> Result<Response, Refusal> {
    let opened = request.and_then(|request| Ok(register.open(&request)?));
    let (looking, quota) = routes::visit_asking(app, client, path, opened).await?;
    let mut response = routes::typed("application/json", looking.await?, quota);
    let cache = if register.is_lasting() { IMMUTABLE } else { NEVER };
    response.headers_mut().insert(header::CACHE_CONTROL, cache);
    Ok(response)
}
