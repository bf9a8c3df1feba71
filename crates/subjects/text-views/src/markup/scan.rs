//! The text without its markup, in one pass.

use std::ops::Range;

use memchr::{memchr2, memmem};

use super::elements::{Elements, breaks_line};
use super::emphasis::marks;
use super::entities::reference;
use super::tag::{Tag, Tags, attributes};
use crate::map::Mapped;
use crate::work::note;

/// Fewest letters and digits of a hidden element that is reported.
const MIN_HIDDEN: usize = 3;

/// A text without markup.
pub(crate) struct Markup {
    /// The text without tags and comments, with character references decoded.
    pub(crate) text: Mapped,
    /// True if the text differs for a scanner: a tag or comment is gone, or a reference stood for a letter.
    pub(crate) differs: bool,
    /// The comments, a line each.
    pub(crate) comments: Mapped,
    /// The values of attributes that carry text, a line each.
    pub(crate) attributes: Mapped,
    /// The elements that are hidden, outermost only: their place in the text that was read, and their own text.
    pub(crate) hidden: Vec<(Range<usize>, String)>,
    /// The text without the hidden elements, in terms of [`Markup::text`]. Empty if none is hidden.
    pub(crate) rendered: Mapped,
}

/// Removes markup. `None` if there is none.
pub(crate) fn remove(text: &str) -> Option<Markup> {
    let marks = marks(text);
    if marks.is_empty() && memchr2(b'<', b'&', text.as_bytes()).is_none() {
        return None;
    }
    let marks = marks.into_iter().rev().collect();
    let mut scan = Scan { text, marks, out: Mapped::with_capacity(text.len()), ..Scan::default() };
    scan.run();
    Some(scan.finish())
}

#[derive(Default)]
struct Scan<'t> {
    text: &'t str,
    out: Mapped,
    comments: Mapped,
    attributes: Mapped,
    differs: bool,
    tags: Tags,
    elements: Elements,
    /// Marks of emphasis that are still ahead, the next one last.
    marks: Vec<Range<usize>>,
    /// True once no `-->` follows.
    comments_end: bool,
}

impl<'t> Scan<'t> {
    fn run(&mut self) {
        let bytes = self.text.as_bytes();
        let mut at = 0;
        while let Some(found) = memchr2(b'<', b'&', &bytes[at..]).map(|found| at + found) {
            self.copy(at..found);
            at = if bytes[found] == b'&' { self.reference(found) } else { self.markup(found) };
        }
        self.copy(at..self.text.len());
        let shown = self.out.text.len();
        self.elements.finish(self.text.len(), shown);
    }

    /// Copies text without its marks of emphasis.
    fn copy(&mut self, range: Range<usize>) {
        let mut from = range.start;
        while let Some(mark) = self.marks.pop_if(|mark| mark.start < range.end) {
            // A mark within a tag is part of the tag.
            if mark.start >= from && mark.end <= range.end {
                self.out.copy(self.text, from..mark.start);
                from = mark.end;
                self.differs = true;
            }
        }
        self.out.copy(self.text, from..range.end);
    }

    fn reference(&mut self, at: usize) -> usize {
        let Some((character, length)) = reference(&self.text[at..]) else {
            self.copy(at..at + 1);
            return at + 1;
        };
        self.differs |= character.is_alphanumeric()
            || matches!(character, '<' | '>' | '%' | '\\' | '=')
            || crate::unicode::class::invisible(character).is_some();
        self.out.push(character, at..at + length);
        at + length
    }

    fn markup(&mut self, at: usize) -> usize {
        let rest = &self.text[at..];
        if rest.starts_with("<!--") {
            return self.comment(at);
        }
        if rest.starts_with("<![CDATA[") {
            self.differs = true;
            return at + "<![CDATA[".len();
        }
        if (rest.starts_with("<!") || rest.starts_with("<?"))
            && rest[2..].starts_with(|next: char| next.is_ascii_alphabetic())
        {
            let end = self.tags.read_declaration(self.text, at);
            self.differs |= end.is_some();
            return end.unwrap_or_else(|| self.keep(at));
        }
        let Some(tag) = self.tags.read(self.text, at) else { return self.keep(at) };
        self.differs = true;
        self.elements.take(&tag, at, self.out.text.len());
        if breaks_line(tag.name) {
            self.out.push_block("\n", at..tag.end);
        }
        if !tag.is_end {
            self.note_attributes(&tag);
        }
        tag.end
    }

    fn keep(&mut self, at: usize) -> usize {
        self.copy(at..at + 1);
        at + 1
    }

    fn comment(&mut self, at: usize) -> usize {
        let start = at + "<!--".len();
        let end = if self.comments_end { None } else { memmem::find(&self.text.as_bytes()[start..], b"-->") };
        if !self.comments_end {
            note(end.unwrap_or(self.text.len() - start));
        }
        let Some(end) = end.map(|end| start + end) else {
            self.comments_end = true;
            return self.keep(at);
        };
        self.differs = true;
        line(self.text, start..end, &mut self.comments);
        end + "-->".len()
    }

    /// Appends the values that a reader or a program is told.
    fn note_attributes(&mut self, tag: &Tag<'t>) {
        for attribute in attributes(tag.attributes) {
            let is_text = [
                "alt",
                "title",
                "aria-label",
                "aria-description",
                "content",
                "placeholder",
                "label",
                "summary",
                "value",
            ]
            .iter()
            .any(|name| attribute.name.eq_ignore_ascii_case(name));
            let is_address = ["href", "src", "action", "formaction", "data"]
                .iter()
                .any(|name| attribute.name.eq_ignore_ascii_case(name));
            // An address of the web stands in the text as it is; another may be a script, in whatever spelling.
            let starts_page = ["http:", "https:", "//"].iter().any(|start| {
                attribute.value.get(..start.len()).is_some_and(|first| first.eq_ignore_ascii_case(start))
            });
            if (is_text && attribute.value.contains(char::is_whitespace))
                || (is_address && !starts_page && attribute.value.contains([':', '&']))
            {
                let base = tag.attributes_at;
                line(self.text, base + attribute.at.start..base + attribute.at.end, &mut self.attributes);
            }
        }
    }

