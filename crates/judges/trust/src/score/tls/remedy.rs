//! Remedies, to be pasted into a server's configuration, a zone file or a shell.

use domain_name::DomainName;

/// The remedy for a reason of the check; none where nothing is to be done, or nothing is known to help.
pub(super) fn remedy(reason: &str, name: &DomainName) -> Option<String> {
    let text = match reason {
        "expires_within_days" | "expires_within_weeks" | "certificate_expired" => "certbot renew".to_owned(),
        "old_versions_accepted" | "old_versions_only" | "no_tls13" => {
            "ssl_protocols TLSv1.2 TLSv1.3;".to_owned()
        }
        "old_ciphers_only" => {
            "ssl_ciphers ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305;"
                .to_owned()
        }
        "key_too_small" => format!("certbot certonly -d {name} --key-type ecdsa --elliptic-curve secp256r1"),
        "certificate_wrong_host"
        | "certificate_self_signed"
        | "certificate_untrusted_root"
        | "certificate_broken_hash"
        | "certificate_bad_signature"
        | "certificate_invalid"
        | "certificate_revoked"
        | "too_long_lived"
        | "key_not_proven"
        | "few_scts" => format!("certbot certonly -d {name}"),
        // The usual mistake: the authority's intermediate certificates are not served.
        "certificate_unknown_issuer" => format!(
            "ssl_certificate /etc/letsencrypt/live/{name}/fullchain.pem;\nssl_certificate_key /etc/letsencrypt/live/{name}/privkey.pem;"
        ),
        "connection_refused" | "not_tls" | "tls_refused" => format!(
            "server {{\n    listen 443 ssl;\n    listen [::]:443 ssl;\n    server_name {name};\n    ssl_certificate /etc/letsencrypt/live/{name}/fullchain.pem;\n    ssl_certificate_key /etc/letsencrypt/live/{name}/privkey.pem;\n}}"
        ),
        "no_address" => format!("Publish the address of the server of {name} in an A or AAAA record."),
        _ => return None,
    };
    Some(text)
}
