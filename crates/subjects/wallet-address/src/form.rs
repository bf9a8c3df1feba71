//! The forms of addresses.

/// What an address looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// 20 bytes in hex: Ethereum and all chains of its kind.
    Evm,
    /// Bitcoin's segregated-witness addresses and their kin (BIP 173, BIP 350).
    Bech32,
    /// Bitcoin Cash (CashAddr).
    CashAddr,
    /// Base58 with a checksum of four bytes: Bitcoin's older addresses and their kin, Tron.
    Base58Check,
    /// The same in the order of Ripple's alphabet.
    RippleBase58Check,
    /// 32 bytes in base58, without a checksum: Solana.
    Base58,
    /// Monero's; Tron's and XDC's in hex; the 30 to 32 bytes in hex of Sui, Aptos and Starknet.
    Other,
}
