//! `/lists`: the snapshots of the lists as timelines; with `from` and `to` the differences of two of them. The content is that of
//! the public views `/snapshots` and `/snapshots/diff`, whose rates hold here too.

use std::sync::Arc;

use askama::Template;
use axum::extract::{RawQuery, State};
use axum::response::Response;
use url::form_urlencoded;

use crate::app::App;
use crate::pages;
use crate::pipeline::{self, Client};
use crate::refusal::Refusal;
use crate::routes;

/// The view of all snapshots.
const ALL: &str = "/snapshots";
/// The view of the differences of two.
const DIFFERENCE: &str = "/snapshots/diff";

#[derive(Template)]
#[template(path = "lists.html")]
struct ListsPage<'a> {
    notice: Option<&'a str>,
    is_difference: bool,
    /// HTML of the view.
    section: String,
}

/// Shows the page.
pub(super) async fn show(
    State(app): State<Arc<App>>,
    client: Client,
    RawQuery(query): RawQuery,
) -> Result<Response, Refusal> {
    let asked = query.as_deref().unwrap_or_default();
    let is_difference =
        form_urlencoded::parse(asked.as_bytes()).any(|(name, _)| matches!(&*name, "from" | "to"));
    let (path, asked) = if is_difference { (DIFFERENCE, asked) } else { (ALL, "") };
    let Some(view) = app.route_table.view_at(path) else {
        routes::hit(&app, &client, path).await?;
        return Err(Refusal::not_offered("sanctions"));
    };
    routes::flood(&app, &client, path).await?;
    let request = pipeline::query_object(asked);
    let opened = request.and_then(|request| view.open_page(&request)).map_err(Refusal::from);
    let (looking, quota) = routes::visit_asking(&app, &client, path, opened).await?;
    let section = looking.await?.ok_or(Refusal::Bug)?;
    let page = ListsPage { notice: pages::notice(&app), is_difference, section };
    Ok(pages::page(page.render().map_err(|_| Refusal::Bug)?, quota))
}
