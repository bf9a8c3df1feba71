//! `/docs` and `/docs/{name}`: the guides of the folder `docs` as pages and as Markdown, and the files that they link.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};

use crate::app::App;
use crate::pages;
use crate::refusal::Refusal;
use crate::routes::{self, PathParameter};

/// A guide.
pub(crate) struct Guide {
    /// Path below `docs`, without `.md`.
    pub(crate) name: &'static str,
    /// The reader and the purpose, in a line.
    pub(crate) about: &'static str,
    pub(crate) markdown: &'static str,
}

impl Guide {
    /// The title, which is its first heading.
    pub(crate) fn title(&self) -> &'static str {
        RENDERED.get(self.name).map_or(self.name, |(title, _)| title)
    }

    /// The path at which the guide is served as Markdown.
    pub(crate) fn markdown_path(&self) -> String {
        format!("/docs/{}.md", self.name)
    }

    /// The folder below `docs` that the guide is in; `None` for `docs` itself.
    fn folder(&self) -> Option<&'static str> {
        self.name.rsplit_once('/').map(|(folder, _)| folder)
    }
}

/// All guides.
pub(crate) fn guides() -> impl Iterator<Item = &'static Guide> {
    GUIDES.iter()
}

/// Embeds a file of the folder `docs`.
macro_rules! guide {
    ($name:literal, $about:literal) => {
        Guide {
            name: $name,
            about: $about,
            markdown: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/", $name, ".md")),
        }
    };
}

/// A file that a guide links: a program, a workflow.
struct File {
    /// Path below `docs`.
    name: &'static str,
    media_type: &'static str,
    text: &'static str,
}

/// Embeds a file of the folder `docs` that is no guide.
macro_rules! linked {
    ($name:literal, $media_type:expr) => {
        File {
            name: $name,
            media_type: $media_type,
            text: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/", $name)),
        }
    };
}

const GUIDES: &[Guide] = &[
    guide!("verifying", "For who was sent a receipt: how to verify it without trusting the notary."),
    guide!("forms", "For developers: a receipt as COSE, as a verifiable credential, for ERC-8004."),
    guide!("recipes", "For developers: how to act on a verdict, and on nothing else."),
    guide!("recipes/tool-output", "Recipe: check a tool's output before you act on it."),
    guide!("recipes/payee", "Recipe: clear a payee before you pay."),
    guide!("recipes/agreement", "Recipe: notarize what an agent agreed to."),
    guide!("recipes/deploy", "Recipe: prove a deploy, with a GitHub Actions workflow."),
    guide!("recipes/frameworks", "Recipe: tools for LangChain, LlamaIndex, OpenAI and Claude."),
    guide!("mcp", "For people with an assistant: the notary as its tools, by one line of configuration."),
    guide!("calling", "For developers: calls, answers, limits, and what the notary keeps."),
    guide!("a2a", "For developers of agents that speak A2A: messages, tasks, payments."),
    guide!("payments", "For developers: how a call is paid for."),
    guide!("errors", "For developers: what each problem means, and what to do."),
    guide!("screening", "Names and wallets on sanctions lists."),
    guide!("clearance", "A counterparty: its name, wallet and domain at once."),
    guide!("trust-score", "Domains: risk and hygiene."),
    guide!("grading", "Track records: an edge, or luck?"),
    guide!("importing", "Track records: exports of platforms."),
    guide!("safety", "Links and texts: scans for what harms an agent."),
    guide!("market", "Companies, filings, federal awards and market stress."),
    guide!("watching", "Watches: to be told when a verdict changes."),
    guide!("disputes", "Disputes: when a verdict seems wrong."),
    guide!("retention", "For callers and operators: what is kept, and for how long."),
    guide!("erasure", "For operators: how a receipt is erased, and what that does not reach."),
    guide!("export", "For operators, agents and auditors: an archive of receipts, and how it is verified."),
    guide!("monitoring-the-log", "For anybody: how to watch that the log only grows, and to mirror it."),
    guide!("operations", "For operators: how to host a notary of your own."),
    guide!("witnesses", "For operators: be witnessed by others, and be a witness for them."),
    guide!("time", "For operators: the clock, and time-stamp tokens over the log."),
    guide!("keys", "For operators: how to rotate and revoke keys."),
];

