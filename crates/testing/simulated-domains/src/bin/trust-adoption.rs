//! Prints the verdicts of simulated populations, by published adoption figures: `trust-adoption [DOMAINS] [SEED]`.

use std::process::ExitCode;

use simulated_domains::adoption::{Draws, Notary, POPULATIONS, judge};
use trust::score::Purpose;

/// Correlations of good practices, from none to strong.
const CORRELATIONS: [f64; 3] = [0.0, 0.3, 0.5];

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1).map_while(|text| text.parse::<u32>().ok());
    let (count, seed) = (arguments.next().unwrap_or(2000), arguments.next().unwrap_or(1));
    let whole = Notary { feed: true, certificate_transparency: true, popularity: true };
    let notaries = [
        ("feed, CT, popularity", whole),
        ("feed and popularity", Notary { certificate_transparency: false, ..whole }),
        ("feed alone", Notary { certificate_transparency: false, popularity: false, ..whole }),
        ("nothing configured", Notary { feed: false, certificate_transparency: false, popularity: false }),
    ];
    println!("| population | purpose | notary | correlation | TRUSTED | CAUTION | INCOMPLETE | RISKY |");
    println!("|---|---|---|--:|--:|--:|--:|--:|");
    for population in &POPULATIONS {
        for (name, notary) in notaries {
            for purpose in Purpose::ALL {
                for rho in CORRELATIONS {
                    let is_shown = rho == 0.3 || (name == "feed, CT, popularity" && purpose == Purpose::Pay);
                    if !is_shown || (purpose != Purpose::Pay && name != "feed, CT, popularity") {
                        continue;
                    }
                    let mut draws = Draws::new(u64::from(seed));
                    let shares = match judge(population, notary, purpose, rho, count, &mut draws) {
                        Ok(shares) => shares,
                        Err(error) => {
                            eprintln!("a profile cannot be judged: {error:?}");
                            return ExitCode::FAILURE;
                        }
                    };
                    let percent = |number: u32| f64::from(number) * 100.0 / f64::from(count.max(1));
                    println!(
                        "| {} | {} | {name} | {rho} | {:.1} % | {:.1} % | {:.1} % | {:.1} % |",
                        population.name,
                        purpose.word(),
                        percent(shares.trusted),
                        percent(shares.caution),
                        percent(shares.incomplete),
                        percent(shares.risky),
                    );
                }
            }
        }
    }
    ExitCode::SUCCESS
}
