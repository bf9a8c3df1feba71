//! The topic of a list of OpenSanctions.

use watchlist::Topic;

use super::{list, malformed};
use crate::common::read;

const HEADER: &str =
    "id,schema,name,aliases,birth_date,countries,addresses,identifiers,sanctions,program_ids,dataset\n";

/// The topic of a list whose second party has these sanctions, programmes and data set.
fn topic(sanctions: &str, programs: &str, dataset: &str) -> Topic {
    let rows =
        format!("1,Person,Jan,,,,,,,,{dataset}\n2,Person,Janek,,,,,,{sanctions},{programs},{dataset}\n");
    list("targets.simple.csv", &format!("{HEADER}{rows}")).topic
}

#[test]
fn a_list_of_which_any_row_states_a_sanction_is_one_of_sanctions() {
    assert_eq!(topic("Asset freeze", "", "A list"), Topic::Sanctions);
    assert_eq!(topic("", "XX-TEST", "A list"), Topic::Sanctions);
    assert_eq!(topic("Asset freeze", "", "PEPs and others"), Topic::Sanctions);
}

#[test]
fn a_list_without_any_sanction_is_none_of_sanctions() {
    for dataset in ["Utopia PEPs", "Politically Exposed Persons of Utopia", "Declarations (PEP)"] {
        assert_eq!(topic("", "", dataset), Topic::Pep, "{dataset}");
    }
    for dataset in ["Wanted persons", "Pepper growers", ""] {
        assert_eq!(topic(" ", "", dataset), Topic::Other, "{dataset}");
    }
}

#[test]
fn a_table_without_the_column_of_sanctions_is_refused() {
    let text = format!("{HEADER}1,Person,Jan,,,,,,,,A list\n").replace(",sanctions,", ",other,");
    let why = malformed("targets.simple.csv", read(&[("targets.simple.csv", &text)]));
    assert!(why.contains("sanctions"), "{why}");
}
