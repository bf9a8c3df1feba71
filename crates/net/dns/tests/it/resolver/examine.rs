//! What a name server is found to be good for.

use dns::{Root, RootFailure, ServerFault, ServerHealth, examine};

use super::*;

/// What is found of a server that answers every question so.
async fn found(
    script: impl Fn(&mut Message) + Send + Sync + 'static,
) -> (Result<Root, RootFailure>, Option<bool>) {
    let address = server(false, move |question, _| {
        let mut reply = reply(question);
        script(&mut reply);
        Some(reply)
    });
    let address = address.await;
    let found = examine(Some(vec![address])).await;
    assert_eq!(found.iter().map(|found| found.server).collect::<Vec<_>>(), [address]);
    (found[0].root, found[0].leaves_out_soa)
}

/// The root's SOA for the root, and nothing else.
fn root(reply: &mut Message) {
    if reply.queries[0].name().is_root() {
        reply.add_answer(soa_of("."));
    }
}

#[tokio::test]
async fn each_thing_that_a_server_does_is_told() {
    let plain = Ok(Root { signed: false, authentic: false });
    assert_eq!(found(root).await, (plain, Some(true)));
    let with_soa = |reply: &mut Message| {
        root(reply);
        reply.add_authority(soa_of("."));
    };
    assert_eq!(found(with_soa).await, (plain, Some(false)));
    let authentic = |reply: &mut Message| {
        root(reply);
        reply.metadata.authentic_data = true;
    };
    assert_eq!(found(authentic).await, (Ok(Root { signed: false, authentic: true }), Some(true)));
}

#[tokio::test]
async fn a_server_that_knows_no_root_is_of_no_use() {
    assert_eq!(found(|_| {}).await, (Err(RootFailure::NoData), Some(true)));
    for (code, failure) in
        [(ResponseCode::ServFail, Failure::ServFail), (ResponseCode::Refused, Failure::Refused)]
    {
        let fails = move |reply: &mut Message| reply.metadata.response_code = code;
        assert_eq!(found(fails).await, (Err(failure.into()), None));
    }
    let silent = server(false, |_, _| None).await;
    let found = examine(Some(vec![silent])).await;
    assert_eq!((found[0].root, found[0].leaves_out_soa), (Err(Failure::TimedOut.into()), None));
}

/// Some networks answer so for everything but their own names.
#[tokio::test]
async fn a_server_that_denies_everything_is_not_said_to_refuse() {
    let denies = |reply: &mut Message| reply.metadata.response_code = ResponseCode::NXDomain;
    let (root, _) = found(denies).await;
    assert_eq!(root, Err(RootFailure::Code(3, ResponseCode::NXDomain.to_str())));
    assert!(root.unwrap_err().to_string().contains("response code 3"));
}

#[tokio::test]
async fn one_server_that_denies_the_root_spoils_the_others_and_one_that_fails_does_not() {
    let honest = server(false, |question, _| {
        let mut reply = reply(question);
        root(&mut reply);
        Some(reply)
    });
    let honest = honest.await;
    let scripted = |script: fn(&mut Message)| {
        server(false, move |question, _| {
            let mut reply = reply(question);
            script(&mut reply);
            Some(reply)
        })
    };
    let denying = scripted(|reply| reply.metadata.response_code = ResponseCode::NXDomain).await;
    let empty = scripted(|_| {}).await;
    let refusing = scripted(|reply| reply.metadata.response_code = ResponseCode::Refused).await;
    let of = |servers: &[std::net::SocketAddr]| ServerHealth::new(Some(servers.to_vec()));

    assert_eq!(of(&[honest]).check().await, Ok(()));
    assert_eq!(of(&[refusing, honest]).check().await, Ok(()));
    assert_eq!(of(&[refusing]).check().await, Err(ServerFault::Silent));
    for bad in [denying, empty] {
        let health = of(&[honest, bad]);
        assert_eq!(health.last(), None, "nothing is known before the first examination");
        let fault = health.check().await.unwrap_err();
        assert!(matches!(fault, ServerFault::Denies { server, .. } if server == bad), "{fault}");
        assert_eq!(health.last(), Some(Err(fault)));
    }
}

#[tokio::test]
async fn callers_share_an_examination_and_its_result_counts_for_a_while() {
    let asked = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let counted = std::sync::Arc::clone(&asked);
    let address = server(false, move |question, _| {
        let mut reply = reply(question);
        if reply.queries[0].name().is_root() {
            counted.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        }
        root(&mut reply);
        Some(reply)
    });
    let health = ServerHealth::new(Some(vec![address.await]));
    let checks = (0..8).map(|_| health.check());
    assert!(futures_util::future::join_all(checks).await.into_iter().all(|result| result.is_ok()));
    assert_eq!(health.check().await, Ok(()));
    assert_eq!(asked.load(std::sync::atomic::Ordering::Relaxed), 1);
}
