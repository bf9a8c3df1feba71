//! The forms of addresses.

/// Form of an address: its encoding and checksum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// 20 bytes in hex, of EVM chains (EIP-55 checksum).
    Evm,
    /// Bech32 and Bech32m (BIP 173, BIP 350): Bitcoin's segregated-witness addresses and similar ones.
    Bech32,
    /// Bitcoin Cash (CashAddr).
    CashAddr,
    /// Base58 with a checksum of four bytes: Bitcoin's legacy addresses and similar ones, Tron.
    Base58Check,
    /// Base58 in Ripple's alphabet, with a checksum of four bytes.
    RippleBase58Check,
    /// 32 bytes in base58, without a checksum: Solana.
    Base58,
    /// Other forms: Monero's; Tron's and XDC's in hex; 30 to 32 bytes in hex of Sui, Aptos and Starknet.
    Other,
}
