//! The demo list: some sixty well-known parties, so that the service can be tried without a list.
//!
//! Facts of common knowledge, in our own words and spelling, with keys of our own. It is no excerpt of a
//! publication, it is not kept up to date, and nobody may rely on it: `demo` is true, and `serve` never uses
//! it.

use crate::lists::draft;
use crate::model::EntityKind::{Aircraft, Entity, Person, Vessel};
use crate::model::{
    Coverage, EntityKind, Entry, EntryWallet, List, ListName, PublicationBounds, Quality, Topic,
};

/// Kind, primary name, strong aliases, weak aliases, program, date of birth, country.
type DemoRow = (
    EntityKind,
    &'static str,
    &'static [&'static str],
    &'static [&'static str],
    &'static str,
    &'static str,
    &'static str,
);

#[rustfmt::skip]
const ROWS: [DemoRow; 60] = [
    (Person, "PUTIN, Vladimir Vladimirovich", &["ПУТИН, Владимир Владимирович"], &[], "RUSSIA", "1952-10-07", "Russia"),
    (Person, "LAVROV, Sergei Viktorovich", &["ЛАВРОВ, Сергей Викторович"], &[], "RUSSIA", "1950-03-21", "Russia"),
    (Person, "SHOIGU, Sergei Kuzhugetovich", &[], &[], "RUSSIA", "1955-05-21", "Russia"),
    (Person, "MEDVEDEV, Dmitry Anatolyevich", &[], &[], "RUSSIA", "1965-09-14", "Russia"),
    (Person, "PESKOV, Dmitry Sergeyevich", &[], &[], "RUSSIA", "1967-10-17", "Russia"),
    (Person, "KADYROV, Ramzan Akhmatovich", &[], &[], "RUSSIA", "1976-10-05", "Russia"),
    (Person, "PRIGOZHIN, Yevgeny Viktorovich", &["PRIGOZHIN, Evgeny"], &["PUTIN'S CHEF"], "RUSSIA", "1961-06-01", "Russia"),
    (Person, "DERIPASKA, Oleg Vladimirovich", &[], &[], "RUSSIA", "1968-01-02", "Russia"),
    (Person, "USMANOV, Alisher Burkhanovich", &[], &[], "RUSSIA", "1953-09-09", "Russia"),
    (Person, "TIMCHENKO, Gennady Nikolayevich", &[], &[], "RUSSIA", "1952-11-09", "Russia"),
    (Person, "ROTENBERG, Arkady Romanovich", &[], &[], "RUSSIA", "1951-12-15", "Russia"),
    (Person, "SECHIN, Igor Ivanovich", &[], &[], "RUSSIA", "1960-09-07", "Russia"),
    (Person, "BOUT, Viktor Anatolyevich", &["BUT, Viktor"], &["MERCHANT OF DEATH"], "DRCONGO", "1967-01-13", "Russia"),
    (Person, "LUKASHENKO, Alexander Grigoryevich", &["LUKASHENKA, Alyaksandr"], &[], "BELARUS", "1954-08", "Belarus"),
    (Person, "KIM, Jong Un", &["김정은"], &[], "DPRK", "1984-01-08", "Korea, North"),
    (Person, "PARK, Jin Hyok", &["PAK, Jin Hek"], &[], "DPRK", "", "Korea, North"),
    (Person, "AL-ASSAD, Bashar", &["بشار الأسد"], &[], "SYRIA", "1965-09-11", "Syria"),
    (Person, "KHAMENEI, Ali", &["خامنه‌ای, علی"], &[], "IRAN", "1939-04", "Iran"),
    (Person, "SOLEIMANI, Qasem", &["SULAYMANI, Qasim"], &[], "IRAN", "1957-03-11", "Iran"),
    (Person, "MADURO MOROS, Nicolas", &[], &[], "VENEZUELA", "1962-11-23", "Venezuela"),
    (Person, "CABELLO RONDON, Diosdado", &[], &[], "VENEZUELA", "1963-04-15", "Venezuela"),
    (Person, "GUZMAN LOERA, Joaquin Archivaldo", &[], &["EL CHAPO"], "NARCOTICS", "1957-04-04", "Mexico"),
    (Person, "KONY, Joseph", &[], &[], "CAR", "1961~", "Uganda"),
    (Person, "NTAGANDA, Bosco", &[], &["THE TERMINATOR"], "DRCONGO", "1973/1974", "Rwanda"),
    (Person, "BIN LADIN, Usama", &["BIN LADEN, Osama", "أسامة بن لادن"], &["THE EMIR"], "TERRORISM", "1957", "Saudi Arabia"),
    (Person, "AL-ZAWAHIRI, Ayman", &["أيمن الظواهري"], &["THE DOCTOR"], "TERRORISM", "1951-06-19", "Egypt"),
    (Person, "NASRALLAH, Hassan", &["حسن نصر الله"], &[], "TERRORISM", "1960-08-31", "Lebanon"),
    (Person, "HANIYEH, Ismail", &["HANIYA, Ismail"], &[], "TERRORISM", "1962", "Palestinian"),
    (Person, "AL-HOUTHI, Abdulmalik", &["عبد الملك الحوثي"], &[], "TERRORISM", "1979~", "Yemen"),
    (Person, "HAQQANI, Sirajuddin", &[], &["KHALIFA"], "TERRORISM", "1973/1980~", "Afghanistan"),
    (Person, "YAKUBETS, Maksim Viktorovich", &[], &["AQUA"], "CYBER", "1987-05-20", "Russia"),
    (Entity, "AL-QAIDA", &["AL QAEDA", "THE BASE"], &[], "TERRORISM", "", ""),
    (Entity, "ISLAMIC STATE OF IRAQ AND THE LEVANT", &["ISIS", "ISLAMIC STATE", "DAESH"], &[], "TERRORISM", "", ""),
    (Entity, "HIZBALLAH", &["HEZBOLLAH", "حزب الله"], &["PARTY OF GOD"], "TERRORISM", "", "Lebanon"),
    (Entity, "HAMAS", &["ISLAMIC RESISTANCE MOVEMENT"], &[], "TERRORISM", "", "Palestinian"),
    (Entity, "AL-SHABAAB", &["HARAKAT SHABAAB AL-MUJAHIDIN"], &["THE YOUTH"], "TERRORISM", "", "Somalia"),
    (Entity, "BOKO HARAM", &[], &[], "TERRORISM", "", "Nigeria"),
    (Entity, "ABU SAYYAF GROUP", &[], &[], "TERRORISM", "", "Philippines"),
    (Entity, "TALIBAN", &["ISLAMIC EMIRATE OF AFGHANISTAN"], &[], "TERRORISM", "", "Afghanistan"),
    (Entity, "ANSARALLAH", &["HOUTHI MOVEMENT", "أنصار الله"], &[], "TERRORISM", "", "Yemen"),
    (Entity, "ISLAMIC REVOLUTIONARY GUARD CORPS", &["IRGC", "PASDARAN"], &[], "IRAN", "", "Iran"),
    (Entity, "BANK MELLI IRAN", &["NATIONAL BANK OF IRAN"], &[], "IRAN", "", "Iran"),
    (Entity, "MAHAN AIR", &["MAHAN AIRLINES"], &[], "IRAN", "", "Iran"),
    (Entity, "NATIONAL IRANIAN OIL COMPANY", &["NIOC"], &[], "IRAN", "", "Iran"),
    (Entity, "ISLAMIC REPUBLIC OF IRAN SHIPPING LINES", &["IRISL"], &[], "IRAN", "", "Iran"),
    (Entity, "PETROLEOS DE VENEZUELA, S.A.", &["PDVSA"], &[], "VENEZUELA", "", "Venezuela"),
    (Entity, "BANK ROSSIYA", &["РОССИЯ БАНК"], &[], "RUSSIA", "", "Russia"),
    (Entity, "SBERBANK OF RUSSIA", &["СБЕРБАНК РОССИИ"], &[], "RUSSIA", "", "Russia"),
    (Entity, "VTB BANK PJSC", &["БАНК ВТБ"], &[], "RUSSIA", "", "Russia"),
    (Entity, "WAGNER PRIVATE MILITARY COMPANY", &["PMC WAGNER"], &[], "RUSSIA", "", "Russia"),
    (Entity, "INTERNET RESEARCH AGENCY LLC", &[], &["TROLL FACTORY"], "CYBER", "", "Russia"),
    (Entity, "EVIL CORP", &["DRIDEX GANG"], &[], "CYBER", "", "Russia"),
    (Entity, "LAZARUS GROUP", &["GUARDIANS OF PEACE", "HIDDEN COBRA"], &[], "DPRK", "", "Korea, North"),
    (Entity, "SUEX OTC, S.R.O.", &["SUCCESSFUL EXCHANGE"], &[], "CYBER", "", "Czechia"),
    (Entity, "HYDRA MARKET", &[], &[], "CYBER", "", ""),
    (Entity, "GARANTEX EUROPE OU", &[], &[], "CYBER", "", "Estonia"),
    (Entity, "SINALOA CARTEL", &["CARTEL DE SINALOA"], &[], "NARCOTICS", "", "Mexico"),
    (Entity, "CARTEL DE JALISCO NUEVA GENERACION", &["CJNG"], &[], "NARCOTICS", "", "Mexico"),
    (Vessel, "GRACEFUL", &["KOSATKA"], &[], "RUSSIA", "", "Russia"),
    (Aircraft, "EP-GOM", &[], &[], "IRAN", "", "Iran"),
];

