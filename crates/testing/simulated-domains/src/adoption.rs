//! Populations of domains, drawn by published adoption figures.
//!
//! The figures are shares of domains that use a technique; their joint distribution is not published. So a domain draws how
//! well it is maintained, and each technique is drawn with a given correlation to that (a Gaussian copula). The margins are
//! those of the sources below, and where no source has one, an assumption that is marked so.
//!
//! | figure | source |
//! |---|---|
//! | DNSSEC | Majestic Million, 2026 (pwndefend.com) |
//! | DMARC, enforced and reject; SPF `-all`, `~all` | 994 top domains, June 2026 (domainposture.com); 5.5 million of Tranco, February 2026 (dmarcguard.io) |
//! | CSP, HSTS, mean score of the Observatory | 7,510 of the top 10,000, February 2026 (appsecsanta.com) |
//! | CAA | top million and 214 million domains (J. Schaumann) |
//! | the rest | assumptions, in [`Population`] |

use trust::score::{Purpose, TrustVerdict};

use crate::profile::{Facts, Feed, Headers, Https, Profile, ProfileError};

/// Shares of a population, 0 to 1.
#[derive(Clone, Copy, Debug)]
pub struct Population {
    /// Name of the population.
    pub name: &'static str,
    /// Share of signed zones.
    pub dnssec: f64,
    /// Shares with DMARC at all, with an enforced policy, and with `reject`.
    pub dmarc: [f64; 3],
    /// Shares of SPF that ends with `-all`, and with `~all`; the rest is `?all` or absent.
    pub spf: [f64; 2],
    /// Share with CAA.
    pub caa: f64,
    /// Share with HSTS.
    pub hsts: f64,
    /// Share with a content security policy.
    pub csp: f64,
    /// Share whose registry tells the age. Assumption.
    pub age_known: f64,
    /// Share on the popularity list of a million. By the definition of the population.
    pub popular: f64,
    /// Share registered within the last 180 days. Assumption.
    pub young: f64,
    /// Share transferred within the last 60 days. Assumption.
    pub transferred: f64,
    /// Share whose root ends on another registrable name. Assumption.
    pub elsewhere: f64,
    /// Share that answers a scanner with 403. A quarter of the top 10,000 did not answer (appsecsanta.com).
    pub bot_wall: f64,
    /// Share with an invalid certificate. Assumption.
    pub invalid: f64,
}

/// The populations, the most popular first.
pub const POPULATIONS: [Population; 4] = [
    Population {
        name: "top 1,000",
        dnssec: 0.10,
        dmarc: [0.92, 0.75, 0.481],
        spf: [0.366, 0.396],
        caa: 0.20,
        hsts: 0.65,
        csp: 0.45,
        age_known: 0.85,
        popular: 1.0,
        young: 0.001,
        transferred: 0.003,
        elsewhere: 0.15,
        bot_wall: 0.2,
        invalid: 0.002,
    },
    Population {
        name: "top 10,000",
        dnssec: 0.08,
        dmarc: [0.75, 0.45, 0.25],
        spf: [0.33, 0.42],
        caa: 0.14,
        hsts: 0.517,
        csp: 0.273,
        age_known: 0.8,
        popular: 1.0,
        young: 0.005,
        transferred: 0.004,
        elsewhere: 0.15,
        bot_wall: 0.2,
        invalid: 0.005,
    },
    Population {
        name: "top million",
        dnssec: 0.07,
        dmarc: [0.45, 0.26, 0.12],
        spf: [0.28, 0.4],
        caa: 0.048,
        hsts: 0.3,
        csp: 0.15,
        age_known: 0.75,
        popular: 1.0,
        young: 0.03,
        transferred: 0.006,
        elsewhere: 0.15,
        bot_wall: 0.12,
        invalid: 0.02,
    },
    Population {
        name: "5.5 million",
        dnssec: 0.05,
        dmarc: [0.304, 0.128, 0.06],
        spf: [0.2, 0.38],
        caa: 0.03,
        hsts: 0.2,
        csp: 0.08,
        age_known: 0.75,
        popular: 0.18,
        young: 0.06,
        transferred: 0.008,
        elsewhere: 0.12,
        bot_wall: 0.08,
        invalid: 0.04,
    },
];

/// The configuration of the notary that looks.
#[derive(Clone, Copy, Debug)]
pub struct Notary {
    /// True with a fresh feed.
    pub feed: bool,
    /// True with a source of certificate transparency.
    pub certificate_transparency: bool,
    /// True with a popularity list.
    pub popularity: bool,
}

/// Number of domains of each verdict.
#[derive(Clone, Copy, Default, Debug)]
pub struct Shares {
    /// `TRUSTED`.
    pub trusted: u32,
    /// `CAUTION`.
    pub caution: u32,
    /// `INCOMPLETE`.
    pub incomplete: u32,
    /// `RISKY`.
    pub risky: u32,
}

impl Shares {
    /// Counts a verdict.
    pub fn count(&mut self, verdict: TrustVerdict) {
        *match verdict {
            TrustVerdict::Trusted => &mut self.trusted,
            TrustVerdict::Caution => &mut self.caution,
            TrustVerdict::Incomplete => &mut self.incomplete,
            TrustVerdict::Risky => &mut self.risky,
        } += 1;
    }
}

