//! The rules, applied to an address.

use std::net::IpAddr;
use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use brand_names::{
    BRAND_TOP_LEVELS, DELIVERY_DOMAINS, Resemblance, abused_top_levels, brand, resembled_brand,
};
use domain_name::PublicSuffixes;
use unicode_security::confusable_detection::skeleton;
use unicode_security::{RestrictionLevel, RestrictionLevelDetection as _};
use web_address::AddressHost;

use crate::facts::{Facts, MAX_PART_BYTES, brand_among, host_words, path_words};
use crate::rules::{self, Rule};
use crate::scanner::Signal;
use crate::words::{
    self, CREDENTIAL_WORDS, DOCUMENT_ENDINGS, EXECUTABLE_ENDINGS, LOGIN_WORDS, REDIRECT_KEYS, SHORTENERS,
    WALLET_WORDS,
};

/// The labels of a host from which on it has many.
const MANY_LABELS: usize = 5;
/// Ports on which honest services listen beside the usual ones.
const COMMON_PORTS: [u16; 6] = [80, 443, 3000, 8000, 8080, 8443];
/// Schemes whose programs run what the address says (`ms-msdt`: CVE-2022-30190; `search-ms` and `ms-appinstaller` spread
/// malicious software in 2023).
const HANDLERS: [&str; 6] = ["intent", "ms-appinstaller", "ms-msdt", "ms-officecmd", "search", "search-ms"];
/// Endings of programs that nobody publishes behind the ending of a document.
const PROGRAM_ENDINGS: [&str; 12] =
    ["bat", "cmd", "cpl", "exe", "hta", "jse", "lnk", "pif", "ps1", "scr", "vbe", "vbs"];
/// Top-level domains of names that only a local network knows (RFC 6761, RFC 6762, and the ICANN's choice of 2024).
const LOCAL_TOP_LEVELS: [&str; 4] = ["internal", "lan", "local", "localhost"];
/// Brands whose software others run below their own names.
const SELF_HOSTED: [&str; 4] = ["github", "gitlab", "wordpress", "zimbra"];
/// The most characters of a detail.
const MAX_DETAIL_CHARACTERS: usize = 64;

/// The signals of all rules but the model's.
pub(crate) fn signals(facts: &Facts<'_>, suffixes: &PublicSuffixes) -> Vec<Signal> {
    let mut found = Found { facts, signals: Vec::new() };
    found.scheme();
    found.spelling();
    if facts.address.host().is_some() {
        found.userinfo(suffixes);
        let words = found.words();
        found.ip();
        found.letters();
        let is_brand = found.brands(&words);
        found.hosting(&words, is_brand);
        found.file();
        found.other_addresses();
    }
    found.signals
}

/// The places of an address's login words.
struct LoginWords {
    in_host: bool,
    /// Within a longer word of the registrable label too.
    within_label: bool,
    in_path: bool,
}

struct Found<'f, 'a> {
    facts: &'f Facts<'a>,
    signals: Vec<Signal>,
}

impl Found<'_, '_> {
    /// Adds a signal for a part of the text.
    fn add(&mut self, rule: &'static Rule, part: Range<usize>, detail: Option<&str>) {
        let detail = detail.map(|detail| detail.chars().take(MAX_DETAIL_CHARACTERS).collect());
        self.signals.push(Signal { rule, span: self.facts.address.given_span(part), detail });
    }

    fn add_host(&mut self, rule: &'static Rule, detail: Option<&str>) {
        self.add(rule, self.facts.parts.host.clone(), detail);
    }

    fn whole(&self) -> Range<usize> {
        0..self.facts.address.text().len()
    }

    fn scheme(&mut self) {
        let address = self.facts.address;
        let scheme = address.scheme();
        let start: String = address.text().chars().skip(scheme.len() + 1).take(MAX_PART_BYTES).collect();
        let start = start.to_ascii_lowercase();
        let kind = start.split(',').next().unwrap_or_default();
        let is_page =
            ["text/html", "image/svg", "application/xhtml", "text/xml", "application/xml", "javascript"]
                .iter()
                .any(|page| kind.contains(page));
        // What another scheme wraps is opened as it is.
        let wrapped =
            matches!(scheme, "view-source" | "blob" | "feed" | "jar").then(|| start.split(':').next());
        let inner = wrapped.flatten().unwrap_or(scheme);
        let rule = match inner {
            "javascript" | "vbscript" | "livescript" | "jscript" => &rules::SCRIPT_SCHEME,
            "data" if is_page => &rules::HTML_DATA,
            "file" => &rules::FILE_SCHEME,
            scheme if HANDLERS.contains(&scheme) => &rules::HANDLER_SCHEME,
            _ => return,
        };
        self.add(rule, self.whole(), Some(inner));
    }

