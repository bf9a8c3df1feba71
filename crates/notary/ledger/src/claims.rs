//! Payment claims: a claim binds a proof of payment to one request, from before the judging until the receipt.
//!
//! ```text
//! claimed -> judged -> broadcast -> settled -> delivered
//!    |         |           |
//!    +- freed -+           +-> failed
//! ```
//!
//! A bond must settle before its dispute is judged, so that nobody blocks other disputes without paying:
//!
//! ```text
//! claimed, with its request -> broadcast -> settled -> settled, with its finding -> delivered
//! ```
//!
//! Only a bond that has settled is the open dispute of its receipt. One that settles while another is open, or after
//! the last, is [late](Claim::is_late): it opens no dispute, and its bond is refunded at its end.
//!
//! Two kinds of claim go directly from judged to settled, because nothing is broadcast for them: a claim by an earlier
//! transfer, and one in the development profile's own money.
//!
//! The ledger does not interpret chains: addresses are 20 bytes, hashes and nonces are 32 bytes, and amounts are whole
//! atomic units.

use receipt::hash::{ReceiptHash, sha256};
use receipt::time::Timestamp;
use verdict::{EvidenceBlob, KeptRequest};

use crate::{ClaimId, ClaimState, LedgerError};

/// The most claims that are neither delivered nor failed. Beyond it new claims are refused before they are judged.
pub const MAX_UNFINISHED_CLAIMS: usize = 1024;

/// The greatest amount of one claim, in atomic units: one million dollars in millionths. No sum in the store can then
/// overflow.
pub const MAX_CLAIM_AMOUNT: u64 = 1_000_000_000_000;

/// The owner of leases: random bits of a process, or of one of its tasks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Owner(pub [u8; 16]);

/// A claim together with its owner.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClaimRef {
    /// The number of the claim.
    pub id: ClaimId,
    /// The task that owns the claim's lease.
    pub owner: Owner,
}

/// The key by which a proof of payment is unique: one proof pays for one request.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ProofKey {
    /// An authorization to move a token (EIP-3009). The token accepts each nonce of a payer once.
    Authorization {
        /// The EIP-155 chain id.
        chain_id: u64,
        /// The address of the token.
        asset: [u8; 20],
        /// The account that pays.
        payer: [u8; 20],
        /// The nonce that the payer chose.
        nonce: [u8; 32],
    },
    /// A transfer that has already happened, also if an authorization caused it.
    Transaction {
        /// The EIP-155 chain id.
        chain_id: u64,
        /// The hash of the transaction.
        transaction: [u8; 32],
        /// The index of the transfer's event in its block, counted from 0.
        log_index: u64,
    },
}

/// A name that the payer gives to a payment. It is unique for each payer: a proof with another nonce and the same name
/// does not pay again.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct PaymentIdentifier {
    /// The account that pays.
    pub payer: [u8; 20],
    /// The identifier that the payer chose.
    pub id: String,
}

/// A new claim.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewClaim {
    /// The key of the proof.
    pub key: ProofKey,
    /// The caller's name for the payment, whose payer must be that of the claim; `None` where there is none.
    pub identifier: Option<PaymentIdentifier>,
    /// The fingerprint of the request that is paid for.
    pub fingerprint: [u8; 32],
    /// The class of the route.
    pub class: &'static str,
    /// The name of the agent that calls.
    pub agent: String,
    /// The account that pays or has paid. It must be the payer of the key, if the key has one.
    pub payer: [u8; 20],
    /// The symbol of the token, such as `USDC`. Revenue is summed for each symbol.
    pub symbol: String,
    /// The amount in atomic units, at most [`MAX_CLAIM_AMOUNT`].
    pub amount: u64,
    /// True for a bond, whose amount is held and is not revenue.
    pub bond: bool,
    /// The receipt that the call disputes (with a bond) or supersedes; `None` where it is about no receipt.
    pub about: Option<ReceiptHash>,
    /// The proof for the settlement, such as the signed authorization, in the format of the settlement back end. A
    /// later process can settle with it.
    pub proof: Vec<u8>,
    /// The request of a bond, which is judged after the claim has settled; `None` for all other claims.
    pub deferred: Option<DeferredRequest>,
    /// The most unfinished claims of its payer, including this one.
    pub most_of_payer: u32,
    /// The payer's last known balance, in atomic units; `None` where the back end does not report one.
    pub balance: Option<u64>,
    /// The task that owns the claim.
    pub owner: Owner,
    /// The end of the lease. Until then no other task may change the claim.
    pub lease_until: Timestamp,
}

/// A request that is judged after its claim has settled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeferredRequest {
    /// The request, as it is stored.
    pub request: KeptRequest,
    /// The time of the request.
    pub at: Timestamp,
}

