//! Watches: who keeps them, and which editions of the lists are live.

use std::sync::Arc;

use fetch::Fetcher;
use ledger::{CurrentEdition, Ledger};
use module::RouteTable;
use sanctions::live::{Lists, LiveList};
use server::watch::{Service, WatchJudge, WebhookKey, deliver};

/// The judge of watches over a ledger, and what sends their webhooks.
pub fn over(
    route_table: &RouteTable,
    ledger: &Arc<dyn Ledger>,
    fetcher: Fetcher,
    key: WebhookKey,
) -> (WatchJudge, deliver::Sender) {
    let service = Service { ledger: Arc::clone(ledger), fetcher: fetcher.clone(), webhook_key: key.public() };
    (WatchJudge::new(route_table, service), deliver::Sender { fetcher, key })
}

/// What the judges who screen look at now. A kind of question that no list answers has no edition: nothing is due.
pub fn editions(lists: &Lists) -> Vec<CurrentEdition> {
    let now = lists.now();
    let of = |class: &str, lists: &[LiveList]| {
        let ids: Vec<String> = lists.iter().map(|list| list.indexed.id().to_string()).collect();
        (!ids.is_empty()).then(|| CurrentEdition { class: class.to_owned(), edition: ledger::edition(&ids) })
    };
    [of("screen-entity", now.names()), of("screen-wallet", now.wallets())].into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use receipt::json::parse;
    use sanctions::screen_entity::ScreenEntityJudge;
    use sanctions::screen_wallet::ScreenWalletJudge;
    use verdict::{AnyJudge, Timestamp};

    use super::*;

    /// Else every watch would be screened again for ever.
    #[tokio::test]
    async fn what_a_judge_looks_at_is_the_current_edition() {
        let lists = Lists::demo();
        let judges: [(&str, Box<dyn AnyJudge>); 2] = [
            (r#"{"entity":"Viktor Bout"}"#, Box::new(Arc::new(ScreenEntityJudge::new(lists.clone())))),
            (
                r#"{"wallet":"0x098B716B8Aaf21512996dC57EB0615e2383E2f96"}"#,
                Box::new(Arc::new(ScreenWalletJudge::new(lists.clone()))),
            ),
        ];
        let current = editions(&lists);
        assert_eq!(current.len(), judges.len());
        for ((question, judge), current) in judges.into_iter().zip(current) {
            let request = parse(question.as_bytes()).unwrap();
            let case = judge.open(request.as_object().unwrap()).unwrap();
            let ruling = case.judge(Timestamp::EPOCH.into()).await.unwrap();
            let snapshots = ruling.finding.get("evidence").unwrap().get("snapshots").unwrap();
            let ids: Vec<String> =
                snapshots.as_array().unwrap().iter().map(|id| id.as_str().unwrap().to_owned()).collect();
            assert_eq!(ledger::edition(&ids), current.edition, "{}", current.class);
        }
    }
}
