//! `/verify` for browsers: a receipt that is pasted or dropped is verified by the browser itself.

use askama::Template;
use axum::http::{HeaderValue, header};
use axum::response::Response;

use crate::app::App;
use crate::pages;
use crate::refusal::Refusal;

#[derive(Template)]
#[template(path = "verify.html")]
struct VerifyPage<'a> {
    notice: Option<&'a str>,
    vkey: &'a str,
    base_url: &'a str,
}

/// Shows the page.
pub(crate) fn verify(app: &App) -> Result<Response, Refusal> {
    let vkey = app.log_vkey();
    let page = VerifyPage { notice: pages::notice(app), vkey: &vkey, base_url: app.base_url() };
    let mut response = pages::shared(page.render().map_err(|_| Refusal::Bug)?);
    // A program that asks at the same address is told which field is missing.
    response.headers_mut().insert(header::VARY, HeaderValue::from_name(header::ACCEPT));
    Ok(response)
}
