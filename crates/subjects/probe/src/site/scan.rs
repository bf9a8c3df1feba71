//! The input of the Observatory's tests, made from an observation.

use domain_name::DomainName;
use http_headers::{Cors, HeadersReport, Http, Https, PreloadList, ScanInput, analyze};
use url::Url;

use super::observation::{PreflightResult, RedirectChain, RedirectEnd, SiteObservation};
use super::{FOREIGN_ORIGIN, ProbeFailure};

/// The reason why a site's headers cannot be scored.
///
/// None of these is a statement about the headers: without a page, no header is good or bad. Other checks count the
/// grave causes, an invalid certificate or no service over HTTPS.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnscoredReason {
    /// The site certainly has no page: both ports refuse the connection.
    NoPage,
    /// The page has an error status, with which the Observatory gives no score either.
    ErrorStatus,
    /// The page could not be observed.
    Page(ProbeFailure),
    /// The redirects over plain HTTP could not be observed.
    Http(ProbeFailure),
}

impl UnscoredReason {
    /// Returns the stable code of the reason.
    #[must_use]
    pub fn code(self) -> String {
        match self {
            Self::NoPage => "no_page".to_owned(),
            Self::ErrorStatus => "error_status".to_owned(),
            Self::Page(unseen) => unseen.code().to_owned(),
            Self::Http(unseen) => format!("http_{}", unseen.code()),
        }
    }
}

/// Result over plain HTTP, where it is certain.
enum PlainRoute {
    Silent,
    InvalidCertificate,
    Route(Vec<Url>),
}

impl SiteObservation {
    /// Returns the HTTP Observatory's score of a site below this registered name.
    ///
    /// A failed preflight request counts as one that permits no origin; see [`SiteObservation::headers_at_worst`].
    ///
    /// # Errors
    /// [`UnscoredReason`] if a part on which the score depends was not observed.
    pub fn headers(&self, registered: &DomainName) -> Result<HeadersReport, UnscoredReason> {
        self.scored(registered, self.cors(), &self.preloaded())
    }

    /// Returns the score with the assumption that the failed preflight request permits every origin; `None` if the
    /// request did not fail, or the site caused the failure.
    #[must_use]
    pub fn headers_at_worst(&self, registered: &DomainName) -> Option<HeadersReport> {
        match self.cors {
            PreflightResult::Failed(unseen) if !unseen.is_the_site_s() => {
                self.scored(registered, Some(&Cors::universal(FOREIGN_ORIGIN)), &self.preloaded()).ok()
            }
            PreflightResult::Failed(_) | PreflightResult::Answered(..) | PreflightResult::NotAsked => None,
        }
    }

    /// Returns the score with the assumption that all hosts of the redirects are on the preload list; `None` if a list
    /// is configured.
    #[must_use]
    pub fn headers_at_best(&self, registered: &DomainName) -> Option<HeadersReport> {
        if self.preloaded.is_some() {
            return None;
        }
        let hosts = self.http.route().into_iter().filter_map(|url| url.host_str().map(str::to_owned));
        let hosts = hosts.chain([self.name.to_string()]);
        self.scored(registered, self.cors(), &hosts.map(|host| (host, false)).collect()).ok()
    }

    fn cors(&self) -> Option<&Cors> {
        match &self.cors {
            PreflightResult::Answered(200..300, cors) => Some(cors),
            PreflightResult::Answered(..) | PreflightResult::Failed(_) | PreflightResult::NotAsked => None,
        }
    }

    fn preloaded(&self) -> PreloadList {
        self.preloaded.iter().flatten().map(|host| (host.clone(), false)).collect()
    }

    fn scored(
        &self,
        registered: &DomainName,
        cors: Option<&Cors>,
        preload: &PreloadList,
    ) -> Result<HeadersReport, UnscoredReason> {
        let https = secure(&self.https).map_err(|unseen| self.without_page(unseen))?;
        let Some(seen) = &self.page else {
            let first = self.https.failure().filter(|unseen| *unseen != ProbeFailure::RedirectToHttp);
            return Err(
                self.without_page(first.or(self.http.failure()).unwrap_or(ProbeFailure::ConnectFailed))
            );
        };
        if !(200..300).contains(&seen.status) {
            return Err(UnscoredReason::ErrorStatus);
        }
        let http = plain(&self.http, https == Https::Answers).map_err(UnscoredReason::Http)?;
        let observed = ScanInput {
            host: self.name.as_str(),
            page: &seen.page,
            https,
            http: match &http {
                PlainRoute::Silent => Http::Silent,
                PlainRoute::InvalidCertificate => Http::InvalidCertificate,
                PlainRoute::Route(route) => Http::Route(route),
            },
            cors,
            preload,
        };
        Ok(analyze(&observed, registered))
    }

    fn without_page(&self, unseen: ProbeFailure) -> UnscoredReason {
        let refuses = |way: &RedirectChain| {
            way.hops.is_empty() && way.failure() == Some(ProbeFailure::ConnectionRefused)
        };
        if refuses(&self.https) && refuses(&self.http) {
            UnscoredReason::NoPage
        } else {
            UnscoredReason::Page(unseen)
        }
    }
}

