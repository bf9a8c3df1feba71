//! The stable codes of proofs that do not pay, which the `error` of a 402 contains.

/// The reason why a proof does not pay, as a stable code.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Code {
    /// No proof was sent.
    PaymentRequired,
    /// The x402 version is not 1 or 2.
    InvalidVersion,
    /// The challenge that a credential answers is none of this notary's, or for another request.
    InvalidChallenge,
    /// The scheme is not `exact`.
    InvalidScheme,
    /// A payer, nonce, time or transaction is not valid.
    InvalidPayload,
    /// The network is not that of the terms.
    InvalidNetwork,
    /// The token is not that of the terms.
    InvalidAsset,
    /// The payee is not that of the terms.
    InvalidPayee,
    /// The amount is not exactly the price.
    InvalidAmount,
    /// The window is over, or ends too soon to settle in.
    Expired,
    /// The window has not begun.
    NotYetValid,
    /// The window ends too far in the future.
    ValidTooLong,
    /// The signature is not the payer's over these terms.
    InvalidSignature,
    /// The payer's balance is less than the price.
    InsufficientFunds,
    /// The nonce was used or cancelled.
    NonceUsed,
    /// The token refuses the transfer: it is paused, an account is blocked, or a simulation fails for another reason.
    TransferRefused,
    /// The transaction does not exist, has failed, or has no such transfer.
    InvalidTransaction,
    /// The transaction has too few confirmations yet.
    Unconfirmed,
    /// The transaction is too old to be credited.
    TransactionTooOld,
    /// The settlement failed after the proof was accepted.
    SettlementFailed,
    /// Payments of this payer, or of wallets with the same code, have failed on the chain recently.
    RecentFailures,
}

impl Code {
    /// The code as text, as sent to callers.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::PaymentRequired => "payment_required",
            Self::InvalidVersion => "invalid_x402_version",
            Self::InvalidChallenge => "invalid_challenge",
            Self::InvalidScheme => "invalid_scheme",
            Self::InvalidPayload => "invalid_payload",
            Self::InvalidNetwork => "invalid_network",
            Self::InvalidAsset => "invalid_asset",
            Self::InvalidPayee => "invalid_pay_to",
            Self::InvalidAmount => "invalid_amount",
            Self::Expired => "expired",
            Self::NotYetValid => "not_yet_valid",
            Self::ValidTooLong => "valid_too_long",
            Self::InvalidSignature => "invalid_signature",
            Self::InsufficientFunds => "insufficient_funds",
            Self::NonceUsed => "nonce_used",
            Self::TransferRefused => "transfer_refused",
            Self::InvalidTransaction => "invalid_transaction",
            Self::Unconfirmed => "unconfirmed",
            Self::TransactionTooOld => "transaction_too_old",
            Self::SettlementFailed => "settlement_failed",
            Self::RecentFailures => "recent_failures",
        }
    }
}
