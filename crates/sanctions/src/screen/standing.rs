//! Whether the lists may answer.

use receipt::time::Timestamp;
use verdict::Unavailable;

use crate::live::{Lists, LiveList, LiveLists};

/// Seconds after which another try makes sense: an import is taken over within them.
const RETRY_AFTER_S: u32 = 300;

/// The lists cannot answer.
pub(crate) fn unavailable(detail: impl Into<String>) -> Unavailable {
    Unavailable { module: "sanctions", retry_after_s: RETRY_AFTER_S, detail: detail.into() }
}

/// The lists that answer a name.
pub(crate) fn asked_of_names(lists: &LiveLists) -> Result<&[LiveList], Unavailable> {
    Some(lists.names())
        .filter(|lists| !lists.is_empty())
        .ok_or_else(|| unavailable("no_list: there is no sanctions list of names yet"))
}

/// The lists that answer a wallet.
pub(crate) fn asked_of_wallets(lists: &LiveLists) -> Result<&[LiveList], Unavailable> {
    Some(lists.wallets())
        .filter(|lists| !lists.is_empty())
        .ok_or_else(|| unavailable("no_list: there is no sanctions list with wallets yet"))
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
