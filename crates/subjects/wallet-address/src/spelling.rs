//! The one spelling of an address, and its form.

use std::borrow::Cow;

use super::check;
use super::error::AddressError;
use super::form::Form;

/// The one spelling of an address in its form: without a URI scheme or a CAIP-10 chain before it, hex in lower case
/// behind `0x` (`xdc` is another way to write that), bech32 and `CashAddr` in lower case. Base58 is left as it is: there,
/// case is part of the number. What is looked for is the account, in every form that it has.
pub fn normalise(address: &str) -> Cow<'_, str> {
    let bare = check::bare(address);
    if let Some(address) = check::normal_hex(bare).or_else(|| check::cash_addr(bare)) {
        return Cow::Owned(address);
    }
    if check::is_upper_bech32(bare) {
        return Cow::Owned(bare.to_ascii_lowercase());
    }
    Cow::Borrowed(bare)
}

/// The form of a caller's address, its checksum checked.
///
/// # Errors
/// [`AddressError`].
pub fn form(address: &str) -> Result<Form, AddressError> {
    check::form(check::bare(address.trim()))
}
