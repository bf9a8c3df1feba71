//! An entry while it is put together, and what its publication's facts are filed as.

use std::collections::HashMap;

use super::context::too_large;
use super::error::ListError;
use super::text::{clean, original_script, some};
use crate::model::{
    Birth, EntityKind, Entry, EntryName, EntryWallet, Gender, Identifier, ListName, PublicationBounds,
    Quality,
};

/// Labels that state neither an identity document nor a registration; they stay in the remarks.
const NO_IDENTIFIERS: [&str; 22] = [
    "Additional Sanctions Information",
    "Aircraft Manufacture Date",
    "Aircraft Model",
    "Aircraft Operator",
    "CAATSA",
    "DOB",
    "Effective Date",
    "Email Address",
    "Executive Order",
    "Fax",
    "IFCA",
    "Linked To",
    "Listing Date",
    "Organization Established Date",
    "Organization Type",
    "PEESA",
    "POB",
    "Phone",
    "Purchase/Sales",
    "Secondary sanctions risk",
    "Target Type",
    "Telephone",
];
const MORE_NO_IDENTIFIERS: [&str; 5] =
    ["Transactions Prohibited", "Vessel Year of Build", "Website", "Other Vessel Type", "Issuer Name"];

/// The label of a wallet, before its currency.
const WALLET: &str = "Digital Currency Address";

/// Adds an alias.
pub(crate) fn alias(entry: &mut Entry, text: &str, quality: Quality) {
    if let Some(text) = some(text) {
        let original_script = original_script(&text);
        entry.names.push(EntryName { text, quality, original_script });
    }
}

/// Adds a country. OFAC's "undetermined" is none.
pub(crate) fn country(entry: &mut Entry, text: &str) {
    entry.countries.extend(some(text).filter(|country| &**country != "undetermined"));
}

/// Adds a date of birth, unless it is of another calendar or an error of its publisher.
pub(crate) fn birth(entry: &mut Entry, birth: Option<Birth>) {
    entry.births.extend(birth.filter(|birth| birth.earliest.year() >= Birth::FIRST_YEAR));
}

/// An entry whose names are still to come.
pub(super) fn nameless(uid: &str, list: &ListName, kind: EntityKind) -> Entry {
    let mut entry = Entry::new(uid, list, kind, "");
    entry.names.clear();
    entry
}

/// Adds a number by which a list refers to the party.
pub(super) fn reference(entry: &mut Entry, kind: &'static str, number: &str) {
    let number = some(number);
    entry.identifiers.extend(number.map(|number| Identifier { kind: kind.into(), number, country: None }));
}

/// Makes one name the primary one: the first that the list calls so, or the first that is not weak, or the first.
pub(super) fn make_one_primary(entry: &mut Entry) {
    let of = |quality| entry.names.iter().position(|name| name.quality == quality && !name.original_script);
    let best = of(Quality::Primary).or_else(|| of(Quality::Strong)).unwrap_or(0);
    for (at, name) in entry.names.iter_mut().enumerate() {
        name.quality = if at == best { Quality::Primary } else { name.quality.max(Quality::Strong) };
    }
}

/// Tests that a fact with that label identifies its party.
pub(super) fn identifies(label: &str) -> bool {
    !NO_IDENTIFIERS.iter().chain(&MORE_NO_IDENTIFIERS).any(|other| label.starts_with(other))
}

/// Files a labelled value where it belongs: a wallet, an IMO number, a gender, a call sign, an identifier, or
/// nowhere.
pub(super) fn fact(entry: &mut Entry, label: &str, value: &str, issuer: Option<&str>) {
    let (label, value) = (clean(label), clean(value));
    if value.is_empty() || value == "-" {
        return;
    }
    if let Some(currency) = label.strip_prefix(WALLET) {
        let currency = currency.trim_start_matches([' ', '-']).into();
        return entry.wallets.push(EntryWallet { address: value.into(), currency });
    }
    match label.as_str() {
        "Gender" => entry.gender = gender(&value).or(entry.gender),
        "Vessel Call Sign" => entry.call_sign = entry.call_sign.take().or(Some(value.into())),
        "Vessel Flag" | "Flag" | "Nationality of Registration" => country(entry, &value),
        "Title" => entry.title = entry.title.take().or(Some(value.into())),
        _ if label.starts_with("Vessel Registration") && imo(&value).is_some() => {
            entry.imo = entry.imo.or(imo(&value));
        }
        _ if identifies(&label) => entry.identifiers.push(Identifier {
            kind: label.into(),
            number: value.into(),
            country: issuer.and_then(some),
        }),
        _ => {}
    }
}

