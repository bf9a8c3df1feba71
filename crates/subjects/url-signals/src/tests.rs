//! Tests of the crate as a whole: for each rule addresses that it finds and addresses that it must not find.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::LazyLock;

use proptest::prelude::*;
use sha2::{Digest as _, Sha256};
use web_address::WebAddress;

use crate::*;

static SCANNER: LazyLock<Scanner> = LazyLock::new(Scanner::new);

fn scan(text: &str) -> UrlSignals {
    SCANNER.scan(&WebAddress::parse(text).expect("it is an address"))
}

fn ids(text: &str) -> BTreeSet<&'static str> {
    scan(text).signals.iter().map(|signal| signal.rule.id).collect()
}

/// Checks that a rule finds all of the first addresses and none of the others.
fn check(id: &str, found: &[&str], missed: &[&str]) {
    assert!(rules().any(|rule| rule.id == id), "{id} is a rule");
    for text in found {
        assert!(ids(text).contains(id), "{id} must find {text}: {:?}", ids(text));
    }
    for text in missed {
        assert!(!ids(text).contains(id), "{id} must not find {text}");
    }
}

#[test]
fn schemes_that_run_or_carry_a_page_are_found() {
    check(
        "script-scheme",
        &[
            "javascript:alert(1)",
            "VBScript:msgbox(1)",
            "java\nscript:alert(1)",
            "view-source:javascript:alert(1)",
        ],
        &["https://example.com/javascript:alert(1)", "mailto:javascript@example.com"],
    );
    check(
        "html-data",
        &["data:text/html,<script>", "DATA:text/html;base64,PHNjcmlwdD4=", "data:image/svg+xml,<svg/>"],
        &["data:text/plain,text/html", "data:image/png;base64,iVBORw0KGgo="],
    );
    check("file-scheme", &["file:///etc/passwd", "file://host/share"], &["https://example.com/file:///etc"]);
    check(
        "handler-scheme",
        &["ms-msdt:/id PCWDiagnostic", "search-ms:query=a"],
        &["mailto:a@example.com", "tel:1"],
    );
}

#[test]
fn user_information_is_found_and_blocks_where_it_looks_like_a_host() {
    check(
        "userinfo-host",
        &["https://www.paypal.com@203.0.113.7/", "https://accounts.google.com:443@example.net/a"],
        &[
            "https://anna@example.net/",
            "https://anna.smith@example.net/",
            "https://example.net/@www.paypal.com",
        ],
    );
    check("userinfo", &["https://anna:secret@example.net/"], &["https://example.net/anna@example.com"]);
}

#[test]
fn spellings_that_hide_something_are_found() {
    check("backslash-authority", &["http:\\\\example.net\\a"], &["http://example.net/a\\b"]);
    check(
        "hidden-characters",
        &["https://exam\tple.net/", "https://example.net/a\nb"],
        &[" https://example.net/\n"],
    );
}

#[test]
fn ip_addresses_are_found_in_every_spelling() {
    check(
        "ip-disguised",
        &[
            "http://3405803783/",
            "http://0xcb007107/",
            "http://0313.0.0161.07/",
            "http://203.113.7/",
            "http://0x7f.1/",
            "http://[::ffff:203.0.113.7]/",
            "http://２０３.0.113.7/",
        ],
        &["http://203.0.113.7/", "http://[2001:db8::1]/", "http://3405803783.example.net/"],
    );
    check(
        "ip-host",
        &["http://203.0.113.7/a", "http://[2001:db8::1]/"],
        &["http://10.0.0.1/", "http://1.example.net/"],
    );
    check(
        "private-host",
        &[
            "http://10.1.2.3/",
            "http://[::1]/",
            "http://localhost:3000/",
            "http://2130706433/",
            "http://printer.local/",
            "http://intranet/",
        ],
        &["http://203.0.113.7/", "http://localhost.example.net/"],
    );
}

