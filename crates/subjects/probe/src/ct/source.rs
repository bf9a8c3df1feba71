//! The address of a search service.

use domain_name::DomainName;
use url::Url;

/// The mark in a template that stands for the domain.
const MARK: &str = "{domain}";

/// The reason why a template was not accepted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CtSourceError {
    /// The mark is missing, occurs twice, or is within the host.
    #[error("the URL must contain {{domain}} once, in its path or query")]
    Mark,
    /// The template is no `https` URL without credentials.
    #[error("the template must be an https URL without credentials")]
    NotHttps,
}

/// A search service, as a URL with `{domain}` in place of the domain, such as
/// `https://crt.example/?q={domain}&output=json`. The URL is part of the evidence, so it must contain no secret.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CtSource(String);

impl CtSource {
    /// Reads a template.
    ///
    /// # Errors
    /// [`CtSourceError`].
    pub fn parse(template: &str) -> Result<Self, CtSourceError> {
        let Some((before, after)) = template.split_once(MARK) else { return Err(CtSourceError::Mark) };
        if after.contains(MARK) {
            return Err(CtSourceError::Mark);
        }
        let url = Url::parse(&format!("{before}a.example{after}")).map_err(|_| CtSourceError::NotHttps)?;
        if url.scheme() != "https" || !url.username().is_empty() || url.password().is_some() {
            return Err(CtSourceError::NotHttps);
        }
        let other = Url::parse(&format!("{before}b.example{after}")).map_err(|_| CtSourceError::NotHttps)?;
        if url.host() != other.host() || url.fragment() != other.fragment() {
            return Err(CtSourceError::Mark);
        }
        Ok(Self(template.to_owned()))
    }

    /// Returns the URL of the question about a domain.
    #[must_use]
    pub fn url(&self, domain: &DomainName) -> Url {
        let url = Url::parse(&self.0.replacen(MARK, domain.as_str(), 1));
        url.expect("a template was parsed with another domain")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_is_an_https_url_with_the_domain_behind_its_host() {
        let source = CtSource::parse("https://ct.example/?q={domain}&output=json").unwrap();
        let asked = source.url(&DomainName::parse("shop.example").unwrap());
        assert_eq!(asked.as_str(), "https://ct.example/?q=shop.example&output=json");
        for (template, error) in [
            ("https://ct.example/", CtSourceError::Mark),
            ("https://ct.example/{domain}?q={domain}", CtSourceError::Mark),
            ("https://{domain}/", CtSourceError::Mark),
            ("https://ct.example/#{domain}", CtSourceError::Mark),
            ("http://ct.example/{domain}", CtSourceError::NotHttps),
            ("https://me@ct.example/{domain}", CtSourceError::NotHttps),
            ("{domain}", CtSourceError::NotHttps),
        ] {
            assert_eq!(CtSource::parse(template), Err(error), "{template}");
        }
    }
}
