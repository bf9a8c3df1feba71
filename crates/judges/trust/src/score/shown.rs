//! Bounds on the evidence that a receipt shows. Others write it, and whoever has a receipt must be able to hand it in
//! again: all checks together stay well below what `/verify` takes, whatever the client's JSON escapes.

use serde_json::Value;

/// Maximum number of items of a list that a receipt repeats from the evidence.
pub const MAX_SHOWN_ITEMS: usize = 32;
/// Maximum length of a text that a receipt repeats from the evidence, in bytes of ASCII JSON.
pub const MAX_SHOWN_BYTES: usize = 512;
/// Maximum size of a check's evidence in a receipt, in bytes of ASCII JSON.
pub const MAX_EVIDENCE_BYTES: usize = 12 << 10;

/// Bytes beside a text, a number or a member: quotes, commas, the mark of a cut.
const BESIDE: usize = 10;
/// The longest number.
const NUMBER: usize = 24;

/// Cuts long lists and texts, and whatever comes after [`MAX_EVIDENCE_BYTES`].
pub(super) fn shorten(evidence: &mut Value) {
    let mut room = MAX_EVIDENCE_BYTES;
    cut(evidence, &mut room);
}

fn cut(evidence: &mut Value, room: &mut usize) {
    match evidence {
        Value::String(text) => cut_text(text, room),
        Value::Array(items) => {
            items.truncate(MAX_SHOWN_ITEMS);
            let mut shown = 0;
            for item in &mut *items {
                if *room == 0 {
                    break;
                }
                cut(item, room);
                shown += 1;
            }
            items.truncate(shown);
        }
        // The member names are ours: all stay, with empty values where there is no room.
        Value::Object(members) => {
            for (name, value) in members {
                *room = room.saturating_sub(name.len() + BESIDE);
                cut(value, room);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => *room = room.saturating_sub(NUMBER),
    }
}

fn cut_text(text: &mut String, room: &mut usize) {
    let most = MAX_SHOWN_BYTES.min(*room);
    let mut cost = 0;
    let end = text.char_indices().find(|(_, character)| {
        let with = cost + in_ascii(*character);
        let is_over = with > most;
        cost = if is_over { cost } else { with };
        is_over
    });
    if let Some((end, _)) = end {
        text.truncate(end);
        text.push('…');
    }
    *room = room.saturating_sub(cost + BESIDE);
}

/// The bytes of a character in a JSON text that escapes whatever is not printable ASCII.
fn in_ascii(character: char) -> usize {
    match character {
        '"' | '\\' => 2,
        ' '..='~' => 1,
        other => 6 * other.len_utf16(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn shown(mut evidence: Value) -> Value {
        shorten(&mut evidence);
        evidence
    }

    /// The JSON of a client that escapes all but printable ASCII.
    fn ascii(value: &Value) -> usize {
        value.to_string().chars().map(|own| if own.is_ascii() { 1 } else { 6 * own.len_utf16() }).sum()
    }

    #[test]
    fn what_is_short_stays_as_it_is() {
        let evidence =
            json!({"a": [1, 2.5, null, true], "b": {"c": "x".repeat(MAX_SHOWN_BYTES), "d": "\"é"}});
        assert_eq!(shown(evidence.clone()), evidence);
    }

    #[test]
    fn a_text_is_cut_where_its_json_gets_too_long() {
        for (character, kept) in [("x", 512), ("\"", 256), ("\u{1}", 85), ("é", 85), ("😀", 42)] {
            let text = shown(json!(character.repeat(600)));
            assert_eq!(text, json!(format!("{}…", character.repeat(kept))), "{character:?}");
        }
    }

    #[test]
    fn a_list_is_cut_and_so_is_what_is_more_than_a_check_may_show() {
        assert_eq!(shown(json!(vec![1; 99])), json!(vec![1; MAX_SHOWN_ITEMS]));
        for text in ["x", "\"", "é"] {
            let texts = vec![text.repeat(MAX_SHOWN_BYTES); MAX_SHOWN_ITEMS];
            let evidence = shown(json!({ "a": vec![json!({ "b": texts }); MAX_SHOWN_ITEMS], "z": "end" }));
            let size = ascii(&evidence);
            assert!(
                (MAX_EVIDENCE_BYTES - 2 * MAX_SHOWN_BYTES..=MAX_EVIDENCE_BYTES).contains(&size),
                "{size}"
            );
            assert_eq!(evidence["z"], "…", "what stands beside it is there all the same");
        }
    }
}
