//! The lab's authorities, and the certificates that are right or wrong in one way each.

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, CustomExtension, DnType, ExtendedKeyUsagePurpose,
    IsCa, KeyPair, KeyUsagePurpose, PKCS_ECDSA_P384_SHA384, PKCS_RSA_SHA256, PublicKeyData, RsaKeySize,
    SignatureAlgorithm, date_time_ymd,
};
use sha2::{Digest as _, Sha256};

use super::certificate_kind::Kind;
use super::programs::output;
use super::site::Site;

/// A chain with its key.
pub(super) struct Issued {
    /// The certificates that the server sends, the leaf first.
    pub(super) chain: String,
    pub(super) key: String,
    /// SHA-256 of the key in hexadecimal: what `TLSA 3 1 1` holds.
    pub(super) key_digest: String,
}

type Issuer = CertifiedIssuer<'static, KeyPair>;

/// An authority that the lab's clients trust, the one between it and the servers, and one that nobody trusts.
pub(super) struct Authority {
    root: Issuer,
    intermediate: Issuer,
    unknown: Issuer,
}

impl Authority {
    pub(super) fn new() -> Self {
        let root = Issuer::self_signed(authority("Lab Root"), key()).unwrap();
        let intermediate = Issuer::signed_by(authority("Lab Intermediate"), key(), &root).unwrap();
        let unknown = Issuer::self_signed(authority("Unknown Root"), key()).unwrap();
        Self { root, intermediate, unknown }
    }

    /// The root's certificate.
    pub(super) fn pem(&self) -> String {
        self.root.pem()
    }

    /// A site with its certificate.
    pub(super) fn certify(&self, site: Site) -> (Site, Issued) {
        let names: Vec<_> = site.names.iter().map(String::as_str).collect();
        let issued = self.issue(site.certificate, &names);
        (site, issued)
    }

    fn issue(&self, kind: Kind, names: &[&str]) -> Issued {
        let names = if kind == Kind::OtherName { &["elsewhere.test"] } else { names };
        let params = leaf(kind, names);
        if kind == Kind::Rsa1024 {
            let key = WeakKey::generate();
            let leaf = params.signed_by(&key, &self.intermediate).unwrap();
            return issued(leaf.pem() + &self.intermediate.pem(), key.pem.clone(), &key);
        }
        let key = match kind {
            Kind::Rsa2048 => KeyPair::generate_rsa_for(&PKCS_RSA_SHA256, RsaKeySize::_2048).unwrap(),
            Kind::Ecc384 => KeyPair::generate_for(&PKCS_ECDSA_P384_SHA384).unwrap(),
            _ => key(),
        };
        let by = |issuer: &Issuer| params.signed_by(&key, issuer).unwrap().pem();
        let chain = match kind {
            Kind::SelfSigned => params.self_signed(&key).unwrap().pem(),
            Kind::UnknownAuthority => by(&self.unknown),
            Kind::Incomplete => by(&self.intermediate),
            _ => by(&self.intermediate) + &self.intermediate.pem(),
        };
        issued(chain, key.serialize_pem(), &key)
    }
}

fn issued(chain: String, key: String, public: &impl PublicKeyData) -> Issued {
    let digest = Sha256::digest(public.subject_public_key_info());
    Issued { chain, key, key_digest: digest.iter().map(|byte| format!("{byte:02x}")).collect() }
}

/// An RSA key that is too short for any library here: OpenSSL's program makes it.
struct WeakKey {
    pem: String,
    public: Vec<u8>,
}

impl WeakKey {
    fn generate() -> Self {
        let pem = output(Command::new("openssl").args(["genrsa", "-traditional", "1024"]));
        let mut convert = Command::new("openssl");
        convert.args(["rsa", "-RSAPublicKey_out", "-outform", "DER"]).stdin(Stdio::piped());
        let mut convert = convert.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        convert.stdin.take().unwrap().write_all(pem.as_bytes()).unwrap();
        Self { pem, public: convert.wait_with_output().unwrap().stdout }
    }
}

impl PublicKeyData for WeakKey {
    fn der_bytes(&self) -> &[u8] {
        &self.public
    }

    fn algorithm(&self) -> &'static SignatureAlgorithm {
        &PKCS_RSA_SHA256
    }
}

fn key() -> KeyPair {
    KeyPair::generate().unwrap()
}

fn authority(name: &str) -> CertificateParams {
    let mut params = CertificateParams::new([]).unwrap();
    params.distinguished_name.push(DnType::CommonName, name);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    set_validity(&mut params, -1000, 1000);
    params
}

fn leaf(kind: Kind, names: &[&str]) -> CertificateParams {
    let mut subjects: Vec<_> = names.iter().map(|name| (*name).to_owned()).collect();
    if kind == Kind::ManyNames {
        subjects.extend((1..1000).map(|index| format!("n{index}.{}", names[0])));
    }
    let mut params = CertificateParams::new(subjects).unwrap();
    if kind != Kind::NotLogged {
        params.custom_extensions.push(receipts());
    }
    params.distinguished_name.push(DnType::CommonName, names[0]);
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    params.use_authority_key_identifier_extension = kind != Kind::SelfSigned;
    let (begins, ends) = match kind {
        Kind::Ends(days) => (-30, i64::from(days)),
        Kind::Expired => (-90, -30),
        Kind::NotYetValid => (30, 90),
        _ => (-30, 60),
    };
    set_validity(&mut params, begins, ends);
    params
}

/// Two receipts of logs (RFC 6962, 3.3) that nobody knows: of the right form, which is all that can be seen here.
fn receipts() -> CustomExtension {
    const OID: &[u64] = &[1, 3, 6, 1, 4, 1, 11_129, 2, 4, 2];
    let receipt = |log: u8| {
        let mut receipt = vec![0];
        receipt.extend([log; 32]);
        receipt.extend(1_700_000_000_000_u64.to_be_bytes());
        // No extensions; SHA-256 and ECDSA; a signature of eight bytes, which is none.
        receipt.extend([0, 0, 4, 3, 0, 8, 0x30, 6, 2, 1, 1, 2, 1, 1]);
        receipt
    };
    let length = |bytes: &[u8]| u16::try_from(bytes.len()).expect("it is short").to_be_bytes();
    let list: Vec<_> = [1, 2].map(receipt).iter().flat_map(|one| [&length(one)[..], one].concat()).collect();
    let list = [&length(&list)[..], &list].concat();
    let header = [4, u8::try_from(list.len()).expect("two receipts are under 128 bytes")];
    CustomExtension::from_oid_content(OID, [&header[..], &list].concat())
}

/// Begins and ends so many days from now, and an hour later, so that what has three days to come still has three full ones
/// when it is looked at.
fn set_validity(params: &mut CertificateParams, begins: i64, ends: i64) {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("it is after 1970").as_secs();
    let from_now = |days: i64| {
        let seconds = now.saturating_add_signed(days * 86_400 + 3_600);
        date_time_ymd(1970, 1, 1) + Duration::from_secs(seconds)
    };
    params.not_before = from_now(begins);
    params.not_after = from_now(ends);
}