/// RFC 9512.
const YAML: &str = "application/yaml";
const PLAIN: &str = "text/plain; charset=utf-8";
const PYTHON: &str = "text/x-python; charset=utf-8";
/// RFC 7763.
const MARKDOWN: &str = "text/markdown; charset=utf-8";

const FILES: &[File] = &[
    linked!("verify.py", PYTHON),
    linked!("verify/verify.py", PYTHON),
    linked!("verify/verify.mjs", "text/javascript; charset=utf-8"),
    linked!("verify/verify.go", PLAIN),
    linked!("verify/verify.sh", PLAIN),
    linked!("verify/witnesses.py", PYTHON),
    linked!("verify/times.py", PYTHON),
    linked!("verify/witnessed.go", PLAIN),
    linked!("recipes/notary.py", PYTHON),
    linked!("recipes/scan_output.py", PYTHON),
    linked!("recipes/langchain_tool.py", PYTHON),
    linked!("recipes/llamaindex_tool.py", PYTHON),
    linked!("recipes/openai_tool.py", PYTHON),
    linked!("recipes/claude_tool.py", PYTHON),
    linked!("recipes/prove-deploy.yml", YAML),
];

/// The guides as HTML, rendered once.
static RENDERED: LazyLock<BTreeMap<&str, (String, String)>> = LazyLock::new(|| {
    GUIDES.iter().map(|guide| (guide.name, render(guide.folder(), guide.markdown))).collect()
});

/// The media type and the text of a file that a guide links, or of a guide as Markdown.
fn embedded(name: &str) -> Option<(&'static str, &'static str)> {
    if let Some(file) = FILES.iter().find(|file| file.name == name) {
        return Some((file.media_type, file.text));
    }
    let name = name.strip_suffix(".md")?;
    GUIDES.iter().find(|guide| guide.name == name).map(|guide| (MARKDOWN, guide.markdown))
}

#[derive(Template)]
#[template(path = "docs.html")]
struct DocsPage<'a> {
    notice: Option<&'a str>,
    guides: Vec<(&'a str, &'a str, &'a str)>,
}

#[derive(Template)]
#[template(path = "guide.html")]
struct GuidePage<'a> {
    notice: Option<&'a str>,
    title: &'a str,
    html: &'a str,
}

/// Lists the guides.
pub(super) async fn index(State(app): State<Arc<App>>) -> Result<Response, Refusal> {
    let guides = guides().map(|guide| (guide.name, guide.title(), guide.about)).collect();
    let html = DocsPage { notice: pages::notice(&app), guides }.render().map_err(|_| Refusal::Bug)?;
    Ok(pages::shared(html))
}

/// Shows a guide; or serves it as Markdown, or a file that one links.
pub(super) async fn show(
    State(app): State<Arc<App>>,
    name: Result<PathParameter, Refusal>,
) -> Result<Response, Refusal> {
    let PathParameter(name) = name?;
    if let Some((media_type, text)) = embedded(&name) {
        let mut response = routes::typed(media_type, at(text, app.base_url()), None);
        pages::protect(response.headers_mut(), routes::NO_SCRIPT);
        return Ok(response);
    }
    let (title, html) =
        RENDERED.get(&*name).ok_or(Refusal::not_found("there is no such guide; see /docs"))?;
    let html = at(html, app.base_url());
    let page = GuidePage { notice: pages::notice(&app), title, html: &html };
    Ok(pages::shared(page.render().map_err(|_| Refusal::Bug)?))
}

/// The address in the lines of the guides: that of a notary on one's own machine.
const LOCAL: &str = "http://localhost:8402";

/// A guide with the address of this notary in its lines.
pub(crate) fn at(guide: &str, base_url: &str) -> String {
    guide.replace(LOCAL, base_url)
}

