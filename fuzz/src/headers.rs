//! Pages of web sites: policies, HTML and header fields.

use domain_name::DomainName;
use http_headers::{
    Cors, HeaderFields, HeadersReport, Http, Https, Page, PreloadList, ScanInput, TESTS, analyze, grade,
};

use crate::split::{cut_text, parts};

const CSP: &str = "content-security-policy";

/// The most scripts and policies of a page that are kept, and bytes of an attribute. A character that is cut becomes
/// U+FFFD, which is longer than a part of one.
const MOST_ELEMENTS: usize = 2_000;
const MOST_ATTRIBUTE_BYTES: usize = (16 << 10) + 3;

/// Policies: the score is one of the test's, and the same in whatever case the policy is written, and in one field or in a
/// field for each part between commas. A policy that only reports never counts.
pub fn csp(data: &[u8]) -> bool {
    let policy = String::from_utf8_lossy(data).into_owned();
    let result =
        |fields: HeaderFields| scan(&page(fields, "")).get(CSP).expect("it is one of the tests").result;
    let field = |policy: &str| [(CSP, policy)].into_iter().collect::<HeaderFields>();
    let found = result(field(&policy));
    assert_eq!(result(field(&policy.to_ascii_uppercase())), found);
    assert_eq!(result(policy.split(',').map(|part| (CSP, part)).collect()), found);
    let reported = result([("content-security-policy-report-only", policy.as_str())].into_iter().collect());
    assert!(reported.starts_with("csp-not-implemented"), "{reported}");
    !matches!(found, "csp-header-invalid" | "csp-not-implemented")
}

/// HTML: within bounds, and the page's beginning has the first scripts and policies of the whole.
pub fn html(data: &[u8]) -> bool {
    let text = String::from_utf8_lossy(data);
    let whole = page(HeaderFields::default(), &text);
    assert!(whole.scripts.len() + whole.meta.policies.len() <= MOST_ELEMENTS);
    let attributes = whole.scripts.iter().flat_map(|script| [&script.src, &script.integrity]);
    let mut texts = attributes.chain([&whole.meta.referrer]).flatten().chain(&whole.meta.policies);
    assert!(texts.all(|text| text.len() <= MOST_ATTRIBUTE_BYTES && !text.is_empty()));
    let shorter = page(HeaderFields::default(), cut_text(&text));
    assert!(whole.scripts.starts_with(&shorter.scripts));
    assert!(whole.meta.policies.starts_with(&shorter.meta.policies));
    scan(&whole);
    !whole.scripts.is_empty() || whole.meta != page(HeaderFields::default(), "").meta
}

/// Whole responses: lines of `name: value`, and a page. Every test comes to one of its outcomes, a field that no test knows
/// changes nothing, and the page is the same when it was kept.
pub fn response(data: &[u8]) -> bool {
    let [head, html] = parts(data);
    let html = String::from_utf8_lossy(html);
    let mut fields = HeaderFields::default();
    for line in head.split(|byte| *byte == b'\n') {
        let colon = line.iter().position(|byte| *byte == b':');
        let Some((name, value)) = colon.map(|at| line.split_at(at)) else { continue };
        fields.push(&String::from_utf8_lossy(name), value[1..].trim_ascii());
    }
    let page = self::page(fields.clone(), &html);
    let report = scan(&page);
    fields.push("x-unknown", b"default-src *");
    assert_eq!(scan(&self::page(fields, &html)), report);
    let kept = serde_json::to_vec(&page).expect("a page is plain data");
    let kept: Page = serde_json::from_slice(&kept).expect("what was kept can be read");
    assert_eq!(kept, page);
    page.fields.iter().next().is_some()
}

fn page(fields: HeaderFields, html: &str) -> Page {
    Page::new("https://www.example.com/".parse().expect("an address"), fields, html)
}

fn scan(page: &Page) -> HeadersReport {
    let registered = DomainName::parse("example.com").expect("a name");
    let cors = Cors { origin: "https://other.example".to_owned(), fields: page.fields.clone() };
    let preload = PreloadList::default();
    let observed = ScanInput {
        host: "www.example.com",
        page,
        https: Https::Answers,
        http: Http::Silent,
        cors: Some(&cors),
        preload: &preload,
    };
    let report = analyze(&observed, &registered);
    assert_eq!(report.tests.len(), TESTS.len());
    for (test, kind) in report.tests.iter().zip(TESTS) {
        assert!(test.test == kind.test && kind.outcomes.contains(&test.outcome), "{test:?}");
    }
    assert!((0..=200).contains(&report.score) && report.grade == grade(report.score));
    report
}
