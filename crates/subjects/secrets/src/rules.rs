//! The table of secrets with a shape of their own: a fixed prefix, or a form that nothing else has.

use crate::{Kind, Rule, Severity};

/// A shape: the rule, the literals that lead to it, and the expression that decides.
pub(crate) struct Shape {
    /// The published rule.
    pub rule: Rule,
    /// Literals, any case; the text around each occurrence is tried.
    pub anchors: &'static [&'static str],
    /// Bytes before the anchor at which a match may start; 0 = exactly at the anchor.
    pub back: usize,
    /// Expression; group 1 is the secret.
    pub pattern: &'static str,
    /// Least Shannon entropy of the secret, in tenths of bits a character; 0 = placeholders count too.
    pub entropy: u32,
}

const fn shape(
    id: &'static str,
    provider: &'static str,
    anchors: &'static [&'static str],
    pattern: &'static str,
    entropy: u32,
) -> Shape {
    behind(id, provider, anchors, 0, pattern, entropy)
}

const fn behind(
    id: &'static str,
    provider: &'static str,
    anchors: &'static [&'static str],
    back: usize,
    pattern: &'static str,
    entropy: u32,
) -> Shape {
    Shape { rule: Rule::new(id, Kind::ProviderSecret, provider, Severity::Block), anchors, back, pattern, entropy }
}

