//! The zones, sites and registrations that every lab has. The tables in [`super`] say what each is for.

mod registry;
mod sites;
mod swollen;
mod zones;

pub(super) use registry::registry;
pub(super) use sites::sites;
pub(super) use zones::zones;

/// The site that gives the lab's own token, and the name whose text is that token.
pub(super) const TOKEN_HOST: &str = "lab.test";

/// The path of the token on that site.
pub(super) const TOKEN_PATH: &str = "/token.txt";

/// The registry's name.
pub(super) const REGISTRY: &str = "rdap.test";

/// A public suffix of the list's private part, and one of the names that its owner lets others have.
const PLATFORM: &str = "github.io";
const TENANT: &str = "tenant.github.io";
