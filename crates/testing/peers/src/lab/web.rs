//! nginx: one port with TLS, one without, the site chosen by its name.

use std::fmt::Write as _;
use std::fs;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::certificate::Issued;
use super::choosy::Waits;
use super::programs::{Programs, free_port, installed};
use super::site::{Plain, Site, Speaks};

/// The address of a server that accepts and says nothing, on the port with TLS.
pub(super) const SILENT: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);

/// The same two ports at every address of the lab.
#[derive(Clone, Copy)]
pub(super) struct Ports {
    pub(super) https: u16,
    pub(super) http: u16,
    /// True if this machine has an IPv6 loopback address.
    has_v6: bool,
}

impl Ports {
    pub(super) fn choose() -> Self {
        let has_v6 = TcpListener::bind((Ipv6Addr::LOCALHOST, 0)).is_ok();
        let mut addresses: Vec<_> = Speaks::ALL.map(|speaks| IpAddr::from(speaks.address())).into();
        addresses.push(SILENT.into());
        addresses.extend(Waits::ALL.map(|waits| IpAddr::from(waits.address())));
        addresses.extend(has_v6.then_some(IpAddr::from(Ipv6Addr::LOCALHOST)));
        let https = free_port(&addresses);
        let http = loop {
            let port = free_port(&addresses);
            if port != https {
                break port;
            }
        };
        Self { https, http, has_v6 }
    }

    /// A URL's ports, which who wrote it did not know.
    fn fill(self, url: &str) -> String {
        url.replace("{https}", &self.https.to_string()).replace("{http}", &self.http.to_string())
    }
}

/// Starts nginx on these sites with their certificates.
pub(super) fn start(programs: &mut Programs, folder: &Path, ports: Ports, sites: &[(Site, Issued)]) {
    let folder = folder.join("web");
    fs::create_dir(&folder).unwrap();
    let mut text = format!(
        "daemon off; master_process off; worker_processes 1; pid {0}/pid; error_log stderr;\n\
         events {{ worker_connections 2048; }}\n\
         http {{ access_log off; client_body_temp_path {0}/t1; proxy_temp_path {0}/t2; fastcgi_temp_path {0}/t3;\n\
         uwsgi_temp_path {0}/t4; scgi_temp_path {0}/t5; server_names_hash_bucket_size 256; server_names_hash_max_size 65536; ssl_ecdh_curve auto;\n\
         types {{ text/html html; text/plain txt; application/json json; }} default_type application/rdap+json;\n",
        folder.display()
    );
    for (site, issued) in sites {
        write_site(&mut text, &folder, ports, site, issued);
    }
    text.push_str("}\n");
    let configuration = folder.join("nginx.conf");
    fs::write(&configuration, text).unwrap();
    let mut nginx = Command::new(installed("nginx").unwrap());
    // The machine's own settings of OpenSSL may forbid the old versions.
    nginx.env("OPENSSL_CONF", "/dev/null");
    nginx.arg("-e").arg("stderr").arg("-p").arg(&folder).arg("-c").arg(configuration);
    programs.start("nginx", nginx);
}

fn write_site(text: &mut String, folder: &Path, ports: Ports, site: &Site, issued: &Issued) {
    let name = &site.names[0];
    let content = content(folder, ports, site);
    if let Some(protocols) = site.speaks.protocols() {
        fs::write(folder.join(format!("{name}.pem")), &issued.chain).unwrap();
        fs::write(folder.join(format!("{name}.key")), &issued.key).unwrap();
        let level = if protocols.starts_with("TLSv1 ") { "DEFAULT:@SECLEVEL=0" } else { "DEFAULT" };
        let _ = writeln!(
            text,
            "server {{ {} ssl_protocols {protocols}; ssl_ciphers {level}; ssl_certificate {name}.pem; \
             ssl_certificate_key {name}.key;\n{}{content} }}",
            head(site, ports, ports.https, " ssl"),
            headers(site),
        );
    }
    let plain = match (site.plain, site.speaks) {
        (Plain::Redirect, Speaks::NoTls) | (Plain::Same, _) => content,
        (Plain::Redirect, _) => format!("return 301 https://$host:{}$request_uri;", ports.https),
    };
    let _ = writeln!(text, "server {{ {}\n{plain} }}", head(site, ports, ports.http, ""));
}

/// Returns the `listen` and `server_name` directives of a site.
fn head(site: &Site, ports: Ports, port: u16, tls: &str) -> String {
    let mut text = format!("listen {}{tls};", SocketAddr::new(site.speaks.address().into(), port));
    if ports.has_v6 && site.speaks == Speaks::Modern {
        let _ = write!(text, " listen [::1]:{port}{tls};");
    }
    let _ = write!(text, " server_name {};", site.names.join(" "));
    text
}

fn headers(site: &Site) -> String {
    let mut text = String::new();
    for (name, value) in &site.headers {
        assert!(!value.contains('$'), "nginx would take it for a variable");
        let value = value.replace('\\', "\\\\").replace('"', "\\\"");
        let _ = writeln!(text, "add_header {name} \"{value}\" always;");
    }
    text
}

fn content(folder: &Path, ports: Ports, site: &Site) -> String {
    let documents = folder.join(&site.names[0]);
    for (path, document) in &site.pages {
        let file: PathBuf = documents.join(path.trim_start_matches('/'));
        fs::create_dir_all(file.parent().expect("it is in the folder")).unwrap();
        fs::write(file, document).unwrap();
    }
    let mut text = format!("root {}; index index.html;\n", documents.display());
    for (path, to) in &site.redirects {
        let _ = writeln!(text, "location = {path} {{ return 302 \"{}\"; }}", ports.fill(to));
    }
    for (path, code) in &site.statuses {
        let _ = writeln!(text, "location = {path} {{ return {code}; }}");
    }
    for path in &site.slow {
        let _ = writeln!(text, "location = {path} {{ limit_rate 16; }}");
    }
    text
}
