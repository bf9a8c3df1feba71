//! Secrets known by the name they are assigned to: one parser of assignments and one table of names and value shapes.

use std::ops::Range;

/// Characters that a value may have.
#[derive(Clone, Copy)]
pub(crate) enum Charset {
    /// `0-9a-f`, either case.
    Hex,
    /// Letters and digits.
    Alnum,
    /// Letters, digits and `_ = . + / ~ - | !`.
    Token,
    /// 8-4-4-4-12 hexadecimal digits.
    Uuid,
}

/// A row: names of a provider, and the values that its secrets have.
pub(crate) struct Named {
    /// Lower-case parts of names.
    pub names: &'static [&'static str],
    /// Characters of the value.
    pub charset: Charset,
    /// Shortest and longest value, in bytes.
    pub length: (usize, usize),
    /// True for parts of names that mean a secret of any provider, which may stand within a word: `apikey`.
    pub is_generic: bool,
}

const fn named(names: &'static [&'static str], charset: Charset, low: usize, high: usize) -> Named {
    Named { names, charset, length: (low, high), is_generic: false }
}

const fn generic(row: Named) -> Named {
    Named { is_generic: true, ..row }
}

/// The table of names.
pub(crate) static NAMED: &[Named] = &[
    named(
        &[
            "adafruit",
            "airtable",
            "algolia",
            "asana",
            "bittrex",
            "codecov",
            "confluent",
            "contentful",
            "discord",
            "dropbox",
            "etsy",
            "fastly",
            "finicity",
            "freshbooks",
            "kraken",
            "kucoin",
            "launchdarkly",
            "linkedin",
            "mattermost",
            "mapbox",
            "netlify",
            "nytimes",
            "new-york-times",
            "newyorktimes",
            "okta",
            "rapidapi",
            "sendbird",
            "squarespace",
            "sumo",
            "travis",
            "trello",
            "twitter",
            "cohere",
            "co_api_key",
            "beamer",
            "gitter",
            "jfrog",
            "artifactory",
            "bitbucket",
            "coinbase",
            "cloudflare",
            "datadog",
            "droneci",
            "atlassian",
            "jira",
            "confluence",
            "lob",
            "plaid",
            "snyk",
            "twitch",
            "yandex",
            "zendesk",
            "typeform",
            "messagebird",
            "sonar",
            "looker",
            "freemius",
            "polymarket",
            "intercom",
            "shopify",
            "mailgun",
            "linear",
            "digitalocean",
            "openai",
            "vercel",
            "azure",
            "settlemint",
            "meraki",
            "maxmind",
            "facebook",
            "hashicorp",
            "gocardless",
            "adobe",
            "sentry",
            "telegram",
            "telegr",
            "aws_secret",
            "aws_session",
            "private_ai",
            "privateai",
            "private-ai",
            "sourcegraph",
            "rapid-api",
        ],
        Charset::Token,
        15,
        90,
    ),
    named(
        &[
            "heroku",
            "snyk",
            "sendbird",
            "intra42",
            "messagebird",
            "message-bird",
            "linear",
            "sentry",
            "newrelic",
            "plaid",
            "infracost",
            "cloudant",
        ],
        Charset::Uuid,
        36,
        36,
    ),
    named(
        &[
            "facebook",
            "meraki",
            "privateai",
            "softlayer",
            "cloudant",
            "sourcegraph",
            "hubspot",
            "mailchimp",
            "sidekiq",
            "bundle_enterprise__contribsys__com",
            "bundle_gems__contribsys__com",
        ],
        Charset::Hex,
        16,
        64,
    ),
    named(&["softlayer", "sl_", "sl-", "cloudant", "ibm", "cos", "cloud", "iam"], Charset::Alnum, 24, 64),
    generic(named(
        &["key", "token", "secret", "passw", "pwd", "passphrase", "credential", "creds", "auth", "access"],
        Charset::Token,
        10,
        150,
    )),
];

/// Reads the assignment whose name holds the keyword at `at`; gives the span of the value.
///
/// The name goes on for at most 30 bytes after the keyword; quotes, spaces and one operator follow.
pub(crate) fn assigned(text: &str, at: usize, keyword_end: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let mut i = keyword_end.max(at);
    let name_end = (i + 30).min(bytes.len());
    while i < name_end && (bytes[i].is_ascii_alphanumeric() || matches!(bytes[i], b'_' | b'-' | b'.' | b' '))
    {
        i += 1;
    }
    let skip = |mut i: usize, most: usize, of: &[u8]| {
        let end = (i + most).min(bytes.len());
        while i < end && of.contains(&bytes[i]) {
            i += 1;
        }
        i
    };
    i = skip(i, 4, b"\"'`] \t\\");
    let operator = skip(i, 3, b":=>|");
    if operator == i {
        return None;
    }
    let start = skip(operator, 6, b"\"'`= \t\\(");
    let mut end = start;
    let most = (start + 200).min(bytes.len());
    while end < most && (bytes[end].is_ascii_alphanumeric() || b"_=.+/~-|!@%^*&".contains(&bytes[end])) {
        end += 1;
    }
    let closed = end == bytes.len() || b"\"'`\r\n \t;,<\\)}".contains(&bytes[end]);
    (closed && end > start).then_some(start..end)
}

/// Whether the value has the characters and the length of the row.
pub(crate) fn fits(row: &Named, value: &str) -> bool {
    let b = value.as_bytes();
    let length = b.len() >= row.length.0 && b.len() <= row.length.1;
    length
        && match row.charset {
            Charset::Hex => b.iter().all(u8::is_ascii_hexdigit),
            Charset::Alnum => b.iter().all(u8::is_ascii_alphanumeric),
            Charset::Token => true,
            Charset::Uuid => b
                .iter()
                .enumerate()
                .all(|(i, c)| if [8, 13, 18, 23].contains(&i) { *c == b'-' } else { c.is_ascii_hexdigit() }),
        }
}
