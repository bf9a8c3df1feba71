//! What a style and the attributes of presentation do to an element's text.

use super::colour::{self, Colour, Transparent};
use super::tag::attributes;

/// What an element's own style says.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Style {
    /// True if the element is not drawn, too small to read, or outside of the page.
    pub(crate) is_hidden: bool,
    pub(crate) colour: Option<Colour>,
    pub(crate) background: Background,
}

/// The background that an element sets.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) enum Background {
    /// That of the element around it.
    #[default]
    Inherited,
    Colour(Colour),
    /// One that cannot be told from the text: a picture, or the rule of a class.
    Unknown,
}

/// The style of a tag's attributes.
pub(crate) fn of_attributes(tag_attributes: &str) -> Style {
    let mut style = Style::default();
    for attribute in attributes(tag_attributes) {
        let is = |name: &str| attribute.name.eq_ignore_ascii_case(name);
        if is("style") {
            declarations(attribute.value, &mut style);
        } else if is("hidden") {
            style.is_hidden |= !attribute.value.eq_ignore_ascii_case("false");
        } else if is("color") {
            style.colour = colour::parse(attribute.value).ok().flatten();
        } else if is("bgcolor") {
            background(attribute.value, &mut style);
        } else if (is("class") || is("id") || is("background")) && style.background == Background::Inherited {
            style.background = Background::Unknown;
        }
    }
    style
}

/// Reads the declarations of a style.
pub(crate) fn declarations(text: &str, style: &mut Style) {
    let mut place = Place::default();
    for declaration in text.split(';') {
        let Some((name, value)) = declaration.split_once(':') else { continue };
        let name = name.trim().to_ascii_lowercase();
        let value = value.trim().trim_end_matches("!important").trim_end().to_ascii_lowercase();
        match name.as_str() {
            "display" => style.is_hidden |= value == "none",
            "visibility" => style.is_hidden |= value == "hidden" || value == "collapse",
            "opacity" => {
                style.is_hidden |=
                    number(&value).is_some_and(|(share, unit)| share <= if unit == "%" { 5.0 } else { 0.05 })
            }
            "font-size" => style.is_hidden |= is_tiny(&value),
            "font" => {
                style.is_hidden |= value.split([' ', '/']).any(|part| part.ends_with("px") && is_tiny(part))
            }
            "color" | "-webkit-text-fill-color" => match colour::parse(&value) {
                Ok(colour) => style.colour = colour,
                Err(Transparent) => style.is_hidden = true,
            },
            "background" | "background-color" => background(&value, style),
            "background-image" => style.background = Background::Unknown,
            "transform" => style.is_hidden |= value.replace(' ', "").contains("scale(0)"),
            "text-indent" => style.is_hidden |= is_far(&value),
            _ => place.note(&name, &value),
        }
    }
    style.is_hidden |= place.is_hidden();
}

/// Where an element stands, and how large it is.
#[derive(Default)]
struct Place {
    is_positioned: bool,
    is_far: bool,
    is_empty: bool,
    cuts_overflow: bool,
    is_clipped: bool,
}

impl Place {
    fn note(&mut self, name: &str, value: &str) {
        match name {
            "position" => self.is_positioned |= matches!(value, "absolute" | "fixed" | "relative"),
            "left" | "right" | "top" | "bottom" => self.is_far |= is_far(value),
            "margin-left" | "margin-top" => {
                self.is_far |= is_far(value);
                self.is_positioned |= self.is_far;
            }
            "width" | "height" | "max-width" | "max-height" => {
                self.is_empty |=
                    number(value).is_some_and(|(size, unit)| size <= 1.0 && matches!(unit, "" | "px"));
            }
            "overflow" => self.cuts_overflow |= value == "hidden" || value == "clip",
            "clip" => self.is_clipped |= value.replace([' ', ','], "").contains("rect(0"),
            "clip-path" => self.is_clipped |= value.contains("inset(50%") || value.contains("inset(100%"),
            _ => {}
        }
    }

    fn is_hidden(&self) -> bool {
        (self.is_positioned && (self.is_far || self.is_clipped)) || (self.is_empty && self.cuts_overflow)
    }
}

/// The number at the start of a value, and its unit.
fn number(value: &str) -> Option<(f32, &str)> {
    let end = value
        .find(|character: char| !matches!(character, '0'..='9' | '.' | '-' | '+'))
        .unwrap_or(value.len());
    let number = value[..end].parse().ok()?;
    Some((number, value[end..].trim()))
}

/// True for a size of text that nobody can read.
fn is_tiny(value: &str) -> bool {
    number(value).is_some_and(|(size, unit)| {
        size >= 0.0
            && match unit {
                "" => size == 0.0,
                "px" | "pt" => size <= 1.0,
                "%" => size <= 5.0,
                _ => size <= 0.05,
            }
    })
}

/// True for a distance that moves an element off the page.
fn is_far(value: &str) -> bool {
    number(value).is_some_and(|(distance, unit)| match unit {
        "" | "px" | "pt" => distance <= -900.0,
        "%" => distance <= -100.0,
        "em" | "rem" | "vw" | "vh" | "ch" => distance <= -50.0,
        _ => false,
    })
}

fn background(value: &str, style: &mut Style) {
    let first = value.split_whitespace().next().unwrap_or_default();
    match colour::parse(if value.starts_with("rgb") { value } else { first }) {
        Ok(Some(colour)) => style.background = Background::Colour(colour),
        Ok(None) if !matches!(first, "" | "none" | "inherit" | "initial") => {
            style.background = Background::Unknown
        }
        Ok(None) | Err(Transparent) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_hidden(style: &str) -> bool {
        of_attributes(&format!("style=\"{style}\"")).is_hidden
    }

    #[test]
    fn styles_that_hide_are_known() {
        for style in [
            "display:none",
            "display: NONE !important",
            "color:red;visibility: hidden",
            "opacity:0",
            "opacity: 0.01",
            "font-size:0",
            "font-size:1px",
            "font-size: 0.1px",
            "font:0px/0 a",
            "color:transparent",
            "color:rgba(0,0,0,0)",
            "position:absolute;left:-9999px",
            "position:fixed;top:-100vh",
            "text-indent:-9999px",
            "max-height:0;overflow:hidden",
            "width:0;height:0;overflow:hidden",
            "position:absolute;clip:rect(0, 0, 0, 0)",
            "transform:scale(0)",
            "margin-left:-9999px",
        ] {
            assert!(is_hidden(style), "{style}");
        }
        assert!(of_attributes(" hidden").is_hidden && of_attributes("HIDDEN=''").is_hidden);
    }

    #[test]
    fn ordinary_styles_do_not_hide() {
        for style in [
            "display:block",
            "font-size:10px",
            "font-size:1em",
            "font-size:1rem",
            "opacity:1",
            "opacity:.5",
            "left:-10px",
            "position:absolute;left:10px",
            "width:1px",
            "height:0",
            "color:#fff",
            "overflow:hidden",
            "text-indent:-2em",
            "",
            ";;:",
            "é:é",
            "line-height:0",
            "font:12px/1 a",
            "margin:0",
            "display",
        ] {
            assert!(!is_hidden(style), "{style}");
        }
        assert!(!of_attributes("aria-hidden=true class=hidden").is_hidden);
    }
}
