//! The composite over the real histories, where the folder that holds them is there.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use flate2::read::GzDecoder;
use jiff::civil::{Date, date};
use stress_composite::{StressLabel, YieldCurve, built_in, vix_history};

fn history(name: &str) -> Option<Vec<u8>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/data/market").join(name);
    let Ok(file) = File::open(path) else {
        println!("passed over: there is no {name}");
        return None;
    };
    let mut bytes = Vec::new();
    GzDecoder::new(file).read_to_end(&mut bytes).expect("the history is whole");
    Some(bytes)
}

#[test]
fn the_built_in_composite_knows_its_crises_and_is_labelled_only_on_recent_data() {
    let names = ["vix_daily_1990_2026.csv.gz", "treasury_par_yield_full_1990_2025-07.csv.gz"];
    let [Some(vix), Some(curve)] = names.map(history) else { return };
    let (vix, curve) =
        (vix_history(&vix).expect("it is read"), YieldCurve::read([&*curve]).expect("it is read"));
    let composite = built_in(&vix, &curve, None);
    let label = |day: Date| composite.read(day).label;
    let value = |day: Date| composite.read(day).value.expect("all series are there");
    let percentile = |day: Date, name: &str| {
        composite.read(day).inputs.into_iter().find(|input| input.name == name).expect("it counts").percentile
    };
    assert!(percentile(date(2008, 10, 24), "vix_level") > 99.0);
    // A year before the crisis the curve was inverted; in it, it was steep.
    assert!(percentile(date(2006, 11, 24), "yield_10y_less_2y") > 90.0);
    assert!(percentile(date(2008, 10, 24), "yield_10y_less_2y") < 20.0);
    assert!(value(date(2020, 3, 18)) > value(date(2017, 10, 18)));
    assert_ne!(label(date(2017, 10, 18)), Some(StressLabel::Extreme));
    let late = composite.read(date(2026, 7, 23));
    assert_eq!(late.label, None, "the curve ends a year before");
    assert_eq!(late.missing.len(), 3);
    for day in [date(2008, 10, 24), date(2015, 8, 24), date(2022, 6, 16)] {
        let reading = composite.read(day);
        assert!(reading.inputs.len() == 5 && reading.course.len() == 504);
        println!("{day}: {:?} {:?}, robust {}", reading.value, reading.label, reading.label_robust);
    }
}