    fn spelling(&mut self) {
        let Facts { address, parts, .. } = self.facts;
        if address.text()[parts.slashes.clone()].contains('\\') {
            self.add(&rules::BACKSLASH, parts.slashes.clone(), None);
        }
        if address.has_dropped_characters() {
            self.add(&rules::HIDDEN_CHARACTERS, self.whole(), None);
        }
    }

    fn userinfo(&mut self, suffixes: &PublicSuffixes) {
        let Facts { address, parts, .. } = self.facts;
        if !address.has_userinfo() {
            return;
        }
        let user = address.text()[parts.userinfo.clone()].split(':').next().unwrap_or_default();
        let is_host = is_host_name(user, suffixes);
        let rule = if is_host { &rules::USERINFO_HOST } else { &rules::USERINFO };
        self.add(rule, parts.userinfo.clone(), is_host.then_some(user));
    }

    fn words(&mut self) -> LoginWords {
        let facts = self.facts;
        let is_account = |word: &&str| CREDENTIAL_WORDS.contains(*word);
        let is_wallet = |word: &&str| WALLET_WORDS.contains(*word);
        for (rule, is_wanted) in [
            (&rules::CREDENTIAL_WORDS, &is_account as &dyn Fn(&&str) -> bool),
            (&rules::WALLET_WORDS, &is_wallet as &dyn Fn(&&str) -> bool),
        ] {
            if let Some(word) = facts.host_words().find(is_wanted) {
                self.add_host(rule, Some(word));
            } else if let Some(word) = facts.path_words().find(is_wanted) {
                self.add(rule, facts.parts.path.start..facts.parts.query.end, Some(word));
            }
        }
        let is_login = |word: &str| LOGIN_WORDS.contains(word);
        LoginWords {
            in_host: facts.host_words().any(is_login),
            within_label: has_login_word_within(facts.label),
            in_path: facts.path_words().any(is_login),
        }
    }

    fn ip(&mut self) {
        let facts = self.facts;
        let Some(ip) = facts.ip else {
            let is_local =
                LOCAL_TOP_LEVELS.contains(&facts.top_level()) || facts.host.ends_with(".home.arpa");
            if !facts.host.is_empty() && (is_local || !facts.host.contains('.')) {
                self.add_host(&rules::PRIVATE_HOST, None);
            }
            return;
        };
        let text = facts.address.host_str().unwrap_or_default();
        let written = facts.address.host_written().unwrap_or_default();
        let is_usual = match ip {
            IpAddr::V4(_) => written == text,
            IpAddr::V6(_) => written.starts_with('['),
        };
        if !is_usual {
            self.add_host(&rules::IP_DISGUISED, Some(text));
        } else if !is_private(ip) {
            self.add_host(&rules::IP_HOST, Some(text));
        }
        if is_private(ip) {
            self.add_host(&rules::PRIVATE_HOST, Some(text));
        }
    }

    fn letters(&mut self) {
        let facts = self.facts;
        if !facts.host.split('.').any(|label| label.starts_with("xn--")) {
            return;
        }
        let name = match facts.address.host() {
            Some(AddressHost::Domain(name)) => name.to_unicode(),
            _ => return self.add_host(&rules::PUNYCODE, None),
        };
        let mut rule = &rules::PUNYCODE;
        for label in name.split('.').filter(|label| !label.is_ascii()) {
            if label.detect_restriction_level() > RestrictionLevel::HighlyRestrictive {
                rule = &rules::MIXED_SCRIPTS;
                break;
            }
            let has_latin = label.chars().any(|c| c.is_ascii_alphabetic());
            if !has_latin && skeleton(label).all(|c| c.is_ascii()) {
                rule = &rules::CONFUSABLE_LABEL;
            }
        }
        self.add_host(rule, Some(&name));
    }