/// Owner, currency and address.
const WALLETS: [(&str, &str, &str); 4] = [
    ("LAZARUS GROUP", "ETH", "0x098B716B8Aaf21512996dC57EB0615e2383E2f96"),
    ("LAZARUS GROUP", "ETH", "0xa0e1c89Ef1a489c9C7dE96311eD5Ce5D32c20E4B"),
    ("SUEX OTC, S.R.O.", "XBT", "1B64QRxfaa35MVkf7sDjuGUYAP5izQt7Qi"),
    ("HYDRA MARKET", "XBT", "123WBUDmSJv4GctdVEz6Qq6z8nXSKrJ4KX"),
];

/// Builds the demo list, about sixty well-known parties by common knowledge. It is not an excerpt of a publication.
pub fn list() -> List {
    let name = ListName::new("Touchstone demo");
    let entries = (1..).zip(&ROWS).map(|(number, row)| entry(&name, number, row)).collect();
    List {
        name: name.clone(),
        published: None,
        coverage: Coverage::Names,
        topic: Topic::Sanctions,
        demo: true,
        entries,
    }
}

fn entry(list: &ListName, number: usize, row: &DemoRow) -> Entry {
    let (kind, primary, strong, weak, program, birth, country) = row;
    let mut entry = Entry::new(&format!("demo-{number:02}"), list, *kind, primary);
    for (names, quality) in [(strong, Quality::Strong), (weak, Quality::Weak)] {
        names.iter().for_each(|name| draft::alias(&mut entry, name, quality));
    }
    entry.programs.push((*program).into());
    draft::birth(&mut entry, birth.parse().ok());
    draft::country(&mut entry, country);
    let wallets = WALLETS.iter().filter(|(owner, _, _)| owner == primary);
    entry.wallets.extend(wallets.map(|(_, currency, address)| EntryWallet {
        address: (*address).into(),
        currency: (*currency).into(),
    }));
    draft::finish(&mut entry, "the demo list", &PublicationBounds::default())
        .expect("the demo list is small");
    entry
}

#[cfg(test)]
mod tests {
    use super::{ROWS, WALLETS, list};

    #[test]
    fn every_fact_of_the_demo_list_is_read_and_it_says_that_it_is_none() {
        let list = list();
        assert!(list.demo);
        assert!(list.entries.is_sorted_by(|one, other| one.uid < other.uid));
        let births = list.entries.iter().map(|entry| entry.births.len()).sum::<usize>();
        assert_eq!(births, ROWS.iter().filter(|row| !row.5.is_empty()).count());
        let wallets = list.entries.iter().map(|entry| entry.wallets.len()).sum::<usize>();
        assert_eq!(wallets, WALLETS.len());
        for entry in &list.entries {
            assert_eq!(list.entry(&entry.uid), Some(entry));
        }
    }
}
