//! Texts that stand for bytes, read without any leniency: a text means one byte string, or it is refused.

use base64::Engine as _;
use base64::alphabet::{Alphabet, STANDARD, URL_SAFE};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use ed25519_dalek::pkcs8::spki::DecodePublicKey as _;
use ed25519_dalek::pkcs8::{PublicKeyBytes, spki};

/// The encoding of bytes as a text in the question.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Encoding {
    /// The bytes are the text in UTF-8.
    Utf8,
    /// RFC 4648 section 4 or 5, with or without padding.
    Base64,
    /// RFC 4648 section 8, in either case.
    Hex,
}

/// The reason why a text does not decode to bytes. The message follows the field's name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum EncodingError {
    /// The text is not pairs of hexadecimal digits.
    #[error("must be hex: pairs of hex digits and nothing else")]
    Hex,
    /// The text is not base64: it has another character, a wrong length, wrong padding, or non-zero trailing bits.
    #[error("must be base64: standard or url-safe, padded in full or not at all, and nothing else")]
    Base64,
    /// The text has characters of both the standard and the URL-safe base64 alphabet.
    #[error("must not mix the standard and the url-safe base64 alphabets")]
    MixedAlphabets,
    /// Not one PEM block labelled `PUBLIC KEY`.
    #[error(
        "must be one PEM block labelled `PUBLIC KEY`, or have its encoding named in `public_key_encoding`"
    )]
    Pem,
    /// The text is a PEM block with another label, such as that of a private key or a certificate.
    #[error("must be a PEM block labelled `PUBLIC KEY`, not another")]
    PemLabel,
    /// The text is a valid PEM block with a key of another algorithm.
    #[error("must be an Ed25519 public key; this PEM holds a key of another algorithm")]
    OtherAlgorithm,
    /// The text is a PEM block whose content is not an Ed25519 SubjectPublicKeyInfo (RFC 8410).
    #[error("must hold an Ed25519 SubjectPublicKeyInfo (RFC 8410)")]
    KeyInfo,
}

impl Encoding {
    /// Decodes a text to bytes.
    ///
    /// # Errors
    /// [`EncodingError`] if the text is not in this encoding.
    pub fn decode(self, text: &str) -> Result<Vec<u8>, EncodingError> {
        match self {
            Self::Utf8 => Ok(text.as_bytes().to_vec()),
            Self::Base64 => base64(text),
            Self::Hex => hex::decode(text).map_err(|_| EncodingError::Hex),
        }
    }
}

fn base64(text: &str) -> Result<Vec<u8>, EncodingError> {
    let url_safe = text.contains(['-', '_']);
    if url_safe && text.contains(['+', '/']) {
        return Err(EncodingError::MixedAlphabets);
    }
    let alphabet: &Alphabet = if url_safe { &URL_SAFE } else { &STANDARD };
    let padding = match text.contains('=') {
        true => DecodePaddingMode::RequireCanonical,
        false => DecodePaddingMode::RequireNone,
    };
    let config = GeneralPurposeConfig::new().with_decode_padding_mode(padding);
    GeneralPurpose::new(alphabet, config).decode(text).map_err(|_| EncodingError::Base64)
}

/// Reads the key of a PEM block `PUBLIC KEY` (RFC 7468) with an Ed25519 SubjectPublicKeyInfo (RFC 8410). White space
/// around the block and both kinds of line end are accepted. The key is not checked to be a point of the curve.
///
/// # Errors
/// [`EncodingError`] if the text is no such block, or has other text around it.
pub fn public_key_of_pem(text: &str) -> Result<[u8; 32], EncodingError> {
    let block = text.trim_ascii();
    if !block.starts_with("-----BEGIN ") {
        return Err(EncodingError::Pem);
    }
    if !block.starts_with("-----BEGIN PUBLIC KEY-----") {
        return Err(EncodingError::PemLabel);
    }
    PublicKeyBytes::from_public_key_pem(block).map(|key| key.to_bytes()).map_err(|error| match error {
        spki::Error::OidUnknown { .. } => EncodingError::OtherAlgorithm,
        spki::Error::Asn1(ref asn1) if matches!(asn1.kind(), spki::der::ErrorKind::Pem(_)) => {
            EncodingError::Pem
        }
        _ => EncodingError::KeyInfo,
    })
}

