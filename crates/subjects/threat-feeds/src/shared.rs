//! Hosts on which anybody can have pages, so that a bad page says nothing about the host.

use domain_name::PublicSuffixes;

/// Well-known shared hosts that are not on the public suffix list. Sorted.
const SHARED_HOSTS: &[&str] = &[
    "1drv.ms",
    "app.box.com",
    "archive.org",
    "behance.net",
    "bit.ly",
    "bitbucket.org",
    "calendly.com",
    "canva.com",
    "cdn.discordapp.com",
    "codepen.io",
    "discord.com",
    "discord.gg",
    "docs.google.com",
    "drive.google.com",
    "dropbox.com",
    "eth.limo",
    "facebook.com",
    "figma.com",
    "firebasestorage.googleapis.com",
    "forms.gle",
    "forms.office.com",
    "gist.github.com",
    "gist.githubusercontent.com",
    "github.com",
    "gitlab.com",
    "goo.gl",
    "hackmd.io",
    "huggingface.co",
    "instagram.com",
    "ipfs.io",
    "is.gd",
    "issuu.com",
    "jotform.com",
    "js.org",
    "linkedin.com",
    "linktr.ee",
    "mediafire.com",
    "medium.com",
    "mega.nz",
    "mirror.xyz",
    "notion.site",
    "notion.so",
    "onedrive.live.com",
    "opensea.io",
    "padlet.com",
    "pastebin.com",
    "pinterest.com",
    "raw.githubusercontent.com",
    "reddit.com",
    "s.id",
    "scribd.com",
    "sites.google.com",
    "slideshare.net",
    "sourceforge.net",
    "spreadsheets.google.com",
    "storage.googleapis.com",
    "substack.com",
    "surveymonkey.com",
    "t.co",
    "t.me",
    "telegra.ph",
    "tiktok.com",
    "timeweb.ru",
    "tinyurl.com",
    "translate.google.com",
    "trello.com",
    "tumblr.com",
    "twitter.com",
    "typeform.com",
    "vimeo.com",
    "wattpad.com",
    "wetransfer.com",
    "wuaze.com",
    "x.com",
    "youtu.be",
    "youtube.com",
];

/// Returns true for a host on which anybody can have pages or names: a public suffix (`github.io`), or a well-known host
/// such as `drive.google.com`. `name` is in A-labels, without a dot at either end; `www.` before it makes no difference.
#[must_use]
pub fn is_shared_host(name: &str) -> bool {
    let bare = name.strip_prefix("www.").unwrap_or(name);
    // An address of IPv6 has no dot, as top-level domains have none.
    SHARED_HOSTS.binary_search(&bare).is_ok()
        || (!name.starts_with('[') && PublicSuffixes::bundled().is_suffix(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_and_holds_platforms() {
        assert!(SHARED_HOSTS.is_sorted());
        for name in ["drive.google.com", "www.github.com", "github.io", "pages.dev", "co.uk"] {
            assert!(is_shared_host(name), "{name}");
        }
        for name in ["google.com", "evil.github.io", "example.com", "www.example.com"] {
            assert!(!is_shared_host(name), "{name}");
        }
    }
}
