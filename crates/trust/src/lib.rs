//! Domain trust: what a domain's own records say about it.
//!
//! What never happens: what could not be looked up is called good, or bad; it is unknown, and says why.
//!
//! | module | holds |
//! |---|---|
//! | [`dns`] | the look-ups that the others ask for, and who answers them |
//! | [`spf`] | RFC 7208: a sender's check, and what a domain published |
//! | [`caa`] | RFC 8659 and 8657: who may issue certificates |
//! | [`dmarc`] | RFC 9989: which policy applies, and what RFC 7489 would say |
//! | [`domain`] | the name that was asked about: IDNA, the registrable name, what is refused |
//! | [`headers`] | a page's security headers, scored as MDN's HTTP Observatory scores them |
//! | [`rdap`] | what a registry says about a domain, and where to ask it |
//! | [`score`] | checks, weights, caps, flags and the verdict |
//! | [`model`] | the constants of the score, published |

pub mod caa;
pub mod dmarc;
pub mod dns;
pub mod domain;
pub mod headers;
pub mod model;
pub mod rdap;
pub mod score;
pub mod spf;
