//! The forms of addresses.

/// Form of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// 20 bytes in hex: EVM chains.
    Evm,
    /// Bitcoin's segregated-witness addresses and similar ones (BIP 173, BIP 350).
    Bech32,
    /// Bitcoin Cash (CashAddr).
    CashAddr,
    /// Base58 with a checksum of four bytes: Bitcoin's older addresses and similar ones, Tron.
    Base58Check,
    /// Base58 with a checksum in the order of Ripple's alphabet.
    RippleBase58Check,
    /// 32 bytes in base58, without a checksum: Solana.
    Base58,
    /// Monero's; Tron's and XDC's in hex; the 30 to 32 bytes in hex of Sui, Aptos and Starknet.
    Other,
}
