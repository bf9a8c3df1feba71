//! Aliases (CNAME records) to names of hosting platforms that nobody holds any more, so that anybody may claim them.
//!
//! The platforms and their signs are those of the project EdOverflow/can-i-take-over-xyz (licence CC-BY-4.0), as far as
//! it names the platform's domain, in September 2026.

use serde::Serialize;

/// An alias to a platform's name that seems to be free.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct DanglingAlias {
    /// Name of the platform.
    pub platform: &'static str,
    /// The sign by which it was found.
    pub sign: DanglingSign,
    /// True if the platform lets anybody claim the name; false if it does so in some cases only.
    pub is_claimable: bool,
}

/// Sign of a name that nobody holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DanglingSign {
    /// The name does not exist (NXDOMAIN, RFC 2308).
    NoSuchName,
    /// The platform answers with a page that says so.
    Page,
}

/// A page, as the platform answers for the alias.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AliasPage<'a> {
    /// HTTP status of the answer.
    pub status: u16,
    /// Beginning of the body.
    pub body: &'a str,
}

/// A platform: its domains, and its sign of a free name.
struct Platform {
    name: &'static str,
    suffixes: &'static [&'static str],
    sign: Sign,
    is_claimable: bool,
}

enum Sign {
    NoSuchName,
    /// Words of the page.
    Page(&'static str),
    /// Words of the page that other sites have too, so that the status must be 404.
    NotFound(&'static str),
}

const fn platform(name: &'static str, suffixes: &'static [&'static str], sign: Sign) -> Platform {
    Platform { name, suffixes, sign, is_claimable: true }
}

const fn sometimes(name: &'static str, suffixes: &'static [&'static str], sign: Sign) -> Platform {
    Platform { name, suffixes, sign, is_claimable: false }
}

const PLATFORMS: &[Platform] = &[
    platform("AWS Elastic Beanstalk", &["elasticbeanstalk.com"], Sign::NoSuchName),
    platform(
        "Microsoft Azure",
        &[
            "azure-api.net",
            "azurecontainer.io",
            "azurecr.io",
            "azureedge.net",
            "azurehdinsight.net",
            "azurewebsites.net",
            "blob.core.windows.net",
            "cloudapp.azure.com",
            "cloudapp.net",
            "database.windows.net",
            "redis.cache.windows.net",
            "search.windows.net",
            "servicebus.windows.net",
            "trafficmanager.net",
        ],
        Sign::NoSuchName,
    ),
    platform("AWS S3", &["amazonaws.com"], Sign::Page("The specified bucket does not exist")),
    platform("Agile CRM", &["agilecrm.com"], Sign::Page("Sorry, this page is no longer available.")),
    platform(
        "Anima",
        &["animaapp.io"],
        Sign::Page("If this is your website and you've just created it, try refreshing in a minute"),
    ),
    platform("Bitbucket", &["bitbucket.io"], Sign::Page("Repository not found")),
    platform("Gemfury", &["furyns.com"], Sign::NotFound("404: This page could not be found.")),
    platform(
        "Ghost",
        &["ghost.io"],
        Sign::Page("The thing you were looking for is no longer here, or never was"),
    ),
    platform("HatenaBlog", &["hatenablog.com"], Sign::Page("404 Blog is not found")),
    platform("Help Juice", &["helpjuice.com"], Sign::Page("We could not find what you're looking for.")),
    platform("Help Scout", &["helpscoutdocs.com"], Sign::Page("No settings were found for this company:")),
    platform("Intercom", &["intercom.help"], Sign::NotFound("Uh oh. That page doesn't exist.")),
    platform("JetBrains YouTrack", &["youtrack.cloud"], Sign::Page("is not a registered InCloud YouTrack")),
    platform("Ngrok", &["ngrok.io"], Sign::Page(".ngrok.io not found")),
    platform("Pantheon", &["pantheonsite.io"], Sign::Page("404 error unknown site!")),
    platform("Pingdom", &["stats.pingdom.com"], Sign::Page("Sorry, couldn't find the status page")),
    platform("Readme.io", &["readme.io"], Sign::Page("Project doesnt exist... yet!")),
    platform("Strikingly", &["strikinglydns.com"], Sign::NotFound("page not found")),
    platform("Surge.sh", &["surge.sh"], Sign::NotFound("project not found")),
    platform("SurveySparrow", &["surveysparrow.com"], Sign::Page("Ouch! Account not found")),
    platform("Uptimerobot", &["stats.uptimerobot.com"], Sign::NotFound("page not found")),
    platform("Wordpress", &["wordpress.com"], Sign::Page("Do you want to register")),
    sometimes("GitHub Pages", &["github.io"], Sign::Page("There isn't a GitHub Pages site here.")),
    sometimes("Heroku", &["herokuapp.com", "herokudns.com"], Sign::Page("No such app")),
    sometimes("Netlify", &["netlify.app", "netlify.com"], Sign::Page("Not Found - Request ID:")),
    sometimes("Shopify", &["myshopify.com"], Sign::Page("Sorry, this shop is currently unavailable.")),
    sometimes(
        "Tumblr",
        &["domains.tumblr.com"],
        Sign::Page("Whatever you were looking for doesn't currently exist at this address"),
    ),
];

/// Finds out if the target of an alias is a platform's name that nobody holds.
///
/// `resolves` is false only if the target certainly does not exist (NXDOMAIN); a failed look-up counts as `true`. `page`
/// is the platform's answer for the alias; `None` without one, so that a sign of a page is not seen.
///
/// ```
/// use probe::dangling::{DanglingSign, dangling};
///
/// let found = dangling("old-shop.azurewebsites.net.", false, None).expect("the name is free");
/// assert_eq!((found.platform, found.sign), ("Microsoft Azure", DanglingSign::NoSuchName));
/// assert_eq!(dangling("old-shop.azurewebsites.net", true, None), None);
/// assert_eq!(dangling("gone.example.com", false, None), None);
/// ```
#[must_use]
pub fn dangling(target: &str, resolves: bool, page: Option<AliasPage<'_>>) -> Option<DanglingAlias> {
    let target = target.trim_end_matches('.').to_ascii_lowercase();
    PLATFORMS.iter().filter(|platform| platform.holds(&target)).find_map(|platform| {
        let sign = match platform.sign {
            Sign::NoSuchName => (!resolves).then_some(DanglingSign::NoSuchName),
            Sign::Page(words) => page.filter(|page| page.body.contains(words)).map(|_| DanglingSign::Page),
            Sign::NotFound(words) => {
                let is_one = |page: &AliasPage<'_>| page.status == 404 && page.body.contains(words);
                page.filter(is_one).map(|_| DanglingSign::Page)
            }
        };
        let Platform { name, is_claimable, .. } = *platform;
        sign.map(|sign| DanglingAlias { platform: name, sign, is_claimable })
    })
}

impl Platform {
    /// True if the target is below one of the platform's domains.
    fn holds(&self, target: &str) -> bool {
        self.suffixes.iter().any(|suffix| {
            target.strip_suffix(suffix).is_some_and(|rest| rest.len() > 1 && rest.ends_with('.'))
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn found(target: &str, resolves: bool, page: Option<(u16, &str)>) -> Option<(&'static str, bool)> {
        let page = page.map(|(status, body)| AliasPage { status, body });
        dangling(target, resolves, page).map(|found| (found.platform, found.is_claimable))
    }

    #[test]
    fn a_platform_s_name_that_does_not_exist_is_free() {
        let azure = Some(("Microsoft Azure", true));
        assert_eq!(found("shop.AzureWebsites.net.", false, None), azure);
        assert_eq!(found("a.b.cloudapp.azure.com", false, None), azure);
        assert_eq!(found("shop.azurewebsites.net", true, None), None, "somebody holds it");
        assert_eq!(found("azurewebsites.net", false, None), None, "the platform itself");
        assert_eq!(found("shop.notazurewebsites.net", false, None), None);
        assert_eq!(found("azurewebsites.net.example.com", false, None), None);
        assert_eq!(found("shop.github.io", false, None), None, "its sign is a page");
    }

    #[test]
    fn a_platform_s_page_says_that_a_name_is_free() {
        let bucket = "<Error><Message>The specified bucket does not exist</Message></Error>";
        assert_eq!(found("shop.s3.amazonaws.com", true, Some((404, bucket))), Some(("AWS S3", true)));
        assert_eq!(found("shop.example.com", true, Some((404, bucket))), None);
        assert_eq!(found("shop.s3.amazonaws.com", true, Some((200, "welcome"))), None);
        let pages = "There isn't a GitHub Pages site here.";
        assert_eq!(found("shop.github.io", true, Some((404, pages))), Some(("GitHub Pages", false)));
        assert_eq!(found("shop.surge.sh", true, Some((404, "project not found"))), Some(("Surge.sh", true)));
        assert_eq!(found("shop.surge.sh", true, Some((200, "project not found"))), None, "a page of its own");
        assert_eq!(found("shop.surge.sh", true, None), None);
    }

    proptest! {
        #[test]
        fn no_text_panics(target in "\\PC{0,60}", body in "\\PC{0,60}", status in 0_u16..999) {
            let _found = dangling(&target, false, Some(AliasPage { status, body: &body }));
        }
    }
}
