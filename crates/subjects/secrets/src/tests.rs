//! One secret per rule of the tables, drawn from its shape by a seeded generator, so that none stands in the source.

use proptest::{
    strategy::{Strategy as _, ValueTree as _},
    string::string_regex,
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};

use crate::{find, named, redact, shapes};

/// Strings of an expression, the same in each run.
fn drawn(token: &str) -> impl Iterator<Item = String> {
    let mut runner =
        TestRunner::new_with_rng(Config::default(), TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]));
    let strategy = string_regex(&shapes::ascii(token)).expect("the expression is of a token alone");
    std::iter::repeat_with(move || strategy.new_tree(&mut runner).expect("no filter refuses it").current())
}

/// A JSON Web Token, whose header no expression draws.
fn web_token() -> String {
    ["eyJhbGciOiJIUzI1NiJ9", "eyJzdWIiOiI5ODEifQ", "kq3Zr8Xb1Lw0Tn6Yc4Vh"].join(".")
}

fn covers(text: &str, secret: &str, id: &str) -> Result<(), String> {
    let at = text.find(secret).expect("the text holds it");
    let found = find(text).findings;
    let names: Vec<_> = found.iter().map(|f| (f.rule.id, f.span.clone())).collect();
    let covered = found.iter().any(|f| f.span.start <= at && f.span.end >= at + secret.len());
    let gone = !redact(text, &found).contains(secret);
    if covered && gone { Ok(()) } else { Err(format!("{id}: {text}: {names:?}")) }
}

#[test]
fn each_shape_finds_its_own_tokens_and_none_is_left_after_redaction() {
    let mut missed = Vec::new();
    for (shape, _) in shapes::all() {
        let id = shape.rule.id;
        let tokens: Vec<String> = if id == "jwt" {
            vec![web_token()]
        } else {
            drawn(shape.token).filter(|t| shape.accepts(t)).take(3).collect()
        };
        assert!(!tokens.is_empty(), "{id}");
        for token in tokens {
            missed.extend(covers(&format!("It is \"{token}\" now"), &token, id).err());
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[test]
fn no_shape_finds_a_token_of_one_repeated_letter() {
    for (shape, _) in shapes::all() {
        let Some(prefix) = shape.anchors.first().filter(|a| a.len() > 3) else { continue };
        let text = format!("{prefix}{}", "x".repeat(60));
        let found = find(&text).findings;
        // Artifactory and Twilio give out no random letters that could be asked for.
        assert!(found.is_empty(), "{text}: {found:?}");
    }
}

#[test]
fn each_provider_without_a_prefix_is_found_by_its_name_and_its_exact_shape() {
    let mut missed = Vec::new();
    for (row, expression) in named::NAMED.iter().zip(named::expressions()) {
        let fitting =
            drawn(row.token).filter(|value| value.is_ascii() && named::fits(row, expression, value));
        for value in fitting.take(3) {
            for text in [format!("{}: \"{value}\"", row.names[0]), format!("my_{} = '{value}'", row.names[0])]
            {
                missed.extend(covers(&text, &value, row.rule.id).err());
            }
        }
        // Without the name, or with another length, it is nothing that a provider gives out.
        let value = drawn(row.token).next().expect("it never ends");
        let longer = format!("{}: \"{value}{value}{value}{value}{value}\"", row.names[0]);
        let own = find(&longer).findings.iter().any(|f| f.rule == &row.rule);
        assert!(!own, "{longer}");
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[test]
fn the_text_to_hash_holds_each_source_file_of_the_crate() {
    let text = crate::canonical_rules();
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut folders = vec![folder];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("the sources are there") {
            let path = entry.expect("the sources are there").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.file_name().is_some_and(|name| name != "tests.rs") {
                let source = std::fs::read_to_string(&path).expect("the sources are text");
                assert!(text.contains(&source), "{}", path.display());
            }
        }
    }
}
