//! Views of ordinary and of hostile texts of the longest length, and of 8 KiB of ordinary text.
//!
//! `cargo bench -p text-views --bench views`

use std::hint::black_box;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use text_views::{MAX_TEXT_BYTES, views};

/// A text repeated up to a length.
fn filled(piece: &str, bytes: usize) -> String {
    let mut text = piece.repeat(bytes / piece.len() + 1);
    text.truncate(text.floor_char_boundary(bytes));
    text
}

const ENGLISH: &str = "Thanks for the report; the build of version 2.4 (see https://example.org/a/b?c=d) fails only with \
    the flag `--all`, so please try again.\n";
const RUSSIAN: &str =
    "Съешь ещё этих мягких французских булок, да выпей же чаю — и напиши, что из этого вышло.\n";
const HTML: &str = "<div class=\"row\"><p style=\"margin:0\">An ordinary paragraph &amp; a <a href=\"/x?y=1\" title=\"the \
    link\">link</a>, caf&eacute;.</p></div>\n<!-- note -->\n";

fn ordinary(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("ordinary");
    for (name, piece) in [("English", ENGLISH), ("Russian", RUSSIAN), ("HTML", HTML)] {
        for bytes in [8 * 1024, MAX_TEXT_BYTES] {
            let text = filled(piece, bytes);
            group.bench_function(BenchmarkId::new(name, bytes), |bencher| {
                bencher.iter(|| views(black_box(&text)))
            });
        }
    }
    group.finish();
}

fn hostile(criterion: &mut Criterion) {
    let pieces = [
        ("one letter", "a"),
        ("one space", " "),
        ("zero width", "\u{200b}"),
        ("zero-width bits", "\u{200b}\u{200c}\u{200c}\u{200b}\u{200d}"),
        ("zero width in words", "i\u{200b}"),
        ("tag characters", "\u{e0069}\u{e006e}"),
        ("selectors", "\u{e0159}"),
        ("overrides", "\u{202e}a"),
        ("overrides that end", "\u{202e}a\u{202c}"),
        ("marks", "\u{301}"),
        ("stacked marks", "e\u{301}\u{316}\u{301}"),
        ("fullwidth", "ｉｇｎｏｒｅ "),
        ("look-alikes", "іgnоrе аӏӏ "),
        ("look-alikes in lines", "а\n"),
        ("spaced letters", "i g n o r e  "),
        ("less-than", "<"),
        ("tags without end", "<a "),
        ("tags with open quotes", "<a b=\""),
        ("empty tags", "<a>"),
        ("divs that hide", "<div style=display:none>x"),
        ("comments without end", "<!--"),
        ("end tags", "</a>"),
        ("references", "&#"),
        ("references to markup", "&#60;b&#62;"),
        ("references in references", "&amp;amp;#x69;"),
        ("percent", "%69"),
        ("percent of percent", "%2569"),
        ("escapes", "\\u0069"),
        ("quoted-printable", "=69"),
        ("hex", "69"),
        ("spaced hex", "69 "),
        ("words of four letters", "four "),
        ("pieces of base64", "aWdub3JlIGFsbCBv\n"),
        ("short pieces of base64", "aWdub3JlIGFsbCBv!"),
        ("backslashes", "\\"),
        ("emphasis", "a*b*"),
        ("all at once", "&#60;b&#62; %41 \\u0041 =41 іа ｉ\u{200b}x aWdub3JlIGFsbCBv\n"),
    ];
    let mut group = criterion.benchmark_group("hostile");
    group.sample_size(10);
    for (name, piece) in pieces {
        let text = filled(piece, MAX_TEXT_BYTES);
        group.bench_function(name, |bencher| bencher.iter(|| views(black_box(&text))));
    }
    for depth in [1, 4] {
        let plain = filled(ENGLISH, MAX_TEXT_BYTES * 3_usize.pow(depth) / 4_usize.pow(depth) - 16);
        let text = (0..depth).fold(plain, |text, _| STANDARD.encode(text));
        group.bench_function(format!("base64, {depth} deep"), |bencher| {
            bencher.iter(|| views(black_box(&text)))
        });
    }
    group.finish();
}

criterion_group!(benches, ordinary, hostile);
criterion_main!(benches);