/// A gender, as lists in English write it, in capital or in small letters.
pub(super) fn gender(value: &str) -> Option<Gender> {
    let is = |word: &str, letter: &str| {
        value.trim().eq_ignore_ascii_case(word) || value.trim().eq_ignore_ascii_case(letter)
    };
    if is("male", "m") { Some(Gender::Male) } else { is("female", "f").then_some(Gender::Female) }
}

/// Adds a text to the remarks, unless they say it already. Returns true where it is new.
pub(super) fn remark(entry: &mut Entry, text: &str) -> bool {
    let Some(text) = some(text) else { return false };
    match entry.remarks.as_deref() {
        Some(known) if known.contains(&*text) => return false,
        Some(known) => entry.remarks = Some(format!("{known} {text}").into()),
        None => entry.remarks = Some(text),
    }
    true
}

/// The seven digits of `IMO 7406784`.
pub(super) fn imo(value: &str) -> Option<u32> {
    let digits = value.strip_prefix("IMO").unwrap_or(value).trim_start_matches([':', ' ']);
    (digits.len() == 7 && digits.bytes().all(|byte| byte.is_ascii_digit())).then(|| digits.parse().ok())?
}

/// Merges into `entry` the facts that another format of the same publication gives.
pub(super) fn merge(entry: &mut Entry, mut other: Entry) {
    for name in &mut other.names {
        name.quality = name.quality.max(Quality::Strong);
    }
    entry.names.append(&mut other.names);
    entry.programs.append(&mut other.programs);
    entry.births.append(&mut other.births);
    entry.countries.append(&mut other.countries);
    entry.addresses.append(&mut other.addresses);
    entry.identifiers.append(&mut other.identifiers);
    entry.wallets.append(&mut other.wallets);
    if entry.kind == EntityKind::Unknown {
        entry.kind = other.kind;
    }
    entry.title = entry.title.take().or(other.title);
    entry.gender = entry.gender.or(other.gender);
    entry.imo = entry.imo.or(other.imo);
    entry.call_sign = entry.call_sign.take().or(other.call_sign);
    entry.remarks = entry.remarks.take().or(other.remarks);
}

/// Puts an entry into the one form that its content has, and holds it to its bounds.
///
/// # Errors
/// [`ListError::TooLarge`] past a bound, [`ListError::Malformed`] without a name or a key.
pub(crate) fn finish(entry: &mut Entry, file: &str, bounds: &PublicationBounds) -> Result<(), ListError> {
    let malformed = |why: String| ListError::Malformed { file: file.to_owned(), why };
    if entry.uid.is_empty() {
        return Err(malformed(format!("the entry {:?} has no key", entry.primary())));
    }
    if entry.primary().is_empty() {
        return Err(malformed(format!("entry {} has no name", entry.uid)));
    }
    tidy_names(&mut entry.names);
    tidy_values(entry);
    check_numbers(entry, file, bounds)?;
    check_texts(entry, file, bounds)?;
    check_remarks(entry, file, bounds)
}

/// Holds each name and value to the bound of its length.
///
/// # Errors
/// [`ListError::TooLarge`] past it.
pub(super) fn check_texts(entry: &Entry, file: &str, bounds: &PublicationBounds) -> Result<(), ListError> {
    if texts(entry).any(|text| text.len() > bounds.text_bytes) {
        return Err(too_large(file, "bytes in one name or value", bounds.text_bytes));
    }
    Ok(())
}

