//! Secrets that a command or an address carries: options of `curl`, user parts of addresses, headers, configuration entries.

use std::sync::LazyLock;

use regex::Regex;

use crate::{Kind, Rule, Secret, Severity, expression, filters};

pub(crate) static RULES: [Rule; 7] = [
    Rule::new("curl-user", Kind::ProviderSecret, "curl", Severity::Block),
    Rule::new("curl-header", Kind::ProviderSecret, "curl", Severity::Block),
    Rule::new("url-password", Kind::ProviderSecret, "basic authentication", Severity::Block),
    Rule::new("url-sample-password", Kind::ProviderSecret, "basic authentication", Severity::Warn),
    Rule::new("authorization-header", Kind::ProviderSecret, "HTTP", Severity::Block),
    Rule::new("kubernetes-secret", Kind::ProviderSecret, "Kubernetes", Severity::Block),
    Rule::new("nuget-password", Kind::ProviderSecret, "NuGet", Severity::Block),
];

/// Literals that lead to this module's rules, and what is tried at each.
pub(crate) const ANCHORS: [(&str, Sort); 6] = [
    ("curl", Sort::Curl),
    ("://", Sort::Address),
    ("authorization", Sort::Header),
    ("kind: secret", Sort::Kubernetes),
    ("\"kind\": \"secret\"", Sort::Kubernetes),
    ("password\"", Sort::Nuget),
];

/// What an anchor leads to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sort {
    Curl,
    Address,
    Header,
    Kubernetes,
    Nuget,
}

/// Longest command that is read, in bytes.
const LONGEST_COMMAND: usize = 2048;

/// Longest document of Kubernetes that is read, to each side, in bytes.
const LONGEST_DOCUMENT: usize = 4096;

/// Tries what the anchor at `at` leads to; gives the end of what was read, behind which the next anchor of the sort counts.
pub(crate) fn find(sort: Sort, text: &str, at: usize, findings: &mut Vec<Secret>) -> usize {
    match sort {
        Sort::Curl => curl(text, at, findings),
        Sort::Address => address(text, at, findings),
        Sort::Header => header(text, at, findings),
        Sort::Kubernetes => kubernetes(text, at, findings),
        Sort::Nuget => nuget(text, at, findings),
    }
}

/// A window of the text from `at`, at most `most` bytes long.
fn window(text: &str, at: usize, most: usize) -> &str {
    &text[at..text.floor_char_boundary((at + most).min(text.len()))]
}

fn curl(text: &str, at: usize, findings: &mut Vec<Secret>) -> usize {
    static OPTIONS: LazyLock<Regex> = LazyLock::new(|| {
        expression(concat!(
            r#"^(?:-u|--user)[ =]{0,3}(?:["'](?P<quoted>[^"'\n:]{1,60}:[^"'\n]{3,100})["']|(?P<plain>[^\s"':]{1,60}:["']?[^\s"']{3,100}))"#,
            r#"|^(?:-H|--header)[ =]{0,4}["'](?:(?i:authorization):\s{0,4}(?:(?i:basic|bearer|token|apikey|splunk|bot)\s{1,3})?"#,
            r#"|(?i:[\w-]{0,20}(?:token|api-?key|secret|auth|password|private-key)[\w-]{0,10}):\s{0,4})(?P<value>[^\s"']{8,})"#,
        ))
    });
    let command = command(window(text, at, LONGEST_COMMAND));
    let options = command.match_indices('-').map(|(i, _)| i);
    for i in options.filter(|i| *i > 0 && command.as_bytes()[*i - 1].is_ascii_whitespace()) {
        let Some(captures) = OPTIONS.captures(&command[i..]) else { continue };
        let (rule, span) = if let Some(value) = captures.name("value") {
            if !is_header_secret(value.as_str()) {
                continue;
            }
            (&RULES[1], value.range())
        } else if let Some(pair) = captures.name("quoted").or_else(|| captures.name("plain")) {
            let password =
                pair.as_str().split_once(':').map_or("", |(_, p)| p).trim_start_matches(['"', '\'']);
            if password.len() < 3
                || password.contains('$')
                || filters::sample(password)
                || is_sample_password(password)
            {
                continue;
            }
            (&RULES[0], pair.end() - password.len()..pair.end())
        } else {
            continue;
        };
        findings.push(Secret { rule, span: at + i + span.start..at + i + span.end });
    }
    at + command.len()
}

/// True if the value of a header is random.
fn is_header_secret(value: &str) -> bool {
    let graphic = value.bytes().all(|b| b.is_ascii_graphic());
    graphic
        && filters::entropy(value) >= 27
        && !filters::sample(value)
        && !filters::series(value)
        && !is_words(value)
}

/// The command up to the end of its line; a backslash continues it.
fn command(text: &str) -> &str {
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        end += line.len();
        if !line.trim_end().ends_with('\\') {
            break;
        }
    }
    &text[..end.max(4).min(text.len())]
}