/// A generator of pseudo-random numbers: SplitMix64 (Steele, Lea and Flood 2014). A seed always gives the same populations.
pub struct Draws(u64);

impl Draws {
    /// Starts from a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Draws a number between 0 and 1.
    pub fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        let high = u32::try_from((mixed ^ (mixed >> 31)) >> 32).unwrap_or(u32::MAX);
        (f64::from(high) + 0.5) / 4_294_967_296.0
    }

    /// Draws from the standard normal distribution (Box and Muller 1958).
    fn normal(&mut self) -> f64 {
        let (radius, angle) = (self.uniform(), self.uniform());
        (-2.0 * radius.ln()).sqrt() * (2.0 * std::f64::consts::PI * angle).cos()
    }
}

/// Judges `count` domains of a population, whose techniques correlate by `rho` with how well each is maintained.
///
/// # Errors
/// [`ProfileError`] if a profile cannot be judged.
pub fn judge(
    population: &Population,
    notary: Notary,
    purpose: Purpose,
    rho: f64,
    count: u32,
    draws: &mut Draws,
) -> Result<Shares, ProfileError> {
    let mut shares = Shares::default();
    for number in 0..count {
        let facts = facts(population, notary, rho, draws);
        let profile = Profile { domain: format!("quiet-orchard-{number}.com"), purpose, facts };
        shares.count(profile.judge()?.verdict);
    }
    Ok(shares)
}

fn facts(population: &Population, notary: Notary, rho: f64, draws: &mut Draws) -> Facts {
    let care = draws.normal();
    // Rank of a technique, 0 to 1: the lowest have it.
    let mut rank = || {
        let mixed = rho.sqrt() * care + (1.0 - rho).sqrt() * draws.normal();
        normal_tail(mixed)
    };
    let (dnssec, dmarc, spf, caa, hsts, csp) = (rank(), rank(), rank(), rank(), rank(), rank());
    let mut has = |share: f64| draws.uniform() < share;
    let [with_dmarc, enforced, reject] = population.dmarc;
    let [hard, soft] = population.spf;
    let age_known = has(population.age_known);
    let is_young = has(population.young);
    let age = if is_young { 90 } else { 3000 };
    let is_walled = has(population.bot_wall);
    let has_hsts = hsts < population.hsts;
    Facts {
        registered_days: age_known.then_some(age),
        rdap: if age_known { "yes" } else { "none" }.to_owned(),
        transfer_days: has(population.transferred).then_some(30),
        reregistered_days: None,
        hold: false,
        feed: if notary.feed { Feed::FreshClean } else { Feed::None },
        https: if has(population.invalid) { Https::Invalid } else { Https::Ok },
        redirects_to: has(population.elsewhere).then(|| "https://www.broad-meadow.com/".to_owned()),
        root_status: Some(if is_walled { 403 } else { 200 }),
        content_type: Some("text/html".to_owned()),
        headers: Some(match (has_hsts, csp < population.csp) {
            (true, true) => Headers::Strict,
            (true, false) => Headers::Typical,
            (false, _) => Headers::None,
        }),
        dmarc: match dmarc {
            rank if rank < reject => "reject",
            rank if rank < enforced => "quarantine",
            rank if rank < with_dmarc => "none",
            _ => "absent",
        }
        .to_owned(),
        spf: match spf {
            rank if rank < hard => "-all",
            rank if rank < hard + soft => "~all",
            rank if rank < 0.9 => "?all",
            _ => "absent",
        }
        .to_owned(),
        mx: true,
        null_mx: false,
        dnssec: if dnssec < population.dnssec { "signed" } else { "unsigned" }.to_owned(),
        caa: if caa < population.caa { "matching" } else { "none" }.to_owned(),
        cert_lifetime_days: 90,
        cert_left_days: 60,
        ct_first_seen_days: notary.certificate_transparency.then_some(age - 10),
        popular: notary.popularity && has(population.popular),
        own_looks_unchanged_days: None,
        revoked: false,
    }
}

/// Probability that a standard normal variable is above `x`, to 1e-7 (Abramowitz and Stegun 1964, 26.2.17).
fn normal_tail(x: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.231_641_9 * x.abs());
    let density = (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let sum = t
        * (0.319_381_530
            + t * (-0.356_563_782 + t * (1.781_477_937 + t * (-1.821_255_978 + t * 1.330_274_429))));
    if x >= 0.0 { density * sum } else { 1.0 - density * sum }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_margins_are_those_of_the_population() {
        let mut draws = Draws::new(1);
        let notary = Notary { feed: true, certificate_transparency: true, popularity: true };
        let count = 20_000_u32;
        let drawn: Vec<Facts> = (0..count).map(|_| facts(&POPULATIONS[1], notary, 0.3, &mut draws)).collect();
        let share = |holds: fn(&Facts) -> bool| {
            f64::from(u32::try_from(drawn.iter().filter(|facts| holds(facts)).count()).unwrap())
                / f64::from(count)
        };
        assert!((share(|facts| facts.dnssec == "signed") - 0.08).abs() < 0.01);
        assert!((share(|facts| facts.dmarc == "reject") - 0.25).abs() < 0.01);
        assert!((share(|facts| facts.headers != Some(Headers::None)) - 0.517).abs() < 0.015);
    }
}
