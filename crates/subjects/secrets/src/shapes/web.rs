//! Shapes of messengers, mail, shops, payments and other services of the web.

use base64::Engine as _;

use super::{Shape, shape};

pub(super) static SHAPES: &[Shape] = &[
    shape("slack-bot-token", "Slack", &["xoxb-"], r"xoxb-(?:\d{8,14}-){1,2}[A-Za-z0-9]{14,34}", 20),
    shape(
        "slack-user-token",
        "Slack",
        &["xoxp-", "xoxe-"],
        r"xox[pe](?:-\d{6,13}){3}-[a-zA-Z0-9]{26,34}",
        20,
    ),
    shape("slack-workspace-token", "Slack", &["xoxa-", "xoxr-"], r"xox[ar]-(?:\d-)?[0-9A-Za-z]{8,48}", 20),
    shape(
        "slack-legacy-token",
        "Slack",
        &["xoxo-", "xoxs-"],
        r"xox[os]-\d{1,20}-\d{1,20}-\d{1,20}-[a-fA-F\d]{8,64}",
        20,
    ),
    // The forms that a client sends: any number of groups of digits, then letters.
    shape(
        "slack-token",
        "Slack",
        &["xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxo-", "xoxc-"],
        r"(?i:xox[baprsoc]-(?:\d-)?(?:\d{3,20}-){1,4}[a-z0-9]{10,250})",
        25,
    ),
    shape("slack-cookie", "Slack", &["xoxd-"], r"xoxd-[A-Za-z0-9%/+]{60,400}={0,2}", 35).open(),
    shape(
        "slack-config-token",
        "Slack",
        &["xoxe.xox", "xoxe-"],
        r"xoxe\.xox[bp]-\d-[A-Za-z0-9]{160,170}|xoxe-\d-[A-Za-z0-9]{146}",
        20,
    ),
    shape(
        "slack-app-token",
        "Slack",
        &["xapp-"],
        r"(?i:xapp-\d-[A-Z0-9]{1,20}-\d{1,20}-[a-z0-9]{20,100})",
        20,
    ),
    shape(
        "slack-webhook",
        "Slack",
        &["hooks.slack.com/"],
        r"hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9+/]{43,56}",
        30,
    )
    .open(),
    shape(
        "stripe-key",
        "Stripe",
        &["sk_live_", "sk_test_", "sk_prod_", "rk_live_", "rk_test_", "rk_prod_"],
        r"[sr]k_(?:live|test|prod)_[0-9A-Za-z]{10,99}",
        20,
    ),
    shape("stripe-webhook-secret", "Stripe", &["whsec_"], r"whsec_[0-9A-Za-z+/]{32,64}={0,2}", 30),
    shape("discord-token", "Discord", &["."], r"[AMNO][\w-]{23,25}\.[\w-]{6}\.[\w-]{27,38}", 38).back(24, 26),
    shape("discord-webhook", "Discord", &["/api/webhooks/"], r"/api/webhooks/\d{17,20}/[\w-]{60,72}", 35),
    shape("telegram-bot-token", "Telegram", &[":A"], r"\d{5,16}:A[\w-]{34}", 30).back(5, 16),
    shape("twilio-account", "Twilio", &["AC"], r"AC[a-z0-9]{32}", 0).samples_kept(),
    shape("twilio-key", "Twilio", &["SK"], r"SK[0-9a-fA-F]{32}", 25),
    shape("sendgrid-key", "SendGrid", &["SG."], r"SG\.[\w=.-]{66}", 20)
        .check(|token| token.as_bytes().get(25) == Some(&b'.')),
    shape(
        "sendinblue-key",
        "Brevo",
        &["xkeysib-", "xsmtpsib-"],
        r"x(?:key|smtp)sib-[a-f0-9]{64}-[a-zA-Z0-9]{16}",
        20,
    ),
    shape("mailchimp-key", "Mailchimp", &["-us"], r"[0-9a-f]{32}-us\d{1,2}", 25)
        .back(32, 32)
        // The kit for apps of telephones takes a key of the same form, which every copy of the app shows.
        .open_behind("MailchimpSDK.initialize(token: "),
    shape("mailgun-key", "Mailgun", &["key-", "pubkey-"], r"(?:pub)?key-[a-f0-9]{32}", 25),
    shape("shippo-token", "Shippo", &["shippo_"], r"shippo_(?:live|test)_[a-fA-F0-9]{40}", 20),
    shape(
        "shopify-token",
        "Shopify",
        &["shpat_", "shpca_", "shppa_", "shpss_"],
        r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}",
        20,
    ),
    shape("square-access-token", "Square", &["EAAA", "sq0atp-"], r"EAAA[\w=-]{60}|sq0atp-[\w=-]{22,60}", 20),
    shape("square-oauth-secret", "Square", &["sq0csp-"], r"sq0csp-[\w=-]{43}", 20),
    shape(
        "braintree-token",
        "Braintree",
        &["access_token$"],
        r"access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}",
        20,
    ),
    shape("facebook-page-token", "Facebook", &["EAAM", "EAAC"], r"EAA[MC][A-Za-z0-9]{100,600}", 40),
    shape(
        "facebook-access-token",
        "Facebook",
        &[
            "0|", "1|", "2|", "3|", "4|", "5|", "6|", "7|", "8|", "9|", "0%7", "1%7", "2%7", "3%7", "4%7",
            "5%7", "6%7", "7%7", "8%7", "9%7",
        ],
        r"\d{15,16}(?:\||%7[Cc])[\w-]{27,40}",
        30,
    )
    .back(14, 16),
    shape("airtable-pat", "Airtable", &["pat"], r"pat[A-Za-z0-9]{14}\.[a-f0-9]{64}", 30),
    shape("duffel-token", "Duffel", &["duffel_"], r"duffel_(?:test|live)_[\w=-]{43}", 20),
    shape("easypost-token", "EasyPost", &["EZAK", "EZTK"], r"EZ[AT]K[A-Za-z0-9]{54}", 20),
    shape(
        "flutterwave-key",
        "Flutterwave",
        &["FLWSECK", "FLWPUBK"],
        r"FLW(?:SECK|PUBK)(?:_TEST)?-(?:[a-h0-9]{32}-X|[a-h0-9]{12})",
        20,
    ),
    shape("frameio-token", "Frame.io", &["fio-u-"], r"fio-u-[A-Za-z0-9_=-]{64}", 20),
    shape("gocardless-token", "GoCardless", &["live_"], r"live_[A-Za-z0-9_=-]{40}", 30),
    shape("lob-key", "Lob", &["live_", "test_"], r"(?:live|test)_(?:[a-f0-9]{35}|pub_[a-f0-9]{31})", 25),
    shape(
        "plaid-token",
        "Plaid",
        &["access-"],
        r"access-(?:sandbox|development|production)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
        25,
    ),
    shape("mapbox-secret-token", "Mapbox", &["sk.eyJ"], r"sk\.eyJ[\w-]{40,200}\.[\w-]{22}", 30),
    shape("mapbox-token", "Mapbox", &["pk."], r"pk\.[a-zA-Z0-9]{60}\.[a-zA-Z0-9]{22}", 30),
    shape(
        "dropbox-short-token",
        "Dropbox",
        &["sl."],
        r"sl\.[A-Za-z0-9=_-]{130,152}|sl\.u\.[\w-]{130,1200}",
        30,
    ),
    shape("twitter-bearer-token", "X", &["AAAAAAAAAAAAAAAAAAAAAA"], r"A{22}[A-Za-z0-9%]{80,100}", 0),
    shape("typeform-token", "Typeform", &["tfp_"], r"tfp_[\w.=-]{59}", 20),
    shape("beamer-token", "Beamer", &["b_"], r"b_[A-Za-z0-9=_-]{44}", 40).check(crate::filters::mixed),
    shape(
        "hubspot-token",
        "HubSpot",
        &["pat-na", "pat-eu"],
        r"pat-(?:na|eu)\d-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
        25,
    ),
    shape("intercom-token", "Intercom", &["dG9rO"], r"dG9rO[A-Za-z0-9]{54}=", 35),
    shape(
        "microsoft-teams-webhook",
        "Microsoft",
        &["webhook.office.com/webhookb2/"],
        r"webhook\.office\.com/webhookb2/[A-Za-z0-9]{8}(?:-[A-Za-z0-9]{4}){3}-[A-Za-z0-9]{12}@[A-Za-z0-9]{8}(?:-[A-Za-z0-9]{4}){3}-[A-Za-z0-9]{12}/IncomingWebhook/[A-Za-z0-9]{32}/[A-Za-z0-9]{8}(?:-[A-Za-z0-9]{4}){3}-[A-Za-z0-9]{12}",
        20,
    ),
    // Either the parts are base 64 of JSON, or it is no JSON Web Token.
    shape(
        "jwt",
        "JSON Web Token",
        &["eyJ"],
        r"eyJ[\w-]{12,1500}\.eyJ[\w/-]{5,2400}\.[\w/-]{0,1000}={0,2}",
        30,
    )
    .open()
    .check(header),
    shape("jwt-base64", "JSON Web Token", &["ZXlK"], r"ZXlK[A-Za-z0-9+/_-]{60,4000}={0,2}", 45).open(),
];

/// True if the first part of the token is a JSON object that names its algorithm.
fn header(token: &str) -> bool {
    let part = token.split('.').next().unwrap_or_default();
    base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(part).is_ok_and(|json| {
        let json = String::from_utf8_lossy(&json);
        json.trim_end().ends_with('}') && json.contains("\"alg\"")
    })
}
