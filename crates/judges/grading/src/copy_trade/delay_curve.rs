//! The adverse move of prices by the time that passes before the copier's fill.

use receipt::json::{Json, Path};
use serde_json::{Value, json};
use verdict::{Array, Field, FieldError, Fields, Reason};

use super::costs::LONGEST_LATENCY;
use crate::input::{Row, bounded};

/// Maximum number of points of a curve.
pub const MOST_POINTS: usize = 64;

const CURVE: Field<Array> = Field::array("delay_curve", 0..=MOST_POINTS, schema);

/// Mean adverse moves of the price, measured at several delays after the trader's fill (implementation shortfall, Perold 1988).
#[derive(Clone, PartialEq, Debug)]
pub struct DelayCurve(Vec<Point>);

#[derive(Clone, Copy, PartialEq, Debug)]
struct Point {
    seconds: f64,
    /// A fraction of the price, above 0 against the copier.
    drift: f64,
}

impl DelayCurve {
    /// Reads the member `delay_curve`; `None` if it is absent.
    ///
    /// # Errors
    /// [`FieldError`] for the first point that is wrong, or does not come after the one before it.
    pub fn read(fields: &Fields<'_>) -> Result<Option<Self>, FieldError> {
        if fields.value(CURVE.name).is_none_or(Json::is_null) {
            return Ok(None);
        }
        let rows = fields.array(&CURVE, "points")?.unwrap_or_default();
        let mut points: Vec<Point> = Vec::new();
        for (index, row) in rows.iter().enumerate() {
            let inside = |error| inside(fields, index, error);
            let point = point(row).map_err(inside)?;
            if points.last().is_some_and(|last| last.seconds >= point.seconds) {
                return Err(inside(error(
                    "seconds",
                    Reason::Contradictory,
                    "must be above that of the point before",
                )));
            }
            points.push(point);
        }
        Ok(Some(Self(points)))
    }

    /// The move within that delay, between two points along a line; `None` before the first point and after the last.
    pub fn at(&self, seconds: f64) -> Option<f64> {
        let after = self.0.iter().position(|point| point.seconds >= seconds)?;
        let right = self.0.get(after)?;
        if right.seconds == seconds {
            return Some(right.drift);
        }
        let left = self.0.get(after.checked_sub(1)?)?;
        let share = (seconds - left.seconds) / (right.seconds - left.seconds);
        Some(left.drift + share * (right.drift - left.drift))
    }
}

fn error(name: &str, reason: Reason, detail: &str) -> FieldError {
    let mut path = Path::root();
    path.push_name(name);
    FieldError { path, reason, detail: detail.to_owned() }
}

fn point(row: &Json) -> Result<Point, FieldError> {
    let Json::Object(object) = row else {
        let detail = "must be an object with `seconds` and `drift`".to_owned();
        return Err(FieldError { path: Path::root(), reason: Reason::WrongType, detail });
    };
    let row = Row(Fields::root(object));
    let required = |name, least: f64, most: f64| {
        let detail = format!("must be {least} to {most}");
        let number = row.within(name, |number| (least..=most).contains(&number), &detail)?;
        number.ok_or_else(|| row.missing(name))
    };
    Ok(Point { seconds: required("seconds", 0.0, LONGEST_LATENCY)?, drift: required("drift", -1.0, 1.0)? })
}

/// The error of a point, its path within the request.
fn inside(fields: &Fields<'_>, index: usize, error: FieldError) -> FieldError {
    let mut path = fields.error(CURVE.name, error.reason, "").path;
    path.push_index(index);
    error.path.segments().iter().for_each(|segment| path.push(segment.clone()));
    FieldError { path, ..error }
}

/// The schema of the member.
pub fn schema() -> Value {
    json!({
        "type": ["array", "null"],
        "description": "The mean adverse move of the price by the seconds after the trader's fill, in order of `seconds`. The move at \
                        `latency_seconds` lies on a line between two points; a latency before the first or after the last is not known.",
        "maxItems": MOST_POINTS,
        "items": {
            "type": "object",
            "required": ["seconds", "drift"],
            "properties": {
                "seconds": { "oneOf": bounded(0.0, LONGEST_LATENCY, "0|[1-9][0-9]{0,4}"), "description": "From the trader's fill." },
                "drift": { "oneOf": bounded(-1.0, 1.0, "-?0"), "description": "A fraction of the price, above 0 against the copier." },
            },
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drift_lies_on_the_line_between_points_and_is_unknown_beyond_them() {
        let point = |seconds, drift| Point { seconds, drift };
        let curve = DelayCurve(vec![point(1.0, 0.0), point(3.0, 0.002), point(10.0, 0.001)]);
        let near = |found: Option<f64>, drift: f64| assert!((found.unwrap() - drift).abs() < 1e-15);
        near(curve.at(1.0), 0.0);
        near(curve.at(2.0), 0.001);
        near(curve.at(6.5), 0.0015);
        near(curve.at(10.0), 0.001);
        assert_eq!((curve.at(0.5), curve.at(10.5), DelayCurve(Vec::new()).at(1.0)), (None, None, None));
    }
}
