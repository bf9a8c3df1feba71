//! Denials without the zone's SOA, and what looks like one.

use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use dns::RecordingResolver;
use hickory_resolver::proto::rr::rdata::NS;

use super::*;

/// What all of these servers are asked about at first, and what is denied for sure.
const OWN: &str = "www.example.com.";
const SURE: &str = "in-addr.arpa.";

/// Asks a server that answers OWN first with nothing and then by script, and all else with nothing; so it leaves the SOA
/// out of what is denied for sure as well.
async fn then(script: impl Fn(&mut Message) + Send + Sync + 'static) -> Answer<Record> {
    let asked = AtomicUsize::new(0);
    let again = ask(Kind::Txt, move |reply| {
        if *reply.queries[0].name() == wire(OWN) && asked.fetch_add(1, Relaxed) > 0 {
            script(reply);
        }
    });
    again.await
}

/// Asks a server that says nothing but what the script says of what is denied for sure.
async fn where_sure_is(script: impl Fn(&mut Message) + Send + Sync + 'static) -> Answer<Record> {
    let answer = ask(Kind::Txt, move |reply| {
        if *reply.queries[0].name() == wire(SURE) {
            script(reply);
        }
    });
    answer.await
}

fn unusable() -> Answer<Record> {
    Answer::Failed(Failure::Unusable)
}

#[tokio::test]
async fn a_server_that_leaves_the_soa_out_of_what_is_sure_denies_without_it() {
    assert_eq!(then(|_| {}).await, Answer::NoData);
    assert_eq!(where_sure_is(|_| {}).await, Answer::NoData);
    let not_there = |reply: &mut Message| reply.metadata.response_code = ResponseCode::NXDomain;
    assert_eq!(where_sure_is(not_there).await, Answer::NoData);
    // A cache that has the SOA of what it was just told alone.
    let asked = AtomicUsize::new(0);
    let first = move |reply: &mut Message| {
        if asked.fetch_add(1, Relaxed) == 0 {
            reply.add_authority(soa_of(SURE));
        }
    };
    assert_eq!(where_sure_is(first).await, Answer::NoData);
}

#[tokio::test]
async fn a_server_that_shows_the_soa_of_what_is_sure_has_not_denied_without_it() {
    // So does one that has thrown away records of another name.
    let shows = |reply: &mut Message| {
        reply.add_authority(soa_of(SURE));
    };
    assert_eq!(where_sure_is(shows).await, unusable());
    let fails = |reply: &mut Message| reply.metadata.response_code = ResponseCode::ServFail;
    assert_eq!(where_sure_is(fails).await, unusable());
    let has_some = |reply: &mut Message| {
        reply.add_answer(record(SURE, text("anything")));
    };
    assert_eq!(where_sure_is(has_some).await, unusable());
}

/// What the second answer is, how it is made, and what it comes to.
type Case = (&'static str, fn(&mut Message), Answer<Record>);

#[tokio::test]
async fn the_answer_is_read_whole_when_it_is_asked_for_again() {
    let cases: [Case; 8] = [
        (
            "denied with the SOA now",
            |reply| {
                reply.add_authority(soa());
            },
            Answer::NoData,
        ),
        (
            "the SOA of another zone",
            |reply| {
                reply.add_authority(soa_of("example.org."));
            },
            unusable(),
        ),
        (
            "a referral",
            |reply| {
                reply.add_authority(record("example.com.", RData::NS(NS(wire("ns.example.com.")))));
            },
            unusable(),
        ),
        (
            "something beside",
            |reply| {
                reply.add_additional(record(OWN, text("v=spf1 +all")));
            },
            unusable(),
        ),
        (
            "records of another name",
            |reply| {
                reply.add_answer(record("other.example.com.", text("v=spf1 +all")));
            },
            unusable(),
        ),
        ("nobody who has looked", |reply| reply.metadata.recursion_available = false, unusable()),
        ("a refusal", |reply| reply.metadata.response_code = ResponseCode::Refused, unusable()),
        ("truncated without TCP", |reply| reply.metadata.truncation = true, unusable()),
    ];
    for (what, script, expected) in cases {
        assert_eq!(then(script).await, expected, "{what}");
    }
    let of_another = then(|reply| {
        reply.queries[0].set_name(wire("other.example.com."));
    });
    assert_eq!(of_another.await, Answer::Failed(Failure::TimedOut));
}

#[tokio::test]
async fn a_referral_is_no_denial() {
    let referral = ask(Kind::Txt, |reply| {
        reply.add_authority(record("example.com.", RData::NS(NS(wire("ns.example.com.")))));
    });
    assert_eq!(referral.await, unusable());
}

#[tokio::test]
async fn what_an_alias_leads_to_is_asked_for_itself() {
    /// Asks a server to which OWN is an alias, and that says this of its end.
    async fn led(end: fn(&mut Message)) -> Answer<Record> {
        let answer = ask(Kind::Txt, move |reply| {
            if *reply.queries[0].name() == wire(OWN) {
                reply.add_answer(alias(OWN, "a.example.com."));
                reply.add_answer(alias("a.example.com.", "end.example.com."));
            } else if *reply.queries[0].name() == wire("end.example.com.") {
                end(reply);
            }
        });
        answer.await
    }
    assert_eq!(led(|_| {}).await, Answer::NoData);
    let other = |reply: &mut Message| {
        reply.add_answer(record("other.example.com.", text("v=spf1 +all")));
    };
    assert_eq!(led(other).await, unusable());
    let beside = ask(Kind::Txt, |reply| {
        if *reply.queries[0].name() == wire(OWN) {
            reply.add_answer(alias(OWN, "end.example.com."));
            reply.add_answer(alias("other.example.com.", "end.example.com."));
        }
    });
    assert_eq!(beside.await, unusable());
    // Where the alias itself is asked for, it is what was found.
    let asked = AtomicUsize::new(0);
    let found = ask(Kind::Cname, move |reply| {
        if *reply.queries[0].name() == wire(OWN) && asked.fetch_add(1, Relaxed) > 0 {
            reply.add_answer(alias(OWN, "end.example.com."));
        }
    });
    assert_eq!(found.await, unusable());
}

/// Returns the answer of a server, the time for which it counts, and the same answer from the transcript.
async fn recorded(script: impl Fn(&mut Message) + Send + Sync + 'static) -> (Answer<Record>, u32) {
    let address = server(false, move |question, _| {
        let mut reply = reply(question);
        script(&mut reply);
        Some(reply)
    });
    let resolver = Resolver::at(&[address.await]).unwrap();
    let recorder = RecordingResolver::of(&resolver);
    let name = Name::parse(OWN).unwrap();
    let heard = recorder.look_up(&name, Kind::Txt).await;
    let ttl = recorder.ttl();
    assert_eq!(recorder.into_transcript().look_up(&name, Kind::Txt).await, heard);
    (heard, ttl)
}

#[tokio::test]
async fn a_denial_counts_as_long_as_its_soa_says_and_half_a_minute_without() {
    assert_eq!(recorded(|_| {}).await, (Answer::NoData, 30));
    let not_there = |reply: &mut Message| reply.metadata.response_code = ResponseCode::NXDomain;
    assert_eq!(recorded(not_there).await, (Answer::NxDomain, 30));
    let with_soa = |reply: &mut Message| {
        let mut soa = soa();
        soa.ttl = 7;
        reply.add_authority(soa);
    };
    assert_eq!(recorded(with_soa).await, (Answer::NoData, 7));
}
