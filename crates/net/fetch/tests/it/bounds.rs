//! The bound on fetches that run at once.

use std::time::Duration;

use fetch::{FetchError, Fetched, Fetcher, Limits, Priority};
use futures_util::future::join_all;
use tokio::task::JoinHandle;

use crate::support::{HANG, Names, Server, Step, code, fetcher_with, get, ok, redirect};

fn limits() -> Limits {
    Limits { wait: Duration::from_millis(100), total: HANG, reserved: 0, ..Limits::default() }
}

/// Fetches in the background: from a silent server, for as long as the test runs.
fn hold(fetcher: &Fetcher, url: String) -> JoinHandle<Result<Fetched, FetchError>> {
    let fetcher = fetcher.clone();
    tokio::spawn(async move { fetcher.get(fetcher.check_url(&url).unwrap()).await })
}

#[tokio::test]
async fn the_fifth_fetch_from_one_host_is_turned_away_and_another_host_is_not() {
    let slow = Server::start(|_| vec![Step::Silence]).await;
    let quick = Server::start(|_| ok("1")).await;
    let fetcher = fetcher_with(limits(), Names::default().with("quick.example.com", &[&["127.0.0.1"]]));
    let url = format!("http://127.0.0.1:{}/", slow.port());
    let held: Vec<_> = (0..4).map(|_| hold(&fetcher, url.clone())).collect();
    slow.wait_for(4).await;
    assert_eq!(code(&fetcher, &url).await, "busy");
    assert_eq!(slow.connections(), 4, "nothing was tried");
    assert!(get(&fetcher, &format!("http://quick.example.com:{}/", quick.port())).await.is_ok());
    for held in held {
        held.abort();
        let _ = held.await;
    }
    assert_eq!(
        code(&fetcher, &format!("http://127.0.0.1:{}/", vacant())).await,
        "connect_failed",
        "places are back"
    );
}

/// A port on which nothing listens.
fn vacant() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

#[tokio::test]
async fn all_fetches_together_are_bounded() {
    let slow = Server::start(|_| vec![Step::Silence]).await;
    let names =
        Names::default().with("a.example.com", &[&["127.0.0.1"]]).with("b.example.com", &[&["127.0.0.1"]]);
    let fetcher = fetcher_with(Limits { in_all: 1, ..limits() }, names);
    hold(&fetcher, format!("http://a.example.com:{}/", slow.port()));
    slow.wait_for(1).await;
    assert_eq!(code(&fetcher, &format!("http://b.example.com:{}/", slow.port())).await, "busy");
}

/// A fetcher with two places for a network, both held by names that lead to the silent server, and three in all.
async fn with_a_full_network(slow: &Server) -> Fetcher {
    let names = Names::default()
        .with("1.wild.example.com", &[&["127.0.0.1"]])
        .with("2.wild.example.com", &[&["127.0.0.1"]])
        .with("3.wild.example.com", &[&["127.0.0.1"]])
        .with("two.example.com", &[&["127.0.1.9", "127.0.0.1"]]);
    let fetcher = fetcher_with(Limits { per_network: 2, in_all: 3, ..limits() }, names);
    for name in [1, 2] {
        hold(&fetcher, format!("http://{name}.wild.example.com:{}/", slow.port()));
    }
    slow.wait_for(2).await;
    fetcher
}

/// A server in another network than all others here.
async fn elsewhere(script: impl Fn(&str) -> Vec<Step> + Send + Sync + 'static) -> Server {
    Server::listen("127.0.1.1:0".parse().unwrap(), None, script).await
}

#[tokio::test]
async fn many_names_of_one_network_are_turned_away_and_another_network_is_not() {
    let slow = Server::start(|_| vec![Step::Silence]).await;
    let quick = elsewhere(|_| ok("1")).await;
    let fetcher = with_a_full_network(&slow).await;
    let third = format!("http://3.wild.example.com:{}/", slow.port());
    assert_eq!(code(&fetcher, &third).await, "busy");
    assert!(get(&fetcher, &format!("http://{}/", quick.address)).await.is_ok());
    assert_eq!(slow.connections(), 2, "nothing was tried");
}

#[tokio::test]
async fn neither_a_redirect_nor_a_first_address_that_refuses_leads_into_a_full_network() {
    let slow = Server::start(|_| vec![Step::Silence]).await;
    let to = format!("http://127.0.0.1:{}/", slow.port());
    let door = elsewhere(move |_| redirect(302, &to)).await;
    let fetcher = with_a_full_network(&slow).await;
    assert_eq!(code(&fetcher, &format!("http://{}/", door.address)).await, "busy");
    assert_eq!(door.connections(), 1);
    assert_eq!(code(&fetcher, &format!("http://two.example.com:{}/", slow.port())).await, "busy");
    assert_eq!(slow.connections(), 2, "nothing was tried there");
}

#[tokio::test]
async fn reserved_places_are_there_for_a_caller_with_priority() {
    let slow = Server::start(|_| vec![Step::Silence]).await;
    let quick = Server::start(|_| ok("1")).await;
    let fetcher = fetcher_with(Limits { in_all: 2, reserved: 1, ..limits() }, Names::default());
    hold(&fetcher, format!("http://127.0.0.1:{}/", slow.port()));
    slow.wait_for(1).await;
    let url = format!("http://127.0.0.1:{}/", quick.port());
    assert_eq!(code(&fetcher, &url).await, "busy");
    assert!(get(&fetcher.with_priority(Priority::High), &url).await.is_ok());
}

#[tokio::test]
async fn redirects_between_two_full_hosts_of_a_full_network_do_not_lock_each_other() {
    let end = Server::start(|_| ok("end")).await;
    let port = end.port();
    let there = Server::start(move |_| redirect(302, &format!("http://b.example.com:{port}/"))).await;
    let back = Server::start(move |_| redirect(302, &format!("http://a.example.com:{port}/"))).await;
    let names =
        Names::default().with("a.example.com", &[&["127.0.0.1"]]).with("b.example.com", &[&["127.0.0.1"]]);
    let fetcher = fetcher_with(Limits { per_host: 1, per_network: 1, wait: HANG, ..limits() }, names);
    let urls =
        [format!("http://a.example.com:{}/", there.port()), format!("http://b.example.com:{}/", back.port())];
    let fetches = (0..10).map(|index| get(&fetcher, &urls[index % 2]));
    assert!(join_all(fetches).await.iter().all(Result::is_ok));
}

#[tokio::test]
async fn a_fetch_that_is_dropped_closes_its_connection() {
    let slow = Server::start(|_| vec![Step::Silence]).await;
    let fetcher = fetcher_with(limits(), Names::default());
    let url = format!("http://127.0.0.1:{}/", slow.port());
    for _ in 0..6 {
        let dropped = tokio::time::timeout(Duration::from_millis(50), get(&fetcher, &url)).await;
        assert!(dropped.is_err());
    }
    let closing = async {
        while slow.closed() < slow.connections() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(HANG, closing).await.expect("a connection was left open");
}