/// Removes duplicates of names and values before the entry is complete. Names stay in their order, since the first
/// primary one counts.
///
/// # Errors
/// [`ListError::TooLarge`] with too many distinct ones.
pub(super) fn hold_distinct(
    entry: &mut Entry,
    file: &str,
    bounds: &PublicationBounds,
) -> Result<(), ListError> {
    let mut best: HashMap<Box<str>, Quality> = HashMap::new();
    for name in &entry.names {
        let quality = best.entry(name.text.clone()).or_insert(name.quality);
        *quality = name.quality.min(*quality);
    }
    entry.names.retain(|name| {
        let is_best = best.get(&name.text) == Some(&name.quality);
        is_best && best.remove(&name.text).is_some()
    });
    tidy_values(entry);
    check_numbers(entry, file, bounds)
}

/// Number of names and values of an entry, duplicates included.
pub(super) fn size(entry: &Entry) -> usize {
    entry.names.len() + values(entry).iter().sum::<usize>()
}

/// Numbers of values of each kind.
fn values(entry: &Entry) -> [usize; 6] {
    [
        entry.programs.len(),
        entry.births.len(),
        entry.countries.len(),
        entry.addresses.len(),
        entry.identifiers.len(),
        entry.wallets.len(),
    ]
}

fn check_numbers(entry: &Entry, file: &str, bounds: &PublicationBounds) -> Result<(), ListError> {
    if entry.names.len() > bounds.names {
        return Err(too_large(file, "names of one entry", bounds.names));
    }
    if values(entry).iter().any(|values| *values > bounds.values) {
        return Err(too_large(file, "values of one kind of one entry", bounds.values));
    }
    Ok(())
}

/// Holds the remarks to their bound.
///
/// # Errors
/// [`ListError::TooLarge`] past it.
pub(super) fn check_remarks(entry: &Entry, file: &str, bounds: &PublicationBounds) -> Result<(), ListError> {
    if entry.remarks.as_ref().is_some_and(|remarks| remarks.len() > bounds.remarks_bytes) {
        return Err(too_large(file, "bytes in one entry's remarks", bounds.remarks_bytes));
    }
    Ok(())
}

fn texts(entry: &Entry) -> impl Iterator<Item = &str> {
    let singles = [&entry.title, &entry.call_sign].into_iter().flatten();
    let lines = entry.programs.iter().chain(&entry.countries).chain(&entry.addresses).chain(singles);
    let issuers = entry.identifiers.iter().filter_map(|identifier| identifier.country.as_ref());
    let names = entry.names.iter().map(|name| &*name.text);
    let numbers = entry.identifiers.iter().flat_map(|identifier| [&*identifier.kind, &*identifier.number]);
    let wallets = entry.wallets.iter().flat_map(|wallet| [&*wallet.address, &*wallet.currency]);
    let keys = [&*entry.uid, entry.list.as_str()];
    lines.chain(issuers).map(|line| &**line).chain(names).chain(numbers).chain(wallets).chain(keys)
}

/// The primary name first, the best quality of each text, in order.
fn tidy_names(names: &mut Vec<EntryName>) {
    names.sort_unstable_by(|one, other| one.text.cmp(&other.text).then(one.quality.cmp(&other.quality)));
    names.dedup_by(|later, kept| later.text == kept.text);
    names.sort_unstable_by(|one, other| {
        one.quality.cmp(&other.quality).then_with(|| one.text.cmp(&other.text))
    });
    names.shrink_to_fit();
}

fn tidy_values(entry: &mut Entry) {
    tidy(&mut entry.programs);
    tidy(&mut entry.births);
    tidy(&mut entry.countries);
    tidy(&mut entry.addresses);
    tidy(&mut entry.identifiers);
    tidy(&mut entry.wallets);
}

fn tidy<T: Ord>(values: &mut Vec<T>) {
    values.sort_unstable();
    values.dedup();
    values.shrink_to_fit();
}
