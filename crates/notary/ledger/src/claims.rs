//! Payment claims: a claim binds a proof of payment to one request, from before the judging until the receipt.
//!
//! ```text
//! claimed -> judged -> broadcast -> settled -> delivered
//!    |         |           |
//!    +- freed -+           +-> failed
//! ```
//!
//! A bond is not judged before its money is there, so that nobody holds a dispute for nothing:
//!
//! ```text
//! claimed, with its request -> broadcast -> settled -> settled, with its finding -> delivered
//! ```
//!
//! Only a bond that has settled is the open dispute of its receipt. One that settles while another is open, or after the
//! last, is [late](Claim::is_late): it is no dispute, and its end gives the bond back.
//!
//! Two kinds go from judged to settled at once, since nothing is broadcast for them: a transfer that has happened
//! already, and the development profile's own money.
//!
//! The ledger knows nothing of chains: addresses are 20 bytes, hashes and nonces 32, amounts whole atomic units.

use receipt::hash::{ReceiptHash, sha256};
use receipt::time::Timestamp;
use verdict::EvidenceBlob;

use crate::{ClaimId, ClaimState, LedgerError};

/// The most claims that are neither delivered nor failed; past it new ones are refused, before anybody judges.
pub const MAX_UNFINISHED_CLAIMS: usize = 1024;

/// The greatest amount of one claim: a million dollars in millionths. With it no sum in the store overflows.
pub const MAX_CLAIM_AMOUNT: u64 = 1_000_000_000_000;

/// The owner of leases: random bits of a process, or of one of its tasks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Owner(pub [u8; 16]);

/// A claim in the hands of its owner.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClaimRef {
    /// The claim.
    pub id: ClaimId,
    /// The task that works on it.
    pub owner: Owner,
}

/// The key by which a proof of payment is unique: a proof pays for one request.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ProofKey {
    /// An authorization to move a token; the token accepts each nonce of a payer once.
    Authorization {
        /// The EIP-155 chain id.
        chain_id: u64,
        /// The token.
        asset: [u8; 20],
        /// The account that pays.
        payer: [u8; 20],
        /// The nonce that the payer chose.
        nonce: [u8; 32],
    },
    /// A transfer that has happened. That an authorization became it makes it no other transfer.
    Transaction {
        /// The EIP-155 chain id.
        chain_id: u64,
        /// The transaction's hash.
        transaction: [u8; 32],
        /// The index of the transfer's event in its block.
        log_index: u64,
    },
}

/// A caller's own name for a payment, unique per payer: another nonce under the same name pays nothing again.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct PaymentIdentifier {
    /// The account that pays.
    pub payer: [u8; 20],
    /// The identifier that the payer chose.
    pub id: String,
}

/// A claim to be made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewClaim {
    /// The proof's key.
    pub key: ProofKey,
    /// The caller's name for the payment; its payer is the claim's.
    pub identifier: Option<PaymentIdentifier>,
    /// The identity of the request that is paid for.
    pub fingerprint: [u8; 32],
    /// The route's class.
    pub class: &'static str,
    /// The name of the agent that calls.
    pub agent: String,
    /// The account that pays, or has paid; the key's, where the key names one.
    pub payer: [u8; 20],
    /// The token's symbol, which revenue is summed under: `USDC`.
    pub symbol: String,
    /// Atomic units, at most [`MAX_CLAIM_AMOUNT`].
    pub amount: u64,
    /// True for a bond: the amount is held, not earned.
    pub bond: bool,
    /// The receipt that the call is about: what it disputes (with a bond), or says that it takes the place of.
    pub about: Option<ReceiptHash>,
    /// The proof that a later process settles by (the signed authorization), in the settlement back end's own form.
    pub proof: Vec<u8>,
    /// The request that is judged once the claim has settled; of a bond, and of nothing else.
    pub deferred: Option<DeferredRequest>,
    /// The most claims that its payer may have unfinished, this one included.
    pub most_of_payer: u32,
    /// The payer's balance as it was seen, in atomic units, where the back end shows one.
    pub balance: Option<u64>,
    /// The task that works on it.
    pub owner: Owner,
    /// The end of its lease: until then it is its owner's alone.
    pub lease_until: Timestamp,
}

