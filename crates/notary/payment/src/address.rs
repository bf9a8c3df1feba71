//! The check of addresses for payments to callers.

use alloy_primitives::Address;

/// Parses an address for payments to a caller. The check is strict, because money sent to a mistyped address is lost.
///
/// # Errors
/// The rule that the text breaks: it must be `0x` and 40 hexadecimal digits, with the checksum of EIP-55 where the
/// letters are of both cases, and not the zero address.
pub fn checked_address(text: &str) -> Result<Address, &'static str> {
    let digits = text.strip_prefix("0x").filter(|digits| digits.len() == 40);
    let Some((digits, Ok(address))) = digits.map(|digits| (digits, digits.parse::<Address>())) else {
        return Err("must be an address: `0x` and 40 hexadecimal digits");
    };
    let has = |is: fn(&char) -> bool| digits.chars().any(|digit| is(&digit));
    let is_mixed = has(char::is_ascii_lowercase) && has(char::is_ascii_uppercase);
    if is_mixed && Address::parse_checksummed(text, None).is_err() {
        return Err("must have the checksum of EIP-55 where its letters are of both cases");
    }
    if address.is_zero() {
        return Err("must not be the zero address");
    }
    Ok(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An example of EIP-55's.
    const CHECKSUMMED: &str = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";

    #[test]
    fn an_address_is_taken_in_one_case_or_with_its_checksum() {
        let (lower, upper) = (CHECKSUMMED.to_lowercase(), format!("0x{}", CHECKSUMMED[2..].to_uppercase()));
        for text in [CHECKSUMMED, &lower, &upper] {
            assert_eq!(checked_address(text).map(|address| address.to_string()), Ok(CHECKSUMMED.to_owned()));
        }
        let digits_alone = format!("0x{}", "12".repeat(20));
        assert_eq!(checked_address(&digits_alone), Ok(Address::repeat_byte(0x12)));
    }

    #[test]
    fn what_is_mistyped_cut_off_or_nobodys_is_refused_for_its_reason() {
        let flipped = CHECKSUMMED.replacen('a', "A", 1);
        let swapped = CHECKSUMMED.replacen("60", "06", 1);
        for text in [&flipped, &swapped] {
            assert!(checked_address(text).unwrap_err().contains("checksum"), "{text}");
        }
        let zero = Address::ZERO.to_string();
        assert!(checked_address(&zero).unwrap_err().contains("zero"));
        let long = format!("{CHECKSUMMED}0");
        let twice = format!("0x0x{}", "a".repeat(38));
        let wide = format!("0x{}", "\u{e4}".repeat(20));
        for text in ["", "0x", "0x12", &CHECKSUMMED[2..], &CHECKSUMMED[..41], &long, &twice, &wide] {
            assert!(checked_address(text).unwrap_err().contains("40"), "{text}");
        }
    }
}