#[test]
fn letters_beyond_ascii_are_told_apart_by_their_scripts() {
    check("punycode", &["https://bücher.de/", "https://xn--bcher-kva.de/"], &["https://buecher.de/bücher"]);
    check("mixed-scripts", &["https://exаmplе-shop.net/"], &["https://пример.рф/", "https://例え.jp/"]);
    check("confusable-label", &["https://сосо.net/"], &["https://пример.рф/", "https://coco.net/"]);
}

#[test]
fn names_that_resemble_a_brand_are_found() {
    check(
        "brand-skeleton",
        &["https://paypa1.com/", "https://rnicrosoft.com/login", "https://аррӏе.com/"],
        &["https://paypal.com/", "https://www.microsoft.com/", "https://example.com/paypa1"],
    );
    check(
        "brand-word-skeleton",
        &["https://paypa1-secure.com/", "https://app1e.com/"],
        &["https://paypal-secure.com/"],
    );
    check(
        "brand-distance",
        &["https://paypall.net/", "https://gogle.com/"],
        &["https://google.de/", "https://mail.com/"],
    );
    check("brand-near", &["https://applee.com/", "https://slackk.net/"], &["https://jcloud.com/"]);
    check("brand-elsewhere", &["https://metamask.top/"], &["https://metamask.io/", "https://apple.farm/"]);
}

#[test]
fn brands_in_other_domains_are_found() {
    check(
        "brand-host-prefix",
        &[
            "https://paypal.com.example.net/",
            "https://www.usps.com-track.top/us",
            "https://secure-paypal.com.example.tk/",
        ],
        &[
            "https://paypal.com/",
            "https://amazon.com.br/",
            "https://paypal.example.net/",
            "https://comcast.net/",
        ],
    );
    check(
        "brand-with-words",
        &[
            "https://paypal-secure-login.io/",
            "https://netflixlogin.net/",
            "https://amazon-verify.net/",
            "https://trezor-io.com/",
            "https://dhl-tracking.info/",
        ],
        &["https://paypalfans.net/", "https://amazon-river.org/", "https://cloudflare-dns.com/dns-query"],
    );
    check("brand-in-name", &["https://paypalfans.net/"], &["https://pineapples.net/"]);
    check(
        "brand-in-subdomain",
        &["https://paypal.example.net/", "https://login-netflix.example.net/"],
        &[
            "https://gitlab.example.net/",
            "https://office.example.net/",
            "https://www.google.com/",
            "https://webmail.example.net/",
        ],
    );
    check(
        "brand-on-shared-host",
        &["https://metamask-login.webflow.io/", "https://netflix.weebly.com/"],
        &[
            "https://my-blog.weebly.com/",
            "https://orchard-apple.weebly.com/",
            "https://docs.google.com/forms/d/1",
        ],
    );
    check("brand-in-path", &["https://example.net/blog/paypal"], &["https://example.net/blog/ice"]);
    check(
        "brand-login-path",
        &["https://example.net/paypal/login.php", "https://example.net/images/netflix.com/signin"],
        &[
            "https://example.net/blog/how-to-secure-your-paypal-account-with-a-password",
            "https://www.paypal.com/login",
        ],
    );
}

#[test]
fn hosts_of_anybody_and_shorteners_are_found() {
    check(
        "shared-host",
        &["https://example.github.io/", "https://docs.google.com/forms/d/1"],
        &["https://github.io/", "https://www.google.com/"],
    );
    check("shortener", &["https://bit.ly/abc"], &["https://rabbit.ly/abc", "https://a.bit.ly.example.net/"]);
    check(
        "credentials-on-shared-host",
        &["https://login-page.weebly.com/", "https://wallet-connect.pages.dev/"],
        &["https://aquasecurity.github.io/trivy/", "https://example.github.io/login"],
    );
    check(
        "credentials-on-ip",
        &["http://203.0.113.7/login.php"],
        &["http://203.0.113.7/", "https://example.net/login"],
    );
    check("abused-top-level", &["https://example.top/"], &["https://top.example.net/"]);
    check("many-labels", &["https://a.b.c.d.example.net/"], &["https://www.example.co.uk/"]);
}