    /// The signals of brands. True if the address uses a brand's name outside of the brand's domains.
    fn brands(&mut self, words: &LoginWords) -> bool {
        let facts = self.facts;
        let before = self.signals.len();
        if facts.is_brands_own || facts.host.is_empty() {
            return false;
        }
        let by_letters = facts
            .look_alike
            .as_ref()
            .filter(|found| !matches!(found.resemblance, Resemblance::Combination | Resemblance::BrandLeft));
        if let Some(found) = by_letters {
            let is_word = brand(&found.brand).is_some_and(|brand| brand.is_word);
            let is_ascii = !facts.label.starts_with("xn--");
            let rule = match found.resemblance {
                Resemblance::Skeleton if is_word && is_ascii => &rules::BRAND_WORD_SKELETON,
                Resemblance::Skeleton => &rules::BRAND_SKELETON,
                Resemblance::Distance if is_word => &rules::BRAND_NEAR,
                Resemblance::Distance => &rules::BRAND_DISTANCE,
                _ => &rules::BRAND_ELSEWHERE,
            };
            self.add_host(rule, Some(&found.brand));
        }
        let is_abused = abused_top_levels().contains(facts.top_level());
        let has_words = words.in_host || words.within_label || is_abused;
        let (label, subdomain) = match facts.shared_host {
            // The domain is that of the host, which can be a brand: `docs.google.com`.
            Some(shared) if shared.ends_with(facts.registrable) => {
                ("", facts.host.strip_suffix(shared).unwrap_or_default())
            }
            _ => (facts.label, facts.subdomain),
        };
        let in_label = self.brand_in(label, has_words || has_company(label));
        let in_subdomain = self.brand_in(subdomain, has_words);
        let in_subdomain = in_subdomain.filter(|(brand, _)| has_words || !SELF_HOSTED.contains(brand));
        if let Some(brand) = self.host_prefix() {
            self.add_host(&rules::BRAND_HOST_PREFIX, Some(brand));
        }
        if let (Some(_), Some((brand, _))) = (facts.shared_host, in_label.or(in_subdomain)) {
            self.add_host(&rules::BRAND_ON_SHARED_HOST, Some(brand));
        } else {
            if let (Some((brand, is_whole)), None) = (in_label, by_letters) {
                let has_others = label.contains('-') && is_whole;
                let rule =
                    if has_others || has_words { &rules::BRAND_WITH_WORDS } else { &rules::BRAND_IN_NAME };
                self.add_host(rule, Some(brand));
            }
            if let Some((brand, true)) = in_subdomain {
                self.add_host(&rules::BRAND_IN_SUBDOMAIN, Some(brand));
            }
        }
        let skeleton_word =
            host_words(facts.label).chain(host_words(facts.subdomain)).take(8).find_map(|word| {
                let is_candidate = word.len() < facts.host.len() && word.len() >= 5 && word != facts.label;
                let (brand, resemblance) = is_candidate.then(|| resembled_brand(word)).flatten()?;
                (resemblance == Resemblance::Skeleton).then_some(brand)
            });
        if let Some(brand) = skeleton_word {
            self.add_host(&rules::BRAND_WORD_SKELETON, Some(brand));
        }
        self.combined();
        let is_in_host = self.signals.len() > before;
        if let Some(brand) = brand_among(facts.path_words().filter(|word| word.len() > 3)) {
            let part = facts.parts.path.start..facts.parts.query.end;
            let is_login = !brand.needs_company() && is_login_path(&facts.path, brand.label);
            let rule = if is_login { &rules::BRAND_LOGIN_PATH } else { &rules::BRAND_IN_PATH };
            self.add(rule, part, Some(brand.label));
        }
        is_in_host
    }

    /// The signal of a brand among other words, or left of the domain, where no other signal has told it.
    fn combined(&mut self) {
        let Some(found) = &self.facts.look_alike else { return };
        let rule = match found.resemblance {
            Resemblance::Combination if self.facts.shared_host.is_some() => &rules::BRAND_ON_SHARED_HOST,
            Resemblance::Combination => &rules::BRAND_WITH_WORDS,
            Resemblance::BrandLeft => &rules::BRAND_IN_SUBDOMAIN,
            _ => return,
        };
        let told = [
            &rules::BRAND_HOST_PREFIX,
            &rules::BRAND_IN_SUBDOMAIN,
            &rules::BRAND_ON_SHARED_HOST,
            &rules::BRAND_WITH_WORDS,
        ];
        if !self.signals.iter().any(|signal| told.contains(&signal.rule)) {
            self.add_host(rule, Some(&found.brand));
        }
    }

