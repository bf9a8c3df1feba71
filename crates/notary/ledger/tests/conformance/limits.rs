//! Rate limits: at most so many hits in any 60 seconds.

use std::sync::Arc;

use ledger::{Admission, RateLimitHit};

use super::Harness;

fn agent(name: &str, route: &str, limit: u32) -> RateLimitHit {
    RateLimitHit::of_agent(
        name,
        "192.0.2.1/32".parse().unwrap(),
        "192.0.2.0/24".parse().unwrap(),
        route,
        limit,
    )
}

pub async fn no_more_visits_are_admitted_than_the_limit_says<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    let hit = agent("scout", "/claim-verdict", 10);
    let hits: Vec<_> = (0..40)
        .map(|_| {
            let ledger = Arc::clone(&ledger);
            tokio::spawn(async move { ledger.admit(&[hit]).await.unwrap() })
        })
        .collect();
    let mut admitted = 0;
    for hit in hits {
        admitted += u32::from(matches!(hit.await.unwrap(), Admission::Admitted { .. }));
    }
    assert_eq!(admitted, 10);
    harness.clock().advance(59_999);
    let refused = ledger.admit(&[hit]).await.unwrap();
    assert_eq!(refused, Admission::Refused { limit: 10, retry_after_s: 1 });
    harness.clock().advance(1);
    let admitted = ledger.admit(&[hit]).await.unwrap();
    assert_eq!(admitted, Admission::Admitted { remaining: 9, reset_s: 60 });
}

pub async fn visits_are_counted_together_or_not_at_all<H: Harness>() {
    let harness = H::new();
    let ledger = harness.open().await;
    let of_agent = agent("scout", "/commit", 1);
    let address = RateLimitHit::of_network("address", "192.0.2.1/32".parse().unwrap(), "/commit", 2);
    ledger.admit(&[of_agent, address]).await.unwrap();
    assert!(matches!(ledger.admit(&[of_agent, address]).await.unwrap(), Admission::Refused { limit: 1, .. }));
    let second = ledger.admit(&[address]).await.unwrap();
    assert!(matches!(second, Admission::Admitted { remaining: 0, .. }), "the refused hit was not counted");
    ledger.note(agent("other", "/commit", 1)).await.unwrap();
    let noted = ledger.admit(&[agent("other", "/commit", 1)]).await.unwrap();
    assert!(matches!(noted, Admission::Refused { .. }));
}
