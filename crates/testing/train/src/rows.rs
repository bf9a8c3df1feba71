//! Labelled texts, and what may be learnt from them.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read};
use std::path::Path;

use flate2::read::GzDecoder;
use prompt_injection::{BENIGN_PROMPTS, Example, NormalText};
use serde::Deserialize;

/// A labelled text.
pub(crate) struct LabelledText {
    pub(crate) text: NormalText,
    pub(crate) is_attack: bool,
    /// The group of texts that it is reported with.
    pub(crate) kind: String,
    /// True for an attack that is not in English.
    pub(crate) is_foreign: bool,
    /// False for rows that may only be evaluated, or that would teach something wrong.
    pub(crate) is_learnt: bool,
    /// The part that it belongs to.
    pub(crate) part: usize,
}

impl LabelledText {
    /// The row, to learn from.
    pub(crate) fn example(&self) -> Example {
        Example { text: self.text.clone(), is_attack: self.is_attack }
    }
}

#[derive(Deserialize)]
struct JsonRow {
    text: String,
    #[serde(default)]
    label: u8,
    kind: String,
    #[serde(default)]
    lang: String,
    #[serde(default)]
    src: String,
    #[serde(default)]
    licence: String,
    #[serde(default)]
    generated: bool,
    #[serde(default)]
    mentions_attack: bool,
    #[serde(default)]
    hard: bool,
    override_phrase: Option<bool>,
}

/// Number of parts.
pub(crate) const PARTS: usize = 5;

/// Reads all texts of a folder, and the project's own.
///
/// # Errors
/// A file is missing, or a line is no row.
pub(crate) fn read(folder: &Path) -> Result<Vec<LabelledText>, String> {
    let mut rows = Vec::new();
    for file in ["prompt_injection.jsonl", "prompt_injection_2.jsonl"] {
        lines(folder, file, |file| Box::new(file), &mut |row| rows.push(injection(row)))?;
    }
    lines(folder, "ordinary_texts.jsonl.gz", |file| Box::new(GzDecoder::new(file)), &mut |row| {
        rows.push(ordinary(row))
    })?;
    rows.extend(BENIGN_PROMPTS.lines().map(|line| LabelledText {
        part: part(line),
        text: NormalText::of(line),
        is_attack: false,
        kind: "our own prompts".to_owned(),
        is_foreign: false,
        is_learnt: true,
    }));
    Ok(rows)
}

fn lines(
    folder: &Path,
    name: &str,
    decoded: impl Fn(File) -> Box<dyn Read>,
    take: &mut dyn FnMut(JsonRow),
) -> Result<(), String> {
    let path = folder.join(name);
    let file = File::open(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    for (number, line) in BufReader::new(decoded(file)).lines().enumerate() {
        let line = line.map_err(|error| format!("{}: {error}", path.display()))?;
        let row = serde_json::from_str(&line);
        take(row.map_err(|error| format!("{}: line {}: {error}", path.display(), number + 1))?);
    }
    Ok(())
}

fn injection(row: JsonRow) -> LabelledText {
    let is_attack = row.label == 1;
    let is_table_or_code = row.src.contains("BIPIA table") || row.src.contains("BIPIA code");
    // Test sets of others; contexts whose licence is for evaluation.
    let is_evaluation = row.kind == "wildguard"
        || row.kind.starts_with("notinject")
        || row.kind.starts_with("piguard")
        || row.licence.to_lowercase().contains("evaluation only")
        || is_table_or_code;
    // An attack put into an ordinary text would teach that the text is an attack; and requests that are told to be fiction are
    // attacks by what they ask for, which n-grams cannot know.
    let is_misleading = is_attack && (row.generated || row.kind.contains("PAIR"));
    let side = if is_attack { "attack" } else { "benign" };
    let kind = match row.override_phrase {
        Some(true) => "generated, with a phrase",
        Some(false) => "generated, bare",
        None if row.generated => "generated",
        None if is_table_or_code => "BIPIA table and code",
        None => &row.kind,
    };
    LabelledText {
        part: part(&row.text),
        kind: format!("{side}: {kind}"),
        is_foreign: is_attack && !matches!(&*row.lang, "" | "en"),
        is_learnt: !is_evaluation && !is_misleading,
        text: NormalText::of(&row.text),
        is_attack,
    }
}

fn ordinary(row: JsonRow) -> LabelledText {
    let hardness = if row.hard { "hard" } else { "ordinary" };
    LabelledText {
        part: part(&row.text),
        kind: format!("{hardness}: {}", row.kind),
        is_foreign: false,
        is_learnt: !row.licence.to_lowercase().contains("evaluation only") && !row.mentions_attack,
        text: NormalText::of(&row.text),
        is_attack: false,
    }
}

/// The part of a text, by its first hundred bytes: texts that begin alike are of one source.
fn part(text: &str) -> usize {
    let hash = text.bytes().take(100).fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    (hash >> 20) as usize % PARTS
}
