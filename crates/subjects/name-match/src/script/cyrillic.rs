//! Cyrillic: Russian after BGN/PCGN without its marks, and the letters of its neighbours.

/// Returns the romanisation of one lower-case letter; `None` if it is not Cyrillic. Other common romanisations (`ye`,
/// `ii`, `x`) are equal in the folded form.
pub fn romanise(letter: char) -> Option<&'static str> {
    Some(match letter {
        'а' | 'ә' | 'ӑ' | 'ӓ' => "a",
        'б' => "b",
        'в' => "v",
        'г' | 'ґ' => "g",
        'ѓ' | 'ғ' | 'ҕ' => "gh",
        'д' => "d",
        'е' | 'э' | 'ѐ' | 'ё' => "e",
        'є' => "ye",
        'ж' | 'җ' | 'ӂ' => "zh",
        'з' | 'ҙ' => "z",
        'и' | 'і' | 'ѝ' | 'ӣ' => "i",
        'ї' => "yi",
        'й' | 'ј' => "y",
        'к' | 'ќ' | 'қ' | 'ҡ' => "k",
        'л' => "l",
        'љ' => "lj",
        'м' => "m",
        'н' => "n",
        'њ' => "nj",
        'ң' | 'ҥ' => "ng",
        'о' | 'ө' | 'ӧ' => "o",
        'п' => "p",
        'р' => "r",
        'с' | 'ҫ' => "s",
        'т' | 'ҭ' => "t",
        'ћ' | 'ч' | 'ҷ' | 'ҹ' => "ch",
        'ђ' => "dj",
        'у' | 'ў' | 'ү' | 'ұ' | 'ӯ' | 'ӱ' => "u",
        'ф' => "f",
        'х' | 'ҳ' => "kh",
        'һ' => "h",
        'ц' => "ts",
        'џ' => "dzh",
        'ш' => "sh",
        'щ' => "shch",
        'ъ' | 'ь' => "",
        'ы' => "y",
        'ю' => "yu",
        'я' => "ya",
        'ѕ' => "dz",
        _ => return None,
    })
}

/// Returns the alternative romanisation of a letter that has two: Ukrainian and Belarusian `г` as `h`, Bulgarian `щ` as
/// `sht`.
pub fn otherwise(letter: char) -> Option<&'static str> {
    match letter {
        'г' => Some("h"),
        'щ' => Some("sht"),
        'ё' => Some("yo"),
        'х' => Some("h"),
        'ъ' => Some("a"),
        _ => romanise(letter),
    }
}
