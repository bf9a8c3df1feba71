//! The probes of the web and of registries, against real servers that do what servers should not.

mod ct;
mod hostile;
mod kept;
mod pauses;
mod payee;
mod redirects;
mod refresh;
mod registry;
mod site;
mod support;
mod whois;
