//! A pile of hostile requests from a fixed seed: none gets an undeclared answer, and the service lives on.

use std::collections::BTreeMap;
use std::thread;

use serde_json::{Value, json};

use crate::support::claims::{at, signed};
use crate::support::http::Request;
use crate::support::service::{Launch, Service};

const REQUESTS: u64 = 2_000;
const HANDS: u64 = 4;
const SEED: u64 = 0x5eed_0f70_0c45_702e;

/// What the interface declares, and what HTTP itself says of bytes that are no request (400, 431, 414, 408, 505).
const DECLARED: [u16; 14] = [200, 204, 400, 402, 404, 405, 408, 409, 413, 414, 429, 431, 503, 505];

/// More than any body or head that is read.
const TAIL: usize = 300 << 10;

/// SplitMix64 (Steele, Lea and Flood, 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    fn of<'a, T: ?Sized>(&mut self, all: &[&'a T]) -> &'a T {
        all[self.below(all.len())]
    }

    fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }
}

const METHODS: &[&str] = &[
    "POST", "POST", "POST", "POST", "GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "post",
    "X-Y",
];

const TARGETS: &[&str] = &[
    "/claim-verdict",
    "/claim-verdict",
    "/claim-verdict",
    "/verify",
    "/verify?hash=00",
    "/request-trial",
    "/commit",
    "/dispute",
    "/trust-score?domain=a&domain=b",
    "/trust-score?%ff=%00&agent=%f0%9f",
    "/receipts/%ff",
    "/receipts/",
    "/receipts/..%2f..%2fkeys",
    "/r/<script>",
    "/log/tile/0/x999/000",
    "/log/tile/entries/000.p/256",
    "/log/tile/255/999",
    "/log/checkpoint/..",
    "/stats",
    "/catalog",
    "/health",
    "/awards?agent=&&&=&=x",
    "/screen-batch",
    "/grade-strategy",
    "/.well-known/../keys/receipt.pem",
    "/snapshots/%2e%2e/x",
    "//",
    "/?",
    "*",
    "http://other.example/health",
    "/claim-verdict?%",
    "/claim-verdict;x=y",
    "/%c0%ae%c0%ae/etc/passwd",
    "/\u{e9}",
];

const HEADERS: &[(&str, &str)] = &[
    ("X-PAYMENT", "!!!"),
    ("X-PAYMENT", "e30="),
    ("X-PAYMENT", "eyJ4NDAyVmVyc2lvbiI6Mn0="),
    ("PAYMENT-SIGNATURE", "eyJ4NDAyVmVyc2lvbiI6OX0="),
    ("X-Accept-Payment", "x402-v1"),
    ("Content-Encoding", "gzip"),
    ("Expect", "100-continue"),
    ("Expect", "the impossible"),
    ("X-Forwarded-For", "10.0.0.1, ::1, x"),
    ("Connection", "close"),
    ("Upgrade", "h2c"),
    ("Origin", "null"),
    ("Range", "bytes=0-1,5-2"),
    ("If-None-Match", "*"),
    ("Accept", "image/png"),
    ("Content-Type", "application/xml"),
    ("X-Request-Id", "\u{fe}\u{ff}"),
    ("Transfer-Encoding", "chunked"),
    ("Content-Length", "5"),
    ("Host", "second.example"),
    ("Access-Control-Request-Method", "\u{80}"),
];

fn value(random: &mut Random, depth: usize) -> Value {
    match random.below(if depth == 0 { 8 } else { 10 }) {
        0 => Value::Null,
        1 => json!(random.one_in(2)),
        2 => json!(random.next()),
        3 => json!(f64::from_bits(random.next())),
        4 => json!(""),
        5 => json!(random.of(&[
            "\u{0}",
            "\u{10ffff}",
            "../../etc/passwd",
            "{{7*7}}",
            "' OR 1=1 --",
            "%00%ff",
            "\u{202e}abc"
        ])),
        6 => json!("x".repeat(random.below(6000))),
        7 => json!("-".repeat(random.below(40))),
        8 => Value::Array((0..random.below(4)).map(|_| value(random, depth - 1)).collect()),
        _ => (0..random.below(4)).map(|name| (name.to_string(), value(random, depth - 1))).collect(),
    }
}