#[test]
fn ports_words_files_and_other_addresses_are_found() {
    check(
        "odd-port",
        &["https://example.net:4431/"],
        &["https://example.net:443/", "https://example.net:8443/"],
    );
    check(
        "odd-port-login",
        &["http://203.0.113.7:81/", "https://login.example.net:4431/"],
        &["https://example.net:81/"],
    );
    check("credential-words", &["https://example.net/account"], &["https://example.net/accountancy"]);
    check("wallet-words", &["https://example.net/airdrop"], &["https://example.net/droplet"]);
    check(
        "double-extension",
        &["https://example.net/invoice.pdf.exe", "https://example.net/?f=scan.jpg.scr"],
        &[
            "https://example.net/setup.exe",
            "https://example.net/v1.2.exe",
            "https://example.net/a.pdf",
            "https://example.net/pdf.exe",
        ],
    );
    check("double-extension-package", &["https://example.net/a.pdf.iso"], &["https://example.net/a.tar.gz"]);
    check("executable", &["https://example.net/setup.exe"], &["https://example.net/exe"]);
    check(
        "embedded-address",
        &["https://example.net/http://paypal.com/", "https://example.net/a?b=https%3A%2F%2Fexample.org%2F"],
        &["https://example.net/a?b=https://www.example.net/c", "https://example.net/http"],
    );
    check(
        "redirect-parameter",
        &["https://example.net/a?url=https://example.org/", "https://example.net/?next=//example.org"],
        &["https://example.net/a?next=/home", "https://example.net/a?q=https://example.org/"],
    );
    check(
        "mail-address",
        &["https://example.net/a#b@example.org", "https://example.net/?e=b@c.de"],
        &["https://medium.com/@anna"],
    );
}

#[test]
fn the_model_gives_a_signal_above_its_threshold() {
    let found = scan("https://secure-update.parcel-fee7.top/us/verify/login.php?id=a1b2c3");
    assert!(found.score > THRESHOLD);
    assert!(found.signals.iter().any(|signal| signal.rule.id == "url-model"));
    assert!(scan("https://www.rust-lang.org/learn").score < 0.0);
}

#[test]
fn the_score_does_not_depend_on_how_a_list_writes_its_addresses() {
    for rest in ["example.org", "login.example.top/a/b.php", "paypal.example.net/signin"] {
        let score = scan(&format!("http://{rest}")).score;
        for other in
            [format!("https://{rest}"), format!("https://{rest}/"), rest.to_owned(), format!("//www.{rest}")]
        {
            assert_eq!(scan(&other).score, score, "{other}");
        }
    }
}

