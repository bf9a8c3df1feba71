//! The verdict: the fitting Altman model's zone, and the votes of four other models.

use jiff::ToSpan as _;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Serialize;

use crate::checks::{InputFault, Refused, is_refused, refused};
use crate::financials::{Currency, Financials};
use crate::item::{Item, Year};
use crate::model::{Measure, ModelId, Zone};
use crate::number::Finite;
use crate::score::{ModelScore, NotComputed, score_checked};

/// The models that vote.
pub const VOTERS: [ModelId; 4] =
    [ModelId::OhlsonO, ModelId::ZmijewskiX, ModelId::SpringateS, ModelId::MertonDd];

/// The fewest of the fitting Altman model and the four voters that must have been computed.
pub const MIN_COMPUTED: usize = 3;

/// The number of votes that is distress whatever Altman's model says.
pub const VOTES_FOR_DISTRESS: usize = 3;

/// The age of an annual report, in months from the end of its year, up to which it is judged.
pub const MAX_AGE_MONTHS: i32 = 18;

/// Industry codes of manufacturers.
pub const MANUFACTURERS: std::ops::RangeInclusive<u16> = 2000..=3999;

/// Industry codes of financial firms.
pub const FINANCIAL_FIRMS: std::ops::RangeInclusive<u16> = 6000..=6999;

/// The verdict.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum DistressVerdict {
    /// The fitting Altman model is in its safe zone, and no model votes for distress.
    Safe,
    /// Neither of the two others.
    Grey,
    /// The fitting Altman model is in its distress zone and a model votes for distress, or three models do.
    Distress,
    /// The models do not apply, or too few of them could be computed.
    InsufficientData,
}

/// A reason of the verdict.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum VerdictReason {
    /// The industry code is that of a financial firm, whose balance sheet none of the models was fitted to.
    FinancialFirm,
    /// The year ended more than 18 months before the day of judging.
    ReportTooOld,
    /// The year ends after the day of judging.
    PeriodEndInFuture,
    /// Fewer than three of the fitting Altman model and the four voters could be computed.
    TooFewModels,
    /// The industry of a filer is not known, so it may be a financial firm, a fund or a person.
    IndustryUnknown,
    /// No annual report with accounts was filed by the day of judging.
    NoAnnualReport,
    /// The company reports by international standards, whose accounts are not mapped.
    IfrsNotMapped,
    /// The accounts are in several currencies.
    MixedCurrencies,
    /// The accounts look safe, but their source could not be asked again.
    SourceStale,
    /// The fitting Altman model is in its distress zone, and one model or more votes for distress.
    AltmanDistressWithVote,
    /// Three models or more vote for distress.
    ThreeVotes,
    /// The fitting Altman model is in its safe zone, and no model votes for distress.
    AltmanSafeWithoutVotes,
    /// The models say different things, or the fitting Altman model is in its grey zone or not computed.
    Mixed,
}

impl VerdictReason {
    /// Returns the reason in words.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::FinancialFirm => "the models do not apply to financial firms",
            Self::ReportTooOld => "the year ended more than 18 months before the day of judging",
            Self::PeriodEndInFuture => "the year ends after the day of judging",
            Self::TooFewModels => "too few of the models could be computed",
            Self::IndustryUnknown => "the industry is not known, so that it may be a financial firm",
            Self::NoAnnualReport => "no annual report with accounts was filed by the day of judging",
            Self::IfrsNotMapped => "the accounts follow international standards, which are not mapped",
            Self::MixedCurrencies => "the accounts are in several currencies",
            Self::SourceStale => "the accounts look safe, but their source could not be asked again",
            Self::AltmanDistressWithVote => {
                "the fitting Altman model is in its distress zone, and another model votes for distress"
            }
            Self::ThreeVotes => "three models or more vote for distress",
            Self::AltmanSafeWithoutVotes => {
                "the fitting Altman model is in its safe zone, and no model votes for distress"
            }
            Self::Mixed => "the models say different things",
        }
    }
}

