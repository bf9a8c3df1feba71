//! Identity: the list that a file is of, by its entries, and by its name only where they do not show it.
//!
//! `SDN.XML` and `CONSOLIDATED.XML` are of one form, and so are the legacy files of both; a file that was renamed on its
//! way would otherwise take another list's place. The advanced form names the list of every entry. The others tell it
//! by the programs: OFAC's lists other than the SDN list are of a few, which block nobody, and nearly no blocked party
//! is under one of them.

use super::doubt::Doubt;
use super::fragment::Fragment;
use crate::model::{Entry, ListName};

/// Programs of the lists that are not the SDN list: sectoral sanctions, the Palestinian Legislative Council, Chinese
/// military companies, foreign banks, sanctions evaders.
const NOT_BLOCKING: [&str; 8] =
    ["561-Related", "CMIC-EO13959", "FSE-IR", "FSE-SDGT", "FSE-SY", "FSE-WMD", "NS-PLC", "UKRAINE-EO13662"];
/// The largest programs of the SDN list, some of them of every year since it is published.
const BLOCKING: [&str; 11] =
    ["CUBA", "DPRK", "FTO", "GLOMAG", "IFSR", "IRAN", "NPWMD", "SDGT", "SDNT", "SDNTK", "TCO"];

/// The list that a file of that name is of, where its name says so.
pub(super) fn named(file: &str) -> Option<ListName> {
    let name = file.to_ascii_lowercase();
    if name.starts_with("cons") {
        return Some(ListName::new(ListName::OFAC_CONSOLIDATED));
    }
    let is_sdn = name.contains("sdn") && !name.contains("non");
    is_sdn.then(|| ListName::new(ListName::OFAC_SDN))
}

/// The list that a file of that name is taken to be of until it is read.
pub(super) fn presumed(file: &str) -> ListName {
    named(file).unwrap_or_else(|| ListName::new(ListName::OFAC_SDN))
}

/// The list that entries with such programs are of; nothing where as many are of the one as of the other.
pub(super) fn held<'a>(entries: impl Iterator<Item = &'a Entry>) -> Option<ListName> {
    let (mut blocked, mut other) = (0_usize, 0_usize);
    for entry in entries {
        let is_under =
            |programs: &[&str]| entry.programs.iter().any(|program| programs.contains(&&**program));
        blocked += usize::from(is_under(&BLOCKING));
        other += usize::from(is_under(&NOT_BLOCKING));
    }
    by_majority(blocked, other)
}

/// The list that most entries are of.
pub(super) fn by_majority(on_sdn: usize, on_others: usize) -> Option<ListName> {
    match on_sdn.cmp(&on_others) {
        std::cmp::Ordering::Greater => Some(ListName::new(ListName::OFAC_SDN)),
        std::cmp::Ordering::Less => Some(ListName::new(ListName::OFAC_CONSOLIDATED)),
        std::cmp::Ordering::Equal => None,
    }
}

impl Fragment {
    /// Sets the list by the entries, and adds a doubt where the file's name says another list.
    pub(super) fn identify(&mut self, held: Option<ListName>) {
        let Some(held) = held else { return };
        if let Some(named) = named(&self.file).filter(|named| *named != held) {
            let (file, held) = (self.file.clone(), held.clone());
            self.doubts.push(Doubt::AnotherList { file, named, held });
        }
        if self.list != held {
            self.entries.values_mut().for_each(|entry| entry.list = held.clone());
            self.list = held;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::EntityKind;

    fn entries(programs: &[&str]) -> Vec<Entry> {
        let list = ListName::new("?");
        let entry = |program: &&str| {
            let mut entry = Entry::new("1", &list, EntityKind::Entity, "X");
            entry.programs.push((*program).into());
            entry
        };
        programs.iter().map(entry).collect()
    }

    fn list(programs: &[&str]) -> Option<String> {
        held(entries(programs).iter()).map(|list| list.to_string())
    }

    #[test]
    fn programs_tell_the_list_by_their_majority_or_not_at_all() {
        assert_eq!(list(&["SDGT", "RUSSIA-EO14024", "NS-PLC", "CUBA"]).as_deref(), Some(ListName::OFAC_SDN));
        let other = list(&["NS-PLC", "CMIC-EO13959", "SDGT"]);
        assert_eq!(other.as_deref(), Some(ListName::OFAC_CONSOLIDATED));
        assert_eq!(list(&["SDGT", "NS-PLC"]), None);
        assert_eq!(list(&["RUSSIA-EO14024", "TEST"]), None);
    }

    #[test]
    fn a_name_says_which_list_or_nothing() {
        let told = |file: &str| named(file).map(|list| list.to_string());
        assert_eq!(told("CONS_ADVANCED.XML").as_deref(), Some(ListName::OFAC_CONSOLIDATED));
        assert_eq!(told("ofac-sdn-2026-08-18.json.gz").as_deref(), Some(ListName::OFAC_SDN));
        assert_eq!((told("alt.csv"), told("non-sdn.xml")), (None, None));
        assert_eq!(presumed("alt.csv").as_str(), ListName::OFAC_SDN);
    }
}
