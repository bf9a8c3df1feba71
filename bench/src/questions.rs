//! Questions to `POST /claim-verdict`, each another message signed by another key.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use receipt::key::SigningKey;

use crate::http;

/// The path that they are asked at.
pub const PATH: &str = "/claim-verdict";

/// Whole requests, made ready. The same count gives the same requests on every machine.
pub fn requests(count: u32) -> Vec<Vec<u8>> {
    (0..count).map(|number| http::post(PATH, body(number).as_bytes())).collect()
}

/// The same, from the number `first` on, each by another agent from another network, as a proxy tells it.
pub fn requests_from_everywhere(first: u32, count: u32) -> Vec<Vec<u8>> {
    let of = |number: u32| {
        let [_, high, middle, low] = number.to_be_bytes();
        let from = format!("{}.{middle}.{low}.7", 11 + high);
        let body = asked_by(&format!("bench-{number:06}"), number);
        http::post_from(PATH, &from, body.as_bytes())
    };
    (first..first + count).map(of).collect()
}

fn body(number: u32) -> String {
    asked_by(&format!("bench-{:04}", number % 1000), number)
}

/// One question of an agent's: a delivery note, signed.
pub fn asked_by(agent: &str, number: u32) -> String {
    let mut random = Random::new(u64::from(number));
    let key = SigningKey::from_seed(&random.bytes());
    let message = message(number, &mut random);
    let signature = STANDARD.encode(key.sign(message.as_bytes()));
    let public_key = STANDARD.encode(key.public_key().as_bytes());
    format!(
        r#"{{"agent":"{agent}","claim":"The carrier signed delivery note {number}.","resolver":{{"type":"ed25519_signature","message":"{message}","signature":"{signature}","public_key":"{public_key}","public_key_encoding":"base64"}}}}"#
    )
}

/// About a hundred bytes of text.
pub fn message(number: u32, random: &mut Random) -> String {
    let lot = random.next();
    format!(
        "Delivery note {number}: lot {lot:016x} arrived at dock {}, seals unbroken, counted twice.",
        lot % 100
    )
}

/// SplitMix64 (Steele, Lea and Flood, 2014): a stream of numbers that is the same everywhere. Not for keys that
/// matter.
pub struct Random(u64);

impl Random {
    /// A stream by its number.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0xD134_2543_DE82_EF95) ^ 0x5851_F42D_4C95_7F2D)
    }

    /// The next number.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, which is not 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// 32 bytes.
    pub fn bytes(&mut self) -> [u8; 32] {
        let mut bytes = [0; 32];
        for chunk in bytes.chunks_exact_mut(8) {
            chunk.copy_from_slice(&self.next().to_le_bytes());
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use claim::{ClaimQuestion, ClaimResolver, PublicKeyInput};
    use receipt::json::parse;
    use verdict::{Fields, Question as _};

    #[test]
    fn every_question_is_well_formed_distinct_and_truly_signed() {
        let mut seen = std::collections::BTreeSet::new();
        for number in 0..50 {
            let body = body(number);
            let object = parse(body.as_bytes()).unwrap();
            let question = ClaimQuestion::read(&Fields::root(object.as_object().unwrap())).unwrap();
            let ClaimResolver::Ed25519(signed) = question.resolver else { panic!("a signature") };
            let PublicKeyInput::Given(key) = signed.public_key else { panic!("a key") };
            assert_eq!(claim::ed25519::verify(&key, &signed.message, &signed.signature), Ok(()));
            assert!(seen.insert((key, signed.message)));
        }
    }
}
