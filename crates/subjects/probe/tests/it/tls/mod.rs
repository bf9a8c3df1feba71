//! The TLS probe against servers of the tests' own, good ones and others.

mod certificates;
mod hostile;
mod ocsp;
mod servers;
mod sound;
mod support;