/// True if the value is letters alone, apart or joined by signs: `SOME_TOKEN`, `api-key`.
fn is_words(value: &str) -> bool {
    value
        .split(['_', '-', '.'])
        .all(|w| w.bytes().all(|b| b.is_ascii_alphabetic()) && (w.len() < 16 || w == w.to_uppercase()))
}

/// True for words that stand for a password.
fn is_sample_password(password: &str) -> bool {
    const SAMPLES: &[&str] = &[
        "password",
        "passwd",
        "pass",
        "pwd",
        "pw",
        "secret",
        "token",
        "apikey",
        "api_key",
        "key",
        "api_token",
        "test",
    ];
    let lower = password.to_ascii_lowercase();
    SAMPLES.contains(&lower.trim_matches(|c: char| !c.is_ascii_alphanumeric()))
}

fn address(text: &str, at: usize, findings: &mut Vec<Secret>) -> usize {
    static USER: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r#"^://([^\s:/@"'<>\[\]{}$]{0,100}):([^\s:/@"'<>\[\]{}$#?]{3,100})@([0-9A-Za-z_.\[-]{1,200})"#,
        )
    });
    let Some(parts) = USER.captures(window(text, at, 512)) else { return at + 3 };
    let (user, password, host) = (&parts[1], &parts[2], parts[3].to_ascii_lowercase());
    let Some(span) = parts.get(2).map(|m| at + m.start()..at + m.end()) else { return at + 3 };
    if !filters::sample(password) {
        let host_of_samples = host == "localhost"
            || host.starts_with("127.0.0.1")
            || host.split('.').any(|label| ["example", "test", "invalid"].contains(&label));
        let weak = password.len() < 6 || password == user || is_sample_password(password);
        let rule = if weak || host_of_samples { &RULES[3] } else { &RULES[2] };
        findings.push(Secret { rule, span: span.clone() });
    }
    span.end
}

fn header(text: &str, at: usize, findings: &mut Vec<Secret>) -> usize {
    static HEADER: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r#"^(?i)authorization["']?\s{0,3}[:=,]\s{0,3}["']?(?:basic|bearer|token|bot|apikey)\s{1,3}([\w=~.+/-]{20,})"#,
        )
    });
    let Some(value) = HEADER.captures(window(text, at, 2100)).and_then(|c| c.get(1)) else { return at + 1 };
    let word = value.as_str();
    if filters::entropy(word) >= 33 && !filters::sample(word) && !filters::series(word) && !is_words(word) {
        findings.push(Secret { rule: &RULES[4], span: at + value.start()..at + value.end() });
    }
    at + value.end()
}

/// The values under `data` of a document whose kind is `Secret`. Both may come first.
fn kubernetes(text: &str, at: usize, findings: &mut Vec<Secret>) -> usize {
    let from = text.floor_char_boundary(at.saturating_sub(LONGEST_DOCUMENT));
    let from = text[from..at].rfind("\n---").map_or(from, |i| from + i + 4);
    let after = window(text, at, LONGEST_DOCUMENT);
    let to = at + after.find("\n---").unwrap_or(after.len());
    // Indentation of the open `data`.
    let mut data = None;
    let mut start = from;
    for line in text[from..to].split_inclusive('\n') {
        let name = line.trim_start();
        let indent = line.len() - name.len();
        let (name, value) = name.split_once(':').unwrap_or((name, ""));
        if data.is_some_and(|open| !name.trim().is_empty() && indent <= open) {
            data = None;
        }
        if matches!(name.trim_matches(['"', ' ']), "data" | "stringData") {
            data = Some(indent);
        } else if data.is_some() {
            let value = value.trim_matches(|c: char| c.is_whitespace() || "\"',".contains(c));
            if is_base64_value(value) {
                let begin = start + line.rfind(value).unwrap_or_default();
                findings.push(Secret { rule: &RULES[5], span: begin..begin + value.len() });
            }
        }
        start += line.len();
    }
    to
}

/// True for base 64 that is no word and no sample.
fn is_base64_value(value: &str) -> bool {
    let body = value.trim_end_matches('=');
    let shape = body.len() >= 10 && body.bytes().all(|b| b.is_ascii_alphanumeric() || b"+/".contains(&b));
    shape
        && !body.bytes().all(|b| b.is_ascii_lowercase())
        && !filters::sample(value)
        && !filters::series(value)
}

fn nuget(text: &str, at: usize, findings: &mut Vec<Secret>) -> usize {
    static ENTRY: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r#"(?i)<add\s{1,9}key\s{0,3}=\s{0,3}"(?:cleartext)?password"\s{1,9}value\s{0,3}=\s{0,3}"([^"\n]{8,200})""#,
        )
    });
    let from = text.floor_char_boundary(at.saturating_sub(40));
    let Some(value) = ENTRY.captures(window(text, from, 360)).and_then(|c| c.get(1)) else { return at + 1 };
    let word = value.as_str();
    // `%NAME%` is a variable, and the words of the manual's own sample stand for a password.
    if !filters::sample(word) && !word.contains('%') && !filters::series(word) && !filters::published(word) {
        findings.push(Secret { rule: &RULES[6], span: from + value.start()..from + value.end() });
    }
    from + value.end()
}
