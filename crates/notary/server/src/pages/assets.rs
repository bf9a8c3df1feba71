//! `/assets/{name}`: the styles and scripts of the pages, compiled into the program.

use std::sync::LazyLock;

use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use receipt::hash::sha256;

use crate::compression::Lasting;
use crate::pages;
use crate::refusal::Refusal;
use crate::routes::{self, PathParameter};

/// A file.
#[derive(Clone, Copy)]
struct Asset {
    name: &'static str,
    media_type: &'static str,
    text: &'static str,
}

const SCRIPT: &str = "text/javascript; charset=utf-8";

/// Embeds a file of the folder `web`.
macro_rules! asset {
    ($name:literal, $media_type:expr) => {
        Asset {
            name: $name,
            media_type: $media_type,
            text: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../web/", $name)),
        }
    };
}

const ASSETS: [Asset; 16] = [
    asset!("style.css", "text/css; charset=utf-8"),
    asset!("icon.svg", "image/svg+xml"),
    asset!("verify.js", SCRIPT),
    asset!("steps.js", SCRIPT),
    asset!("receipt.js", SCRIPT),
    asset!("check.js", SCRIPT),
    asset!("home.js", SCRIPT),
    asset!("try.js", SCRIPT),
    asset!("answer.js", SCRIPT),
    asset!("examples.js", SCRIPT),
    asset!("payment.js", SCRIPT),
    asset!("wallets.js", SCRIPT),
    asset!("vendor/noble-secp256k1/index.js", SCRIPT),
    asset!("vendor/noble-hashes/sha3.js", SCRIPT),
    asset!("vendor/noble-hashes/_u64.js", SCRIPT),
    asset!("vendor/noble-hashes/utils.js", SCRIPT),
];

/// The files with their compressed forms.
static KEPT: LazyLock<[(Asset, Lasting); 16]> =
    LazyLock::new(|| ASSETS.map(|asset| (asset, Lasting::new(asset.text))));

/// Serves a file. Its entity tag is its hash, so that a new version of the program is seen at once.
pub(super) async fn show(
    headers: HeaderMap,
    name: Result<PathParameter, Refusal>,
) -> Result<Response, Refusal> {
    let PathParameter(name) = name?;
    let asset = KEPT.iter().find(|(asset, _)| asset.name == name);
    let (Asset { media_type, text, .. }, kept) = asset.ok_or(Refusal::not_found("there is no such file"))?;
    // Weak, since it is the same for each encoding.
    let tag = format!("W/\"{}\"", &hex::encode(sha256(text.as_bytes()))[..16]);
    let is_known = headers.get(header::IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == tag.as_bytes());
    let mut response = if is_known {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        routes::typed(media_type, kept.answer(&headers), None)
    };
    pages::protect(response.headers_mut(), routes::NO_SCRIPT);
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("public, no-cache"));
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    if let Ok(tag) = HeaderValue::try_from(tag) {
        headers.insert(header::ETAG, tag);
    }
    Ok(response)
}
