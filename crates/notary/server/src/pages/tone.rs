//! The colour of a verdict, and the sign that says the same without colour.

/// How a verdict speaks of what was asked about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Tone {
    /// Nothing speaks against it.
    Good,
    /// A person should look closer.
    Wary,
    /// Something speaks against it.
    Bad,
    /// Neither: nothing was decided, or there is nothing to decide.
    Neutral,
}

impl Tone {
    /// The tone of a verdict. A verdict that is not known here is neutral.
    pub(super) fn of(verdict: &str) -> Self {
        match verdict {
            "CONFIRMED" | "REAL_EDGE" | "NO_MATCH" | "CLEAR" | "TRUSTED" | "NO_FINDING" | "COPY" | "SAFE"
            | "LOW" | "NORMAL" => Self::Good,
            "POSSIBLE_MATCH" | "REVIEW" | "CAUTION" | "WARN" | "GREY" | "ELEVATED" | "REGIME_LUCK" => {
                Self::Wary
            }
            "REFUTED" | "OVERTURNED" | "NEGATIVE_EV" | "MATCH" | "BLOCK" | "RISKY" | "AVOID" | "DISTRESS"
            | "EXTREME" => Self::Bad,
            _ => Self::Neutral,
        }
    }

    /// The class of the style sheet.
    pub(super) fn class(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Wary => "wary",
            Self::Bad => "bad",
            Self::Neutral => "none",
        }
    }

    /// The sign.
    pub(super) fn sign(self) -> &'static str {
        match self {
            Self::Good => "✓",
            Self::Wary => "!",
            Self::Bad => "✕",
            Self::Neutral => "·",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_verdict_of_a_route_has_the_tone_that_it_is_meant_to_have() {
        // Verdicts that decide nothing, or that only say what was handed in.
        let neutral = [
            "UNRESOLVED",
            "COMMITTED",
            "UPHELD",
            "INCONCLUSIVE",
            "INSUFFICIENT_DATA",
            "WATCHING",
            "UNKNOWN",
            "INCOMPLETE",
            "FOUND",
            "NONE_FOUND",
        ];
        for terms in module::terms::table() {
            for &verdict in terms.verdicts {
                let is_neutral = Tone::of(verdict) == Tone::Neutral;
                assert_eq!(is_neutral, neutral.contains(&verdict), "{}: {verdict}", terms.class);
            }
        }
    }
}