/// A request that is judged later.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeferredRequest {
    /// The request in canonical form.
    pub request: Vec<u8>,
    /// The time at which it came.
    pub at: Timestamp,
}

/// The outcome of an attempt to claim.
#[derive(Clone, PartialEq, Eq, Debug)]
#[expect(clippy::large_enum_variant, reason = "made once a call, and taken apart at once")]
pub enum ClaimOutcome {
    /// The proof is bound to the request, and the caller goes on.
    Mine(ClaimId),
    /// The proof, or its payment identifier, was claimed before, for whichever request.
    Known(Claim),
    /// There are [`MAX_UNFINISHED_CLAIMS`] already; nothing was changed.
    Full,
    /// A bond about a receipt that another dispute is open about; nothing was changed.
    DisputeOpen,
    /// A bond about a receipt that has had [`MAX_DISPUTES`](crate::MAX_DISPUTES) already; nothing was changed.
    DisputeLimit,
    /// The payer has [as many as it may](NewClaim::most_of_payer) already; nothing was changed.
    PayerLimit,
    /// The payer's balance does not cover this claim and those of its others that have not settled; nothing was changed.
    Uncovered,
}

/// A claim as the store has it, but for what is large ([`ClaimWork`]).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim {
    /// The claim's number.
    pub id: ClaimId,
    /// The proof's key.
    pub key: ProofKey,
    /// The identity of the request that is paid for.
    pub fingerprint: [u8; 32],
    /// The state.
    pub state: ClaimState,
    /// The task that works on it, or did last.
    pub owner: Owner,
    /// The end of its lease: until then it is its owner's alone.
    pub lease_until: Timestamp,
    /// The route's class.
    pub class: String,
    /// The name of the agent that calls.
    pub agent: String,
    /// The account that pays, or has paid.
    pub payer: [u8; 20],
    /// The token's symbol.
    pub symbol: String,
    /// The amount, in atomic units.
    pub amount: u64,
    /// True for a bond.
    pub bond: bool,
    /// True for a bond that settled while another dispute of its receipt was open, or after the last.
    pub is_late: bool,
    /// [`NewClaim::about`].
    pub about: Option<ReceiptHash>,
    /// The transaction that was prepared last, or that has settled it, where its hash is known.
    pub transaction: Option<[u8; 32]>,
    /// The transfer, once it has settled.
    pub transfer: Option<ClaimTransfer>,
    /// The receipt, once it is delivered.
    pub receipt: Option<Delivery>,
    /// The reason why it failed, where it has.
    pub failure: Option<ClaimFailure>,
}

/// The transfer by which a claim was settled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClaimTransfer {
    /// The transaction's hash.
    pub transaction: [u8; 32],
    /// The transfer within the transaction.
    pub id: TransferId,
    /// The kind of settlement, as the receipt has it: `chain`, `facilitator` or `local`.
    pub kind: String,
}

/// Tells a transfer from the other transfers in its transaction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TransferId {
    /// The index of the transfer's event in its block; 0 for the development profile's own money.
    LogIndex(u64),
    /// The authorization that it used up: nobody looked at the chain, so its index is not known.
    Authorization {
        /// The account that paid.
        payer: [u8; 20],
        /// The nonce that the payer chose.
        nonce: [u8; 32],
    },
}

impl TransferId {
    /// The transfer by which a claim with this proof was settled, with the log index where it is known.
    #[must_use]
    pub fn of(key: &ProofKey, log_index: Option<u64>) -> Self {
        match (log_index, *key) {
            (Some(index), _) | (None, ProofKey::Transaction { log_index: index, .. }) => {
                Self::LogIndex(index)
            }
            (None, ProofKey::Authorization { payer, nonce, .. }) => Self::Authorization { payer, nonce },
        }
    }

