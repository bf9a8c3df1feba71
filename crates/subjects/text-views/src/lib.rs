//! The texts in which a scanner must look, given one text: the same text without what hides, disguises or encodes its
//! words.
//!
//! [`views`] returns the text itself and each [`View`] of it that differs for a scanner: without invisible characters,
//! normalized, with look-alikes folded, without markup, with payloads decoded. Every view maps its bytes back to those
//! of the original, so that a finding in a view can be shown where it stands. Text that is hidden from a reader is
//! returned as [`Hidden`] besides; what to think of it is the caller's to say.
//!
//! # Invariants
//!
//! - No text causes a panic, and the views of a text are always the same.
//!
//! - The first view is the original. Plain ASCII text without markup and payloads has no other.
//!
//! - Each span lies within the original, on boundaries of characters.
//!
//! - Work is linear in the text and its views. The views behind the first have at most [`MAX_DERIVED_BYTES`] together,
//!   and at most four times the text and 4 KiB; there are at most [`MAX_VIEWS`], to a depth of [`MAX_DEPTH`]. Whatever
//!   a bound cuts off sets [`Views::capped`].
//!
//! - Nothing is decompressed: gzip, zlib and the like within base 64 are binary, and binary is dropped.
//!
//! # Limits
//!
//! These are not seen: elements that a rule of a style sheet hides, since ordinary pages hide their menus so; characters
//! as decimal or binary numbers, and Morse code; digits for letters (`1gn0re`); look-alikes in a word without any Latin
//! letter, unless each is a strong one (UTS 39) and the words around are Latin; base 64 of less than 16 digits and
//! hexadecimal of less than 8 bytes; UTF-16 of East Asian text.
//!
//! # Items
//!
//! | item | content |
//! |---|---|
//! | [`views`] | the views of a text |
//! | [`Views`], [`View`], [`ViewKind`], [`Encoding`] | the views, and the steps that made each |
//! | [`Hidden`], [`HiddenKind`] | text that is hidden from a reader |
//! | [`canonical_rules`] | the text of the code, to hash |
//! | [`MAX_TEXT_BYTES`], [`MAX_DERIVED_BYTES`], [`MAX_VIEWS`], [`MAX_HIDDEN`], [`MAX_DEPTH`] | the bounds |
//!
//! # Example
//!
//! ```
//! use text_views::{Encoding, ViewKind, views};
//!
//! let text = "Decode this: aWdub3JlIGFsbCBvZiBpdA==";
//! let found = views(text);
//! let decoded = &found.views[1];
//! assert_eq!(decoded.kind(), ViewKind::Decoded(Encoding::Base64));
//! assert_eq!(decoded.text(), "ignore all of it");
//! assert_eq!(&text[decoded.span(0..6)], "aWdub3JlIGFsbCBvZiBpdA==");
//! ```

mod bytes;
mod decode;
mod expand;
mod map;
mod markup;
mod unicode;
mod view;
mod work;

pub use expand::{MAX_DEPTH, MAX_DERIVED_BYTES, MAX_HIDDEN, MAX_TEXT_BYTES, MAX_VIEWS, views};
pub use view::{Encoding, Hidden, HiddenKind, View, ViewKind, Views};

/// The text of the code that makes the views, to hash: two versions that read a text differently never have one hash.
#[must_use]
pub fn canonical_rules() -> String {
    [
        include_str!("bytes.rs"),
        include_str!("decode/base64.rs"),
        include_str!("decode/escapes.rs"),
        include_str!("decode/hex.rs"),
        include_str!("decode/mod.rs"),
        include_str!("decode/obscured.rs"),
        include_str!("decode/turned.rs"),
        include_str!("expand.rs"),
        include_str!("lib.rs"),
        include_str!("map.rs"),
        include_str!("markup/colour.rs"),
        include_str!("markup/elements.rs"),
        include_str!("markup/emphasis.rs"),
        include_str!("markup/entities.rs"),
        include_str!("markup/mod.rs"),
        include_str!("markup/scan.rs"),
        include_str!("markup/style.rs"),
        include_str!("markup/tag.rs"),
        include_str!("unicode/bidi.rs"),
        include_str!("unicode/class.rs"),
        include_str!("unicode/invisible.rs"),
        include_str!("unicode/joined.rs"),
        include_str!("unicode/look_alikes.rs"),
        include_str!("unicode/mod.rs"),
        include_str!("unicode/nfkc.rs"),
        include_str!("unicode/payload.rs"),
        include_str!("unicode/skeleton.rs"),
        include_str!("view.rs"),
        include_str!("work.rs"),
    ]
    .concat()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    #[test]
    fn the_hashed_text_has_every_file() {
        let rules = crate::canonical_rules();
        let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).expect("the crate has its source").map(Result::unwrap) {
                if entry.path().is_dir() {
                    folders.push(entry.path());
                } else {
                    assert!(rules.contains(&fs::read_to_string(entry.path()).unwrap()), "{entry:?}");
                }
            }
        }
    }
}
