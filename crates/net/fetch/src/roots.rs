//! The trusted root certificates of certificate authorities.

use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;

/// The reason why a root certificate was not accepted.
#[derive(Debug, thiserror::Error)]
pub enum RootsError {
    /// The text is not PEM, or contains no certificate.
    #[error("failed to read the PEM text of the root certificates")]
    Pem,
    /// A certificate is malformed.
    #[error("failed to read a root certificate")]
    Certificate(#[source] rustls::Error),
}

/// A set of trusted root certificates.
#[derive(Debug, Clone)]
pub struct Roots(RootCertStore);

impl Roots {
    /// The root certificates that Mozilla trusts, as compiled into the program.
    #[must_use]
    pub fn webpki() -> Self {
        Self(RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() })
    }

    /// The empty set.
    #[must_use]
    pub fn none() -> Self {
        Self(RootCertStore::empty())
    }

    /// Adds a certificate in DER.
    ///
    /// # Errors
    ///
    /// [`RootsError::Certificate`] where it is malformed.
    pub fn with_der(mut self, certificate: &[u8]) -> Result<Self, RootsError> {
        self.0.add(CertificateDer::from(certificate.to_vec())).map_err(RootsError::Certificate)?;
        Ok(self)
    }

    /// Adds every certificate of a PEM text.
    ///
    /// # Errors
    ///
    /// [`RootsError::Pem`] where the text is not PEM or contains no certificate; [`RootsError::Certificate`] where a
    /// certificate is malformed.
    pub fn with_pem(mut self, text: &[u8]) -> Result<Self, RootsError> {
        let mut found = false;
        for certificate in CertificateDer::pem_slice_iter(text) {
            self = self.with_der(&certificate.map_err(|_| RootsError::Pem)?)?;
            found = true;
        }
        if found { Ok(self) } else { Err(RootsError::Pem) }
    }

    /// The certificates as a root store of rustls.
    #[must_use]
    pub fn store(&self) -> &RootCertStore {
        &self.0
    }

    pub(crate) fn into_store(self) -> RootCertStore {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::{Roots, RootsError};

    #[test]
    fn text_without_a_certificate_is_refused() {
        assert!(matches!(Roots::none().with_pem(b"nothing here"), Err(RootsError::Pem)));
        let empty = b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
        assert!(matches!(Roots::none().with_pem(empty), Err(RootsError::Certificate(_))));
        assert!(matches!(Roots::webpki().with_der(b"no"), Err(RootsError::Certificate(_))));
    }
}
