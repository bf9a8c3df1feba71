//! The copy request, read once and bounded at the edge.

use std::borrow::Cow;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use verdict::{Cost, FieldError, Fields, Question, Timestamp};

use super::conduct::Conduct;
use super::costs::{Costs, schema};
use crate::input::{Closes, Input, Settled, schema_of, settle};

/// A track record, and the costs at which it would be copied.
///
/// ```
/// use grading::copy_trade::CopyQuestion;
/// use receipt::json::parse;
/// use verdict::{Fields, Question};
///
/// let read = |body: &str| {
///     let request = parse(body.as_bytes()).expect("JSON");
///     CopyQuestion::read(&Fields::root(request.as_object().expect("an object")))
/// };
/// let question = read(r#"{"returns": [{"date": "2026-01-31", "r": 0.01}], "costs": {"fee": "0.001"}}"#)?;
/// assert_eq!(question.costs.fee, Some(0.001));
///
/// let error = read(r#"{"returns": [], "costs": {"adv": 0}}"#).unwrap_err();
/// assert_eq!((error.path.dotted().as_str(), error.reason.code()), ("costs.adv", "out_of_range"));
/// # Ok::<(), verdict::FieldError>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct CopyQuestion {
    /// The settled record that is graded, before costs.
    pub settled: Arc<Settled>,
    /// The costs that the copier pays.
    pub costs: Costs,
    pub(super) conduct: Arc<Conduct>,
    closes: Closes,
}

impl CopyQuestion {
    /// That what is settled has closed by this time, and what is not settled has not.
    ///
    /// # Errors
    /// One did not, or did.
    pub fn admit(&self, at: Timestamp) -> Result<(), FieldError> {
        self.closes.admit(at)
    }
}

impl Question for CopyQuestion {
    fn read(fields: &Fields<'_>) -> Result<Self, FieldError> {
        let input = Input::read(fields)?;
        let costs = Costs::read(fields)?;
        Ok(Self {
            settled: Arc::new(settle(&input)?),
            conduct: Arc::new(Conduct::of(&input, costs.turnover)),
            costs,
            closes: input.closes,
        })
    }
    fn cost(&self) -> Cost {
        self.settled.cost()
    }
}

impl JsonSchema for CopyQuestion {
    fn schema_name() -> Cow<'static, str> {
        "CopyQuestion".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let description = "A settled track record, as /grade-strategy takes it, and a copier's costs.";
        schema_of("CopyQuestion", description, &[("costs", schema())]).try_into().expect("it is an object")
    }
}
