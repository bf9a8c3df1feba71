//! The remarks of the legacy files: `;`-separated facts, each with its label in front.
//!
//! `alt.` says that this is a further value of the kind before. Weak aliases stand nowhere but here, as
//! `a.k.a. 'X'`. A label that is not known leaves its text in the remarks, and nowhere else.

use super::date;
use super::draft;
use super::text::clean;
use crate::model::{Entry, Quality};

/// The last word of a label, after which the number comes.
const LABEL_ENDS: [&str; 40] = [
    "#",
    "BG",
    "BIK",
    "Booklet",
    "C.I.F.",
    "C.R.",
    "C.U.I.",
    "C.U.I.P.",
    "C.U.I.T.",
    "C.U.R.P.",
    "Card",
    "Code",
    "D.N.I.",
    "FEIN",
    "I.F.E.",
    "ID",
    "ISIN",
    "Identidad",
    "Identification",
    "License",
    "MMSI",
    "N.I.E.",
    "NIE",
    "NIT",
    "Nacional",
    "No",
    "No.",
    "Number",
    "Passport",
    "R.F.C.",
    "RFC",
    "RIF",
    "RTN",
    "RUC",
    "RUN",
    "SSN",
    "SWIFT/BIC",
    "Ticker",
    "VisaNumberID",
    "electoral",
];

/// Files what the remarks say, and keeps them. `cut` says that their end is missing: the last fact is then
/// not used.
pub(super) fn read(entry: &mut Entry, remarks: &str, cut: bool) {
    let remarks = remarks.trim();
    if remarks.is_empty() {
        return;
    }
    let mut parts = parts(remarks);
    if cut && !remarks.ends_with(';') {
        parts.pop();
    }
    for part in parts {
        fact(entry, part);
    }
    entry.remarks = Some(remarks.into());
}

/// Splits at `;`, but not inside the quotes of an alias.
fn parts(remarks: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = remarks.strip_suffix('.').unwrap_or(remarks);
    while !rest.is_empty() {
        let start = rest.trim_start();
        let quoted = alias_text(start).is_some();
        let end = if quoted { start.find("';").map(|at| at + 1) } else { start.find(';') };
        let (part, after) = end.map_or((start, ""), |at| (&start[..at], &start[at + 1..]));
        parts.push(part.trim());
        rest = after;
    }
    parts
}

/// Text of the alias after `a.k.a. '`.
fn alias_text(part: &str) -> Option<&str> {
    let part = part.strip_prefix("alt. ").unwrap_or(part);
    ["a.k.a. '", "f.k.a. '", "n.k.a. '"].iter().find_map(|label| part.strip_prefix(label))
}

fn fact(entry: &mut Entry, part: &str) {
    let part = part.strip_prefix("alt. ").unwrap_or(part);
    if let Some(name) = alias_text(part) {
        return draft::alias(entry, unquote(name), Quality::Weak);
    }
    if let Some(text) = part.strip_prefix("DOB ") {
        return draft::birth(entry, date::birth(text));
    }
    for label in ["nationality ", "citizen "] {
        if let Some(country) = part.strip_prefix(label) {
            return draft::country(entry, country);
        }
    }
    if let Some(gender) = part.strip_prefix("Gender ") {
        return draft::fact(entry, "Gender", gender, None);
    }
    if part.starts_with("Digital Currency Address") {
        if let Some((label, address)) = part.rsplit_once(' ') {
            draft::fact(entry, label, address, None);
        }
        return;
    }
    if let Some((label, number, country)) = number(part) {
        draft::fact(entry, &label, &number, country);
    }
}

/// Removes the closing quote, and a second pair where OFAC sets one.
fn unquote(name: &str) -> &str {
    let name = name.strip_suffix('\'').unwrap_or(name);
    match name.strip_prefix('\'').and_then(|inner| inner.strip_suffix('\'')) {
        Some(inner) => inner,
        None => name,
    }
}

/// Label, number and issuing country of `Passport A1 (Iran) issued 2 May 2001`.
fn number(part: &str) -> Option<(String, String, Option<&str>)> {
    if !draft::identifies(part) {
        return None;
    }
    let part = [" issued ", " expires "]
        .iter()
        .fold(part, |part, word| part.split_once(word).map_or(part, |(before, _)| before));
    let (part, country) = match part.strip_suffix(')').and_then(|open| open.rsplit_once(" (")) {
        Some((before, country)) => (before, Some(country)),
        None => (part, None),
    };
    let words: Vec<&str> = part.split_whitespace().collect();
    let mut label = words.iter().rposition(|word| LABEL_ENDS.contains(&word.trim_end_matches(':')))? + 1;
    // An abbreviation or an explanation in brackets belongs to the label.
    if words.get(label).is_some_and(|word| word.starts_with('(')) {
        label += words[label..].iter().position(|word| word.ends_with(')'))? + 1;
    }
    let number = words[label..].join(" ");
    let has_digit = number.bytes().any(|byte| byte.is_ascii_digit());
    let is_bank = words[..label].last() == Some(&"SWIFT/BIC") && !number.is_empty();
    (has_digit || is_bank).then(|| (clean(words[..label].join(" ").trim_end_matches(':')), number, country))
}

