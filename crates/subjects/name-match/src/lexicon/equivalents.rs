//! Given names that one person goes by: familiar forms, and the forms of other languages.
//!
//! Familiar forms are those that dictionaries of personal names give for the full one (Petrovsky, Slovar russkikh
//! lichnykh imen, 1966; Hanks, Hardcastle and Hodges, A Dictionary of First Names, Oxford 2006). Names of the same
//! origin are in one line only where people of both languages change one for the other.

use std::collections::HashMap;
use std::sync::LazyLock;

/// Names, as they are romanised. Each stands for all others of its line.
const LINES: &[&str] = &[
    // Russian and Ukrainian familiar forms.
    "aleksandr alexander aleksander oleksandr sasha sanya shura alex sashko iskandar",
    "aleksandra oleksandra sasha shura",
    "aleksey alexei oleksiy alyosha lyosha lyokha aljoscha",
    "anastasiya nastya asya",
    "anatoliy anatoly tolya tolik",
    "andrey andriy andryusha andrew andreas",
    "anna anya nyura",
    "boris borya",
    "dmitriy dmytro dima mitya dimitri",
    "ekaterina yekaterina kateryna katya",
    "elena yelena olena lena",
    "evgeniy yevgeny yevhen zhenya genya eugene",
    "fyodor fedor fedya theodore",
    "gennadiy gennady hennadiy gena genya",
    "georgiy george gosha zhora heorhiy",
    "grigoriy hryhoriy grisha gregory",
    "igor ihor garik",
    "ilya illya ilyusha",
    "irina iryna ira",
    "ivan vanya john johann",
    "konstantin kostyantyn kostya",
    "leonid lyonya lenya",
    "lev lyova leo",
    "lyudmila lyuda mila",
    "maksim maxim maks max",
    "mariya maria masha marusya",
    "mikhail michael mykhaylo misha mischa mishka",
    "nadezhda nadiya nadya",
    "natalya nataliya natasha",
    "nikita nik",
    "nikolay mykola kolya nicholas nicolas nikolaus",
    "oleg oleh olezhka",
    "olga olha olya",
    "pavel pavlo pasha paul",
    "pyotr petr petro petya peter",
    "roman roma",
    "semyon semen syoma simon",
    "sergey serhiy seryozha serge sergius",
    "stanislav stas slava",
    "svetlana svitlana sveta",
    "tatyana tetyana tanya",
    "vadim vadik vadym",
    "valentin valya valik",
    "valeriy valery valera",
    "vasiliy vasyl vasya basil",
    "viktor victor vitya",
    "vitaliy vitaly vitya vitalik",
    "vladimir volodymyr vova volodya vladi",
    "vladislav vladyslav vlad slava",
    "vsevolod seva",
    "vyacheslav viacheslav slava",
    "yakov jacob yasha yakiv",
    "yaroslav slava yarik",
    "yuliya yulia julia yulya",
    "yuriy yuri yura george",
    // English and Spanish familiar forms.
    "anthony antonio tony",
    "charles carlos charlie chuck",
    "daniel danny dan",
    "david daud dawud dawood daoud davud dave",
    "edward eduardo eddie ted",
    "francisco francis paco pancho frank",
    "guillermo william memo bill willy",
    "ignacio nacho",
    "jesus chuy",
    "jose joseph pepe yusuf yousef yosef joe",
    "joaquin chapo",
    "manuel manolo manny",
    "rafael rafa",
    "richard ricardo dick rick",
    "robert roberto bob",
    "thomas tomas tom",
    // The same name in Arabic, Persian, Turkish and others.
    "abdallah abdullah abdulla",
    "ibrahim abraham ebrahim avraham",
    "ismail ishmael esmail",
    "ishaq isaac yitzhak",
    "ayyub ayub job eyup",
    "harun aaron haroun",
    "isa eisa issa",
    "maryam miriam mariam meryem",
    "musa moses moussa moshe",
    "sulayman suleiman solomon soleiman shlomo",
    "yahya yahia jahja yehia",
    "yaqub jacob yakub yaghoub",
    "yunus jonah younis",
    "zakariya zechariah zakaria",
    // Words of firms.
    "air airline airlines airways",
    "lines shipping",
];

static EQUIVALENTS: LazyLock<HashMap<&[u8], Vec<&[u8]>>> = LazyLock::new(|| {
    let mut all: HashMap<&[u8], Vec<&[u8]>> = HashMap::new();
    for line in LINES {
        let names = || line.split(' ').map(str::as_bytes);
        names().for_each(|name| all.entry(name).or_default().extend(names().filter(|other| *other != name)));
    }
    all
});

/// Returns the names that a word stands for besides itself.
pub fn equivalents(word: &[u8]) -> &'static [&'static [u8]] {
    EQUIVALENTS.get(word).map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::equivalents;

    #[test]
    fn a_familiar_form_stands_for_each_name_that_has_it() {
        let of = |word: &[u8]| {
            equivalents(word).iter().map(|name| std::str::from_utf8(name).unwrap()).collect::<Vec<_>>()
        };
        assert!(of(b"zhenya").contains(&"evgeniy"));
        assert!(of(b"slava").contains(&"stanislav") && of(b"slava").contains(&"yaroslav"));
        assert!(of(b"prigozhin").is_empty());
    }
}