    /// The brand in labels, and true if it is a whole word of them. A brand that is a common word needs company.
    fn brand_in(&self, labels: &str, has_words: bool) -> Option<(&'static str, bool)> {
        let whole = host_words(labels).filter_map(brand);
        let whole =
            whole.filter(|brand| !brand.needs_company() || has_words).map(|brand| (brand.label, true)).next();
        whole.or_else(|| words::brand_within(labels).map(|brand| (brand, false)))
    }

    /// The brand whose host the host begins with, as in `paypal.com.example.net` and `usps.com-track.example`.
    fn host_prefix(&self) -> Option<&'static str> {
        let facts = self.facts;
        if DELIVERY_DOMAINS.iter().any(|domain| facts.host.ends_with(domain)) {
            return None;
        }
        let labels: Vec<&str> = facts.host.split('.').take(MANY_LABELS).collect();
        let suffix_labels = facts.suffix.split('.').count();
        let own = facts.host.split('.').count().saturating_sub(suffix_labels);
        labels.windows(2).enumerate().find_map(|(at, pair)| {
            let brand = brand(pair[0]).or_else(|| brand(pair[0].rsplit('-').next()?))?;
            let tops = if brand.is_word { &BRAND_TOP_LEVELS[..1] } else { BRAND_TOP_LEVELS };
            let is_suffix = tops.contains(&pair[1]) && at + 1 < own;
            let is_glued = at + 1 < own
                && pair[1].split_once('-').is_some_and(|(first, _)| BRAND_TOP_LEVELS[..1].contains(&first));
            (is_suffix || is_glued).then_some(brand.label)
        })
    }

    fn hosting(&mut self, words: &LoginWords, is_brand: bool) {
        let facts = self.facts;
        if SHORTENERS.contains(facts.host) {
            self.add_host(&rules::SHORTENER, None);
        } else if let Some(shared) = facts.shared_host {
            self.add_host(&rules::SHARED_HOST, Some(shared));
            if words.in_host {
                self.add_host(&rules::CREDENTIALS_ON_SHARED_HOST, Some(shared));
            }
        }
        if facts.ip.is_some() && words.in_path {
            self.add_host(&rules::CREDENTIALS_ON_IP, None);
        }
        if let Some(port) = facts.address.port() {
            let is_login = is_brand || facts.ip.is_some_and(|ip| !is_private(ip)) || words.in_host;
            if is_login {
                self.add(&rules::ODD_PORT_LOGIN, facts.parts.port.clone(), None);
            } else if !COMMON_PORTS.contains(&port) {
                self.add(&rules::ODD_PORT, facts.parts.port.clone(), None);
            }
        }
        let top = facts.top_level();
        if abused_top_levels().contains(top) {
            self.add_host(&rules::ABUSED_TOP_LEVEL, Some(top));
        }
        if facts.host.split('.').count() >= MANY_LABELS {
            self.add_host(&rules::MANY_LABELS, None);
        }
    }

    fn file(&mut self) {
        let facts = self.facts;
        let last = facts.path.rsplit('/').next().unwrap_or_default();
        let values = facts.query.split(['&', '=', '/']).take(50);
        let parts = [(last, facts.parts.path.clone())].into_iter();
        for (name, part) in parts.chain(values.map(|value| (value, facts.parts.query.clone()))) {
            let mut endings = name.rsplit('.');
            let (last, before, first) = (endings.next(), endings.next(), endings.next());
            // A name without anything before its endings is a host or a hidden file.
            let (Some(last), Some(before)) = (last, before) else { continue };
            let is_program = PROGRAM_ENDINGS.contains(&last);
            let is_executable = is_program || EXECUTABLE_ENDINGS.contains(last);
            if first.is_some() && is_executable && DOCUMENT_ENDINGS.contains(before) {
                let is_document = !matches!(before, "zip" | "rar" | "html" | "htm" | "xml" | "svg");
                let rule = if is_program && is_document {
                    &rules::DOUBLE_EXTENSION
                } else {
                    &rules::DOUBLE_EXTENSION_PACKAGE
                };
                self.add(rule, part, Some(name));
                return;
            }
            if EXECUTABLE_ENDINGS.contains(last) {
                self.add(&rules::EXECUTABLE, part, Some(last));
                return;
            }
        }
    }

    fn other_addresses(&mut self) {
        let facts = self.facts;
        let own = facts.host;
        let is_other = |text: &str| {
            let host =
                text.trim_start_matches('/').split(['/', '?', '&', '#', ':']).next().unwrap_or_default();
            let host = host.strip_prefix("www.").unwrap_or(host);
            host.contains('.') && !own.ends_with(host) && !host.ends_with(own)
        };
        let behind = |text: &str| {
            ["http:/", "https:/"].iter().any(|scheme| {
                text.match_indices(scheme).take(4).any(|(at, _)| is_other(&text[at + scheme.len()..]))
            })
        };
        let is_in_path = behind(&facts.path)
            || facts.path.split('/').take(50).any(|segment| segment.starts_with("www.") && is_other(segment));
        if is_in_path {
            self.add(&rules::EMBEDDED_ADDRESS, facts.parts.path.clone(), None);
        } else if behind(&facts.query) {
            self.add(&rules::EMBEDDED_ADDRESS, facts.parts.query.clone(), None);
        }
        let redirect = facts.query.split('&').take(50).find_map(|pair| {
            let (key, value) = pair.split_once('=')?;
            let is_address =
                value.starts_with("http:") || value.starts_with("https:") || value.starts_with("//");
            (REDIRECT_KEYS.contains(key) && is_address).then_some(key)
        });
        if let Some(key) = redirect {
            self.add(&rules::REDIRECT, facts.parts.query.clone(), Some(key));
        }
        let text = facts.address.text();
        let fragment: String = text[facts.parts.fragment.clone()].chars().take(MAX_PART_BYTES).collect();
        if has_mail_address(&fragment) {
            self.add(&rules::MAIL_ADDRESS, facts.parts.fragment.clone(), None);
        } else if has_mail_address(&facts.query) {
            self.add(&rules::MAIL_ADDRESS, facts.parts.query.clone(), None);
        }
    }
}

