//! Invariants of addresses, for texts of every kind.

use proptest::prelude::*;
use web_address::WebAddress;

proptest! {
    #[test]
    fn a_canonical_address_is_its_own_canonical_address(
        text in r"\PC{0,60}|(https?:)?[/\\]{0,3}([a-z0-9:]{0,4}@)?[a-z0-9.%_:]{1,12}([/\\.%0-9a-f?#&]{0,24}|/(%2[0-9a-f]|%5c|%3f|%25|[./a?#]){0,12})|[a-z]{1,8}:\PC{0,20}"
    ) {
        let Ok(address) = WebAddress::parse(&text) else { return Ok(()) };
        let again = WebAddress::parse(address.canonical()).unwrap();
        if address.host().is_some() {
            prop_assert_eq!(again.canonical(), address.canonical());
            prop_assert_eq!(again.host(), address.host());
            let expressions = address.expressions();
            prop_assert!((1..=30).contains(&expressions.len()));
            prop_assert_eq!(Some(expressions[0].as_str()), address.expression());
            let mut unique = expressions.clone();
            unique.sort();
            unique.dedup();
            prop_assert_eq!(unique.len(), expressions.len());
            // The host as written is the host that was read.
            let written = WebAddress::parse(&format!("http://{}/", address.host_written().unwrap())).unwrap();
            prop_assert_eq!(written.host(), address.host());
        }
    }

    #[test]
    fn a_part_is_found_again_in_the_given_text(
        text in "[ \t\u{feff}\u{3000}]{0,3}(https?:/{0,2})?[a-zé]{1,3}[a-zé.\t\n/?#@:é]{0,20}[ \t\n]{0,3}", at in 0usize..40, end in 0usize..40
    ) {
        let Ok(address) = WebAddress::parse(&text) else { return Ok(()) };
        let read = address.text();
        let ends: Vec<usize> = read.char_indices().map(|(at, _)| at).chain([read.len()]).collect();
        let (at, end) = (at.min(ends.len() - 1), end.min(ends.len() - 1));
        let part = ends[at.min(end)]..ends[at.max(end)];
        let given = text.get(address.given_span(part.clone())).unwrap().replace(['\t', '\n'], "");
        prop_assert!(read[part.clone()].ends_with(&given), "{:?} of {:?}", given, text);
        if address.is_scheme_written() {
            prop_assert_eq!(&read[part], given);
        }
        prop_assert_eq!(address.has_dropped_characters(), text.trim().trim_matches('\u{feff}').trim().contains(['\t', '\n']));
    }
}
