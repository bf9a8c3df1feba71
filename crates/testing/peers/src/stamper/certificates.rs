//! The certificates of an authority, with what is wrong with them.

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, CustomExtension, DnType, IsCa, KeyPair,
    SerialNumber, date_time_ymd,
};

use super::Lie;

/// The key of an authority, with a root that certifies it.
#[derive(Debug)]
pub(super) struct Signer {
    pub(super) key: KeyPair,
    root: CertifiedIssuer<'static, KeyPair>,
}

/// A certificate of the signer.
pub(super) struct Certificate {
    pub(super) der: Vec<u8>,
    /// The name of the issuer, in DER.
    pub(super) issuer: Vec<u8>,
    pub(super) serial: Vec<u8>,
}

/// The object identifiers of usages, in DER.
const TIME_STAMPING: &[u8] = b"\x06\x08\x2b\x06\x01\x05\x05\x07\x03\x08";
const SERVER: &[u8] = b"\x06\x08\x2b\x06\x01\x05\x05\x07\x03\x01";

impl Signer {
    pub(super) fn new() -> Self {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name.push(DnType::CommonName, "Stamping root");
        let root = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        Self { key: KeyPair::generate().unwrap(), root }
    }

    pub(super) fn root_pem(&self) -> String {
        self.root.pem()
    }

    pub(super) fn certificate(&self, lie: Lie) -> Certificate {
        let serial = vec![0x11, 0x22];
        let mut params = CertificateParams::default();
        params.serial_number = Some(SerialNumber::from(serial.clone()));
        params.distinguished_name.push(DnType::CommonName, "Stamper One");
        (params.not_before, params.not_after) = match lie {
            Lie::Expired => (date_time_ymd(2020, 1, 1), date_time_ymd(2021, 1, 1)),
            _ => (date_time_ymd(2020, 1, 1), date_time_ymd(2099, 1, 1)),
        };
        let usages = match lie {
            Lie::NoUsage => None,
            Lie::ServerUsage => Some(SERVER.to_vec()),
            Lie::TwoUsages => Some([TIME_STAMPING, SERVER].concat()),
            _ => Some(TIME_STAMPING.to_vec()),
        };
        if let Some(usages) = usages {
            let sequence = [&[0x30, u8::try_from(usages.len()).unwrap()], usages.as_slice()].concat();
            let mut extension = CustomExtension::from_oid_content(&[2, 5, 29, 37], sequence);
            extension.set_criticality(lie != Lie::UsageNotCritical);
            params.custom_extensions.push(extension);
        }
        let der = params.signed_by(&self.key, &self.root).unwrap().der().to_vec();
        // The subject of the root: one relative name, the common name, as UTF-8.
        let name = b"Stamping root";
        let length = |more: usize| u8::try_from(name.len() + more).unwrap();
        let mut issuer = vec![0x30, length(11), 0x31, length(9), 0x30, length(7)];
        issuer.extend(b"\x06\x03\x55\x04\x03\x0c");
        issuer.push(length(0));
        issuer.extend(name);
        Certificate { der, issuer, serial }
    }
}