/// Returns true if a text is 32 bytes in hex or base64, and so could be a raw key whose encoding was not named.
#[must_use]
pub fn could_be_raw_key(text: &str) -> bool {
    [Encoding::Hex, Encoding::Base64]
        .iter()
        .any(|encoding| encoding.decode(text).is_ok_and(|key| key.len() == 32))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PEM: &str = "-----BEGIN PUBLIC KEY-----\n\
        MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n\
        -----END PUBLIC KEY-----\n";

    #[test]
    fn base64_is_standard_or_url_safe_and_padded_in_full_or_not_at_all() {
        let bytes = [0xfb, 0xff, 0xbf, 0x01];
        for text in ["+/+/AQ==", "+/+/AQ", "-_-_AQ==", "-_-_AQ"] {
            assert_eq!(Encoding::Base64.decode(text).as_deref(), Ok(&bytes[..]), "{text}");
        }
        assert_eq!(Encoding::Base64.decode(""), Ok(vec![]));
        for text in
            ["+/+/AQ=", "+/+/AQ===", "AQ==AQ==", "=", "A", "AQ\n", " AQ", "AQ= =", "AR", "AR==", "AB=", "A*"]
        {
            assert_eq!(Encoding::Base64.decode(text), Err(EncodingError::Base64), "{text:?}");
        }
        assert_eq!(Encoding::Base64.decode("+_+_AQ"), Err(EncodingError::MixedAlphabets));
    }

    #[test]
    fn hex_is_pairs_of_digits_in_either_case() {
        assert_eq!(Encoding::Hex.decode("00aAFf"), Ok(vec![0, 0xaa, 0xff]));
        assert_eq!(Encoding::Hex.decode(""), Ok(vec![]));
        for text in ["0", "0x00", "00 00", "gg", "00\n", "é0"] {
            assert_eq!(Encoding::Hex.decode(text), Err(EncodingError::Hex), "{text:?}");
        }
    }

    #[test]
    fn a_pem_may_have_either_line_end_and_white_space_around_it() {
        let key = Ok(<[u8; 32]>::try_from(
            hex::decode("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a").unwrap(),
        )
        .unwrap());
        for text in
            [PEM.to_owned(), PEM.trim().to_owned(), PEM.replace('\n', "\r\n"), format!("\n  {PEM} \r\n\t")]
        {
            assert_eq!(public_key_of_pem(&text), key, "{text:?}");
        }
    }

    #[test]
    fn what_is_not_one_block_of_an_ed25519_public_key_is_refused() {
        let x25519 = "-----BEGIN PUBLIC KEY-----\n\
            MCowBQYDK2VuAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n\
            -----END PUBLIC KEY-----";
        let p256 = "-----BEGIN PUBLIC KEY-----\n\
            MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEaxfR8uEsQkf4vOblY6RA8ncDfYEt\n\
            6zOg9KE5RdiYwpZP40Li/hp/m47n60p8D54WK84zV2sxXs7LtkBoN79R9Q==\n\
            -----END PUBLIC KEY-----";
        let private = "-----BEGIN PRIVATE KEY-----\n\
            MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n\
            -----END PRIVATE KEY-----";
        for (text, error) in [
            ("", EncodingError::Pem),
            ("no key at all", EncodingError::Pem),
            (&format!("a note\n{PEM}"), EncodingError::Pem),
            (&PEM.replace('\n', "\\n"), EncodingError::Pem),
            (&PEM.replace('\n', " "), EncodingError::Pem),
            (&PEM.replace("END PUBLIC", "END PRIVATE"), EncodingError::Pem),
            (&format!("{PEM}{PEM}"), EncodingError::Pem),
            (&format!("{PEM}more"), EncodingError::Pem),
            (&PEM.replace("URo=", "UR*="), EncodingError::Pem),
            (&PEM.replace("PUBLIC", "ED25519 PUBLIC"), EncodingError::PemLabel),
            (private, EncodingError::PemLabel),
            (x25519, EncodingError::OtherAlgorithm),
            (p256, EncodingError::OtherAlgorithm),
            (&PEM.replace("MCowBQYDK2VwAyEA", "MCowBQYDK2VwAyEB"), EncodingError::KeyInfo),
        ] {
            assert_eq!(public_key_of_pem(text), Err(error), "{text:?}");
        }
    }

    #[test]
    fn a_raw_key_is_32_bytes_in_hex_or_base64() {
        for text in ["ab".repeat(32), "q".repeat(42) + "w", "_".repeat(42) + "w="] {
            assert!(could_be_raw_key(&text), "{text}");
        }
        for text in ["ab".repeat(31), "ab".repeat(33), "q".repeat(43), String::new(), PEM.to_owned()] {
            assert!(!could_be_raw_key(&text), "{text}");
        }
    }

    proptest! {
        #[test]
        fn bytes_survive_every_spelling(bytes: Vec<u8>) {
            use base64::prelude::*;
            let hex = hex::encode(&bytes);
            prop_assert_eq!(Encoding::Hex.decode(&hex.to_uppercase()), Ok(bytes.clone()));
            for text in [
                BASE64_STANDARD.encode(&bytes),
                BASE64_STANDARD_NO_PAD.encode(&bytes),
                BASE64_URL_SAFE.encode(&bytes),
                BASE64_URL_SAFE_NO_PAD.encode(&bytes),
            ] {
                prop_assert_eq!(Encoding::Base64.decode(&text), Ok(bytes.clone()), "{}", text);
            }
        }

        #[test]
        fn a_base64_text_has_no_other_reading(text in "[A-D+/_=-]{0,9}") {
            use base64::prelude::*;
            if let Ok(bytes) = Encoding::Base64.decode(&text) {
                let standard = text.replace('-', "+").replace('_', "/");
                let spellings = [BASE64_STANDARD.encode(&bytes), BASE64_STANDARD_NO_PAD.encode(&bytes)];
                prop_assert!(spellings.contains(&standard));
            }
        }

        #[test]
        fn no_text_panics(text: String) {
            let _ = (Encoding::Base64.decode(&text), Encoding::Hex.decode(&text), public_key_of_pem(&text));
            let block = format!("-----BEGIN PUBLIC KEY-----\n{text}\n-----END PUBLIC KEY-----");
            let _ = public_key_of_pem(&block);
        }
    }
}
