//! One tag, and its attributes.

use std::ops::Range;

use memchr::memchr;

use crate::work::note;

/// A tag in a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Tag<'t> {
    pub(crate) name: &'t str,
    pub(crate) is_end: bool,
    /// All between the name and the closing `>`.
    pub(crate) attributes: &'t str,
    /// First byte of the attributes in the text.
    pub(crate) attributes_at: usize,
    /// End of the tag in the text.
    pub(crate) end: usize,
}

/// Reads the tags of one text, so that the work is linear even where no tag ends.
#[derive(Default)]
pub(crate) struct Tags {
    /// True once a quoted value did not end: quotes are then no longer observed.
    ignores_quotes: bool,
    /// True once no `>` follows.
    has_no_end: bool,
}

impl Tags {
    /// The tag that starts at a byte, which must be `<`. `None` if none does.
    pub(crate) fn read<'t>(&mut self, text: &'t str, at: usize) -> Option<Tag<'t>> {
        let bytes = text.as_bytes();
        let is_end = bytes.get(at + 1) == Some(&b'/');
        let name_at = at + 1 + usize::from(is_end);
        bytes.get(name_at).filter(|byte| byte.is_ascii_alphabetic())?;
        if self.has_no_end {
            return None;
        }
        let is_name = |byte: &u8| {
            !byte.is_ascii_whitespace() && !matches!(byte, b'/' | b'>' | b'<' | b'"' | b'\'' | b'=')
        };
        let length = bytes[name_at..].iter().take_while(|byte| is_name(byte)).count();
        let attributes_at = name_at + length;
        let end = self.end(bytes, attributes_at)?;
        let (name, attributes) = (&text[name_at..attributes_at], &text[attributes_at..end]);
        Some(Tag { name, is_end, attributes, attributes_at, end: end + 1 })
    }

    /// End of the declaration that starts at a byte, such as `<!doctype html>`.
    pub(crate) fn read_declaration(&mut self, text: &str, at: usize) -> Option<usize> {
        if self.has_no_end {
            return None;
        }
        let end = memchr(b'>', &text.as_bytes()[at..]).map(|end| at + end + 1);
        note(end.unwrap_or(text.len()) - at);
        self.has_no_end = end.is_none();
        end
    }

    /// Position of the `>` that ends a tag.
    fn end(&mut self, bytes: &[u8], from: usize) -> Option<usize> {
        if !self.ignores_quotes {
            let end = quoted_end(bytes, from);
            note(end.unwrap_or(bytes.len()) - from);
            if let Some(end) = end {
                return Some(end);
            }
            self.ignores_quotes = true;
        }
        let end = memchr(b'>', &bytes[from..]).map(|end| from + end);
        note(end.unwrap_or(bytes.len()) - from);
        self.has_no_end = end.is_none();
        end
    }
}

/// Position of the first `>` outside of quoted values.
fn quoted_end(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        at += memchr::memchr3(b'>', b'"', b'\'', &bytes[at..])?;
        let quote = bytes[at];
        if quote == b'>' {
            return Some(at);
        }
        // A quote opens a value only behind an equals sign; elsewhere it is an error that changes nothing.
        let opens = bytes[from..at].iter().rev().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'=');
        at += 1;
        if opens {
            at += memchr(quote, &bytes[at..])? + 1;
        }
    }
}

/// An attribute: its name, its value as it stands, and the value's place within the attributes.
pub(crate) struct Attribute<'t> {
    pub(crate) name: &'t str,
    pub(crate) value: &'t str,
    pub(crate) at: Range<usize>,
}

/// The attributes of a tag, in order.
pub(crate) fn attributes(text: &str) -> impl Iterator<Item = Attribute<'_>> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        let skipped = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'"' | b'\'' | b'=');
        at += bytes[at..].iter().take_while(|byte| skipped(byte)).count();
        let start = at;
        at += bytes[at..].iter().take_while(|byte| !skipped(byte)).count();
        let name = &text[start..at];
        (!name.is_empty()).then_some(())?;
        let spaces = |at: usize| bytes[at..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let equals = at + spaces(at);
        let mut value = at..at;
        if bytes.get(equals) == Some(&b'=') {
            at = equals + 1 + spaces(equals + 1);
            value = match bytes.get(at) {
                Some(quote @ (b'"' | b'\'')) => {
                    let end = memchr(*quote, &bytes[at + 1..]).map_or(bytes.len(), |end| at + 1 + end);
                    at + 1..end
                }
                _ => at..at + bytes[at..].iter().take_while(|byte| !byte.is_ascii_whitespace()).count(),
            };
            at = value.end;
        }
        Some(Attribute { name, value: &text[value.clone()], at: value })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(text: &str) -> Vec<(&str, &str)> {
        attributes(text).map(|attribute| (attribute.name, attribute.value)).collect()
    }

    #[test]
    fn attributes_are_read_in_every_spelling() {
        let text = r#" a="1 > 2" b='x' c = plain hidden d=/x/ e="#;
        assert_eq!(
            pairs(text),
            [("a", "1 > 2"), ("b", "x"), ("c", "plain"), ("hidden", ""), ("d", "/x/"), ("e", "")]
        );
        assert_eq!(pairs(r#"a="open"#), [("a", "open")]);
        assert_eq!(pairs("é=ü"), [("é", "ü")]);
    }

    #[test]
    fn a_tag_ends_outside_of_quotes() {
        let text = r#"<a href="x>y" title=it's>text"#;
        let tag = Tags::default().read(text, 0).unwrap();
        assert_eq!((tag.name, tag.end), ("a", 25));
        assert_eq!(Tags::default().read("</div >x", 0).unwrap().end, 7);
        for text in ["<", "< a>", "<3>", "<a", "</", "<>"] {
            assert_eq!(Tags::default().read(text, 0), None, "{text}");
        }
        assert_eq!(Tags::default().read(r#"<a b="c> d"#, 0).unwrap().end, 8);
    }
}
