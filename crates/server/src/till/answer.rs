//! What a paid call is answered: the stored receipt, and how it was paid.

use axum::response::Response;
use ledger::{Claim, Delivery};
use payment::extensions::Delivery as PaidFor;
use payment::{Address, B256, Transfer, U256, response};

use super::Till;
use super::paying::Reply;
use super::required::put;
use crate::app::App;
use crate::desk;
use crate::refusal::Refusal;
use crate::routes::receipts;

/// The answer to a delivered claim, the same bytes however often it is asked for.
pub(super) async fn stored(app: &App, till: &Till, claim: &Claim, reply: Reply) -> Result<Response, Refusal> {
    let unsound = || super::unavailable("a delivered claim has no receipt");
    let Delivery { hash, .. } = claim.receipt.ok_or_else(unsound)?;
    let proved = receipts::find(app, hash).await?;
    let signed_at = proved.signed_at().ok_or_else(unsound)?;
    let mut answer = desk::answer(proved.to_json(), None);
    let transfer = claim.transfer.as_ref().ok_or_else(unsound)?;
    let transfer = Transfer {
        transaction: B256::new(transfer.transaction),
        log_index: transfer.log_index,
        payer: Address::new(claim.payer),
        value: U256::from(claim.amount),
    };
    let Reply { header, version } = reply;
    let network = till.terms.network();
    let paid_for = PaidFor {
        network,
        resource: &format!("{}/{}", app.base_url(), claim.class),
        payer: transfer.payer,
        transaction: transfer.transaction,
        issued_at: u64::try_from(signed_at.as_millis() / 1000).unwrap_or_default(),
    };
    let settled = response::settled(version, network, &transfer, &[paid_for.receipt(&app.notary.signer)]);
    put(answer.headers_mut(), header.response_name(), &response::header(&settled));
    Ok(answer)
}
