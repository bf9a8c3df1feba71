//! Shapes of clouds, networks, directories and vaults.

use super::{Shape, shape};
use crate::filters::mixed;

pub(super) static SHAPES: &[Shape] = &[
    // The identifiers are base 32. They name a secret that stands near, and are not random in documentation.
    shape(
        "aws-access-key",
        "AWS",
        &["AKIA", "ASIA", "ABIA", "ACCA", "A3T"],
        r"(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}",
        0,
    ),
    shape("aws-bedrock-key", "AWS", &["ABSK"], r"ABSK[A-Za-z0-9+/]{109,269}={0,2}", 30),
    shape(
        "aws-bedrock-short-key",
        "AWS",
        &["bedrock-api-key-"],
        r"bedrock-api-key-[A-Za-z0-9+/]{12,2000}={0,2}",
        30,
    ),
    shape("azure-ad-client-secret", "Azure", &["Q~"], r"[\w.~-]{3}\dQ~[\w.~-]{31,34}", 30)
        .back(4, 4)
        .check(|token| !token.starts_with('~')),
    shape("azure-storage-key", "Azure", &["AccountKey="], r"AccountKey=[A-Za-z0-9+/]{86}==", 30),
    shape(
        "azure-shared-access-signature",
        "Azure",
        &["sig="],
        r"sig=[A-Za-z0-9]{10,60}(?:%[0-9A-Fa-f]{2}[A-Za-z0-9]{0,60}){1,12}%3[Dd]",
        35,
    ),
    shape("azure-devops-token", "Azure", &["AZDO"], r"[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}", 40).back(76, 76),
    shape("gcp-api-key", "Google", &["AIza"], r"AIzaSy[\w-]{33}", 40),
    shape("gcp-service-account", "Google", &["\"service_account\""], r#""service_account""#, 0),
    shape("google-oauth-secret", "Google", &["GOCSPX-"], r"GOCSPX-[\w-]{28}", 30),
    shape("google-oauth-token", "Google", &["ya29."], r"ya29\.[\w-]{30,1000}", 35).open(),
    shape("alibaba-access-key", "Alibaba", &["LTAI"], r"LTAI[A-Za-z0-9]{20}", 20),
    shape(
        "digitalocean-token",
        "DigitalOcean",
        &["dop_v1_", "doo_v1_", "dor_v1_"],
        r"do[opr]_v1_[a-f0-9]{64}",
        30,
    ),
    shape("cloudflare-origin-ca-key", "Cloudflare", &["v1.0-"], r"v1\.0-[a-f0-9]{24}-[a-f0-9]{146}", 20),
    shape("clickhouse-key", "ClickHouse", &["4b1d"], r"4b1d[A-Za-z0-9]{38}", 30),
    shape("databricks-token", "Databricks", &["dapi"], r"dapi[a-f0-9]{32}(?:-\d)?", 30),
    shape(
        "defined-networking-token",
        "Defined Networking",
        &["dnkey-"],
        r"dnkey-[A-Za-z0-9=_-]{26}-[A-Za-z0-9=_-]{52}",
        30,
    ),
    shape(
        "flyio-token",
        "Fly.io",
        &["fo1_", "fm1a_", "fm1r_", "fm2_"],
        r"fo1_[\w-]{43}|fm1[ar]_[A-Za-z0-9+/]{100,2000}={0,3}|fm2_[A-Za-z0-9+/]{100,2000}={0,3}",
        40,
    ),
    shape(
        "terraform-token",
        "HashiCorp",
        &[".atlasv1."],
        r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,70}",
        35,
    )
    .back(14, 14),
    shape("vault-token", "HashiCorp", &["hvs.", "hvb.", "hvr."], r"hv[sbr]\.[\w-]{90,300}", 35).check(mixed),
    shape("vault-legacy-token", "HashiCorp", &["s."], r"s\.[A-Za-z0-9]{24}", 35).check(mixed),
    shape(
        "heroku-key",
        "Heroku",
        &["HRKU-"],
        r"HRKU-(?:AA[\w-]{58}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})",
        30,
    ),
    shape("openshift-token", "OpenShift", &["sha256~"], r"sha256~[\w-]{43}", 35),
    shape("okta-session-token", "Okta", &["SSWS "], r"SSWS 00[\w-]{40}", 35),
    shape(
        "one-password-service-token",
        "1Password",
        &["ops_eyJ"],
        r"ops_eyJ[A-Za-z0-9+/]{250,3000}={0,3}",
        40,
    )
    .open(),
    shape(
        "one-password-secret-key",
        "1Password",
        &["A3-"],
        r"A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}",
        38,
    ),
    shape("maxmind-license-key", "MaxMind", &["_mmk"], r"[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk", 40)
        .back(36, 36),
    shape(
        "yandex-iam-token",
        "Yandex",
        &["t1."],
        r"t1\.[A-Z0-9a-z_-]{1,300}={0,2}\.[A-Z0-9a-z_-]{86}={0,2}",
        35,
    ),
    shape("yandex-api-key", "Yandex", &["AQVN"], r"AQVN[\w-]{35,38}", 35),
    shape("yandex-access-key", "Yandex", &["YC"], r"YC[\w-]{38}", 38).check(mixed),
    shape(
        "authress-key",
        "Authress",
        &["sc_", "ext_", "scauth_", "authress_"],
        r"(?:sc|ext|scauth|authress)_[a-zA-Z0-9]{5,30}\.[a-zA-Z0-9]{4,6}\.acc[_-][a-zA-Z0-9-]{10,32}\.[a-zA-Z0-9+/_=-]{30,120}",
        30,
    ),
    shape("supabase-token", "Supabase", &["sbp_"], r"sbp_[a-f0-9]{40}", 25),
    shape(
        "tailscale-key",
        "Tailscale",
        &["tskey-"],
        r"tskey-[a-z]{2,10}-[A-Za-z0-9]{8,24}-[A-Za-z0-9]{20,40}",
        30,
    ),
    shape("adobe-client-secret", "Adobe", &["p8e-"], r"(?i:p8e-)[A-Za-z0-9]{32}", 20),
    shape(
        "adyen-key",
        "Adyen",
        &["AQE"],
        r"AQE[a-z]h[A-Za-z0-9+/]{100,400}={0,2}-[A-Za-z0-9+/]{40,100}={0,2}-[!-~]{10,40}",
        40,
    ),
    shape("netlify-token", "Netlify", &["nfp_"], r"nfp_[A-Za-z0-9]{36}", 30),
    shape("render-key", "Render", &["rnd_"], r"rnd_[A-Za-z0-9]{28,32}", 35),
    shape("confluent-cloud-key", "Confluent", &["cflt"], r"cflt[A-Za-z0-9+/]{60}", 40),
];
