//! Characters that are hidden, that have other forms, or that look like others.

pub(crate) mod bidi;
pub(crate) mod class;
pub(crate) mod invisible;
pub(crate) mod joined;
pub(crate) mod look_alikes;
pub(crate) mod nfkc;
pub(crate) mod payload;
pub(crate) mod skeleton;
