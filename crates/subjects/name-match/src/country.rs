//! Countries by name and by ISO 3166-1 code.
//!
//! The codes and the standard's own names come from `rust_iso3166`; beside them stand the names that OFAC and people use.

use std::collections::HashMap;
use std::fmt;
use std::sync::LazyLock;

/// A country as its ISO 3166-1 alpha-2 code. Kosovo, which has none, has the customary code `XK`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Country([u8; 2]);

/// Codes that are in use beside the standard's.
const MORE_CODES: &[(&str, &str)] =
    &[("XK", "Kosovo"), ("XKX", "Kosovo"), ("UK", "United Kingdom"), ("EL", "Greece")];

/// Names that are not the standard's, by its code. Order, case, accents, stops, `the`, `of` and `and` do not matter.
const MORE_NAMES: &[(&str, &[&str])] = &[
    ("AE", &["uae", "emirates"]),
    ("AG", &["antigua"]),
    ("BA", &["bosnia", "bosnia herzegovina"]),
    ("BN", &["brunei"]),
    ("BY", &["byelorussia", "belorussia"]),
    ("CC", &["cocos islands", "keeling islands"]),
    ("CD", &["dr congo", "drc", "congo kinshasa", "zaire"]),
    ("CG", &["congo republic", "congo brazzaville"]),
    ("CI", &["ivory coast", "cote d ivoire"]),
    ("CN", &["peoples republic of china", "prc", "mainland china"]),
    ("CV", &["cape verde"]),
    ("CZ", &["czech republic"]),
    ("FK", &["falkland islands", "falklands", "malvinas"]),
    ("FM", &["micronesia"]),
    (
        "GB",
        &["united kingdom", "great britain", "britain", "england", "scotland", "wales", "northern ireland"],
    ),
    ("HK", &["hong kong sar", "hong kong china"]),
    ("IE", &["eire"]),
    ("KG", &["kyrgyz republic", "kirghizia", "kirgizstan"]),
    ("KN", &["saint kitts", "nevis"]),
    ("KP", &["north korea", "dprk"]),
    ("KR", &["south korea", "rok"]),
    ("LA", &["laos", "lao pdr"]),
    ("MK", &["macedonia", "republic of north macedonia", "former yugoslav republic of macedonia", "fyrom"]),
    ("MM", &["burma"]),
    ("MO", &["macau", "macau sar", "macao sar"]),
    ("NL", &["holland"]),
    ("PN", &["pitcairn islands"]),
    (
        "PS",
        &[
            "palestinian",
            "palestinian authority",
            "palestinian territory",
            "palestinian territories",
            "palestinian territory occupied",
            "occupied palestinian territory",
            "gaza",
            "gaza strip",
            "north gaza",
            "northern gaza",
            "west bank",
            "west bank and gaza",
        ],
    ),
    ("RU", &["russia"]),
    ("SH", &["saint helena"]),
    ("SK", &["slovak republic"]),
    ("ST", &["sao tome"]),
    ("SY", &["syria"]),
    ("SZ", &["swaziland"]),
    ("TC", &["turks and caicos"]),
    ("TL", &["east timor"]),
    ("TR", &["turkey"]),
    ("TT", &["trinidad"]),
    ("TW", &["republic of china", "chinese taipei"]),
    ("US", &["united states", "america"]),
    ("VA", &["vatican", "vatican city", "vatican city state"]),
    ("VC", &["saint vincent"]),
    ("VG", &["bvi"]),
    ("VI", &["usvi", "united states virgin islands"]),
    ("VN", &["vietnam"]),
    ("XK", &["kosovo"]),
];

/// Words that say what kind of state it is. They are left out where a name is not known with them.
const FORMS_OF_STATE: [&str; 14] = [
    "arab",
    "bolivarian",
    "commonwealth",
    "federal",
    "federation",
    "federative",
    "hashemite",
    "islamic",
    "kingdom",
    "peoples",
    "principality",
    "republic",
    "state",
    "sultanate",
];

/// Countries by the keys of their names.
static NAMES: LazyLock<HashMap<String, Country>> = LazyLock::new(|| {
    let mut names = HashMap::new();
    for country in rust_iso3166::ALL {
        let code = Country::of(country.alpha2);
        names.insert(key(country.name), code);
        // "Iran (Islamic Republic of)" is Iran, but there are two of "Korea (...)" and of "Virgin Islands (...)".
        if let Some((short, _)) = country.name.split_once(" (")
            && rust_iso3166::ALL.iter().filter(|other| other.name.starts_with(short)).count() == 1
        {
            names.insert(key(short), code);
        }
    }
    for (code, more) in MORE_NAMES {
        names.extend(more.iter().map(|name| (key(name), Country::of(code))));
    }
    names
});

