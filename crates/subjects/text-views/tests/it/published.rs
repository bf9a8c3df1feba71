//! The published rows of attacks and of ordinary texts, where the folder that holds them is there.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use serde_json::Value;
use text_views::views;

use crate::encodings::{EIGHT, OTHERS, is_found};

fn path(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/data/safety").join(file)
}

fn rows(lines: &str) -> Vec<Value> {
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn attacks() -> Vec<String> {
    let mut texts = Vec::new();
    for file in ["prompt_injection.jsonl", "prompt_injection_2.jsonl"] {
        let Ok(lines) = fs::read_to_string(path(file)) else {
            println!("passed over: there is no {file}");
            continue;
        };
        let is_attack = |row: &&Value| row["label"].as_i64() == Some(1);
        texts.extend(
            rows(&lines).iter().filter(is_attack).map(|row| row["text"].as_str().unwrap().to_owned()),
        );
    }
    texts
}

fn ordinary() -> Vec<Value> {
    let Ok(file) = fs::File::open(path("ordinary_texts.jsonl.gz")) else {
        println!("passed over: there are no ordinary texts");
        return Vec::new();
    };
    let mut lines = String::new();
    GzDecoder::new(file).read_to_string(&mut lines).unwrap();
    rows(&lines)
}

#[test]
fn nearly_every_attack_is_found_in_each_of_the_eight_encodings() {
    let attacks = attacks();
    if attacks.is_empty() {
        return;
    }
    // Of the other spellings UTF-16 of East Asian text is told from binary least.
    let spellings =
        EIGHT.iter().map(|encoder| (encoder, 99)).chain(OTHERS.iter().map(|encoder| (encoder, 95)));
    for ((name, encode), least) in spellings {
        let lost: Vec<&String> = attacks.iter().filter(|text| !is_found(&encode(text), text)).collect();
        println!("{name}: {} of {} attacks found", attacks.len() - lost.len(), attacks.len());
        for text in lost.iter().take(if std::env::var_os("SHOW").is_some() { 5 } else { 0 }) {
            println!("    {:?}", text.chars().take(300).collect::<String>());
        }
        assert!(
            lost.len() * 100 <= attacks.len() * (100 - least),
            "{name}: {} of {} lost",
            lost.len(),
            attacks.len()
        );
    }
}

#[test]
fn hardly_any_ordinary_text_has_hidden_text_or_many_views() {
    let rows = ordinary();
    if rows.is_empty() {
        return;
    }
    let mut by_number = [0; 8];
    let (mut hidden, mut capped, mut kinds) = (0, 0, std::collections::BTreeMap::<_, usize>::new());
    for row in &rows {
        let text = row["text"].as_str().unwrap();
        let found = views(text);
        by_number[found.views.len().min(by_number.len() - 1)] += 1;
        capped += usize::from(found.capped);
        hidden += usize::from(!found.hidden.is_empty());
        for view in &found.views[1..] {
            *kinds.entry(format!("{:?}", view.steps())).or_default() += 1;
            if std::env::var("SHOW").is_ok_and(|kind| format!("{:?}", view.kind()).contains(&kind)) {
                println!("{:?}: {:?}", view.kind(), view.text().chars().take(200).collect::<String>());
            }
        }
        for finding in &found.hidden {
            println!("{:?} in {}: {:?}", finding.kind, row["source"], finding.text);
        }
    }
    println!(
        "{} texts by number of views: {by_number:?}; {hidden} with hidden text, {capped} capped",
        rows.len()
    );
    println!("{kinds:#?}");
    assert_eq!(capped, 0);
    assert!(hidden * 2000 <= rows.len(), "{hidden} of {}", rows.len());
    assert!(by_number[5..].iter().sum::<usize>() * 100 <= rows.len());
}