/// True if the path has a folder or a page for the brand, and one for an account. Titles of articles, which have more words,
/// do not count.
fn is_login_path(path: &str, brand: &str) -> bool {
    let segments = || path.split('/').filter(|segment| path_words(segment).count() <= 3).take(50);
    segments().any(|segment| path_words(segment).any(|word| word == brand))
        && segments().any(|segment| path_words(segment).any(|word| LOGIN_WORDS.contains(word)))
}

/// True if a user name is a host name of a well-known kind.
fn is_host_name(user: &str, suffixes: &PublicSuffixes) -> bool {
    let user = user.to_ascii_lowercase();
    let Ok(name) = domain_name::DomainName::parse(&user) else { return false };
    let Some(registrable) = suffixes.registrable(&name) else { return false };
    let label = registrable.labels().next().unwrap_or_default();
    user.starts_with("www.") || BRAND_TOP_LEVELS.contains(&name.top_level()) || brand(label).is_some()
}

/// Networks that the public internet does not lead to (RFC 6890).
fn is_private(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => {
            let [first, second, ..] = ip.octets();
            let is_shared = first == 100 && (64..128).contains(&second);
            ip.is_private() || ip.is_loopback() || ip.is_link_local() || first == 0 || is_shared
        }
        IpAddr::V6(ip) => {
            ip.is_loopback() || ip.is_unspecified() || ip.is_unique_local() || ip.is_unicast_link_local()
        }
    }
}

/// True if a label has a word of accounts or wallets, or the end of a domain, as one of several words: `trezor-io`.
fn has_company(label: &str) -> bool {
    const ENDS: [&str; 7] = ["app", "com", "io", "live", "net", "official", "org"];
    let is_company =
        |word: &str| CREDENTIAL_WORDS.contains(word) || WALLET_WORDS.contains(word) || ENDS.contains(&word);
    label.contains('-') && host_words(label).any(is_company)
}

/// True if a login word of 5 letters or more stands within a longer word.
fn has_login_word_within(label: &str) -> bool {
    static INNER: LazyLock<AhoCorasick> = LazyLock::new(|| {
        let mut words: Vec<&str> = LOGIN_WORDS.iter().copied().filter(|word| word.len() >= 5).collect();
        words.sort_unstable();
        AhoCorasick::new(words).expect("a few hundred short words are within the automaton's bounds")
    });
    INNER.is_match(label)
}

fn has_mail_address(text: &str) -> bool {
    text.match_indices('@').take(8).any(|(at, _)| {
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | '+');
        let host: String = text[at + 1..].chars().take(80).take_while(|c| is_name(*c)).collect();
        text[..at].ends_with(is_name) && host.trim_matches('.').contains('.')
    })
}