/// The reason for which an Altman model fits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AltmanChoice {
    /// A manufacturer (SIC 2000 to 3999) with a market value: Z.
    ManufacturerWithMarketValue,
    /// A private manufacturer: Z'.
    PrivateManufacturer,
    /// A manufacturer that is not said to be private, and whose market value is not known: Z''.
    ManufacturerWithoutMarketValue,
    /// No manufacturer: Z''.
    NotAManufacturer,
    /// The industry code is not known: Z''.
    IndustryUnknown,
}

impl AltmanChoice {
    /// Returns the model that fits.
    #[must_use]
    pub fn model(self) -> ModelId {
        match self {
            Self::ManufacturerWithMarketValue => ModelId::AltmanZ,
            Self::PrivateManufacturer => ModelId::AltmanZPrime,
            Self::ManufacturerWithoutMarketValue | Self::NotAManufacturer | Self::IndustryUnknown => {
                ModelId::AltmanZDoublePrime
            }
        }
    }
}

/// The vote of a model.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct Vote {
    /// The model.
    pub model: ModelId,
    /// The score or the probability, as the model's threshold compares it; absent if the model could not be computed.
    pub measured: Option<Finite>,
    /// True if it is a vote for distress; absent if the model could not be computed.
    pub is_distress: Option<bool>,
}

/// The verdict on a company's accounts, with the models that it rests on.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct Assessment {
    /// The verdict.
    pub verdict: DistressVerdict,
    /// The reasons of the verdict: of `INSUFFICIENT_DATA` all that hold, else those that decided. Never empty.
    pub reasons: Vec<VerdictReason>,
    /// The Altman model that fits.
    pub altman_model: ModelId,
    /// The reason for which it fits.
    pub altman_choice: AltmanChoice,
    /// The zone of that model; absent if it could not be computed.
    pub altman_zone: Option<Zone>,
    /// The votes, one a model in the order of [`VOTERS`].
    pub votes: Vec<Vote>,
    /// The number of votes for distress.
    pub votes_for_distress: usize,
    /// The number of models that were computed among the fitting Altman model and the four voters, 0 to 5.
    pub computed: usize,
    /// The models that were computed, in the order of [`ModelId::ALL`].
    pub models: Vec<ModelScore>,
    /// The models that were not computed, in the same order.
    pub not_computed: Vec<NotComputed>,
    /// The items that no model used, with the reason.
    pub refused_items: Vec<InputFault>,
    /// The currency of the amounts; `null` where there are no accounts.
    pub currency: Option<String>,
    /// The last day of the year that was judged; `null` where there are no accounts.
    pub period_end: Option<String>,
}

impl Assessment {
    /// The assessment of a company without accounts that could be judged.
    #[must_use]
    pub fn without_accounts(reason: VerdictReason, sic: Option<u16>, judged_on: Date) -> Self {
        let mut nothing = Financials::new(Currency::USD, judged_on);
        nothing.sic = sic;
        let verdict = DistressVerdict::InsufficientData;
        Self {
            verdict,
            reasons: vec![reason],
            currency: None,
            period_end: None,
            ..assess(&nothing, judged_on)
        }
    }

    /// The assessment where its source could not be asked again: what looks safe is not said to be.
    #[must_use]
    pub fn of_stale_accounts(self) -> Self {
        if self.verdict != DistressVerdict::Safe {
            return self;
        }
        Self { verdict: DistressVerdict::InsufficientData, reasons: vec![VerdictReason::SourceStale], ..self }
    }
}

