//! From a body of company facts of 4 MB to the verdict of its newest report: `cargo bench -p company-facts --bench score`.

use std::fmt::Write as _;
use std::hint::black_box;

use company_facts::{Basis, CompanyFacts, mapped_tags};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use jiff::civil::Date;

/// The size of the body, in bytes.
const BODY_BYTES: usize = 4 << 20;

/// One tag with its facts: quarters, half years and years of sixteen years, as three reports repeat them.
fn tag(body: &mut String, name: &str, seed: usize) {
    let description =
        "Amount after tax of the increase or decrease during the period in the carrying amount of the line. "
            .repeat(3);
    let _ = write!(body, r#""{name}":{{"label":"{name}","description":"{description}","units":{{"USD":["#);
    let mut separator = "";
    for year in 2010..2026_usize {
        for (start, end) in [("01-01", "03-31"), ("01-01", "06-30"), ("01-01", "12-31"), ("", "12-31")] {
            for later in 0..2 {
                let start =
                    if start.is_empty() { String::new() } else { format!(r#""start":"{year}-{start}","#) };
                let (filed, form) = (year + 1 + later, if end == "12-31" { "10-K" } else { "10-Q" });
                let value = 1_000_000 + (seed * 7919 + year * 104_729) % 900_000;
                let _ = write!(
                    body,
                    r#"{separator}{{{start}"end":"{year}-{end}","val":{value},"accn":"0000000001-{:02}-000001","fy":{filed},"fp":"FY","form":"{form}","filed":"{filed}-02-20","frame":"CY{year}"}}"#,
                    filed % 100,
                );
                separator = ",";
            }
        }
    }
    body.push_str("]}},");
}

fn body() -> String {
    let mut body = String::from(r#"{"cik":1,"entityName":"Example","facts":{"us-gaap":{"#);
    for (at, (_, name)) in mapped_tags().iter().filter(|(taxonomy, _)| *taxonomy == "us-gaap").enumerate() {
        tag(&mut body, name, at);
    }
    let mut at = 1_000;
    while body.len() < BODY_BYTES {
        tag(&mut body, &format!("LineOfTheNotes{at}"), at);
        at += 1;
    }
    body.pop();
    body.push_str("}}}");
    body
}

fn score(criterion: &mut Criterion) {
    let body = body();
    let as_of: Date = "2026-06-30".parse().expect("it is a day");
    let mut group = criterion.benchmark_group("company facts of 4 MB");
    group.throughput(Throughput::Bytes(body.len() as u64));
    group.bench_function("read", |bencher| {
        bencher.iter(|| CompanyFacts::read_slice(black_box(body.as_bytes())).expect("the body can be read"));
    });
    group.bench_function("read, latest report, verdict", |bencher| {
        bencher.iter(|| {
            let facts = CompanyFacts::read_slice(black_box(body.as_bytes())).expect("the body can be read");
            let report = facts.latest(as_of, Basis::Latest).expect("there is a report");
            distress::assess(&report.financials, as_of)
        });
    });
    let facts = CompanyFacts::read_slice(body.as_bytes()).expect("the body can be read");
    group.bench_function("history", |bencher| bencher.iter(|| black_box(&facts).history(as_of)));
    group.bench_function("canonical form", |bencher| bencher.iter(|| black_box(&facts).to_canonical()));
    group.finish();
}

criterion_group!(benches, score);
criterion_main!(benches);
