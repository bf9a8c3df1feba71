//! Refusals: the cases in which the lists may not answer.

use receipt::time::Timestamp;
use verdict::{Objection, Unavailable};
use watchlist::ListName;

use super::asked::AskedLists;
use crate::live::{Lists, LiveList, LiveLists};

/// Seconds after which another try makes sense: an import is taken over within them.
const RETRY_AFTER_S: u32 = 300;

/// The lists cannot answer.
pub(crate) fn unavailable(detail: impl Into<String>) -> Unavailable {
    Unavailable { module: "sanctions", retry_after_s: RETRY_AFTER_S, detail: detail.into() }
}

/// Returns the answer where a list that the question names has gone since the question was admitted.
pub(crate) fn objection_at_work(objection: Objection) -> Unavailable {
    match objection {
        Objection::Unavailable(unavailable) => unavailable,
        other => unavailable(format!("no_list: {other}")),
    }
}

/// The lists that answer a wallet.
pub(crate) fn wallet_lists(lists: &LiveLists) -> Result<&[LiveList], Unavailable> {
    Some(lists.wallets())
        .filter(|lists| !lists.is_empty())
        .ok_or_else(|| unavailable("no_list: there is no sanctions list with wallets yet"))
}

/// Refuses to say that a name is not listed where a list may be out of date, or the SDN list does not answer and the question
/// does not say which lists to ask.
pub(crate) fn refuse_no_match(
    lists: &Lists,
    asked: &AskedLists<'_>,
    at: Timestamp,
) -> Result<(), Unavailable> {
    if !asked.are_named {
        refuse_without_sdn(&asked.lists)?;
    }
    refuse_stale(lists, &asked.lists, at)
}

/// Refuses to say that a name is not listed where the SDN list does not answer: the other lists are asked besides it, and
/// may be the first to come. The demo list stands for it.
pub(crate) fn refuse_without_sdn(asked: &[LiveList]) -> Result<(), Unavailable> {
    if asked.iter().any(|list| list.indexed.answers_names() && is_sdn(list)) {
        return Ok(());
    }
    let missing = ListName::OFAC_SDN;
    Err(unavailable(format!("no_list: {missing} is not here yet, and nothing was found on the other lists")))
}

/// Refuses to say that a wallet is not listed, where the SDN list with its addresses is not live.
pub(crate) fn refuse_without_sdn_wallets(asked: &[LiveList]) -> Result<(), Unavailable> {
    if asked.iter().any(|list| list.indexed.answers_wallets() && is_sdn(list)) {
        return Ok(());
    }
    let missing = ListName::OFAC_SDN;
    let why = format!(
        "no_list: {missing} is not here with its wallets yet, and nothing was found on the other lists"
    );
    Err(unavailable(why))
}

fn is_sdn(LiveList { indexed, .. }: &LiveList) -> bool {
    indexed.list().demo || indexed.list().name.as_str() == ListName::OFAC_SDN
}

/// Refuses to say "not listed" by lists of which one may be out of date.
pub(crate) fn refuse_stale(lists: &Lists, asked: &[LiveList], at: Timestamp) -> Result<(), Unavailable> {
    let stale = asked.iter().find(|list| lists.heeds_age() && list.age(at).is_stale());
    stale.map_or(Ok(()), |list| {
        let name = &list.indexed.list().name;
        Err(unavailable(format!(
            "list_stale: {name} was not confirmed to be current for more than 24 hours, and nothing was found on it"
        )))
    })
}
