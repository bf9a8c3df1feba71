//! Secrets without a prefix, which only the name that they are assigned to tells: the provider's name, then its exact shape.

use std::sync::LazyLock;

use regex::Regex;

use crate::{Kind, Rule, Severity, expression, filters};

/// A row: names of a provider, and the values that its secrets have.
pub(crate) struct Named {
    /// The published rule.
    pub rule: Rule,
    /// Parts of names, in lower case, that begin a word: `cameraKit` does not name `meraki`.
    pub names: &'static [&'static str],
    /// Expression of the whole value; `\w` is ASCII, and case does not count.
    pub token: &'static str,
}

const fn named(
    id: &'static str,
    provider: &'static str,
    names: &'static [&'static str],
    token: &'static str,
) -> Named {
    Named { rule: Rule::new(id, Kind::ProviderSecret, provider, Severity::Block), names, token }
}

const UUID: &str = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
const HEX32: &str = r"[0-9a-f]{32}";
const ALNUM32: &str = r"[0-9a-z]{32}";
const ALNUM64: &str = r"[0-9a-z]{64}";

/// The table of names.
pub(crate) static NAMED: &[Named] = &[
    named("adafruit-key", "Adafruit", &["adafruit", "aio_key"], r"[\w-]{32}"),
    named("adobe-client-id", "Adobe", &["adobe"], HEX32),
    named("airtable-key", "Airtable", &["airtable"], r"[0-9a-z]{17}"),
    named("algolia-key", "Algolia", &["algolia"], ALNUM32),
    named("asana-secret", "Asana", &["asana"], ALNUM32),
    named("atlassian-key", "Atlassian", &["atlassian", "confluence", "jira"], r"[0-9a-z]{24}"),
    named(
        "aws-secret-key",
        "AWS",
        &["aws_secret", "aws_session", "aws_key", "secret_access_key", "secretaccesskey", "aws"],
        r"[0-9a-z/+]{40}",
    ),
    named("azure-key", "Azure", &["azure"], r"[0-9a-z+/]{43}=|[0-9a-z+/]{86}==|[0-9a-z]{52}|[0-9a-f]{32}"),
    named("beamer-key", "Beamer", &["beamer"], r"b_[\w-]{44}"),
    named("bitbucket-secret", "Bitbucket", &["bitbucket"], r"[0-9a-z]{32}|[\w-]{64}"),
    named("bittrex-key", "Bittrex", &["bittrex"], ALNUM32),
    named("cisco-meraki-key", "Cisco Meraki", &["meraki"], r"[0-9a-f]{40}"),
    named("cloudant-key", "IBM Cloudant", &["cloudant", "cl"], r"[0-9a-f]{64}"),
    named("cloudant-api-key", "IBM Cloudant", &["cloudant"], r"[a-z]{24}"),
    named("cloudflare-key", "Cloudflare", &["cloudflare", "cf_api"], r"[\w-]{40}|[0-9a-f]{37}"),
    named(
        "codecov-token",
        "Codecov",
        &["codecov"],
        r"[0-9a-z]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
    ),
    named("cohere-key", "Cohere", &["cohere", "co_api_key"], r"[0-9a-z]{40}"),
    named("coinbase-token", "Coinbase", &["coinbase"], r"[\w-]{64}"),
    named("confluent-key", "Confluent", &["confluent"], r"[0-9a-z]{16}|[0-9a-z+/]{64}"),
    named("contentful-token", "Contentful", &["contentful"], r"[\w-]{43}"),
    named(
        "datadog-key",
        "Datadog",
        &["datadog", "dd_api", "dd_app"],
        r"[0-9a-z]{40}|[0-9a-f]{32}|[0-9a-f]{40}",
    ),
    named("discord-key", "Discord", &["discord"], r"[0-9a-f]{64}|[\w-]{32}"),
    named("droneci-token", "Drone CI", &["drone"], ALNUM32),
    named(
        "dropbox-key",
        "Dropbox",
        &["dropbox"],
        r"[0-9a-z]{15}|[0-9a-z]{11}aaaaaaaaaa[\w-]{43}|sl\.[\w-]{135}",
    ),
    named("etsy-key", "Etsy", &["etsy"], r"[0-9a-z]{24}"),
    named("facebook-secret", "Facebook", &["facebook", "fb_app", "fb_secret"], HEX32),
    named("fastly-token", "Fastly", &["fastly"], r"[\w-]{32}"),
    named("finicity-secret", "Finicity", &["finicity"], r"[0-9a-z]{20}|[0-9a-f]{32}"),
    named("finnhub-token", "Finnhub", &["finnhub"], r"[0-9a-z]{20}"),
    named("flickr-token", "Flickr", &["flickr"], ALNUM32),
    named("freemius-secret-key", "Freemius", &["secret_key"], r"sk_[\w!@%^*&:$#?.~+-]{29}"),
    named("freshbooks-token", "FreshBooks", &["freshbooks"], r"[0-9a-f]{64}|[0-9a-z]{64}"),
    named("gitter-token", "Gitter", &["gitter"], r"[\w-]{40}"),
    named("gocardless-key", "GoCardless", &["gocardless"], r"live_[\w-]{40}"),
    named("heroku-api-key", "Heroku", &["heroku"], UUID),
    named("hubspot-key", "HubSpot", &["hubspot"], UUID),
    named(
        "ibm-cloud-key",
        "IBM Cloud",
        &["ibm", "cloud_iam", "cloud-iam", "ibm_cloud", "iam_api", "iam"],
        r"[\w-]{44}",
    ),
    named("ibm-cos-hmac-key", "IBM Cloud", &["cos", "ibm_cos", "ibm-cos"], r"[0-9a-f]{48}"),
    named("infracost-key", "Infracost", &["infracost"], r"ico-[0-9a-z]{32}"),
    named("intercom-key", "Intercom", &["intercom"], r"[\w-]{60}"),
    named("jfrog-key", "JFrog", &["jfrog", "artifactory", "bintray", "xray"], r"[0-9a-z]{73}|[0-9a-z]{64}"),
    named("kraken-token", "Kraken", &["kraken"], r"[0-9a-z/=_+-]{80,90}"),
    named("kucoin-key", "KuCoin", &["kucoin"], r"[0-9a-f]{24}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
    named("launchdarkly-token", "LaunchDarkly", &["launchdarkly"], r"[\w-]{40}"),
    named("linear-client-secret", "Linear", &["linear"], HEX32),
    named(
        "linkedin-secret",
        "LinkedIn",
        &["linkedin", "linked-in", "linked_in"],
        r"[0-9a-z]{14}|[0-9a-z]{16}",
    ),
    named("lob-api-key", "Lob", &["lob"], r"(?:live|test)_(?:[0-9a-f]{35}|pub_[0-9a-f]{31})"),
    named("looker-secret", "Looker", &["looker"], r"[0-9a-z]{20}|[0-9a-z]{24}"),
    named("mailgun-signing-key", "Mailgun", &["mailgun"], r"[0-9a-h]{32}-[0-9a-h]{8}-[0-9a-h]{8}"),
    named("mattermost-token", "Mattermost", &["mattermost"], r"[0-9a-z]{26}"),
    named(
        "messagebird-key",
        "MessageBird",
        &["messagebird", "message-bird", "message_bird"],
        r"[0-9a-z]{25}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
    ),
    named("mistral-key", "Mistral", &["mistral"], ALNUM32),
    named("netlify-key", "Netlify", &["netlify"], r"[\w-]{40,46}"),
    named("newrelic-user-id", "New Relic", &["new-relic", "newrelic", "new_relic"], ALNUM64),
    named(
        "nytimes-key",
        "New York Times",
        &["nytimes", "new-york-times", "newyorktimes", "new_york_times"],
        r"[\w-]{32}",
    ),
    named("okta-token", "Okta", &["okta"], r"00[\w-]{40}"),
    named("plaid-secret", "Plaid", &["plaid"], r"[0-9a-z]{24}|[0-9a-z]{30}"),
    named("privateai-token", "Private AI", &["privateai", "private_ai", "private-ai"], ALNUM32),
    named("rapidapi-token", "RapidAPI", &["rapidapi", "rapid-api", "rapid_api"], r"[\w-]{50}"),
    named(
        "sendbird-token",
        "Sendbird",
        &["sendbird"],
        r"[0-9a-f]{40}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
    ),
    named("sentry-auth-token", "Sentry", &["sentry"], r"[0-9a-f]{64}"),
    named(
        "sidekiq-secret",
        "Sidekiq",
        &["bundle_enterprise__contribsys__com", "bundle_gems__contribsys__com"],
        r"[0-9a-f]{8}:[0-9a-f]{8}",
    ),
    named("snyk-token", "Snyk", &["snyk"], UUID),
    named("softlayer-key", "SoftLayer", &["softlayer", "sl"], r"[0-9a-f]{64}|[0-9a-z]{64}"),
    named("sonar-api-token", "SonarQube", &["sonar"], r"(?:sq[uap]_)?[\w-]{40}"),
    named("sourcegraph-key", "Sourcegraph", &["sourcegraph"], r"[0-9a-f]{40}"),
    named("splunk-token", "Splunk", &["splunk"], UUID),
    named("squarespace-token", "Squarespace", &["squarespace"], UUID),
    named("sumologic-access-id", "Sumo Logic", &["sumo"], r"su[0-9a-z]{12}"),
    named("sumologic-access-key", "Sumo Logic", &["sumo"], ALNUM64),
    named("telegram-token", "Telegram", &["telegr", "telegram"], r"[0-9]{5,16}:A[\w-]{34}"),
    named("travis-token", "Travis CI", &["travis"], r"[0-9a-z]{22}"),
    named("trello-token", "Trello", &["trello"], r"[0-9a-z-]{32}|[0-9a-z]{64}|ATTA[0-9a-z]{60,76}"),
    named("twitch-token", "Twitch", &["twitch"], r"[0-9a-z]{30}"),
    named(
        "twitter-key",
        "X",
        &["twitter"],
        r"[0-9a-z]{25}|[0-9a-z]{45}|[0-9a-z]{50}|[0-9]{15,25}-[0-9a-z]{20,40}",
    ),
    named("vercel-token", "Vercel", &["vercel"], r"[0-9a-z]{24}"),
    named("polymarket-key", "Polymarket", &["polymarket"], UUID),
    named("zendesk-key", "Zendesk", &["zendesk"], r"[0-9a-z]{40}"),
];

/// The compiled expressions of the table, in its order.
pub(crate) fn expressions() -> &'static [Regex] {
    static ALL: LazyLock<Vec<Regex>> =
        LazyLock::new(|| NAMED.iter().map(|row| expression(&format!("^(?i:{})$", row.token))).collect());
    &ALL
}