#[test]
fn ordinary_addresses_of_well_known_services_give_no_warning() {
    for text in [
        "https://accounts.google.com/v3/signin/identifier?continue=https%3A%2F%2Fmail.google.com%2Fmail%2F",
        "https://www.paypal.com/signin?returnUri=https%3A%2F%2Fwww.paypal.com%2Fmyaccount",
        "https://login.microsoftonline.com/common/oauth2/v2.0/authorize?client_id=4765445b-32c6-49b0-83e6-1d93765276ca",
        "https://www.amazon.de/gp/css/order-history?ref_=nav_orders_first",
        "https://app.uniswap.org/swap?chain=mainnet",
        "https://github.com/login?return_to=%2Frust-lang%2Frust",
        "https://en.wikipedia.org/wiki/Phishing",
        "https://www.bbc.co.uk/news/technology-67890123",
        "https://docs.rs/serde/latest/serde/trait.Serialize.html",
        "https://stackoverflow.com/questions/927358/how-do-i-undo-the-most-recent-local-commits-in-git",
        "https://secure.booking.com/myreservations.html",
        "https://www.chase.com/personal/credit-cards/login-account-access",
        "https://etherscan.io/address/0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045",
        "https://www.ikea.com/de/de/p/billy-buecherregal-weiss-00263850/",
        "https://bücher.de/",
        "http://localhost:3000/login",
        "https://www.sparkasse.de/",
        "https://banking.dkb.de/login",
        "https://meine.deutsche-bank.de/trxm/db/",
        "https://www.commerzbank.de/lp/login?pk",
        "https://www.wellsfargo.com/",
        "https://connect.secure.wellsfargo.com/auth/login/present",
        "https://secure.bankofamerica.com/login/sign-in/signOnV2Screen.go",
        "https://online.citi.com/US/login.do",
        "https://www.hsbc.co.uk/security/",
        "https://idp.online-banking.hsbc.com/login",
        "https://www.ing.nl/particulier/mobiel-en-internetbankieren",
        "https://mijn.ing.nl/login/",
        "https://www.bancsabadell.com/cs/Satellite/SabAtl/",
        "https://www.santander.com.br/",
        "https://internetbanking.caixa.gov.br/sinbc/",
        "https://www.itau.com.br/empresas",
        "https://www.labanquepostale.fr/",
        "https://www.impots.gouv.fr/accueil",
        "https://cfspart.impots.gouv.fr/LoginAccess",
        "https://www.gov.uk/sign-in-universal-credit",
        "https://www.irs.gov/refunds",
        "https://sa.www4.irs.gov/wmr/",
        "https://www.ssa.gov/myaccount/",
        "https://login.gov/",
        "https://secure.login.gov/",
        "https://www.usps.com/manage/track.htm",
        "https://tools.usps.com/go/TrackConfirmAction?tLabels=9400111899223856928499",
        "https://www.dhl.de/de/privatkunden/pakete-empfangen/verfolgen.html?piececode=00340434161094042557",
        "https://www.ups.com/track?loc=en_US&tracknum=1Z12345E0205271688",
        "https://www.fedex.com/fedextrack/?trknbr=123456789012",
        "https://www.zalando.de/damenschuhe/?order=sale",
        "https://www.otto.de/p/bosch-waschmaschine-serie-4-wan28k98-8-kg-1400-u-min-1234567/",
        "https://www.ebay.com/itm/394853427854?hash=item5bef2d",
        "https://www.etsy.com/listing/1234567890/handmade-leather-wallet",
        "https://www.aliexpress.com/item/1005004567890123.html",
        "https://shop.tesla.com/product/model-3-all-weather-interior-liners",
        "https://www.mediamarkt.de/de/product/_apple-iphone-15-128-gb-schwarz-2889154.html",
        "https://www.coolblue.nl/product/934561/samsung-galaxy-s24.html",
        "https://www.leroymerlin.fr/produits/carrelage-parquet-sol-souple/",
        "https://tienda.mercadona.es/categories/112",
        "https://www.rewe.de/angebote/",
        "https://accounts.spotify.com/en/login?continue=https%3A%2F%2Fopen.spotify.com%2F",
        "https://www.netflix.com/de/login",
        "https://www.disneyplus.com/login",
        "https://store.steampowered.com/app/730/CounterStrike_2/",
        "https://steamcommunity.com/id/gabelogannewell/inventory",
        "https://help.steampowered.com/en/wizard/Login",
        "https://discord.com/login",
        "https://discord.gg/rust-lang",
        "https://web.telegram.org/k/",
        "https://web.whatsapp.com/",
        "https://t.me/durov",
        "https://www.instagram.com/accounts/login/",
        "https://m.facebook.com/login/?next=https%3A%2F%2Fm.facebook.com%2Fsettings",
        "https://www.linkedin.com/in/williamhgates",
        "https://twitter.com/i/flow/login",
        "https://x.com/elonmusk/status/1518623997054918657",
        "https://www.coinbase.com/signin",
        "https://www.binance.com/en/trade/BTC_USDT",
        "https://www.kraken.com/sign-in",
        "https://app.aave.com/markets/",
        "https://metamask.io/download/",
        "https://opensea.io/collection/boredapeyachtclub",
        "https://www.ledger.com/ledger-live",
        "https://trezor.io/start",
        "https://phantom.app/download",
        "https://pancakeswap.finance/swap",
        "https://curve.fi/#/ethereum/pools",
        "https://stake.lido.fi/",
        "https://app.ens.domains/",
        "https://www.airbnb.com/rooms/12345678?check_in=2026-12-01",
        "https://www.booking.com/hotel/de/adlon-kempinski-berlin.html",
        "https://www.expedia.com/Hotel-Search?destination=Paris",
        "https://www.lufthansa.com/de/de/login",
        "https://www.bahn.de/buchung/fahrplan/suche",
        "https://outlook.office.com/mail/",
        "https://outlook.live.com/owa/",
        "https://login.live.com/login.srf?wa=wsignin1.0&rpsnv=13",
        "https://appleid.apple.com/account/manage",
        "https://support.apple.com/en-us/HT201487",
        "https://idmsa.apple.com/IDMSWebAuth/signin",
        "https://www.dropbox.com/scl/fi/abc123/report.pdf?rlkey=xyz",
        "https://drive.google.com/file/d/1a2b3c4d5e6f7g8h9i0j/view?usp=sharing",
        "https://docs.google.com/forms/d/e/1FAIpQLSf/viewform",
        "https://forms.gle/abcDEF123",
        "https://wetransfer.com/downloads/abc",
        "https://mail.ru/",
        "https://yandex.ru/maps/213/moscow/",
        "https://www.baidu.com/s?wd=rust",
        "https://item.jd.com/100012043978.html",
        "https://www.taobao.com/",
        "https://qiita.com/items/c686397e4a0f4f11683d",
        "https://www.rakuten.co.jp/shop/",
        "https://www.nikkei.com/article/DGXZQOUB000000Z00C24A1000000/",
        "https://zenn.dev/topics/rust",
        "https://www.tokopedia.com/search?q=laptop",
        "https://www.flipkart.com/mobiles/pr?sid=tyy",
        "https://www.icicibank.com/personal-banking/loans",
        "https://netbanking.hdfcbank.com/netbanking/",
        "https://myfirstblog.wordpress.com/2023/05/01/hello-world/",
        "https://rust-lang.github.io/async-book/",
        "https://todo-app.netlify.app/",
        "https://www.kleinanzeigen.de/s-anzeige/ikea-regal/2345678901-88-3331",
        "https://small-bakery-muenchen.de/kontakt",
        "https://www.zahnarzt-mueller-berlin.de/termin-buchen",
        "https://shop.alpine-outdoor24.de/checkout/login",
        "https://www.hotel-post-zermatt.ch/en/rooms/book",
        "https://school.edu.pl/login/index.php",
        "https://moodle.uni-wien.ac.at/login/index.php",
        "https://webmail.strato.de/",
        "https://mail.university.edu/owa/auth/logon.aspx",
        "https://portal.azure.com/",
        "https://signin.aws.amazon.com/console",
        "https://eu-central-1.console.aws.amazon.com/ec2/home?region=eu-central-1",
        "https://api.openai.com/v1/chat/completions",
        "https://api.example-startup.io/v1/users/42",
        "https://my-company.atlassian.net/browse/PROJ-123",
        "https://company.slack.com/archives/C024BE91L/p1234567890",
        "https://us02web.zoom.us/j/81234567890?pwd=abc",
        "https://teams.microsoft.com/l/meetup-join/19%3ameeting_abc",
        "https://calendly.com/jane-doe/30min",
        "https://pay.stripe.com/invoice/acct_1032D82eZvKYlo2C",
        "https://checkout.stripe.com/c/pay/cs_test_a1b2c3",
        "https://buy.polar.sh/abc",
        "https://x402.org/protected",
        "https://facilitator.x402.org/verify",
        "https://base-mainnet.g.alchemy.com/v2/demo",
        "https://mainnet.infura.io/v3/abcdef",
        "https://api.coingecko.com/api/v3/simple/price?ids=bitcoin",
        "https://news.ycombinator.com/item?id=38012345",
        "https://arxiv.org/abs/1706.03762",
        "https://medium.com/@user/how-i-built-a-thing-3f2a1b4c5d6e",
        "https://www.youtube.com/watch?v=dQw4w9WgXcQ",
        "https://youtu.be/dQw4w9WgXcQ",
        "https://hub.docker.com/_/postgres",
        "https://registry.npmjs.org/express",
        "https://raw.githubusercontent.com/rust-lang/rust/master/README.md",
        "https://bitcoin.org/en/download",
        "https://electrum.org/#download",
        "https://www.mozilla.org/en-US/firefox/new/",
        "https://download.mozilla.org/?product=firefox-latest-ssl&os=win64&lang=en-US",
        "https://dl.google.com/chrome/install/latest/chrome_installer.exe",
    ] {
        let found = scan(text);
        assert!(found.severity() < Some(Severity::Warn), "{text}: {:.2} {:?}", found.score, ids(text));
    }
}

