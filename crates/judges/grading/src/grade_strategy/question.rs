//! The question of `/grade-strategy`, parsed once with its bounds.

use std::sync::Arc;

use verdict::{Cost, FieldError, Fields, Question, Table, Timestamp, WantedReceipts};

use crate::committed::Commitments;
use crate::input::{Closes, FIELDS, ImportReport, Input, Settled, one_source, settle_input};
use crate::performance::{Holdings, Stated};

/// The question of `POST /grade-strategy`: a track record in settlement units.
///
/// ```
/// use grading::grade_strategy::GradeQuestion;
/// use receipt::json::parse;
/// use verdict::{Fields, Question};
///
/// let read = |body: &str| {
///     let request = parse(body.as_bytes()).expect("JSON");
///     GradeQuestion::read(&Fields::root(request.as_object().expect("an object")))
/// };
/// let question = read(r#"{"returns": [{"date": "2026-01-31", "r": 0.01}, {"date": "2026-01-30", "r": "-0.02"}]}"#)?;
/// assert_eq!(question.settled.record.units[0].x, -0.02);
///
/// let error = read(r#"{"trades": [{"pnl": 1}, {"settled": true, "size": 0}]}"#).unwrap_err();
/// assert_eq!((error.path.dotted().as_str(), error.reason.code()), ("trades.1.size", "out_of_range"));
/// # Ok::<(), verdict::FieldError>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct GradeQuestion {
    /// The settled record that is graded.
    pub settled: Arc<Settled>,
    pub(super) stated: Stated,
    /// The file that the record was read of; `None` if the caller sent rows.
    pub imported: Option<ImportReport>,
    /// The commitments that the rows name; `None` where they name none.
    pub commitments: Option<Arc<Commitments>>,
    closes: Closes,
}

impl GradeQuestion {
    /// Checks that settled rows have closed by `at`, and that unsettled rows have not.
    ///
    /// # Errors
    /// [`FieldError`] for the first row that breaks this rule.
    pub fn admit(&self, at: Timestamp) -> Result<(), FieldError> {
        self.closes.admit(at)
    }
}

impl Question for GradeQuestion {
    const TABLE: Table = Table::new("GradeQuestion", &[], &FIELDS)
        .describe(
            "A settled track record. A row that lacks what a step of the rule needs is no error: the \
         verdict is then INSUFFICIENT_DATA with the reason FIELDS_MISSING, and says what to add.",
        )
        .with(one_source);

    fn read(fields: &Fields<'_>) -> Result<Self, FieldError> {
        let input = Input::read(fields)?;
        let settled = settle_input(&input)?;
        let days = settled.record.units.iter().map(|unit| unit.day);
        let risk_free = input.risk_free.as_ref().map(|rates| rates.mean_on(days));
        let commitments = Commitments::of(&input.rows).map(Arc::new);
        let stated = Stated { risk_free, holdings: Holdings::of(&input) };
        let imported = input.import.map(|import| import.report);
        Ok(Self { settled: Arc::new(settled), imported, stated, commitments, closes: input.closes })
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
