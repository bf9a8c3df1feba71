//! The lists of trades of `grading/input_validation_cases.json`, with something wrong in each, and what is right to
//! answer. It knows nothing of who answered: the project's own test of `touchstone judge` reads the same cases.
//!
//! A list that is to be rejected (422 in the data) is right where its question is refused with the path of a member of
//! it: the contract answers 400. Unknown members are allowed by the contract, so `extra-field` is graded.

use serde::Deserialize;
use serde_json::{Map, Value, json};

/// A list of trades.
#[derive(Deserialize)]
pub struct Case {
    pub id: String,
    trades: Vec<Value>,
    expect: String,
}

impl Case {
    /// The question of the case.
    pub fn question(&self) -> Value {
        json!({ "agent": "suite", "trades": self.trades })
    }

    /// The same with its trades by their closes, as their file is.
    pub fn sorted(&self) -> Value {
        let mut trades = self.trades.clone();
        trades.sort_by(|one, other| one["closed_at"].as_str().cmp(&other["closed_at"].as_str()));
        json!({ "agent": "suite", "trades": trades })
    }

    /// Holds an answer against what the case expects, as `touchstone judge` answers: a finding, or an `error` with its
    /// `field`. `sorted` is the answer to the sorted list.
    pub fn check(&self, answer: &Value, sorted: &Value) -> Result<(), String> {
        let field = answer["error"]["field"].as_str();
        let (verdict, rows) = (answer["verdict"].as_str(), &answer["rows"]);
        let is_right = match &*self.expect {
            // The contract stands above the case.
            _ if self.id == "extra-field" => verdict.is_some(),
            "REJECT_422" | "REJECT" => field.is_some_and(|field| field.starts_with("trades.")),
            "GRADE_OK_OR_REJECT" => verdict.is_some() || field.is_some(),
            "INSUFFICIENT_DATA" => verdict == Some("INSUFFICIENT_DATA"),
            "NOT_REAL_EDGE" => verdict.is_some_and(|verdict| verdict != "REAL_EDGE"),
            "GRADE_WITH_EXCLUSION" => {
                let count = |name: &str| rows[name].as_u64().unwrap_or_default();
                count("unsettled") > 0 && count("given") == count("settled") + count("unsettled")
            }
            "SAME_AS_SORTED" => verdict.is_some() && found(answer) == found(sorted),
            _ => false,
        };
        if is_right {
            return Ok(());
        }
        let said =
            field.map_or_else(|| format!("{}, {}", answer["verdict"], answer["reason"]), str::to_owned);
        Err(format!("{}: {said}, not {}", self.id, self.expect))
    }
}

/// A finding without its evidence, which has the time at which it was asked for.
fn found(answer: &Value) -> Option<Map<String, Value>> {
    let mut members = answer.as_object()?.clone();
    members.remove("evidence");
    Some(members)
}