impl Country {
    /// Returns the country with this English name, or with this ISO 3166-1 code of two or three letters. `None` for
    /// regions (`Region: Crimea`), for former states, and for ambiguous names (`Korea`).
    ///
    /// ```
    /// use name_match::Country;
    ///
    /// assert_eq!(Country::named("Korea, North"), Country::named("PRK"));
    /// assert_eq!(Country::named("Korea"), None);
    /// ```
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let name = name.trim();
        let name = name.strip_prefix("Region:").unwrap_or(name);
        let code = name.trim().replace('.', "").to_ascii_uppercase();
        let by_code = match code.len() {
            2 => rust_iso3166::from_alpha2(&code),
            3 => rust_iso3166::from_alpha3(&code),
            _ => None,
        };
        if let Some(country) = by_code {
            return Some(Self::of(country.alpha2));
        }
        let more = MORE_CODES.iter().find(|(more, _)| *more == code);
        let key = key(more.map_or(name, |(_, name)| name));
        NAMES.get(&key).or_else(|| NAMES.get(&without_forms_of_state(&key))).copied()
    }

    /// Returns the ISO 3166-1 alpha-2 code.
    #[must_use]
    pub fn code(&self) -> &str {
        std::str::from_utf8(&self.0).expect("it was made of two ASCII letters")
    }

    fn of(alpha2: &str) -> Self {
        let code = alpha2.as_bytes().try_into();
        Self(code.expect("the tables' codes have two letters"))
    }
}

impl fmt::Debug for Country {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

/// The words of a name that tell countries apart, in order of the alphabet.
fn key(name: &str) -> String {
    let mut plain = String::with_capacity(name.len());
    for sign in name.chars() {
        match sign {
            '.' | '\'' | '’' => {}
            sign if sign.is_alphanumeric() => plain.push_str(any_ascii::any_ascii_char(sign)),
            _ => plain.push(' '),
        }
    }
    plain.make_ascii_lowercase();
    let words = plain.split_ascii_whitespace().filter(|word| !["the", "of", "and"].contains(word));
    let mut words: Vec<&str> = words.map(|word| if word == "st" { "saint" } else { word }).collect();
    words.sort_unstable();
    words.join(" ")
}

fn without_forms_of_state(key: &str) -> String {
    key.split(' ').filter(|word| !FORMS_OF_STATE.contains(word)).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::{Country, MORE_NAMES, key};

    #[test]
    fn every_country_of_the_standard_is_known_by_its_codes_and_its_name() {
        assert!(rust_iso3166::ALL.len() >= 249);
        for country in rust_iso3166::ALL {
            for name in [country.alpha2, country.alpha3, country.name, &country.alpha2.to_lowercase()] {
                assert_eq!(
                    Country::named(name).map(|found| found.code().to_owned()),
                    Some(country.alpha2.into()),
                    "{name}"
                );
            }
        }
    }

    #[test]
    fn no_two_countries_have_a_name_in_common() {
        let standard = rust_iso3166::ALL.iter().map(|country| (country.alpha2, country.name));
        let more = MORE_NAMES.iter().flat_map(|(code, names)| names.iter().map(|name| (*code, *name)));
        for (code, name) in standard.chain(more) {
            assert_eq!(Country::named(name).unwrap().code(), code, "{name} ({})", key(name));
        }
    }

    #[test]
    fn countries_are_known_as_ofac_and_people_write_them() {
        for (name, code) in [
            ("Korea, North", "KP"),
            ("Democratic People's Republic of Korea", "KP"),
            ("Democratic People’s Republic of Korea", "KP"),
            ("Korea, South", "KR"),
            ("Republic of Korea", "KR"),
            ("Congo, Democratic Republic of the", "CD"),
            ("Congo, Republic of the", "CG"),
            ("Burma", "MM"),
            ("Kosovo", "XK"),
            ("XKX", "XK"),
            ("Bahamas, The", "BS"),
            ("The Gambia", "GM"),
            ("Man, Isle of", "IM"),
            ("North Macedonia, The Republic of", "MK"),
            ("Macedonia, The Former Yugoslav Republic of", "MK"),
            ("Virgin Islands, British", "VG"),
            ("U.S. Virgin Islands", "VI"),
            ("Cote d Ivoire", "CI"),
            ("Côte d’Ivoire", "CI"),
            ("St. Kitts & Nevis", "KN"),
            ("Palestinian", "PS"),
            ("Region: Gaza", "PS"),
            ("Türkiye", "TR"),
            ("Turkey", "TR"),
            ("U.S.A.", "US"),
            ("UK", "GB"),
            ("Islamic Republic of Iran", "IR"),
            ("Kingdom of Saudi Arabia", "SA"),
            ("People's Republic of China", "CN"),
            ("RUSSIA", "RU"),
            (" ru ", "RU"),
        ] {
            assert_eq!(
                Country::named(name).map(|found| found.code().to_owned()),
                Some(code.into()),
                "{name}"
            );
        }
    }

    #[test]
    fn what_is_no_country_or_means_two_is_not_known() {
        for name in [
            "",
            " ",
            "Korea",
            "Virgin Islands",
            "Region: Crimea",
            "undetermined",
            "Ruritania",
            "QQ",
            "ZZZ",
            "republic",
            "of the",
        ] {
            assert_eq!(Country::named(name), None, "{name}");
        }
    }
}