/// Result over HTTPS, where it is certain.
fn secure(way: &RedirectChain) -> Result<Https, ProbeFailure> {
    match way.end {
        RedirectEnd::Answered(_) | RedirectEnd::Failed(ProbeFailure::RedirectToHttp) => Ok(Https::Answers),
        RedirectEnd::Failed(ProbeFailure::InvalidCertificate) => Ok(Https::InvalidCertificate),
        // A browser gets no further either.
        RedirectEnd::Failed(ProbeFailure::ConnectionRefused | ProbeFailure::TlsFailed)
            if way.hops.is_empty() =>
        {
            Ok(Https::Silent)
        }
        RedirectEnd::Failed(unseen) => Err(unseen),
    }
}

/// Result over plain HTTP, where it is certain.
fn plain(way: &RedirectChain, has_https: bool) -> Result<PlainRoute, ProbeFailure> {
    let unseen = match way.end {
        RedirectEnd::Answered(_) => return Ok(PlainRoute::Route(way.route())),
        RedirectEnd::Failed(unseen) => unseen,
    };
    if way.hops.is_empty() {
        return match unseen {
            ProbeFailure::ConnectionRefused => Ok(PlainRoute::Silent),
            // HTTPS answered at the same name, so port 80 is filtered, or does not serve HTTP.
            ProbeFailure::ConnectTimeout | ProbeFailure::HttpMalformed if has_https => Ok(PlainRoute::Silent),
            _ => Err(unseen),
        };
    }
    match unseen {
        ProbeFailure::InvalidCertificate => Ok(PlainRoute::InvalidCertificate),
        // The target of the redirect is known, even if it cannot be reached.
        ProbeFailure::RedirectToHttp | ProbeFailure::RedirectToPrivate => Ok(PlainRoute::Route(way.route())),
        _ if way.url.scheme() == "https" => Ok(PlainRoute::Route(way.route())),
        _ => Err(unseen),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::site::RedirectHop;

    /// Returns the outcome of the redirection where the way over plain HTTP ends so.
    fn redirection(hops: &[&str], url: &str, end: RedirectEnd) -> Result<&'static str, String> {
        let hop = |url: &&str| RedirectHop { url: url.parse().unwrap(), status: 301, hsts: None };
        let mut site = SiteObservation::example();
        site.http = RedirectChain {
            hops: hops.iter().map(hop).collect(),
            url: url.parse().unwrap(),
            end,
            elapsed_ms: 1,
        };
        let report = site.headers(&site.name);
        report.map(|report| report.get("redirection").unwrap().result).map_err(UnscoredReason::code)
    }

    #[test]
    fn a_port_that_nobody_gets_through_to_needs_no_redirect_and_one_that_is_slow_is_unknown() {
        let home = "http://example.com/";
        for unseen in
            [ProbeFailure::ConnectionRefused, ProbeFailure::ConnectTimeout, ProbeFailure::HttpMalformed]
        {
            assert_eq!(
                redirection(&[], home, RedirectEnd::Failed(unseen)),
                Ok("redirection-not-needed-no-http")
            );
        }
        for unseen in [
            ProbeFailure::ConnectFailed,
            ProbeFailure::Interrupted,
            ProbeFailure::Timeout,
            ProbeFailure::Busy,
            ProbeFailure::DnsFailed,
            ProbeFailure::TooLarge,
        ] {
            let reason = format!("http_{}", unseen.code());
            assert_eq!(redirection(&[], home, RedirectEnd::Failed(unseen)), Err(reason));
        }
    }

    #[test]
    fn where_a_redirect_leads_counts_also_where_it_is_not_followed() {
        let home = "http://example.com/";
        let failed = RedirectEnd::Failed;
        for (url, end, result) in [
            ("https://example.com/", failed(ProbeFailure::Timeout), Ok("redirection-to-https")),
            (
                "https://example.com/",
                failed(ProbeFailure::InvalidCertificate),
                Ok("redirection-invalid-cert"),
            ),
            (
                "https://10.0.0.1/",
                failed(ProbeFailure::RedirectToPrivate),
                Ok("redirection-off-host-from-http"),
            ),
            ("http://10.0.0.1/", failed(ProbeFailure::RedirectToPrivate), Ok("redirection-not-to-https")),
            ("http://www.example.com/", failed(ProbeFailure::Timeout), Err("http_timeout".to_owned())),
        ] {
            assert_eq!(redirection(&[home], url, end), result, "{url}");
        }
        let twice = redirection(&[home, "https://example.com/"], home, failed(ProbeFailure::RedirectToHttp));
        assert_eq!(twice, Ok("redirection-not-to-https"));
    }

    #[test]
    fn without_https_that_is_certain_nothing_is_scored() {
        let reason = |unseen: ProbeFailure| {
            let mut site = SiteObservation::example();
            site.https.end = RedirectEnd::Failed(unseen);
            site.headers(&site.name).map_err(UnscoredReason::code).err()
        };
        for unseen in [
            ProbeFailure::Timeout,
            ProbeFailure::ConnectTimeout,
            ProbeFailure::ConnectFailed,
            ProbeFailure::DnsFailed,
        ] {
            assert_eq!(reason(unseen).as_deref(), Some(unseen.code()));
        }
        for certain in
            [ProbeFailure::ConnectionRefused, ProbeFailure::TlsFailed, ProbeFailure::InvalidCertificate]
        {
            assert_eq!(reason(certain), None, "{certain:?}");
        }
    }
}
