//! The question of `/copy-trade-score`, parsed once with its bounds.

use std::sync::Arc;

use verdict::{AnyField, Cost, FieldError, Fields, Question, Table, Timestamp, WantedReceipts};

use super::activity::Activity;
use super::costs::{COSTS, Costs};
use crate::committed::Commitments;
use crate::input::{self, Closes, ImportReport, Input, Settled, one_source, settle_input};

/// The question of `POST /copy-trade-score`: a track record, and the costs at which it would be copied.
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
/// assert_eq!(question.costs.general.fee, Some(0.001));
///
/// let error = read(r#"{"returns": [], "costs": {"adv": 0}}"#).unwrap_err();
/// assert_eq!((error.path.dotted().as_str(), error.reason.code()), ("costs.adv", "out_of_range"));
/// # Ok::<(), verdict::FieldError>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct CopyQuestion {
    /// The settled record that is graded, before costs.
    pub settled: Arc<Settled>,
    /// The file that the record was read of; `None` if the caller sent rows.
    pub imported: Option<ImportReport>,
    /// The costs that the copier pays.
    pub costs: Costs,
    /// The return of cash in a year that was taken off the record.
    pub(super) risk_free: Option<f64>,
    pub(super) activity: Arc<Activity>,
    /// The commitments that the rows name; `None` where they name none.
    pub commitments: Option<Arc<Commitments>>,
    closes: Closes,
}

impl CopyQuestion {
    /// Checks that settled rows have closed by `at`, and that unsettled rows have not.
    ///
    /// # Errors
    /// [`FieldError`] for the first row that breaks this rule.
    pub fn admit(&self, at: Timestamp) -> Result<(), FieldError> {
        self.closes.admit(at)
    }
}

/// The members of a record, and the costs.
const FIELDS: [&dyn AnyField; 13] = {
    // Marks have no turnover: a copier copies trades.
    let [trades, returns, format, file, base64, import, _marks, rest @ ..] = input::FIELDS;
    let [notional, trials, periods, risk_free, benchmark, alternatives] = rest;
    [
        trades,
        returns,
        format,
        file,
        base64,
        import,
        notional,
        trials,
        periods,
        risk_free,
        benchmark,
        alternatives,
        &COSTS,
    ]
};

impl Question for CopyQuestion {
    const TABLE: Table = Table::new("CopyQuestion", &[], &FIELDS)
        .describe("A settled track record, as /grade-strategy takes it, and a copier's costs.")
        .with(one_source);

    fn read(fields: &Fields<'_>) -> Result<Self, FieldError> {
        let input = Input::read_unmarked(fields)?;
        let costs = Costs::read(fields)?;
        let settled = settle_input(&input)?;
        let days = settled.record.units.iter().map(|unit| unit.day);
        Ok(Self {
            risk_free: input.risk_free.as_ref().map(|rates| rates.mean_on(days)),
            settled: Arc::new(settled),
            activity: Arc::new(Activity::of(&input, costs.turnover)),
            costs,
            commitments: Commitments::of(&input.rows).map(Arc::new),
            imported: input.import.map(|import| import.report),
            closes: input.closes,
        })
    }

    fn subject_sha256(&self) -> Option<[u8; 32]> {
        self.settled.beginning
    }

    fn wanted_receipts(&self) -> Option<WantedReceipts<'_>> {
        self.commitments.as_deref().map(Commitments::wanted)
    }

    fn cost(&self) -> Cost {
        self.settled.cost(self.commitments.as_deref().map_or(0, Commitments::count))
    }
}
