//! The canonical form of JSON: the JSON Canonicalization Scheme, RFC 8785.
//!
//! No white space, members sorted by the UTF-16 units of their names (section 3.2.3), strings escaped in the
//! one shortest way (3.2.2.2), numbers as ECMAScript writes the nearest double (3.2.2.3). Two texts that
//! mean the same have the same canonical bytes, so a hash of those says what was meant.
//!
//! The writer is this crate's own, over its own tree: it is on the path of every request and of every verified
//! receipt, and the general-purpose crates for RFC 8785 buffer each member apart. It is held to them byte by
//! byte in the tests and in fuzzing; the digits of doubles come from [`ryu_js`].
//!
//! ```
//! use receipt::{canonical, json};
//!
//! let tree = json::parse(br#"{ "b": 1.0, "a": [1e2, "\u20ac"] }"#)?;
//! assert_eq!(tree.canonical(), r#"{"a":[100,"€"],"b":1}"#.as_bytes());
//! assert_eq!(canonical::to_vec(&("b", 0.5))?, br#"["b",0.5]"#);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::json::{Json, Number, Object, SerializeError, from_serialize};
use serde::Serialize;
use std::cmp::Ordering;
use std::fmt;

impl Json {
    /// The canonical form (RFC 8785).
    ///
    /// Defined for every tree that [`json::parse`](crate::json::parse) or
    /// [`json::from_serialize`](crate::json::from_serialize) gives. A tree of
    /// [`json::parse_lenient`](crate::json::parse_lenient) may hold what RFC 8785 has no form for: members of
    /// one name then stay in their order, and a number past the greatest double keeps its text.
    pub fn canonical(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(512);
        write_value(&mut out, self, &Canonical);
        out
    }
}

impl Object {
    /// The canonical form of the object without the members of these names: of a receipt without its hash,
    /// signature and proof, say.
    pub fn canonical_without(&self, names: &[&str]) -> Vec<u8> {
        let mut out = Vec::with_capacity(2048);
        let kept = self.members().iter().filter(|(name, _)| !names.contains(&name.as_str()));
        write_members(&mut out, sorted(kept.collect()).into_iter(), &Canonical);
        out
    }
}

/// The canonical form of any serializable value, by way of [`from_serialize`].
///
/// # Errors
/// [`SerializeError`] for what the canonical form would change: NaN, integers past 2^53, names given twice.
pub fn to_vec<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>, SerializeError> {
    Ok(from_serialize(value)?.canonical())
}

impl fmt::Display for Json {
    /// JSON text without white space: members in their order, numbers by their source text. Not the
    /// canonical form; that is [`Json::canonical`].
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = Vec::new();
        write_as_is(&mut text, self);
        f.write_str(std::str::from_utf8(&text).expect("text, names and punctuation are all UTF-8"))
    }
}

/// The tree as it is: no white space, members in their order, numbers by their text.
fn write_as_is(out: &mut Vec<u8>, value: &Json) {
    write_value(out, value, &AsIs);
}

/// The differences between the two ways of writing.
trait OutputStyle {
    fn number(&self, out: &mut Vec<u8>, number: &Number);
    fn object(&self, out: &mut Vec<u8>, object: &Object);
}

struct Canonical;

impl OutputStyle for Canonical {
    fn number(&self, out: &mut Vec<u8>, number: &Number) {
        if number.is_plain_integer() {
            return out.extend_from_slice(number.text().as_bytes());
        }
        match number.as_f64() {
            value if value.is_finite() => {
                out.extend_from_slice(ryu_js::Buffer::new().format_finite(value).as_bytes());
            }
            _ => out.extend_from_slice(number.text().as_bytes()),
        }
    }

    fn object(&self, out: &mut Vec<u8>, object: &Object) {
        let members = object.members();
        if members.is_sorted_by(|one, other| utf16_order(&one.0, &other.0) != Ordering::Greater) {
            return write_members(out, members.iter(), self);
        }
        write_members(out, sorted(members.iter().collect()).into_iter(), self);
    }
}

struct AsIs;

impl OutputStyle for AsIs {
    fn number(&self, out: &mut Vec<u8>, number: &Number) {
        out.extend_from_slice(number.text().as_bytes());
    }

    fn object(&self, out: &mut Vec<u8>, object: &Object) {
        write_members(out, object.members().iter(), self);
    }
}

fn sorted(mut members: Vec<&(String, Json)>) -> Vec<&(String, Json)> {
    members.sort_by(|one, other| utf16_order(&one.0, &other.0));
    members
}

/// The order of names by their UTF-16 units (RFC 8785 section 3.2.3). It is that of the UTF-8 bytes but for
/// U+E000 to U+FFFF, which come after the surrogates of all that lies beyond them.
fn utf16_order(one: &str, other: &str) -> Ordering {
    let differing = one.bytes().zip(other.bytes()).find(|(one, other)| one != other);
    match differing {
        None => one.len().cmp(&other.len()),
        Some((byte, other)) => match (byte >= 0xF0, other >= 0xF0) {
            // One is beyond U+FFFF, so its first unit is a surrogate, 0xD800 to 0xDFFF: below U+E000, whose
            // first byte is 0xEE, and above the rest.
            (true, false) if other >= 0xEE => Ordering::Less,
            (false, true) if byte >= 0xEE => Ordering::Greater,
            _ => byte.cmp(&other),
        },
    }
}

fn write_value<F: OutputStyle>(out: &mut Vec<u8>, value: &Json, form: &F) {
    match value {
        Json::Null => out.extend_from_slice(b"null"),
        Json::Bool(true) => out.extend_from_slice(b"true"),
        Json::Bool(false) => out.extend_from_slice(b"false"),
        Json::Number(number) => form.number(out, number),
        Json::String(text) => write_string(out, text),
        Json::Array(elements) => {
            out.push(b'[');
            for (at, element) in elements.iter().enumerate() {
                if at > 0 {
                    out.push(b',');
                }
                write_value(out, element, form);
            }
            out.push(b']');
        }
        Json::Object(object) => form.object(out, object),
    }
}

fn write_members<'a, F: OutputStyle>(
    out: &mut Vec<u8>,
    members: impl Iterator<Item = &'a (String, Json)>,
    form: &F,
) {
    out.push(b'{');
    for (at, (name, value)) in members.enumerate() {
        if at > 0 {
            out.push(b',');
        }
        write_string(out, name);
        out.push(b':');
        write_value(out, value, form);
    }
    out.push(b'}');
}

/// A string with the escapes of RFC 8785 section 3.2.2.2: two letters where there are such, else `\u00xx` in
/// lower case, and only for the control characters, the quotation mark and the backslash.
pub(crate) fn write_string(out: &mut Vec<u8>, text: &str) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    out.push(b'"');
    let bytes = text.as_bytes();
    let mut written = 0;
    for (at, byte) in bytes.iter().enumerate() {
        if *byte >= 0x20 && *byte != b'"' && *byte != b'\\' {
            continue;
        }
        out.extend_from_slice(&bytes[written..at]);
        written = at + 1;
        let short = match byte {
            b'"' => b'"',
            b'\\' => b'\\',
            0x08 => b'b',
            0x09 => b't',
            0x0A => b'n',
            0x0C => b'f',
            0x0D => b'r',
            _ => {
                out.extend_from_slice(b"\\u00");
                out.extend([HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]]);
                continue;
            }
        };
        out.extend([b'\\', short]);
    }
    out.extend_from_slice(&bytes[written..]);
    out.push(b'"');
}