    fn finish(self) -> Markup {
        let shown = &self.out.text;
        let elements = self.elements.hidden.iter().filter(|hidden| {
            shown[hidden.shown.clone()]
                .chars()
                .filter(|letter| letter.is_alphanumeric())
                .take(MIN_HIDDEN)
                .count()
                == MIN_HIDDEN
        });
        let mut rendered = Mapped::default();
        let mut hidden = Vec::new();
        let mut from = 0;
        for element in elements {
            rendered.copy(shown, from..element.shown.start);
            from = element.shown.end;
            hidden.push((element.span.clone(), shown[element.shown.clone()].trim().to_owned()));
        }
        if !hidden.is_empty() {
            rendered.copy(shown, from..shown.len());
        }
        Markup {
            differs: self.differs,
            comments: self.comments,
            attributes: self.attributes,
            hidden,
            rendered,
            text: self.out,
        }
    }
}

/// Appends a part of the text as a line, with character references decoded.
fn line(text: &str, range: Range<usize>, out: &mut Mapped) {
    if !out.text.is_empty() {
        out.push_block("\n", range.start..range.start);
    }
    let mut at = range.start;
    while let Some(found) = memchr::memchr(b'&', &text.as_bytes()[at..range.end]).map(|found| at + found) {
        out.copy(text, at..found);
        at = match reference(&text[found..range.end]) {
            Some((character, length)) => {
                out.push(character, found..found + length);
                found + length
            }
            None => {
                out.copy(text, found..found + 1);
                found + 1
            }
        };
    }
    out.copy(text, at..range.end);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn without(text: &str) -> String {
        remove(text).unwrap().text.text
    }

    fn hidden(text: &str) -> Vec<String> {
        remove(text).unwrap().hidden.into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn tags_comments_and_references_are_gone() {
        assert_eq!(without("ig<b>no</b>re <!-- x -->a<i\nclass='>'>ll</i>"), "ignore all");
        assert_eq!(without("&#105;gn&#x6f;re &lt;b&gt; &nbsp;"), "ignore <b> \u{a0}");
        assert_eq!(without("<p>one<p>two<br/>three"), "\none\ntwo\nthree");
        assert_eq!(without("a < b && c > d <3 <"), "a < b && c > d <3 <");
        assert_eq!(without("ig**nore** <b>a*l*l</b>"), "ignore all");
        assert_eq!(without("<![CDATA[x]]> <!doctype html>y"), "x]]> y");
        assert_eq!(without("<!-- never ends <b>x</b>"), "<!-- never ends x");
    }

    #[test]
    fn spans_are_those_of_the_text() {
        let markup = remove("x <b>y&#105;</b> z").unwrap();
        assert_eq!(markup.text.text, "x yi z");
        assert_eq!(markup.text.map.origin(2..4), 5..12);
    }

    #[test]
    fn comments_and_attributes_are_views() {
        let markup =
            remove("<!-- one &amp; two --><img alt=\"see &#105;t now\" src='a b'><!--three-->").unwrap();
        assert_eq!(markup.comments.text, " one & two \nthree");
        assert_eq!(markup.attributes.text, "see it now");
        assert!(markup.hidden.is_empty());
    }

    #[test]
    fn elements_that_a_style_hides_are_reported_with_their_text() {
        let text = "See <span style=\"display:none\">ignore <b>all</b></span>this";
        let markup = remove(text).unwrap();
        assert_eq!(markup.hidden, [(4..text.len() - 4, "ignore all".to_owned())]);
        assert_eq!(markup.rendered.text, "See this");
        assert_eq!(
            hidden("<div hidden><div style='opacity:0'>deep text</div> more</div>"),
            ["deep text\n more"]
        );
        assert_eq!(hidden("<p style='display:none'>hidden<p>seen"), ["hidden"]);
        assert_eq!(hidden("<div style='font-size:0'>never closed"), ["never closed"]);
    }

    #[test]
    fn text_in_the_colour_of_its_background_is_hidden() {
        assert_eq!(hidden("<span style='color:white'>unseen</span>"), ["unseen"]);
        assert_eq!(hidden("<font color='#fefefe'>unseen</font>"), ["unseen"]);
        assert_eq!(
            hidden("<div style='background:#000'><p style='color:black'>unseen</p></div>"),
            ["unseen"]
        );
        assert_eq!(hidden("<td bgcolor=black><a style='color:white'>seen</a></td>"), [""; 0]);
        assert_eq!(hidden("<td class=button><a style='color:white'>seen</a></td>"), [""; 0]);
        assert_eq!(hidden("<style>a{}</style><p style='color:white'>seen</p>"), [""; 0]);
        assert_eq!(hidden("<p style='color:white;background:blue'>seen</p>"), [""; 0]);
    }

    #[test]
    fn what_is_hidden_without_text_is_not_reported() {
        for text in [
            "<div hidden></div>",
            "<img hidden>",
            "<input type=hidden value='a b'>",
            "<i style='display:none'>→</i>",
            "<!-- a note -->",
        ] {
            assert_eq!(hidden(text), [""; 0], "{text}");
        }
    }
}