    /// The index of the transfer's event, where it is known.
    #[must_use]
    pub fn log_index(&self) -> Option<u64> {
        match self {
            Self::LogIndex(index) => Some(*index),
            Self::Authorization { .. } => None,
        }
    }
}

/// The receipt of a claim in the log, and the proof that it was answered with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Delivery {
    /// The receipt's hash.
    pub hash: ReceiptHash,
    /// The receipt's leaf.
    pub leaf: u64,
    /// The C2SP tlog-proof under the checkpoint of its own transaction, so that whoever sends the identical request
    /// again gets the identical answer.
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

/// The judgement of a claim's request, kept so that nothing is judged twice.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Judgement {
    /// The finding, as JSON.
    pub finding: Vec<u8>,
    /// The evidence that the judge looked at.
    pub evidence: Vec<EvidenceBlob>,
    /// The request in canonical form.
    pub request: Vec<u8>,
    /// The time of the judgement.
    pub at: Timestamp,
}

/// A settlement to be stored before it is broadcast.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PreparedTransaction {
    /// The bytes that a later process broadcasts again, in the settlement back end's own form.
    pub raw: Vec<u8>,
    /// The transaction's hash, where it is known beforehand.
    pub transaction: Option<[u8; 32]>,
    /// True where it replaces one that was broadcast. Where this is false, one that was broadcast is not replaced.
    pub replaces: bool,
}

/// A transfer that was seen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settlement {
    /// The transaction's hash.
    pub transaction: [u8; 32],
    /// The index of the transfer's event in its block; 0 for the development profile's own money. `None` where nobody
    /// looked at the chain: the transfer is then known by the claim's authorization.
    pub log_index: Option<u64>,
    /// The kind of settlement, as the receipt has it.
    pub kind: &'static str,
    /// The time at which it was seen.
    pub at: Timestamp,
}

/// A claim with all that is needed to go on with it. Of a claim that is delivered or has failed, only the claim is kept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClaimWork {
    /// The claim.
    pub claim: Claim,
    /// [`NewClaim::proof`].
    pub proof: Vec<u8>,
    /// [`NewClaim::deferred`], until it is judged.
    pub deferred: Option<DeferredRequest>,
    /// The judgement, from [`ClaimState::Judged`] on; of a bond some time after it has settled.
    pub judgement: Option<Judgement>,
    /// [`PreparedTransaction::raw`] of what was prepared last, from [`ClaimState::Broadcast`] on.
    pub raw: Option<Vec<u8>>,
}

/// A name that a claim is found by: the first half of a SHA-256. It is too long for anybody to find two that share it, and
/// half the size in an index.
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

/// The name of a transaction and its payer: of a claim by a transaction whose proof does not say which transfer is meant, and
/// of a claim that was settled in a transaction by a transfer that nobody knows.
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
        let deferred = self.deferred.as_ref().map_or(0, |deferred| deferred.request.len());
        self.proof.len() + self.agent.len() + identifier + deferred
    }
}

impl Judgement {
    /// The judgement's size in bytes, as [`MAX_JUDGEMENT_BYTES`](crate::MAX_JUDGEMENT_BYTES) counts it.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let evidence: usize =
            self.evidence.iter().map(|blob| blob.bytes().map_or(0, <[u8]>::len) + blob.role().len()).sum();
        self.finding.len() + self.request.len() + evidence
    }
}

/// Checks that a number can be stored: integer columns have 63 bits.
///
/// # Errors
/// [`LedgerError::Unfit`]: it is not below 2^63.
pub fn fits_a_column(number: u64) -> Result<(), LedgerError> {
    i64::try_from(number).map(drop).map_err(|_| LedgerError::Unfit(format!("{number} is not below 2^63")))
}