/// The result of an attempt to claim.
#[derive(Clone, PartialEq, Eq, Debug)]
#[expect(clippy::large_enum_variant, reason = "made once a call, and taken apart at once")]
pub enum ClaimOutcome {
    /// The proof is now bound to the request, and the caller continues.
    Mine(ClaimId),
    /// The proof or its payment identifier was claimed before, for this or another request.
    Known(Claim),
    /// There are [`MAX_UNFINISHED_CLAIMS`] already. Nothing was changed.
    Full,
    /// The claim is a bond about a receipt that has an open dispute. Nothing was changed.
    DisputeOpen,
    /// The claim is a bond about a receipt that has had [`MAX_DISPUTES`](crate::MAX_DISPUTES) disputes. Nothing was
    /// changed.
    DisputeLimit,
    /// The payer has [as many unfinished claims as it may](NewClaim::most_of_payer). Nothing was changed.
    PayerLimit,
    /// The payer's balance does not cover this claim and its other unsettled claims. Nothing was changed.
    Uncovered,
}

/// A stored claim, without its large parts ([`ClaimWork`]).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim {
    /// The number of the claim.
    pub id: ClaimId,
    /// The key of the proof.
    pub key: ProofKey,
    /// The fingerprint of the request that is paid for.
    pub fingerprint: [u8; 32],
    /// The state of the claim.
    pub state: ClaimState,
    /// The task that owns the claim, or owned it last.
    pub owner: Owner,
    /// The end of the lease. Until then no other task may change the claim.
    pub lease_until: Timestamp,
    /// The class of the route.
    pub class: String,
    /// The name of the agent that calls.
    pub agent: String,
    /// The account that pays or has paid.
    pub payer: [u8; 20],
    /// The symbol of the token.
    pub symbol: String,
    /// The amount, in atomic units.
    pub amount: u64,
    /// True for a bond.
    pub bond: bool,
    /// True for a bond that settled while another dispute of its receipt was open, or after the last permitted one.
    pub is_late: bool,
    /// The receipt that the call is about; see [`NewClaim::about`].
    pub about: Option<ReceiptHash>,
    /// The hash of the last prepared transaction, or of the one that settled the claim; `None` where it is unknown.
    pub transaction: Option<[u8; 32]>,
    /// The transfer that settled the claim; `None` before that.
    pub transfer: Option<ClaimTransfer>,
    /// The delivered receipt; `None` before the delivery.
    pub receipt: Option<Delivery>,
    /// The reason of the failure; `None` where the claim has not failed.
    pub failure: Option<ClaimFailure>,
}

/// The transfer that settled a claim.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClaimTransfer {
    /// The hash of the transaction.
    pub transaction: [u8; 32],
    /// The identity of the transfer within its transaction.
    pub id: TransferId,
    /// The way of settlement, as receipts state it: `chain`, `facilitator` or `local`.
    pub kind: String,
}

/// The identity of a transfer among those of its transaction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TransferId {
    /// The index of the transfer's event in its block; 0 for the development profile's own money.
    LogIndex(u64),
    /// The authorization that the transfer used up. It identifies the transfer where the chain was not read and the log
    /// index is unknown.
    Authorization {
        /// The account that paid.
        payer: [u8; 20],
        /// The nonce that the payer chose.
        nonce: [u8; 32],
    },
}

impl TransferId {
    /// The identity of the transfer that settled a claim with this proof. `log_index` is `None` where it is unknown.
    #[must_use]
    pub fn of(key: &ProofKey, log_index: Option<u64>) -> Self {
        match (log_index, *key) {
            (Some(index), _) | (None, ProofKey::Transaction { log_index: index, .. }) => {
                Self::LogIndex(index)
            }
            (None, ProofKey::Authorization { payer, nonce, .. }) => Self::Authorization { payer, nonce },
        }
    }

    /// The index of the transfer's event in its block; `None` where it is unknown.
    #[must_use]
    pub fn log_index(&self) -> Option<u64> {
        match self {
            Self::LogIndex(index) => Some(*index),
            Self::Authorization { .. } => None,
        }
    }
}

/// The logged receipt of a claim, with the proof in its answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Delivery {
    /// The hash of the receipt.
    pub hash: ReceiptHash,
    /// The leaf index of the receipt, counted from 0.
    pub leaf: u64,
    /// The C2SP tlog-proof under the checkpoint of the receipt's own transaction. A repeated identical request gets the
    /// identical answer.
    pub proof: String,
}

/// The reason why a claim failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClaimFailure {
    /// A stable code.
    pub code: String,
    /// The explanation, in one sentence.
    pub detail: String,
}

/// The stored judgement of a claim's request, so that the request is judged once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Judgement {
    /// The finding, as JSON text.
    pub finding: Vec<u8>,
    /// The evidence of the finding.
    pub evidence: Vec<EvidenceBlob>,
    /// The request, as it is stored.
    pub request: KeptRequest,
    /// The time of the judgement.
    pub at: Timestamp,
}

/// A settlement that is stored before it is broadcast.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PreparedTransaction {
    /// The data for broadcasting it again in a later process, in the format of the settlement back end.
    pub raw: Vec<u8>,
    /// The hash of the transaction; `None` where it is not known in advance.
    pub transaction: Option<[u8; 32]>,
    /// True if it may replace an earlier broadcast. If this is false and there was a broadcast, the step is refused.
    pub replaces: bool,
}

