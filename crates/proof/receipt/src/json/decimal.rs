//! Decimal numbers as their digits say, without a float: the value of a JSON number's text is
//! ± 0.d₁d₂…dₙ × 10^point, with d₁ and dₙ not zero, or it is zero.

/// The most zeros that [`Decimal::plain`] may add to the digits that are there. The greatest double has 309 digits
/// and the least starts in the 324th place, so whatever a double can stand for is within this.
const MAX_PADDING: i64 = 400;

/// A decimal value that borrows its digits from the text of a number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Decimal<'a> {
    negative: bool,
    /// The significant digits; a decimal point may be among them.
    digits: &'a [u8],
    /// The number of significant digits; 0 for zero.
    len: usize,
    /// The power of ten of the place before the first digit.
    point: i64,
}

impl<'a> Decimal<'a> {
    /// Reads the text of a JSON number (RFC 8259 section 6), which the caller has checked.
    pub(super) fn of(text: &'a str) -> Self {
        let (negative, text) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, exponent) = match text.find(['e', 'E']) {
            Some(at) => (&text[..at], parse_exponent(&text[at + 1..])),
            None => (text, 0),
        };
        let mantissa = mantissa.as_bytes();
        let point_at = mantissa.iter().position(|byte| *byte == b'.').unwrap_or(mantissa.len());
        let significant = |byte: &u8| *byte != b'0' && *byte != b'.';
        let (Some(first), Some(last)) =
            (mantissa.iter().position(significant), mantissa.iter().rposition(significant))
        else {
            return Self { negative, digits: &[], len: 0, point: 0 };
        };
        let digits = &mantissa[first..=last];
        let has_point = first < point_at && point_at < last;
        // Digits before the point count up from it; zeros after it, and before the first digit, count down.
        let place = if first < point_at { to_i64(point_at - first) } else { -to_i64(first - point_at - 1) };
        Self {
            negative,
            digits,
            len: digits.len() - usize::from(has_point),
            point: exponent.saturating_add(place),
        }
    }

    pub(super) fn is_zero(&self) -> bool {
        self.len == 0
    }

    /// Returns true if every such value is its own shortest form as a double. A double holds any 15 significant
    /// digits within its normal range, and no two decimals of at most 15 digits share a double, so the shortest
    /// digits that read back as that double are these.
    pub(super) fn is_surely_exact(&self) -> bool {
        self.is_zero() || (self.len <= 15 && (-290..=300).contains(&self.point))
    }

    /// Returns true if the two texts stand for one value. Zero has no sign here.
    pub(super) fn equals(&self, other: &Decimal<'_>) -> bool {
        if self.is_zero() || other.is_zero() {
            return self.is_zero() && other.is_zero();
        }
        self.negative == other.negative
            && self.point == other.point
            && self.len == other.len
            && self.digits().eq(other.digits())
    }

    fn digits(&self) -> impl Iterator<Item = u8> + use<'a> {
        self.digits.iter().copied().filter(|byte| *byte != b'.')
    }

    /// The value written out without an exponent, a leading `+`, or zeros that say nothing: `100`, `0.1`,
    /// `-2.5`, `0`. `None` where that takes more than [`MAX_PADDING`] zeros.
    pub(super) fn plain(&self) -> Option<String> {
        if self.is_zero() {
            return Some("0".to_owned());
        }
        let len = to_i64(self.len);
        let padding = if self.point <= 0 { -self.point } else { (self.point - len).max(0) };
        if padding > MAX_PADDING {
            return None;
        }
        let zeros = usize::try_from(padding).expect("between 0 and MAX_PADDING");
        let mut text = String::with_capacity(self.len + zeros + 3);
        if self.negative {
            text.push('-');
        }
        if self.point <= 0 {
            text.push_str("0.");
            text.extend(std::iter::repeat_n('0', zeros));
            text.extend(self.digits().map(char::from));
        } else {
            let before = usize::try_from(self.point.min(len)).expect("between 1 and len");
            text.extend(self.digits().take(before).map(char::from));
            text.extend(std::iter::repeat_n('0', zeros));
            if before < self.len {
                text.push('.');
                text.extend(self.digits().skip(before).map(char::from));
            }
        }
        Some(text)
    }
}

/// The exponent's value, held within ± 10^17, which is past every length that a text can have.
fn parse_exponent(text: &str) -> i64 {
    const FAR: i64 = 100_000_000_000_000_000;
    let (sign, digits) = match text.as_bytes() {
        [b'-', rest @ ..] => (-1, rest),
        [b'+', rest @ ..] => (1, rest),
        rest => (1, rest),
    };
    let mut value: i64 = 0;
    for digit in digits {
        value = value * 10 + i64::from(digit - b'0');
        if value > FAR {
            return sign * FAR;
        }
    }
    sign * value
}

fn to_i64(length: usize) -> i64 {
    i64::try_from(length).expect("a text in memory is shorter than 2^63 bytes")
}
