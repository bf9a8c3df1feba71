//! How many fetches run at once.

use std::time::Duration;

use fetch::{Class, Limits};
use futures_util::future::join_all;

use crate::support::{HANG, Names, Server, Step, code, fetcher_with, get, ok, redirect};

fn limits() -> Limits {
    Limits { wait: Duration::from_millis(100), total: HANG, ..Limits::default() }
}

#[tokio::test]
async fn the_fifth_fetch_from_one_host_is_turned_away_and_another_host_is_not() {
    let slow = Server::start(|_| vec![Step::Silence]).await;
    let quick = Server::start(|_| ok("1")).await;
    let fetcher = fetcher_with(limits(), Names::default().with("quick.example.com", &[&["127.0.0.1"]]));
    let url = format!("http://127.0.0.1:{}/", slow.port());
    let held: Vec<_> = (0..4)
        .map(|_| {
            let (fetcher, url) = (fetcher.clone(), url.clone());
            tokio::spawn(async move { fetcher.get(fetcher.check_url(&url).unwrap()).await })
        })
        .collect();
    while slow.connections() < 4 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let error = get(&fetcher, &url).await.unwrap_err();
    assert_eq!((error.code(), error.class()), ("busy", Class::Busy));
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
    let url = format!("http://a.example.com:{}/", slow.port());
    let held = tokio::spawn({
        let fetcher = fetcher.clone();
        async move { fetcher.get(fetcher.check_url(&url).unwrap()).await }
    });
    while slow.connections() < 1 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(code(&fetcher, &format!("http://b.example.com:{}/", slow.port())).await, "busy");
    held.abort();
}

#[tokio::test]
async fn redirects_between_two_full_hosts_do_not_lock_each_other() {
    let end = Server::start(|_| ok("end")).await;
    let port = end.port();
    let there = Server::start(move |_| redirect(302, &format!("http://b.example.com:{port}/"))).await;
    let back = Server::start(move |_| redirect(302, &format!("http://a.example.com:{port}/"))).await;
    let names =
        Names::default().with("a.example.com", &[&["127.0.0.1"]]).with("b.example.com", &[&["127.0.0.1"]]);
    let fetcher = fetcher_with(Limits { per_host: 1, wait: HANG, ..limits() }, names);
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