#[test]
fn spans_point_at_the_part_in_the_text_as_it_was_given() {
    for (text, id, part) in [
        ("  https://anna:secret@example.net/", "userinfo", "anna:secret"),
        ("pay\tpal.com.example.net/a", "brand-host-prefix", "pay\tpal.com.example.net"),
        (
            "https://example.net/a?url=https://example.org/#x",
            "redirect-parameter",
            "url=https://example.org/",
        ),
        ("\u{feff}https://example.net:4431/", "odd-port", "4431"),
        ("java\nscript:alert(1)", "script-scheme", "java\nscript:alert(1)"),
    ] {
        let found = scan(text);
        let signal = found.signals.iter().find(|signal| signal.rule.id == id).expect("the rule finds it");
        assert_eq!(&text[signal.span.clone()], part, "{text:?}");
    }
}

#[test]
fn the_model_is_the_published_one() {
    let mut hash = String::new();
    for byte in Sha256::digest(crate::scanner::MODEL) {
        let _ = write!(hash, "{byte:02x}");
    }
    assert_eq!(hash, MODEL_SHA256);
    assert!(crate::scanner::MODEL.len() <= 256 << 10);
}

#[test]
fn all_of_the_code_is_in_the_canonical_rules() {
    let rules = canonical_rules();
    let text = String::from_utf8_lossy(&rules);
    for part in ["MANY_LABELS: usize", "THRESHOLD: f64", "MAX_PART_BYTES", "metamask", "bit.ly", "LINMOD01"] {
        assert!(text.contains(part), "{part}");
    }
}

