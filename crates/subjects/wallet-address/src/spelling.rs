//! The canonical spelling of an address, and its form.

use std::borrow::Cow;

use super::check;
use super::error::AddressError;
use super::form::Form;

/// Returns the canonical spelling of an address in its form: without a URI scheme or a CAIP-10 chain, hex in lower case
/// after `0x` (also for `xdc`), Bech32 and `CashAddr` in lower case. Base58 is unchanged, because its letters are
/// case-sensitive. The index compares accounts, across all forms of an account.
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

/// Returns the form of a caller's address, after a check of its checksum.
///
/// # Errors
/// [`AddressError`] if the form is unknown or the checksum is wrong.
pub fn form(address: &str) -> Result<Form, AddressError> {
    check::form(check::bare(address.trim()))
}