/// An observed transfer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settlement {
    /// The hash of the transaction.
    pub transaction: [u8; 32],
    /// The index of the transfer's event in its block; 0 for the development profile's own money. `None` where the
    /// chain was not read; the claim's authorization then identifies the transfer.
    pub log_index: Option<u64>,
    /// The way of settlement, as receipts state it.
    pub kind: &'static str,
    /// The time of the observation.
    pub at: Timestamp,
}

/// A claim with the data for continuing it. Only the claim itself is stored once it is delivered or has failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClaimWork {
    /// The claim.
    pub claim: Claim,
    /// The proof for the settlement; see [`NewClaim::proof`].
    pub proof: Vec<u8>,
    /// The request of a bond until it is judged; see [`NewClaim::deferred`].
    pub deferred: Option<DeferredRequest>,
    /// The judgement, from [`ClaimState::Judged`] on. A bond gets it some time after it has settled.
    pub judgement: Option<Judgement>,
    /// The data of the last prepared settlement, from [`ClaimState::Broadcast`] on; see [`PreparedTransaction::raw`].
    pub raw: Option<Vec<u8>>,
}

/// A name under which a claim is found: the first 16 bytes of a SHA-256. That is enough to exclude collisions, and half
/// the size in an index.
pub type ClaimName = [u8; 16];

fn name(tag: u8, parts: &[&[u8]]) -> ClaimName {
    // All parts but the last are of a fixed length for each tag, so no two lists of parts are the same text.
    let digest = sha256(&[&[tag], parts.concat().as_slice()].concat());
    *digest.first_chunk().expect("SHA-256 is longer")
}

impl ProofKey {
    /// The name by which a claim of this proof is unique.
    #[must_use]
    pub fn name(&self) -> ClaimName {
        match self {
            Self::Authorization { chain_id, asset, payer, nonce } => {
                name(1, &[&chain_id.to_be_bytes(), asset, payer, nonce])
            }
            Self::Transaction { chain_id, transaction, log_index } => {
                name(2, &[&chain_id.to_be_bytes(), transaction, &log_index.to_be_bytes()])
            }
        }
    }

    /// The EIP-155 chain id.
    #[must_use]
    pub fn chain_id(&self) -> u64 {
        match *self {
            Self::Authorization { chain_id, .. } | Self::Transaction { chain_id, .. } => chain_id,
        }
    }
}

impl PaymentIdentifier {
    /// The name by which a claim under this identifier is unique.
    #[must_use]
    pub fn name(&self) -> ClaimName {
        name(3, &[&self.payer, self.id.as_bytes()])
    }
}

/// The name of a transaction together with its payer. It is used for a claim whose proof does not say which transfer of
/// the transaction it means, and for a claim that was settled by an unknown transfer of the transaction.
#[must_use]
pub fn transaction_name(chain_id: u64, transaction: &[u8; 32], payer: &[u8; 20]) -> ClaimName {
    name(4, &[&chain_id.to_be_bytes(), transaction, payer])
}

impl NewClaim {
    /// Refuses a claim that would make the whole batch fail.
    ///
    /// # Errors
    /// [`LedgerError::Unfit`]: the claim contradicts itself, or its amount is too large.
    pub fn check(&self) -> Result<(), LedgerError> {
        let unfit = |why: &str| Err(LedgerError::Unfit(why.to_owned()));
        if let ProofKey::Authorization { payer, .. } = self.key
            && payer != self.payer
        {
            return unfit("a claim's payer is not its authorization's");
        }
        if self.identifier.as_ref().is_some_and(|identifier| identifier.payer != self.payer) {
            return unfit("a claim's payer is not its payment identifier's");
        }
        if self.bond && self.about.is_none() {
            return unfit("a bond that is about no receipt");
        }
        if self.bond != self.deferred.is_some() {
            return unfit("a bond without its request, or another claim with one");
        }
        if self.amount > MAX_CLAIM_AMOUNT {
            return unfit("a claim over more than a million dollars");
        }
        fits_a_column(self.key.chain_id())?;
        match self.key {
            ProofKey::Authorization { .. } => Ok(()),
            ProofKey::Transaction { log_index, .. } => fits_a_column(log_index),
        }
    }

    /// The bytes that the claim adds to the queue of the store's writer.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let identifier = self.identifier.as_ref().map_or(0, |identifier| identifier.id.len());
        let deferred = self.deferred.as_ref().map_or(0, |deferred| deferred.request.body().len());
        self.proof.len() + self.agent.len() + identifier + deferred
    }
}

impl Judgement {
    /// The size of the judgement in bytes, as [`MAX_JUDGEMENT_BYTES`](crate::MAX_JUDGEMENT_BYTES) counts it.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let evidence: usize =
            self.evidence.iter().map(|blob| blob.bytes().map_or(0, <[u8]>::len) + blob.role().len()).sum();
        self.finding.len() + self.request.body().len() + evidence
    }
}

/// Checks that a number can be stored: integer columns have 63 bits.
///
/// # Errors
/// [`LedgerError::Unfit`]: the number is not below 2^63.
pub fn fits_a_column(number: u64) -> Result<(), LedgerError> {
    i64::try_from(number).map(drop).map_err(|_| LedgerError::Unfit(format!("{number} is not below 2^63")))
}