/// Changes a member somewhere in an object.
fn change(random: &mut Random, body: &mut Value) {
    let Some(members) = body.as_object_mut() else { return };
    let names: Vec<String> = members.keys().cloned().collect();
    if names.is_empty() || random.one_in(8) {
        let new = value(random, 3);
        members.insert(random.of(&["extra", "agent", "resolver", "__proto__", ""]).to_owned(), new);
        return;
    }
    let name = &names[random.below(names.len())];
    match random.below(6) {
        0 => drop(members.remove(name)),
        1 | 2 => change(random, &mut members[name]),
        // An address may not become one that is asked for over the network.
        _ if name == "url" => {
            members[name] =
                json!(random.of(&["http://0/", "http://[::1]:1/", "http://10.1.1.1/", "x", "http://a@0/"]))
        }
        _ => members[name] = value(random, 3),
    }
}

fn body(random: &mut Random) -> Vec<u8> {
    let mut body = match random.below(4) {
        0 => at("http://127.0.0.1:1/x.json", r"a\.b.0.c", "1.0"),
        1 => {
            json!({"v": 1, "class": "x", "receipt_hash": "00", "signature": "AA", "proof": "c2sp.org/tlog-proof@v1\nindex 0\n\n"})
        }
        _ => signed("hostile"),
    };
    (0..random.below(4)).for_each(|_| change(random, &mut body));
    let mut bytes = body.to_string().into_bytes();
    if random.one_in(3) {
        for _ in 0..=random.below(6) {
            let (place, byte) = (random.below(bytes.len() + 1), random.next().to_le_bytes()[0]);
            match random.below(4) {
                0 => bytes.insert(place, byte),
                1 => bytes.truncate(place),
                2 if place < bytes.len() => bytes[place] = byte,
                _ => bytes.splice(place..place, b"[{\"\\ud800e9".iter().copied()).for_each(drop),
            }
        }
    }
    bytes
}

/// One hostile request: mostly whole HTTP, sometimes with a torn head.
fn request(random: &mut Random) -> (String, Vec<u8>) {
    let method = random.of(METHODS).to_owned();
    let mut request = Request::new(&method, random.of(TARGETS));
    let mut is_torn = random.one_in(20);
    for _ in 0..random.below(4) {
        let (name, value) = HEADERS[random.below(HEADERS.len())];
        request = request.header(name, value);
        is_torn |= ["Transfer-Encoding", "Content-Length"].contains(&name);
    }
    let request = request.body(body(random));
    let mut bytes = if random.one_in(5) { request.chunked(1 + random.below(4000)) } else { request.bytes() };
    if is_torn {
        let place = random.below(bytes.len());
        bytes[place] = random.next().to_le_bytes()[0];
    }
    // Where the framing is torn, the server would wait for the rest: this is more than it ever waits for.
    bytes.extend(std::iter::repeat_n(b'x', if is_torn { TAIL } else { 0 }));
    (method, bytes)
}

/// The status of the answer to a request of this number; `None` where there is none.
fn sent(service: &Service, number: u64) -> Option<u16> {
    let mut random = Random(SEED ^ number.wrapping_mul(0x2545_f491_4f6c_dd1d));
    let (method, bytes) = request(&mut random);
    let mut connection = service.connect();
    // The server may answer and close before all is sent.
    drop(connection.send(&bytes));
    let answer = connection.answer(&method).ok()?;
    assert!(
        DECLARED.contains(&answer.status),
        "request {number}: {} {}\n{}",
        answer.status,
        answer.text(),
        String::from_utf8_lossy(&bytes)
    );
    Some(answer.status)
}

#[test]
fn two_thousand_hostile_requests_get_only_declared_answers() {
    let service = Launch::serve().without_limits().with_name_server().start();
    let statuses: Vec<Option<u16>> = thread::scope(|scope| {
        let service = &service;
        let hands: Vec<_> = (0..HANDS)
            .map(|hand| {
                let numbers = (hand..REQUESTS).step_by(HANDS as usize);
                scope.spawn(move || numbers.map(|number| sent(service, number)).collect::<Vec<_>>())
            })
            .collect();
        hands.into_iter().flat_map(|hand| hand.join().unwrap()).collect()
    });
    let mut count: BTreeMap<Option<u16>, usize> = BTreeMap::new();
    statuses.iter().for_each(|status| *count.entry(*status).or_default() += 1);
    for status in [200, 400, 404, 405, 503] {
        assert!(count.get(&Some(status)).is_some_and(|&times| times > 10), "the pile is too tame: {count:?}");
    }
    assert!(
        count.get(&None).copied().unwrap_or(0) < statuses.len() / 10,
        "too many without an answer: {count:?}"
    );
    let health = service.get("/health").expect(200).json();
    assert_eq!(health["status"], "ok", "nothing is down");
    assert_eq!(service.claim(&signed("after"))["verdict"], "CONFIRMED");
    let said = service.stop();
    assert!(!said.contains("panicked") && !said.contains("ERROR"), "{said}");
}