#[cfg(test)]
mod tests {
    use super::read;
    use crate::model::{EntityKind, Entry, Gender, ListName, Quality};

    fn entry(remarks: &str, cut: bool) -> Entry {
        let mut entry = Entry::new("1", &ListName::new("test"), EntityKind::Person, "DOE, John");
        read(&mut entry, remarks, cut);
        entry
    }

    fn aliases(entry: &Entry) -> Vec<&str> {
        let weak = entry.names.iter().filter(|name| name.quality == Quality::Weak);
        weak.map(|name| &*name.text).collect()
    }

    #[test]
    fn weak_aliases_keep_their_own_apostrophes_and_semicolons() {
        let entry =
            entry("a.k.a. 'ABU-'UMAR'; a.k.a. ''FOOPIE''; f.k.a. 'A; B'; DOB 1950; a.k.a. ''ABD'.", false);
        assert_eq!(aliases(&entry), ["ABU-'UMAR", "FOOPIE", "A; B", "'ABD"]);
        assert_eq!(entry.births.len(), 1);
    }

    #[test]
    fn facts_of_a_person() {
        let entry = entry(
            "DOB 08 Feb 1969; alt. DOB circa 1970; POB Sfax, Tunisia; nationality Tunisia; alt. nationality Bosnia \
             and Herzegovina; Gender Male; Passport K989895 (Tunisia) issued 26 Jul 1995 expires 25 Jul 2000; alt. \
             Passport 7; National ID No. 660000 73767 (Belgium); Linked To: THE COMPANY NUMBER 9.",
            false,
        );
        let births: Vec<String> = entry.births.iter().map(ToString::to_string).collect();
        assert_eq!(births, ["1969-02-08", "1970~"]);
        assert_eq!(entry.countries, ["Tunisia".into(), "Bosnia and Herzegovina".into()]);
        assert_eq!(entry.gender, Some(Gender::Male));
        let numbers: Vec<_> =
            entry.identifiers.iter().map(|id| (&*id.kind, &*id.number, id.country.as_deref())).collect();
        let expected = [
            ("Passport", "K989895", Some("Tunisia")),
            ("Passport", "7", None),
            ("National ID No.", "660000 73767", Some("Belgium")),
        ];
        assert_eq!(numbers, expected);
        assert!(entry.remarks.is_some_and(|remarks| remarks.ends_with("NUMBER 9.")));
    }

    #[test]
    fn facts_of_ships_aircraft_and_companies() {
        let entry = entry(
            "Vessel Registration Identification IMO 7406784; MMSI 572469210; Aircraft Manufacturer's Serial Number \
             (MSN) 1023409321; Aircraft Construction Number (also called L/N or S/N or F/N) 8401; Identification \
             Number IMO 5342883; Organization Established Date 19 Nov 1991; SWIFT/BIC HAVIGBXL; Website a1.example.",
            false,
        );
        assert_eq!(entry.imo, Some(7_406_784));
        let numbers: Vec<_> = entry.identifiers.iter().map(|id| (&*id.kind, &*id.number)).collect();
        let expected = [
            ("MMSI", "572469210"),
            ("Aircraft Manufacturer's Serial Number (MSN)", "1023409321"),
            ("Aircraft Construction Number (also called L/N or S/N or F/N)", "8401"),
            ("Identification Number", "IMO 5342883"),
            ("SWIFT/BIC", "HAVIGBXL"),
        ];
        assert_eq!(numbers, expected);
    }

    #[test]
    fn a_cut_remark_gives_no_half_address() {
        let remarks = "Digital Currency Address - XBT 1aaa; alt. Digital Currency Address - ETH 0x12";
        let addresses = |cut| {
            entry(remarks, cut).wallets.into_iter().map(|w| format!("{} {}", w.currency, w.address)).collect()
        };
        let whole: Vec<String> = addresses(false);
        let cut: Vec<String> = addresses(true);
        assert_eq!(whole, ["XBT 1aaa", "ETH 0x12"]);
        assert_eq!(cut, ["XBT 1aaa"]);
    }
}
