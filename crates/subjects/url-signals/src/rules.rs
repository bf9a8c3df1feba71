//! The published table of rules.

/// Weight of a signal.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// Worth knowing; frequent on honest addresses too.
    Info,
    /// To be looked at before the address is opened.
    Warn,
    /// Near certain to harm.
    Block,
}

/// Rule that a signal names.
#[derive(PartialEq, Eq, Debug)]
pub struct Rule {
    /// Name of the rule, unique in the table.
    pub id: &'static str,
    /// Weight of its signals.
    pub severity: Severity,
    /// Reason why the signal matters.
    pub why: &'static str,
    /// Advice to the caller.
    pub remedy: &'static str,
}

macro_rules! rules {
    ($($name:ident = $id:literal, $severity:ident, $why:literal, $remedy:literal;)*) => {
        $(pub(crate) static $name: Rule =
            Rule { id: $id, severity: Severity::$severity, why: $why, remedy: $remedy };)*

        /// All rules, in the order of the table.
        pub fn rules() -> impl Iterator<Item = &'static Rule> {
            [$(&$name),*].into_iter()
        }
    };
}

rules! {
    SCRIPT_SCHEME = "script-scheme", Block, "The address is a program that runs in the page that opens it.",
        "Do not open it.";
    HTML_DATA = "html-data", Block, "The address carries a whole page, which no host answers for.",
        "Do not open it.";
    FILE_SCHEME = "file-scheme", Warn, "The address reads a file of the computer or of a network share.",
        "Ask for an https address.";
    HANDLER_SCHEME = "handler-scheme", Warn, "The scheme starts a program that attacks have used to run commands.",
        "Ask for an https address.";
    USERINFO_HOST = "userinfo-host", Block, "A host name stands before an @, so that the real host is overlooked.",
        "Open the host behind the @ only if it is meant.";
    USERINFO = "userinfo", Warn, "A user name or a password stands before the host.",
        "Remove what stands before the @.";
    BACKSLASH = "backslash-authority", Warn, "Backslashes stand before the host, which programs read differently.",
        "Write the address with slashes.";
    HIDDEN_CHARACTERS = "hidden-characters", Warn, "Tabs or line breaks within the address are dropped by browsers, and hide words.",
        "Remove them and check the address again.";
    IP_DISGUISED = "ip-disguised", Warn, "The host is an IP address in an unusual spelling.",
        "Check the IP address in its usual spelling.";
    IP_HOST = "ip-host", Warn, "The host is an IP address, which names nobody.",
        "Ask for an address with a domain name.";
    PRIVATE_HOST = "private-host", Info, "The host is one of a private network or of the computer itself.",
        "Open it only from the network that it belongs to.";
    PUNYCODE = "punycode", Info, "The host has letters beyond ASCII.",
        "Compare the letters with those of the name that is meant.";
    MIXED_SCRIPTS = "mixed-scripts", Warn, "A label of the host mixes scripts that no language mixes.",
        "Compare the letters with those of the name that is meant.";
    CONFUSABLE_LABEL = "confusable-label", Warn, "A label of the host is in another script and looks like Latin letters.",
        "Compare the letters with those of the name that is meant.";
    BRAND_SKELETON = "brand-skeleton", Block, "The name looks the same as a brand's and is not the brand's.",
        "Open the brand's own address instead.";
    BRAND_WORD_SKELETON = "brand-word-skeleton", Warn, "A word of the name looks the same as a brand and is not the brand.",
        "Open the brand's own address instead.";
    BRAND_DISTANCE = "brand-distance", Warn, "The name is one letter away from a brand's.",
        "Compare the letters with those of the brand.";
    BRAND_NEAR = "brand-near", Info, "The name is one letter away from a brand's that is also a common word.",
        "Compare the letters with those of the brand.";
    BRAND_ELSEWHERE = "brand-elsewhere", Warn, "The name is a brand's in a top-level domain where the brand is not known to be.",
        "Open the brand's own address instead.";
    BRAND_HOST_PREFIX = "brand-host-prefix", Block, "The host begins as a brand's host does and ends in another domain.",
        "Open the brand's own address instead.";
    BRAND_WITH_WORDS = "brand-with-words", Warn, "A brand and other words make up a name that is not the brand's.",
        "Open the brand's own address instead.";
    BRAND_IN_NAME = "brand-in-name", Info, "The registered name contains a brand.",
        "Check that the name is the brand's.";
    BRAND_IN_SUBDOMAIN = "brand-in-subdomain", Warn, "A brand stands before a domain that is not the brand's.",
        "Check the domain at the end of the host.";
    BRAND_ON_SHARED_HOST = "brand-on-shared-host", Warn, "A brand's name is used on a host where anybody publishes without payment.",
        "Open the brand's own address instead.";
    BRAND_IN_PATH = "brand-in-path", Info, "The path or the query names a brand.",
        "Check that the domain is the one that is meant.";
    BRAND_LOGIN_PATH = "brand-login-path", Warn, "The path of another domain names a brand and an account.",
        "Open the brand's own address instead.";
    SHARED_HOST = "shared-host", Info, "Anybody can publish on this host without payment.",
        "Check who wrote the page.";
    SHORTENER = "shortener", Info, "The address forwards to another, which it does not name.",
        "Expand it and check the address behind it.";
    ODD_PORT = "odd-port", Info, "The port is not the usual one of the scheme.",
        "Check that the port is meant.";
    ODD_PORT_LOGIN = "odd-port-login", Warn, "An account, a brand or an IP address with an unusual port.",
        "Open the service's own address instead.";
    CREDENTIAL_WORDS = "credential-words", Info, "The address speaks of an account, a payment or a delivery.",
        "Enter nothing unless the domain is the one that is meant.";
    WALLET_WORDS = "wallet-words", Info, "The address speaks of a wallet or of coins.",
        "Connect no wallet unless the domain is the one that is meant.";
    CREDENTIALS_ON_SHARED_HOST = "credentials-on-shared-host", Warn, "A page about an account or a wallet on a host where anybody publishes.",
        "Open the service's own address instead.";
    CREDENTIALS_ON_IP = "credentials-on-ip", Warn, "A page about an account or a wallet on a bare IP address.",
        "Open the service's own address instead.";
    DOUBLE_EXTENSION = "double-extension", Block, "The file's name ends as a document's and then as a program's.",
        "Do not open the file.";
    DOUBLE_EXTENSION_PACKAGE = "double-extension-package", Warn, "The file's name ends as a document's and then as a package's.",
        "Check that a package is meant.";
    EXECUTABLE = "executable", Info, "The address ends as a program's file does.",
        "Check who published the program before it is run.";
    EMBEDDED_ADDRESS = "embedded-address", Info, "The path or the query contains the address of another host.",
        "Check the address within the address too.";
    REDIRECT = "redirect-parameter", Info, "A parameter that often holds the next address holds one.",
        "Check the address in the parameter too.";
    MAIL_ADDRESS = "mail-address", Info, "The address carries a mail address, as those do that are made for one victim.",
        "Remove the mail address before the address is opened.";
    ABUSED_TOP_LEVEL = "abused-top-level", Info, "The top-level domain has much abuse.",
        "Check the domain.";
    MANY_LABELS = "many-labels", Info, "The host has so many labels that its end is overlooked.",
        "Check the domain at the end of the host.";
    URL_MODEL = "url-model", Warn, "The address is made as addresses of phishing are.",
        "Check the domain, and who sent the address.";
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_rule_has_its_own_name_and_all_texts() {
        let ids: BTreeSet<&str> = rules().map(|rule| rule.id).collect();
        assert_eq!(ids.len(), rules().count());
        assert!(rules().all(|rule| rule.why.ends_with('.') && rule.remedy.ends_with('.')));
    }
}