#[test]
fn the_work_of_a_hostile_address_is_bounded() {
    for part in ["a.", "a-", "%25", "http://a/", "@a.b", "paypal-", "xn--", "é", "..", "&url=//b.c"] {
        let many = part.repeat(65_000 / part.len());
        for start in [
            "https://example.net/",
            "https://example.net/?",
            "https://example.net/#",
            "https://",
            "data:",
            "https://a@",
        ] {
            if let Ok(address) = WebAddress::parse(&format!("{start}{many}")) {
                assert!(SCANNER.scan(&address).signals.len() < 40);
            }
        }
    }
}

/// Checks what holds for every text.
fn check_any(text: &str) -> Result<(), TestCaseError> {
    let Ok(address) = WebAddress::parse(text) else { return Ok(()) };
    let found = SCANNER.scan(&address);
    prop_assert!(found.score.is_finite());
    for signal in &found.signals {
        prop_assert!(text.get(signal.span.clone()).is_some(), "{:?} of {:?}", signal, text);
    }
    prop_assert_eq!(found, SCANNER.scan(&address));
    Ok(())
}

proptest! {
    #[test]
    fn no_text_panics_and_spans_lie_within_it(text in r"\PC{0,80}|[\PC\t\n ]{0,40}") {
        check_any(&text)?;
    }

    #[test]
    fn no_address_panics_and_spans_lie_within_it(
        text in "[ \t\u{feff}é]{0,3}(https?:[/\\\\]{0,3}|javascript:|data:)?([a-zé0-9\t.:@-]{0,12}@)?[a-zéа0-9\t.%-]{1,30}(:[0-9]{0,6})?([/?#\\\\][a-zé@=&%./\t:-]{0,20}){0,4}[ \t\n]{0,2}"
    ) {
        check_any(&text)?;
    }
}
