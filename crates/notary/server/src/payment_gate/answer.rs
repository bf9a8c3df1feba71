//! The answer to a paid call: the stored receipt, and its payment.

use axum::http::HeaderValue;
use axum::http::header::CACHE_CONTROL;
use axum::response::Response;
use ledger::{Claim, Delivery, TransferId};
use payment::extensions::DeliveryStatement as PaidFor;
use payment::{Address, B256, Transfer, U256, mpp, response};
use receipt::json::{Json, parse};
use receipt::sign::receipt_json;
use verdict::Timestamp;

use super::PaymentGate;
use super::paying::PaymentResponseHeader;
use crate::app::App;
use crate::erasure;
use crate::payment_required::put;
use crate::pipeline;
use crate::refusal::Refusal;

/// The answer to a delivered claim, the same bytes however often it is asked for.
pub(super) async fn stored(
    app: &App,
    gate: &PaymentGate,
    claim: &Claim,
    reply: PaymentResponseHeader,
) -> Result<Response, Refusal> {
    let unsound = || super::unavailable("a delivered claim has no receipt");
    let Delivery { hash, proof, .. } = claim.receipt.as_ref().ok_or_else(unsound)?;
    let Some(receipt) = app.notary.ledger.receipt(hash).await? else {
        let erased = erasure::document(app, hash).await?.ok_or_else(unsound)?;
        return Err(Refusal::Erased(Box::new(erased)));
    };
    let signed_at = time_of(&receipt.payload).ok_or_else(unsound)?;
    let mut answer =
        pipeline::answer(receipt_json(&receipt.payload, hash, &receipt.signature, Some(proof)), hash, None);
    if app.route_table.may_open_watches(&claim.class) {
        let evidence = app.notary.ledger.evidence(receipt.leaf).await?;
        let kept = evidence.iter().filter_map(|blob| Some((&*blob.role, blob.bytes.as_deref()?)));
        watch::tell_id(answer.headers_mut(), kept);
    }
    let transfer = claim.transfer.as_ref().ok_or_else(unsound)?;
    let transfer = Transfer {
        transaction: B256::new(transfer.transaction),
        log_index: match transfer.id {
            TransferId::LogIndex(index) => Some(index),
            TransferId::Authorization { .. } => None,
        },
        payer: Address::new(claim.payer),
        value: U256::from(claim.amount),
    };
    let PaymentResponseHeader { header, version, challenge } = reply;
    let network = gate.terms.network();
    if let Some(challenge) = challenge {
        let settled = mpp::receipt(network.chain_id, &transfer, challenge, signed_at);
        let headers = answer.headers_mut();
        put(headers, header.response_name(), &settled);
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("private, no-store"));
        return Ok(answer);
    }
    let paid_for = PaidFor {
        network,
        resource: &format!("{}/{}", app.base_url(), claim.class),
        payer: transfer.payer,
        transaction: transfer.transaction,
        issued_at: signed_at.unix_seconds(),
    };
    let settled =
        response::settled(version, network, &transfer, &[paid_for.receipt(&app.notary.keys.signer())]);
    put(answer.headers_mut(), header.response_name(), &response::header(&settled));
    Ok(answer)
}

/// The time at which a delivered claim was first answered: the time of its receipt's signature.
pub(super) async fn signed_at(app: &App, delivery: &Delivery) -> Result<Timestamp, Refusal> {
    let unsound = || super::unavailable("a delivered claim has no receipt");
    match app.notary.ledger.receipt(&delivery.hash).await? {
        Some(receipt) => time_of(&receipt.payload).ok_or_else(unsound),
        None => {
            let erased = erasure::document(app, &delivery.hash).await?.ok_or_else(unsound)?;
            erased.signed_at.parse().map_err(|_| unsound())
        }
    }
}

/// The time of a receipt's signature, as its payload states it.
fn time_of(payload: &[u8]) -> Option<Timestamp> {
    parse(payload).ok()?.get("signed_at").and_then(Json::as_str)?.parse().ok()
}
