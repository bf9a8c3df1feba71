//! Colours of CSS, as far as they are written in a style or an attribute.

/// Red, green and blue, 0 to 255 each.
pub(crate) type Colour = [u8; 3];

/// White, the background of a page that sets none.
pub(crate) const WHITE: Colour = [255; 3];

const NAMES: &[(&str, Colour)] = &[
    ("white", WHITE),
    ("black", [0; 3]),
    ("snow", [255, 250, 250]),
    ("ivory", [255, 255, 240]),
    ("ghostwhite", [248, 248, 255]),
    ("floralwhite", [255, 250, 240]),
    ("whitesmoke", [245; 3]),
    ("azure", [240, 255, 255]),
    ("mintcream", [245, 255, 250]),
    ("red", [255, 0, 0]),
    ("blue", [0, 0, 255]),
    ("green", [0, 128, 0]),
    ("lime", [0, 255, 0]),
    ("yellow", [255, 255, 0]),
    ("gray", [128; 3]),
    ("grey", [128; 3]),
    ("silver", [192; 3]),
    ("navy", [0, 0, 128]),
];

/// The colour of a value; `Err` if it is transparent, `Ok(None)` if it cannot be told.
pub(crate) fn parse(value: &str) -> Result<Option<Colour>, Transparent> {
    let value = value.trim();
    if let Some(digits) = value.strip_prefix('#') {
        return hexadecimal(digits);
    }
    if let Some(arguments) = function(value, "rgba").or_else(|| function(value, "rgb")) {
        return rgb(arguments);
    }
    if value.eq_ignore_ascii_case("transparent") {
        return Err(Transparent);
    }
    Ok(NAMES.iter().find(|(name, _)| value.eq_ignore_ascii_case(name)).map(|(_, colour)| *colour))
}

/// A colour that is not seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Transparent;

/// True if text of one colour cannot be read on the other: no channel differs by more than 16 of 255.
pub(crate) fn is_same(text: Colour, background: Colour) -> bool {
    text.iter().zip(background).all(|(one, other)| one.abs_diff(other) <= 16)
}

fn function<'t>(value: &'t str, name: &str) -> Option<&'t str> {
    let head = value.get(..name.len()).filter(|head| head.eq_ignore_ascii_case(name))?;
    value[head.len()..].trim_start().strip_prefix('(')?.strip_suffix(')')
}

fn hexadecimal(digits: &str) -> Result<Option<Colour>, Transparent> {
    let values: Option<Vec<u8>> =
        digits.chars().map(|digit| digit.to_digit(16).and_then(|value| u8::try_from(value).ok())).collect();
    match values.as_deref() {
        Some([_, _, _, 0] | [_, _, _, _, _, _, 0, 0]) => Err(Transparent),
        Some([r, g, b] | [r, g, b, _]) => Ok(Some([r * 17, g * 17, b * 17])),
        Some([r, s, g, h, b, c] | [r, s, g, h, b, c, _, _]) => Ok(Some([r * 16 + s, g * 16 + h, b * 16 + c])),
        _ => Ok(None),
    }
}

fn rgb(arguments: &str) -> Result<Option<Colour>, Transparent> {
    let parts: Vec<&str> = arguments.split([',', '/', ' ']).filter(|part| !part.is_empty()).take(5).collect();
    let channel = |part: &str| match part.strip_suffix('%') {
        Some(share) => share.parse().ok().map(|share: f32| (share * 2.55).clamp(0.0, 255.0) as u8),
        None => part.parse().ok().map(|value: f32| value.clamp(0.0, 255.0) as u8),
    };
    if let Some(alpha) = parts.get(3) {
        let (number, scale) = alpha.strip_suffix('%').map_or((*alpha, 1.0), |share| (share, 100.0));
        if number.parse().is_ok_and(|alpha: f32| alpha / scale <= 0.05) {
            return Err(Transparent);
        }
    }
    match parts[..] {
        [r, g, b, ..] => Ok(channel(r).zip(channel(g)).zip(channel(b)).map(|((r, g), b)| [r, g, b])),
        _ => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_read_in_every_spelling() {
        for white in [
            "#fff",
            "#FFFFFF",
            "white",
            "rgb(255,255,255)",
            "RGB( 100% 100% 100% )",
            " #ffff ",
            "rgba(255,255,255,1)",
        ] {
            assert_eq!(parse(white), Ok(Some(WHITE)), "{white}");
        }
        for transparent in ["transparent", "#fff0", "#12345600", "rgba(0,0,0,0)", "rgb(0 0 0 / 0%)"] {
            assert_eq!(parse(transparent), Err(Transparent), "{transparent}");
        }
        for unknown in ["", "#", "#12", "var(--x)", "rgb(", "rgb()", "#éé", "inherit"] {
            assert_eq!(parse(unknown), Ok(None), "{unknown}");
        }
        assert!(is_same(WHITE, [250, 250, 245]) && !is_same(WHITE, [230, 230, 230]));
    }
}
