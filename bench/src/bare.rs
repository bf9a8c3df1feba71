//! The bare server: the notary's HTTP stack around the cryptography that no notary can do without, and nothing
//! else. It parses the question, verifies its signature strictly, hashes the canonical request and signs a
//! payload of the size of a receipt's; it keeps nothing, logs nothing, and proves nothing. What a notary reaches
//! beside it is what durability, the log and the pipeline cost.

use std::sync::Arc;

use anyhow::Context as _;
use axum::Router;
use axum::extract::State;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use bytes::Bytes;
use claim::{ClaimQuestion, ClaimResolver, PublicKeyInput};
use receipt::hash::request_hash;
use receipt::json::parse;
use receipt::key::SigningKey;
use receipt::sign::Signer;
use tokio::net::TcpListener;
use verdict::{Fields, Question as _};

use crate::cli::BareArgs;
use crate::identity::BASE_URL;
use crate::questions;

struct Bare {
    signer: Signer,
    /// The padding that fills the payload up to its size.
    filler: String,
    /// The text in place of a proof, in lines, of the same length.
    proof: String,
}

/// Serves until it is interrupted or ended.
pub fn run(args: &BareArgs) -> anyhow::Result<()> {
    let key = SigningKey::generate()?;
    let kid = key.id(BASE_URL)?;
    let fixed = payload("", &[0; 32]).len();
    let bare = Arc::new(Bare {
        signer: Signer::new(key, kid),
        filler: "x".repeat(args.payload_bytes.saturating_sub(fixed)),
        proof: "tlog proof line as long as a hash in base64.\n"
            .chars()
            .cycle()
            .take(args.proof_bytes)
            .collect(),
    });
    let router = Router::new().route(questions::PATH, post(answer)).with_state(bare);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.context("listen")?;
        println!("listening on http://{}", listener.local_addr()?);
        let stop = async { drop(tokio::signal::ctrl_c().await) };
        let http2 = || StatusCode::HTTP_VERSION_NOT_SUPPORTED.into_response();
        listen::serve(listener, router, &[], listen::Bounds::of(4096), http2, stop).await;
        Ok(())
    })
}

async fn answer(State(bare): State<Arc<Bare>>, body: Bytes) -> Response {
    let Some(receipt) = judge_and_sign(&bare, &body) else { return StatusCode::BAD_REQUEST.into_response() };
    let mut response = receipt.into_response();
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

fn judge_and_sign(bare: &Bare, body: &[u8]) -> Option<Vec<u8>> {
    let request = parse(body).ok()?;
    let question = ClaimQuestion::read(&Fields::root(request.as_object()?)).ok()?;
    let ClaimResolver::Ed25519(signed) = question.resolver else { return None };
    let PublicKeyInput::Given(key) = signed.public_key else { return None };
    claim::ed25519::verify(&key, &signed.message, &signed.signature).ok()?;
    let signed = bare.signer.sign(payload(&bare.filler, &request_hash(&request)));
    Some(signed.to_json(Some(&bare.proof)))
}

/// A canonical object that names the request.
fn payload(filler: &str, request_hash: &[u8; 32]) -> Vec<u8> {
    format!(r#"{{"filler":"{filler}","request_hash":"{}"}}"#, hex::encode(request_hash)).into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bare_server_verifies_signs_and_refuses_what_does_not_verify() {
        let key = SigningKey::from_seed(&[7; 32]);
        let kid = key.id(BASE_URL).unwrap();
        let bare = Bare { signer: Signer::new(key, kid), filler: "x".to_owned(), proof: "a\n".to_owned() };
        let request = questions::requests(1).remove(0);
        let body_at = memchr::memmem::find(&request, b"\r\n\r\n").unwrap() + 4;
        let body = &request[body_at..];
        assert!(judge_and_sign(&bare, body).is_some());
        let forged = String::from_utf8(body.to_vec()).unwrap().replace("seals", "Seals");
        assert!(judge_and_sign(&bare, forged.as_bytes()).is_none());
    }
}
