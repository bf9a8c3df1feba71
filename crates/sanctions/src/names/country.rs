//! Countries by name and by ISO 3166 code.

/// Names that lists and callers use for one country: codes first, then names, in lower case.
const COUNTRIES: &[&[&str]] = &[
    &["ru", "rus", "russia", "russian federation"],
    &["ir", "irn", "iran", "iran, islamic republic of", "islamic republic of iran"],
    &["kp", "prk", "north korea", "korea, north", "democratic people's republic of korea", "dprk"],
    &["kr", "kor", "south korea", "korea, south", "republic of korea"],
    &["sy", "syr", "syria", "syrian arab republic"],
    &["cu", "cub", "cuba"],
    &["ve", "ven", "venezuela", "venezuela, bolivarian republic of"],
    &["by", "blr", "belarus"],
    &["ua", "ukr", "ukraine"],
    &["cn", "chn", "china", "people's republic of china"],
    &["hk", "hkg", "hong kong"],
    &["ae", "are", "united arab emirates", "uae"],
    &["iq", "irq", "iraq"],
    &["lb", "lbn", "lebanon"],
    &["ly", "lby", "libya"],
    &["ye", "yem", "yemen"],
    &["af", "afg", "afghanistan"],
    &["pk", "pak", "pakistan"],
    &["sd", "sdn", "sudan"],
    &["ss", "ssd", "south sudan"],
    &["so", "som", "somalia"],
    &["mm", "mmr", "burma", "myanmar"],
    &["mx", "mex", "mexico"],
    &["co", "col", "colombia"],
    &["tr", "tur", "turkey", "türkiye", "turkiye"],
    &["cy", "cyp", "cyprus"],
    &["pa", "pan", "panama"],
    &["us", "usa", "united states", "united states of america"],
    &["gb", "gbr", "uk", "united kingdom", "great britain"],
    &["de", "deu", "germany"],
    &["fr", "fra", "france"],
    &["it", "ita", "italy"],
    &["es", "esp", "spain"],
    &["ch", "che", "switzerland"],
    &["in", "ind", "india"],
    &["sg", "sgp", "singapore"],
    &["my", "mys", "malaysia"],
    &["sa", "sau", "saudi arabia"],
    &["qa", "qat", "qatar"],
    &["eg", "egy", "egypt"],
    &["tn", "tun", "tunisia"],
    &["dz", "dza", "algeria"],
    &["ma", "mar", "morocco"],
    &["jo", "jor", "jordan"],
    &["il", "isr", "israel"],
    &["ps", "pse", "palestinian", "palestine", "west bank", "gaza"],
    &["kz", "kaz", "kazakhstan"],
    &["kg", "kgz", "kyrgyzstan", "kyrgyz republic"],
    &["uz", "uzb", "uzbekistan"],
    &["am", "arm", "armenia"],
    &["az", "aze", "azerbaijan"],
    &["ge", "geo", "georgia"],
    &["ni", "nic", "nicaragua"],
    &["cf", "caf", "central african republic"],
    &["cd", "cod", "congo, democratic republic of the", "democratic republic of the congo"],
    &["zw", "zwe", "zimbabwe"],
    &["ml", "mli", "mali"],
    &["mh", "mhl", "marshall islands"],
    &["lr", "lbr", "liberia"],
    &["mt", "mlt", "malta"],
    &["vg", "vgb", "virgin islands, british", "british virgin islands"],
];

/// Whether both mean one country; nothing where they differ and one of them is not known here.
pub fn same(a: &str, b: &str) -> Option<bool> {
    let (a, b) = (a.trim().to_lowercase(), b.trim().to_lowercase());
    if a == b {
        return Some(true);
    }
    let group = |name: &str| COUNTRIES.iter().position(|names| names.contains(&name));
    Some(group(&a)? == group(&b)?)
}
