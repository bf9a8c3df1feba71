//! Models as data: identifiers, papers, coefficients, zones and thresholds.

use schemars::JsonSchema;
use serde::Serialize;

use crate::formula::Formula;

/// A model of financial distress, or of the quality of accounts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ModelId {
    /// Altman's Z of 1968, for manufacturers with a market value.
    AltmanZ,
    /// Altman's Z', for private manufacturers.
    AltmanZPrime,
    /// Altman's Z'', for all others.
    AltmanZDoublePrime,
    /// Ohlson's O.
    OhlsonO,
    /// Springate's S.
    SpringateS,
    /// Zmijewski's X.
    ZmijewskiX,
    /// Merton's distance to default.
    MertonDd,
    /// Beneish's M of eight variables.
    #[serde(rename = "beneish_m8")]
    BeneishM8,
    /// Piotroski's F.
    PiotroskiF,
    /// The failure logit of Campbell, Hilscher and Szilagyi, 12 months ahead.
    #[serde(rename = "campbell_hilscher_szilagyi_12m")]
    CampbellHilscherSzilagyi12m,
}

impl ModelId {
    /// Every model, in the order of results.
    pub const ALL: [Self; 10] = [
        Self::AltmanZ,
        Self::AltmanZPrime,
        Self::AltmanZDoublePrime,
        Self::OhlsonO,
        Self::SpringateS,
        Self::ZmijewskiX,
        Self::MertonDd,
        Self::BeneishM8,
        Self::PiotroskiF,
        Self::CampbellHilscherSzilagyi12m,
    ];

    /// The identifier, as it stands in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::AltmanZ => "altman_z",
            Self::AltmanZPrime => "altman_z_prime",
            Self::AltmanZDoublePrime => "altman_z_double_prime",
            Self::OhlsonO => "ohlson_o",
            Self::SpringateS => "springate_s",
            Self::ZmijewskiX => "zmijewski_x",
            Self::MertonDd => "merton_dd",
            Self::BeneishM8 => "beneish_m8",
            Self::PiotroskiF => "piotroski_f",
            Self::CampbellHilscherSzilagyi12m => "campbell_hilscher_szilagyi_12m",
        }
    }

    /// Returns the model of an identifier.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|id| id.as_str() == name)
    }
}

/// A model: a sum of coefficients times ratios, with what the score says.
#[derive(Clone, Copy, Debug)]
pub struct Model {
    /// The identifier.
    pub id: ModelId,
    /// The paper that published the model.
    pub paper: Paper,
    /// The constant of the sum.
    pub constant: f64,
    /// The coefficients, in the order of the sum; none for Merton's model, which is solved.
    pub coefficients: &'static [Coefficient],
    /// The zones of the score, if the paper has zones.
    pub zones: Option<Zones>,
    /// The constant that is added for the variant for emerging markets, with the zones of that sum.
    pub emerging_markets: Option<(f64, Zones)>,
    /// The way from the score to a probability, if the paper has one.
    pub link: Option<Link>,
    /// The threshold beyond which the model signals.
    pub threshold: Option<Threshold>,
    /// Where this description leaves the paper, and what the ratios cannot say.
    pub note: &'static str,
}

/// A publication.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct Paper {
    /// The authors.
    pub authors: &'static str,
    /// The title.
    pub title: &'static str,
    /// The journal with volume and issue, or the publisher.
    pub journal: &'static str,
    /// The year of publication.
    pub year: u16,
    /// The page, equation or table of the coefficients.
    pub place: &'static str,
}

/// A coefficient and its ratio.
#[derive(Clone, Copy, Debug)]
pub struct Coefficient {
    /// The paper's name of the ratio, in lower case.
    pub name: &'static str,
    /// Other names of the same ratio.
    pub other_names: &'static [&'static str],
    /// The coefficient.
    pub value: f64,
    pub(crate) formula: Formula,
    /// The comparison that turns the ratio into 1 or 0 before it is multiplied, if it is a signal.
    pub signal: Option<Signal>,
}

impl Coefficient {
    /// The formula of the ratio over named items.
    #[must_use]
    pub fn formula(&self) -> String {
        self.formula.text()
    }
}

/// A comparison with zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Signal {
    /// 1 if the ratio is above 0.
    Positive,
    /// 1 if the ratio is below 0.
    Negative,
    /// 1 if the ratio is 0 or below.
    NotPositive,
}

impl Signal {
    pub(crate) fn holds(self, ratio: f64) -> bool {
        match self {
            Self::Positive => ratio > 0.0,
            Self::Negative => ratio < 0.0,
            Self::NotPositive => ratio <= 0.0,
        }
    }
}

/// The two scores that bound the grey zone. Both belong to it.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, JsonSchema)]
pub struct Zones {
    /// Below this score lies distress.
    pub distress_below: f64,
    /// Above this score it is safe.
    pub safe_above: f64,
}

impl Zones {
    /// Returns the zone of a score.
    #[must_use]
    pub fn of(&self, score: f64) -> Zone {
        if score < self.distress_below {
            Zone::Distress
        } else if score > self.safe_above {
            Zone::Safe
        } else {
            Zone::Grey
        }
    }
}

/// The zone of a score.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Zone {
    /// Below the lower threshold.
    Distress,
    /// From the lower to the upper threshold.
    Grey,
    /// Above the upper threshold.
    Safe,
}

impl Zone {
    /// The name, as it stands in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Distress => "DISTRESS",
            Self::Grey => "GREY",
            Self::Safe => "SAFE",
        }
    }
}

/// The distribution function that makes a probability of a score.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Link {
    /// 1 / (1 + exp(-score)).
    Logistic,
    /// The standard normal distribution function of the score.
    Normal,
    /// The standard normal distribution function of the score with its sign changed.
    NormalOfNegative,
}

/// The number that a threshold is compared with.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// The score.
    Score,
    /// The probability.
    Probability,
}

/// A threshold beyond which a model signals.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, JsonSchema)]
pub struct Threshold {
    /// The number that is compared.
    pub measure: Measure,
    /// True if the model signals above the threshold, false if below.
    pub is_above: bool,
    /// The threshold. The value itself does not signal.
    pub value: f64,
}

impl Threshold {
    /// True if the model signals.
    #[must_use]
    pub fn signals(&self, measured: f64) -> bool {
        if self.is_above { measured > self.value } else { measured < self.value }
    }
}