/// Judges a company's accounts on a day.
#[must_use]
pub fn assess(financials: &Financials, judged_on: Date) -> Assessment {
    let refused = refused(financials);
    let (mut models, mut not_computed) = (Vec::new(), Vec::new());
    for id in ModelId::ALL {
        match score_checked(id, financials, &refused) {
            Ok(score) => models.push(score),
            Err(missing) => not_computed.push(missing),
        }
    }
    let altman_choice = choose(financials, &refused);
    let find = |id: ModelId| models.iter().find(|score| score.model == id);
    let altman = find(altman_choice.model());
    let altman_zone = altman.and_then(|score| score.zone);
    let votes: Vec<Vote> = VOTERS.iter().map(|id| vote(*id, find(*id))).collect();
    let votes_for_distress = votes.iter().filter(|vote| vote.is_distress == Some(true)).count();
    let computed =
        votes.iter().filter(|vote| vote.is_distress.is_some()).count() + usize::from(altman.is_some());
    let insufficient = insufficient(financials, judged_on, computed);
    let (verdict, reasons) = if insufficient.is_empty() {
        decide(altman_zone, votes_for_distress)
    } else {
        (DistressVerdict::InsufficientData, insufficient)
    };
    Assessment {
        verdict,
        reasons,
        altman_model: altman_choice.model(),
        altman_choice,
        altman_zone,
        votes,
        votes_for_distress,
        computed,
        models,
        not_computed,
        refused_items: refused.into_iter().map(|refused| refused.fault).collect(),
        currency: Some(financials.currency.as_str().to_owned()),
        period_end: Some(financials.period_end.to_string()),
    }
}

fn choose(financials: &Financials, refused: &[Refused]) -> AltmanChoice {
    let Some(sic) = financials.sic else { return AltmanChoice::IndustryUnknown };
    if !MANUFACTURERS.contains(&sic) {
        return AltmanChoice::NotAManufacturer;
    }
    if financials.is_private == Some(true) {
        return AltmanChoice::PrivateManufacturer;
    }
    let market_value = financials.get(Item::MarketValue, Year::Current);
    if market_value.is_some() && !is_refused(refused, Item::MarketValue, Year::Current) {
        AltmanChoice::ManufacturerWithMarketValue
    } else {
        AltmanChoice::ManufacturerWithoutMarketValue
    }
}

fn vote(model: ModelId, score: Option<&ModelScore>) -> Vote {
    let measured = score.and_then(|score| {
        let threshold = score.threshold?;
        match threshold.measure {
            Measure::Score => Some(score.score),
            Measure::Probability => score.probability,
        }
    });
    Vote { model, measured, is_distress: score.and_then(|score| score.signals) }
}

fn insufficient(financials: &Financials, judged_on: Date, computed: usize) -> Vec<VerdictReason> {
    let mut reasons = Vec::new();
    if financials.sic.is_some_and(|sic| FINANCIAL_FIRMS.contains(&sic)) {
        reasons.push(VerdictReason::FinancialFirm);
    }
    if financials.period_end > judged_on {
        reasons.push(VerdictReason::PeriodEndInFuture);
    }
    // A year that ends within 18 months of the end of the calendar is not too old on any day.
    let last_day = financials.period_end.checked_add(MAX_AGE_MONTHS.months()).unwrap_or(Date::MAX);
    if judged_on > last_day {
        reasons.push(VerdictReason::ReportTooOld);
    }
    if computed < MIN_COMPUTED {
        reasons.push(VerdictReason::TooFewModels);
    }
    reasons
}

fn decide(altman: Option<Zone>, votes: usize) -> (DistressVerdict, Vec<VerdictReason>) {
    let with_vote = altman == Some(Zone::Distress) && votes > 0;
    let mut reasons = Vec::new();
    if with_vote {
        reasons.push(VerdictReason::AltmanDistressWithVote);
    }
    if votes >= VOTES_FOR_DISTRESS {
        reasons.push(VerdictReason::ThreeVotes);
    }
    if !reasons.is_empty() {
        (DistressVerdict::Distress, reasons)
    } else if altman == Some(Zone::Safe) && votes == 0 {
        (DistressVerdict::Safe, vec![VerdictReason::AltmanSafeWithoutVotes])
    } else {
        (DistressVerdict::Grey, vec![VerdictReason::Mixed])
    }
}

#[cfg(test)]
mod tests;
