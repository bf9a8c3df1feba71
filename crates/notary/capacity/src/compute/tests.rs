use futures_util::FutureExt as _;

use super::*;

fn party(address: &str) -> ComputeClient {
    ComputeClient {
        network: ClientNetwork::of(address.parse().unwrap()),
        is_paid: false,
        has_priority: false,
    }
}

fn paid(address: &str) -> ComputeClient {
    ComputeClient { is_paid: true, ..party(address) }
}

fn prior(address: &str) -> ComputeClient {
    ComputeClient { has_priority: true, ..party(address) }
}

const COST: Duration = Duration::from_millis(10);

/// Queues work while the only slot is taken, gives the slot back, and tells in which order the work had its turns.
async fn order(parties: &[(&'static str, ComputeClient)]) -> Vec<&'static str> {
    let lane = Lane::new("alone", 1, Shares::NONE);
    let held = lane.turn(party("198.51.100.1"), COST).await.unwrap();
    let (done, mut turns) = tokio::sync::mpsc::unbounded_channel();
    for &(name, party) in parties {
        let (of_task, done) = (Arc::clone(&lane), done.clone());
        let before = lane.lock().waiting.len();
        tokio::spawn(async move {
            let turn = of_task.turn(party, COST).await.unwrap();
            done.send(name).unwrap();
            drop(turn);
        });
        while lane.lock().waiting.len() == before {
            tokio::task::yield_now().await;
        }
    }
    drop((held, done));
    let mut order = Vec::new();
    while let Some(name) = turns.recv().await {
        order.push(name);
    }
    order
}

#[tokio::test]
async fn turns_go_around_the_networks_and_not_around_the_calls() {
    let flood = [("flood", party("192.0.2.1")); 6];
    let mut all = flood.to_vec();
    all.extend([("honest", party("203.0.113.9")), ("honest", party("203.0.113.9"))]);
    let order = order(&all).await;
    assert_eq!(order[..4], ["flood", "honest", "flood", "honest"]);
    assert_eq!(order.len(), 8);
}

#[tokio::test]
async fn paid_work_goes_first() {
    let all = [("free", party("192.0.2.1")), ("free", party("192.0.2.2")), ("paid", paid("192.0.2.3"))];
    assert_eq!(order(&all).await, ["paid", "free", "free"]);
}

#[tokio::test]
async fn work_with_priority_goes_before_paid_work_whether_or_not_it_is_paid_itself() {
    let all = [
        ("free", party("192.0.2.1")),
        ("paid", paid("192.0.2.2")),
        ("prior", prior("192.0.2.3")),
        ("prior and paid", ComputeClient { is_paid: true, ..prior("192.0.2.4") }),
    ];
    assert_eq!(order(&all).await, ["prior and paid", "prior", "paid", "free"]);
}

#[tokio::test]
async fn reserved_slots_are_taken_by_work_with_priority_alone() {
    let lane = Lane::new("alone", 2, Shares { reserved: 1, ..Shares::NONE });
    let held = lane.turn(paid("192.0.2.1"), COST).await.unwrap();
    let ordinary = lane.turn(paid("192.0.2.2"), COST);
    tokio::pin!(ordinary);
    assert!(ordinary.as_mut().now_or_never().is_none(), "the second slot is reserved");
    let urgent =
        lane.turn(prior("192.0.2.3"), COST).now_or_never().expect("it is free for priority").unwrap();
    drop(held);
    assert!(ordinary.as_mut().now_or_never().is_none(), "the last slot is reserved again");
    drop(urgent);
    ordinary.now_or_never().expect("one of two is free for anybody").unwrap();
}

#[tokio::test]
async fn a_wide_network_has_the_turns_of_ten_narrow_ones() {
    // 30 neighbours queue before one caller of another network: it waits for the share of the /48, not for all of it.
    let neighbours: Vec<_> = (0..30).map(|n| ("neighbour", party(&format!("2001:db8:1:{n:x}::1")))).collect();
    let all = [neighbours, vec![("honest", party("2001:db8:2::1"))]].concat();
    let at = order(&all).await.iter().position(|name| *name == "honest").unwrap();
    assert!(at <= 1, "{at}");
}

#[tokio::test]
async fn whoever_stops_waiting_leaves_the_queue_and_holds_no_slot() {
    let lane = Lane::new("alone", 1, Shares::NONE);
    let held = lane.turn(party("192.0.2.1"), COST).await.unwrap();
    let waiting = tokio::time::timeout(Duration::from_millis(5), lane.turn(party("192.0.2.2"), COST));
    assert!(waiting.await.is_err());
    drop(held);
    drop(lane.turn(party("192.0.2.3"), COST).await.unwrap());
    let state = lane.lock();
    assert_eq!((state.slots, state.waiting.len(), state.running.len()), (1, 0, 0));
}

#[tokio::test]
async fn a_flood_that_fills_the_queue_pushes_out_itself_and_nobody_else() {
    let lane = Lane::new("alone", 1, Shares::NONE);
    let _held = lane.turn(party("192.0.2.1"), COST).await.unwrap();
    let queued = |party| {
        let mut turn = Box::pin(lane.turn(party, COST));
        let refused = (&mut turn).now_or_never().is_some();
        (!refused).then_some(turn)
    };
    // All of the queue for one /48, from as many of its /64 as there are places.
    let flood = |n: usize| party(&format!("2001:db8:1:{n:x}::1"));
    let mut flooding: Vec<_> = (0..MAX_WAITING).map(|n| queued(flood(n)).unwrap()).collect();
    assert!(queued(flood(MAX_WAITING)).is_none(), "it would have the last turn");
    let honest: Vec<_> = (0..8).map(|_| queued(party("203.0.113.1")).unwrap()).collect();
    let paying = queued(paid("2001:db8:1::1")).unwrap();
    let pushed_out = flooding.iter_mut().filter_map(|turn| turn.now_or_never());
    assert_eq!(pushed_out.filter(Result::is_err).count(), honest.len() + 1);
    for mut turn in honest.into_iter().chain([paying]) {
        assert!((&mut turn).now_or_never().is_none(), "it waits still");
    }
}

#[tokio::test]
async fn a_network_has_no_more_slots_at_once_than_its_share() {
    let lane = Lane::new("alone", 8, Shares { narrow: 2, wide: 3, reserved: 0 });
    let at = |address: &str| lane.turn(party(address), COST);
    let first = at("192.0.2.1").await.unwrap();
    let _second = at("192.0.2.1").await.unwrap();
    let mut third = Box::pin(at("192.0.2.1"));
    assert!((&mut third).now_or_never().is_none(), "its own share");
    let _neighbour = at("192.0.2.2").await.unwrap();
    let mut second_neighbour = Box::pin(at("192.0.2.3"));
    assert!((&mut second_neighbour).now_or_never().is_none(), "the share of the /24");
    let _stranger = at("203.0.113.1").await.unwrap();
    drop(first);
    third.await.unwrap();
}

#[tokio::test]
async fn short_work_does_not_wait_for_long_work_and_a_panic_reaches_who_waits() {
    let compute = Arc::new(Compute::new().unwrap());
    let (end, ended) = std::sync::mpsc::channel::<()>();
    let long = tokio::spawn({
        let compute = Arc::clone(&compute);
        async move { compute.run(party("192.0.2.1"), SHORT * 2, move || ended.recv().is_ok()).await }
    });
    while compute.long.lane.lock().slots > 0 {
        tokio::task::yield_now().await;
    }
    assert_eq!(compute.run(party("192.0.2.2"), COST, || 7).await.unwrap(), 7);
    end.send(()).unwrap();
    assert!(long.await.unwrap().unwrap());
    let panicked =
        tokio::spawn(async move { compute.run(party("192.0.2.1"), COST, || panic!("a mistake")).await });
    assert!(panicked.await.unwrap_err().is_panic());
}

#[tokio::test]
async fn a_thread_that_waits_for_a_part_of_its_work_takes_up_other_work() {
    use std::sync::atomic::{AtomicBool, Ordering};

    let short = Workers::new("alone", "alone", 2, 1).unwrap();
    let compute = Arc::new(Compute { short, ..Compute::new().unwrap() });
    let other_is_done = Arc::new(AtomicBool::new(false));
    let first = tokio::spawn({
        let (compute, other_is_done) = (Arc::clone(&compute), Arc::clone(&other_is_done));
        let work = async move {
            while !other_is_done.load(Ordering::SeqCst) {
                rayon::yield_now();
            }
        };
        async move { compute.poll(party("192.0.2.1"), COST, work).await }
    });
    let second = compute.poll(party("192.0.2.2"), COST, async move {
        tokio::time::sleep(Duration::from_millis(1)).await;
        other_is_done.store(true, Ordering::SeqCst);
    });
    second.await.unwrap();
    first.await.unwrap().unwrap();
}