/// Renders Markdown of a folder: its title and its HTML. Headings get anchors as code hosting sites make them; links to other
/// guides lead to their pages, and links to other files of the repository are left out, with their text in place.
fn render(folder: Option<&str>, markdown: &str) -> (String, String) {
    let (mut title, mut events) = (String::new(), Vec::new());
    let mut heading: Option<(HeadingLevel, String, usize)> = None;
    let mut left_out = 0_usize;
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH) {
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                heading = Some((level, String::new(), events.len()));
                events.push(event);
            }
            Event::End(TagEnd::Heading(level)) => {
                if let Some((_, text, at)) = heading.take() {
                    let id = Some(CowStr::from(anchor(&text)));
                    let (classes, attrs) = (Vec::new(), Vec::new());
                    events[at] = Event::Start(Tag::Heading { level, id, classes, attrs });
                    if level == HeadingLevel::H1 {
                        title = text;
                    }
                }
                events.push(event);
            }
            Event::Start(Tag::Link { link_type, dest_url, title, id }) => match address(folder, &dest_url) {
                Some(dest_url) => {
                    events.push(Event::Start(Tag::Link { link_type, dest_url: dest_url.into(), title, id }));
                }
                None => left_out += 1,
            },
            Event::End(TagEnd::Link) if left_out > 0 => left_out -= 1,
            Event::Text(text) | Event::Code(text) if heading.is_some() => {
                if let Some((_, own, _)) = &mut heading {
                    own.push_str(&text);
                }
                events.push(Event::Text(text));
            }
            other => events.push(other),
        }
    }
    let mut rendered = String::new();
    html::push_html(&mut rendered, events.into_iter());
    let wrapped = rendered
        .replace("<table>", "<div class=\"scroll\" tabindex=\"0\"><table>")
        .replace("</table>", "</table></div>");
    (title, wrapped)
}

/// The address of a link in a guide of this folder; `None` for a file that is not served.
fn address(folder: Option<&str>, link: &str) -> Option<String> {
    if link.starts_with("https://") || link.starts_with('#') || link.starts_with('/') {
        return Some(link.to_owned());
    }
    let (file, fragment) = link.split_once('#').map_or((link, None), |(file, rest)| (file, Some(rest)));
    let path = match (folder, file.strip_prefix("../")) {
        (Some(_), Some(above)) => above.to_owned(),
        (Some(folder), None) => format!("{folder}/{file}"),
        (None, _) => file.to_owned(),
    };
    let name = path.strip_suffix(".md").unwrap_or(&path);
    let is_served =
        FILES.iter().any(|file| file.name == name) || GUIDES.iter().any(|guide| guide.name == name);
    let fragment = fragment.map(|rest| format!("#{rest}")).unwrap_or_default();
    is_served.then(|| format!("/docs/{name}{fragment}"))
}

/// The anchor of a heading: lower case, spaces as hyphens, without punctuation.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|sign| sign.is_alphanumeric() || matches!(sign, ' ' | '-' | '_'));
    kept.map(|sign| if sign == ' ' { '-' } else { sign.to_ascii_lowercase() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_have_anchors_and_links_lead_to_what_is_served() {
        let (title, html) = render(
            None,
            "# The guide\n\n## Rate limits\n\n[a](errors.md#rate-limited) [b](../bench/README.md)",
        );
        assert_eq!(title, "The guide");
        assert!(html.contains("<h2 id=\"rate-limits\">"), "{html}");
        assert!(html.contains("href=\"/docs/errors#rate-limited\">a</a> b"), "{html}");
    }

    #[test]
    fn links_of_a_guide_in_a_folder_are_relative_to_it() {
        let links =
            "[a](payee.md) [b](notary.py) [c](../recipes.md#set-up) [d](../../README.md) [e](errors.md)";
        let (_, html) = render(Some("recipes"), links);
        assert!(html.contains("<a href=\"/docs/recipes/payee\">a</a>"), "{html}");
        assert!(html.contains("<a href=\"/docs/recipes/notary.py\">b</a>"), "{html}");
        assert!(html.contains("<a href=\"/docs/recipes#set-up\">c</a> d e"), "{html}");
    }

    #[test]
    fn guides_are_served_as_markdown_too() {
        for path in guides().map(Guide::markdown_path) {
            let (media_type, text) = embedded(path.trim_start_matches("/docs/")).unwrap();
            assert!(media_type == MARKDOWN && text.starts_with("# "), "{path}");
        }
        assert!(embedded("errors").is_none() && embedded("../README.md").is_none());
    }

    #[test]
    fn every_guide_has_a_title_and_a_script_in_none() {
        for guide in GUIDES {
            let (title, html) = &RENDERED[guide.name];
            assert!(!title.is_empty() && !html.contains("<script"), "{}", guide.name);
        }
    }
}