/// Every shape. The order is the order of preference where two findings have one span.
pub(crate) static SHAPES: &[Shape] = &[
    shape("github-token", "GitHub", &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], r"(gh[pousr]_[0-9A-Za-z]{36})", 25),
    shape("github-fine-grained-pat", "GitHub", &["github_pat_"], r"(github_pat_\w{70,90})", 25),
    shape("gitlab-token", "GitLab", &["glpat-", "gldt-", "glft-", "glsoat-", "glrt-", "glimt-", "glagent-", "gloas-", "glptt-", "glcbt-", "glffct-", "_gitlab_session="],
        r"(gloas-[\w-]{64}\b|glagent-[\w-]{50,1024}|glptt-[\w-]{40}\b|glcbt-(?:[0-9a-zA-Z]{1,5}_)?[\w-]{20}|gl(?:pat|dt|ft|soat|rt|imt|ffct)-[\w.-]{20,300}|glcbt-[\w-]{18,64}|_gitlab_session=[0-9a-z]{32})", 25),
    shape("gitlab-runner-registration-token", "GitLab", &["GR1348941"], r"(GR1348941[\w-]{20,50})(?:[^\w-]|$)", 30),
    shape("aws-access-key", "AWS", &["AKIA"], r"(AKIA[0-9A-Z]{16})\b", 26),
    shape("aws-access-key-other", "AWS", &["A3T", "ASIA", "ABIA", "ACCA"], r"((?:A3T[A-Z0-9]|ASIA|ABIA|ACCA)[0-9A-Z]{16})\b", 0),
    shape("aws-bedrock-key", "AWS", &["ABSK", "bedrock-api-key-"], r"(ABSK[A-Za-z0-9+/]{109,269}={0,2}|bedrock-api-key-[A-Za-z0-9+/=]{12,2000})", 30),
    behind("azure-ad-client-secret", "Azure", &["Q~"], 4, r"(?:^|[^\w.~-])([\w.~-]{3}\dQ~[\w.~-]{31,34})(?:[^\w.~-]|$)", 30),
    shape("azure-storage-key", "Azure", &["AccountKey="], r"AccountKey=([A-Za-z0-9+/]{86}==)", 30),
    shape("gcp-api-key", "Google", &["AIza"], r"(AIza[\w-]{35})(?:[^\w-]|$)", 40),
    shape("gcp-service-account", "Google", &["\"service_account\""], r#"("service_account")"#, 0),
    shape("google-oauth", "Google", &["GOCSPX-", "ya29."], r"(GOCSPX-[\w-]{28}|ya29\.[\w-]{30,1000})", 30),
    shape("slack-token", "Slack", &["xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxe-", "xoxs-", "xoxo-", "xoxc-", "xoxd-", "xoxe.", "xapp-"],
        r"(?i)(xoxe\.xox[bp]-\d-[A-Z0-9]{60,300}|xoxe-\d-[A-Z0-9]{100,300}|xapp-\d-[A-Z0-9]+-\d+-[a-z0-9]{20,100}|xox[baprsoecd]-(?:\d+-){1,4}[a-z0-9]{8,250}|xox[ar]-(?:\d-)?[0-9a-z]{8,48})", 25),
    shape("slack-webhook", "Slack", &["hooks.slack.com/"], r"(hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9+/]{40,70})", 30),
    shape("stripe-key", "Stripe", &["sk_live_", "sk_test_", "sk_prod_", "rk_live_", "rk_test_", "rk_prod_", "whsec_"], r"((?:[sr]k_(?:live|test|prod)_|whsec_)[0-9a-zA-Z]{10,99})", 25),
    shape("openai-key", "OpenAI", &["sk-"], r"(sk-(?:(?:proj|svcacct|admin|None)-)?[\w-]{20,100}T3BlbkFJ[\w-]{20,100}|sk-[A-Za-z0-9]{48}\b)", 30),
    shape("anthropic-key", "Anthropic", &["sk-ant-"], r"(sk-ant-(?:api|admin|oat|sid)\d\d-[\w-]{80,120})", 30),
    shape("npm-token", "npm", &["npm_"], r"(?i)(npm_[a-z0-9]{36})\b", 25),
    shape("npmrc-token", "npm", &[":_authToken="], r":_authToken=\s{0,3}([\w-]{20,80})", 25),
    shape("pypi-token", "PyPI", &["pypi-AgE"], r"(pypi-AgE(?:IcHlwaS5vcmc|NdGVzdC5weXBpLm9yZw)[\w-]{70,1000})", 30),
    behind("discord-token", "Discord", &["."], 28, r"(?:^|[^\w-])([A-Z][\w-]{23,25}\.[\w-]{6}\.[\w-]{27,38})(?:[^\w-]|$)", 35),
    behind("telegram-bot-token", "Telegram", &[":A"], 16, r"(?:^|[^\w]|bot)(\d{5,16}:AA?[\w-]{33,34})(?:[^\w-]|$)", 30),
    shape("twilio", "Twilio", &["SK", "AC"], r"((?:SK[0-9a-f]{32}|AC[a-z0-9]{32}))(?:[^\w]|$)", 0),
    shape("sendgrid", "SendGrid", &["SG."], r"(SG\.[\w-]{22}\.[\w-]{43})(?:[^\w-]|$)|(SG\.[\w.=-]{66})(?:[^\w.-]|$)", 30),
    shape("sendinblue", "Brevo", &["xkeysib-"], r"(xkeysib-[a-f0-9]{64}-[a-zA-Z0-9]{16})", 25),
    shape("shippo", "Shippo", &["shippo_"], r"(shippo_(?:live|test)_[a-fA-F0-9]{40})", 20),
    shape("shopify", "Shopify", &["shpat_", "shpca_", "shppa_", "shpss_"], r"(shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32})", 20),
    shape("square", "Square", &["EAAA", "sq0atp-", "sq0csp-", "sq0idp-"], r"(EAAA[\w=-]{60}|sq0(?:atp|csp|idp)-[\w=-]{22,60})(?:[^\w-]|$)", 30),
    shape("facebook-page-token", "Facebook", &["EAAM", "EAAC"], r"(?i)(EAA[MC][a-z0-9]{100,})", 40),
    shape("one-password-token", "1Password", &["ops_eyJ"], r"(ops_eyJ[A-Za-z0-9+/]{250,}={0,3})", 40),
    shape("one-password-key", "1Password", &["A3-"], r"(A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5})\b", 36),
    shape("adobe-client-secret", "Adobe", &["p8e-"], r"(?i)(p8e-[a-z0-9]{32})\b", 25),
    shape("age-secret-key", "age", &["AGE-SECRET-KEY-1"], r"(?i)(AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58})", 25),
    shape("alibaba-access-key", "Alibaba", &["LTAI"], r"(?i)(LTAI[a-z0-9]{20})\b", 25),
    shape("artifactory-key", "JFrog", &["AKCp", "cmVmd"], r"(AKCp[A-Za-z0-9]{69}|cmVmd[A-Za-z0-9]{59})\b", 40),
    behind("artifactory-password", "JFrog", &["AP", "AKC"], 1, r#"(?:^|[\s=:"])(AKC[a-zA-Z0-9]{10,}|AP[\dABCDEF][a-zA-Z0-9]{8,})(?:[\s"]|$)"#, 0),
    shape("airtable-pat", "Airtable", &["pat"], r"(pat[A-Za-z0-9]{14}\.[a-f0-9]{64})\b", 30),
    shape("atlassian-token", "Atlassian", &["ATATT3", "ATCTT3", "ATBB"], r"(AT[AC]TT3[A-Za-z0-9_=+./-]{180,220}|ATBB[A-Za-z0-9]{32})", 33),
    shape("clickhouse-key", "ClickHouse", &["4b1d"], r"(4b1d[A-Za-z0-9]{38})\b", 30),
    shape("clojars-token", "Clojars", &["CLOJARS_"], r"(?i)(CLOJARS_[a-z0-9]{60})", 25),
    shape("cloudflare-origin-ca", "Cloudflare", &["v1.0-"], r"(v1\.0-[a-f0-9]{24}-[a-f0-9]{146})", 25),
    shape("databricks-token", "Databricks", &["dapi"], r"(dapi[a-f0-9]{32}(?:-\d)?)\b", 30),
    shape("digitalocean-token", "DigitalOcean", &["dop_v1_", "doo_v1_", "dor_v1_"], r"(?i)(do[opr]_v1_[a-f0-9]{64})", 25),
    shape("doppler-token", "Doppler", &["dp."], r"(?i)(dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9-]+\.)?[a-z0-9]{40,44})\b", 25),
    shape("duffel-token", "Duffel", &["duffel_"], r"(?i)(duffel_(?:test|live)_[\w=-]{43})", 25),
    shape("dynatrace-token", "Dynatrace", &["dt0c01."], r"(?i)(dt0[a-z]\d\d\.[a-z0-9]{24}\.[a-z0-9]{64})", 35),
    shape("easypost-token", "EasyPost", &["EZAK", "EZTK"], r"(?i)(EZ[AT]K[a-z0-9]{54})\b", 25),
    shape("flutterwave-key", "Flutterwave", &["FLWSECK_TEST-", "FLWPUBK_TEST-", "FLWSECK-"], r"(?i)(FLW(?:SECK|PUBK)(?:_TEST)?-[a-h0-9]{12,32}(?:-X)?)", 20),
    shape("flyio-token", "Fly.io", &["fo1_", "fm1", "fm2_"], r"(fo1_[\w-]{43}|fm1[ar]_[A-Za-z0-9+/]{100,}={0,3}|fm2_[A-Za-z0-9+/]{100,}={0,3})(?:[^\w-]|$)", 40),
    shape("frameio-token", "Frame.io", &["fio-u-"], r"(?i)(fio-u-[a-z0-9_=-]{64})", 25),
    shape("grafana-token", "Grafana", &["glc_", "glsa_", "eyJrIjoi"], r"(?i)(glc_[A-Z0-9+/]{32,400}={0,3}|glsa_[A-Z0-9]{32}_[A-F0-9]{8}|eyJrIjoi[A-Z0-9]{70,400}={0,3})", 33),
    shape("harness-token", "Harness", &["pat.", "sat."], r"([ps]at\.[\w-]{22}\.[0-9a-f]{24}\.[A-Za-z0-9]{20})\b", 30),
    behind("terraform-token", "HashiCorp", &[".atlasv1."], 14, r"(?i)([a-z0-9]{14}\.atlasv1\.[a-z0-9_=-]{60,70})", 35),
    shape("vault-token", "HashiCorp", &["hvs.", "hvb.", "s."], r"(hv[sb]\.[\w-]{90,300}|s\.[a-zA-Z0-9]{24})(?:[^\w.-]|$)", 35),
    shape("heroku-key", "Heroku", &["HRKU-AA"], r"(HRKU-AA[\w-]{58})", 35),
    shape("huggingface-token", "Hugging Face", &["hf_", "api_org_"], r"(?i)((?:hf_|api_org_)[a-z]{34})\b", 30),
    shape("infracost-token", "Infracost", &["ico-"], r"(ico-[a-zA-Z0-9]{32})\b", 30),
    shape("intra42-secret", "42", &["s-s4t2"], r"(s-s4t2(?:ud|af)-[a-f0-9]{64})", 30),
    behind("mailchimp-key", "Mailchimp", &["-us"], 33, r"(?:^|[^0-9a-zA-Z])([0-9a-f]{32}-us\d{1,2})\b", 25),
    behind("mailgun-key", "Mailgun", &["key-", "pubkey-"], 0, r"((?:pub)?key-[a-f0-9]{32})\b", 25),
    behind("maxmind-license-key", "MaxMind", &["_mmk"], 36, r"([A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk)", 30),
    shape("microsoft-teams-webhook", "Microsoft", &["webhook.office.com/webhookb2/"], r"(?i)(webhook\.office\.com/webhookb2/[a-z0-9-]{36}@[a-z0-9-]{36}/IncomingWebhook/[a-z0-9]{32}/[a-z0-9-]{36})", 25),
    shape("newrelic-key", "New Relic", &["NRAK-", "NRJS-", "NRII-", "NRAL-"], r"(?i)(NRAK-[a-z0-9]{27}|NRJS-[a-f0-9]{19}|NRII-[a-z0-9-]{32}|NRAL-[a-z0-9]{20,40})\b", 25),
    shape("notion-token", "Notion", &["ntn_", "secret_"], r"(ntn_[0-9]{11}[A-Za-z0-9]{35}|secret_[A-Za-z0-9]{43})\b", 40),
    shape("octopus-key", "Octopus Deploy", &["API-"], r"(API-[A-Z0-9]{26})\b", 30),
    shape("openshift-token", "OpenShift", &["sha256~"], r"(sha256~[\w-]{43})(?:[^\w-]|$)", 35),
    shape("perplexity-key", "Perplexity", &["pplx-"], r"(pplx-[a-zA-Z0-9]{48})", 40),
    shape("planetscale-token", "PlanetScale", &["pscale_"], r"(?i)(pscale_(?:tkn|pw|oauth|o?id)_[\w=.-]{32,64})", 30),
    shape("postman-key", "Postman", &["PMAK-"], r"(?i)(PMAK-[a-f0-9]{24}-[a-f0-9]{34})", 30),
    shape("prefect-token", "Prefect", &["pnu_"], r"(pnu_[a-z0-9A-Z]{36})\b", 25),
    shape("pulumi-token", "Pulumi", &["pul-"], r"(pul-[a-f0-9]{40})\b", 25),
    shape("readme-token", "ReadMe", &["rdme_"], r"(rdme_[a-z0-9]{70})", 25),
    shape("rubygems-token", "RubyGems", &["rubygems_"], r"(rubygems_[a-f0-9]{48})", 25),
    shape("scalingo-token", "Scalingo", &["tk-us-"], r"(tk-us-[\w-]{48})", 25),
    shape("sentry-token", "Sentry", &["sntryu_", "sntrys_"], r"(sntryu_[a-f0-9]{64}|sntrys_eyJ[A-Za-z0-9+/=_-]{50,400})", 35),
    shape("settlemint-token", "SettleMint", &["sm_aat_", "sm_pat_", "sm_sat_"], r"(sm_[aps]at_[a-zA-Z0-9]{16})\b", 30),
    shape("sourcegraph-token", "Sourcegraph", &["sgp_"], r"(?i)(sgp_(?:(?:local|[a-f0-9]{16})_)?[a-f0-9]{40})\b", 30),
    shape("sumologic-access-id", "Sumo Logic", &["sumo"], r#"(?i)sumo[\w.\- ]{0,30}["']?\s{0,3}[:=]+\s{0,3}["']?(su[a-z0-9]{12})\b"#, 30),
    shape("defined-networking-token", "Defined Networking", &["dnkey-"], r"(dnkey-[a-z0-9=_-]{26}-[a-z0-9=_-]{52})", 35),
    shape("linear-key", "Linear", &["lin_api_"], r"(lin_api_[a-zA-Z0-9]{40})", 20),
    shape("typeform-token", "Typeform", &["tfp_"], r"(tfp_[\w.=-]{59})", 25),
    shape("yandex-token", "Yandex", &["t1.", "AQVN", "YC"], r"(t1\.[A-Z0-9a-z_-]+=*\.[A-Z0-9a-z_-]{86}={0,2}|AQVN[\w-]{35,38}|YC[\w-]{38})(?:[^\w-]|$)", 35),
    shape("cohere-or-groq-key", "Groq", &["gsk_", "xai-", "r8_"], r"(gsk_[A-Za-z0-9]{52}|xai-[A-Za-z0-9]{80}|r8_[A-Za-z0-9]{37})\b", 35),
    shape("looker-or-lob-key", "Lob", &["live_", "test_pub_", "live_pub_"], r"((?:live|test)_(?:pub_)?[a-f0-9]{31,35})\b", 25),
    shape("jwt", "JSON Web Token", &["eyJ"], r"(eyJ[\w-]{12,4000}\.eyJ[\w/-]{5,8000}\.[\w/-]{0,2000}={0,2})", 30),
    shape("jwt-base64", "JSON Web Token", &["ZXlK"], r"(ZXlK[A-Za-z0-9+/_-]{60,4000}={0,2})", 45),
    behind("url-password", "basic authentication", &["://"], 0, r#"://[^\s:/@"'<>\[\]{}$]{0,100}:([^\s:/@"'<>\[\]{}$#?]{3,100})@[\w\[]"#, 0),
    shape("curl-user", "curl", &["curl"], r#"curl\b[^\n]{0,300}(?:\\\r?\n[^\n]{0,300}){0,5}?\s(?:-u|--user)[ =]{0,3}(?:["'][^"'\n:]{1,60}:([^"'\n$<]{3,100})["']|[^\s"':]{1,60}:["']?([^\s"'$<]{3,100}))"#, 15),
    shape("curl-header", "curl", &["curl"], r#"curl\b[^\n]{0,300}(?:\\\r?\n[^\n]{0,300}){0,5}?(?:-H|--header)[ =]{0,4}["'](?i:authorization:\s{0,4}(?:(?:basic|bearer|token|apikey)\s{1,3})?|[\w-]{0,20}(?:token|api-?key|secret)[\w-]{0,10}:\s{0,4})([\w=~@.+/-]{8,2000})"#, 27),
    shape("authorization-header", "HTTP", &["authorization"], r#"(?i)authorization["']?\s{0,3}[:=]\s{0,3}["']?(?:basic|bearer|token)\s{1,3}([\w=~.+/-]{20,2000})"#, 33),
];