/// Longest value that a row has, in bytes.
const LONGEST_VALUE: usize = 150;

/// Lowest Shannon entropy of a value, in tenths of bits a byte: random ones of 14 letters have more.
const ENTROPY: u32 = 28;

/// True if the value has the shape of the row, and is no sample, no hash and no word.
pub(crate) fn fits(row: &Named, expression: &Regex, value: &str) -> bool {
    // The alphabet of letters alone has no digits to ask for.
    let letters = row.token.starts_with("[a-z]");
    value.len() <= LONGEST_VALUE
        && expression.is_match(value)
        && (letters || value.bytes().any(|b| b.is_ascii_digit()))
        && filters::entropy(value) >= ENTROPY
        && !filters::sample(value)
        && !filters::series(value)
        && !is_name(value)
        && (row.token.contains("[0-9a-f]") || !is_hash(value))
}

/// True for what SHA-1 or SHA-256 gives: a random value of a larger alphabet is never in hexadecimal digits alone.
fn is_hash(value: &str) -> bool {
    matches!(value.len(), 40 | 64) && value.bytes().all(|b| b.is_ascii_hexdigit())
}

/// True if the value is put together from words, as names of hosts, files and variables are.
fn is_name(value: &str) -> bool {
    let mut parts = value.split(['_', '-', '.', '/', '=']).peekable();
    let longest = parts.clone().map(str::len).max().unwrap_or_default();
    parts.next().is_some_and(|first| first.len() < value.len()) && longest < 8 && uuid_like(value).is_none()
}

fn uuid_like(value: &str) -> Option<&str> {
    (value.len() == 36 && value.matches('-').count() == 4).then_some(value)
}
