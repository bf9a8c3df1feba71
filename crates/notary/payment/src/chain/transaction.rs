//! Transactions of the gas key: EIP-1559, signed, as raw bytes.

use alloy_consensus::{SignableTransaction, Signed, TxEip1559};
use alloy_primitives::{Address, B256, Signature, U256};

use crate::eip712;
use crate::{Prepared, Wallet};

/// The fees for each unit of gas, in wei.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Fees {
    /// The most to pay, base fee and tip together.
    pub(crate) most: u128,
    /// The tip for the block's producer.
    pub(crate) tip: u128,
}

impl Fees {
    /// Fees that hold for a doubled base fee (six full blocks), if that is within `limit`; none where even the base fee
    /// as it is now is over it.
    pub(crate) fn over(base: u128, tip: u128, limit: u128) -> Option<Self> {
        let now = base.checked_add(tip)?;
        let most = now.saturating_add(base).min(limit);
        (now <= limit).then_some(Self { most, tip })
    }

    /// Fees for which nodes put a transaction in the place of one with `before`: they ask for a tenth more of each.
    pub(crate) fn replacing(self, before: Self, limit: u128) -> Option<Self> {
        let more = |fee: u128| fee.saturating_add(fee / 8).saturating_add(1);
        let most = self.most.max(more(before.most));
        let tip = self.tip.max(more(before.tip));
        (most <= limit).then_some(Self { most, tip: tip.min(most) })
    }
}

/// Signs a transaction.
pub(crate) fn sign(wallet: &Wallet, transaction: TxEip1559) -> Prepared {
    let signature = wallet.sign(&transaction.signature_hash());
    let signature = Signature::from_raw(&signature).expect("a wallet's signature has 65 bytes and a parity");
    let signed = transaction.into_signed(signature);
    let mut raw = Vec::with_capacity(signed.eip2718_encoded_length());
    signed.eip2718_encode(&mut raw);
    Prepared { raw, transaction: Some(*signed.hash()) }
}

/// A transaction that was prepared earlier, perhaps by an earlier process with another gas key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Stored {
    pub(crate) hash: B256,
    pub(crate) sender: Address,
    pub(crate) nonce: u64,
    pub(crate) fees: Fees,
    /// The greatest possible cost, in wei.
    pub(crate) cost: U256,
}

impl Stored {
    /// Reads raw bytes; none where they are not such a transaction, whole and signed.
    pub(crate) fn read(prepared: &Prepared) -> Option<Self> {
        let mut rest = prepared.raw.as_slice();
        let signed = Signed::<TxEip1559>::eip2718_decode(&mut rest).ok()?;
        let sender = eip712::recover(&signed.signature_hash(), &signed.signature().as_bytes()).ok()?;
        let hash = *signed.hash();
        let transaction = signed.tx();
        let fees = Fees { most: transaction.max_fee_per_gas, tip: transaction.max_priority_fee_per_gas };
        let whole = rest.is_empty() && prepared.transaction == Some(hash);
        whole.then_some(Self { hash, sender, nonce: transaction.nonce, fees, cost: cost(transaction) })
    }
}

/// The greatest possible cost of a transaction, in wei.
pub(crate) fn cost(transaction: &TxEip1559) -> U256 {
    U256::from(transaction.gas_limit).saturating_mul(U256::from(transaction.max_fee_per_gas))
}

#[cfg(test)]
mod tests {
    use alloy_primitives::TxKind;

    use super::*;

    fn wallet() -> Wallet {
        Wallet::from_bytes([0x46; 32]).unwrap()
    }

    fn transaction() -> TxEip1559 {
        TxEip1559 {
            chain_id: 8453,
            nonce: 9,
            gas_limit: 21_000,
            max_fee_per_gas: 30,
            max_priority_fee_per_gas: 2,
            to: TxKind::Call(Address::repeat_byte(0x35)),
            value: U256::from(1),
            ..TxEip1559::default()
        }
    }

    #[test]
    fn what_was_signed_is_read() {
        let prepared = sign(&wallet(), transaction());
        let stored = Stored::read(&prepared).unwrap();
        assert_eq!(Some(stored.hash), prepared.transaction);
        assert_eq!((stored.sender, stored.nonce), (wallet().address(), 9));
        assert_eq!(stored.fees, Fees { most: 30, tip: 2 });
    }

    #[test]
    fn what_was_altered_is_not_read() {
        let prepared = sign(&wallet(), transaction());
        for raw in [Vec::new(), prepared.raw[..40].to_vec(), [prepared.raw.as_slice(), &[0]].concat()] {
            assert_eq!(Stored::read(&Prepared { raw, ..prepared.clone() }), None);
        }
        assert_eq!(Stored::read(&Prepared { transaction: None, ..prepared.clone() }), None);
        let other = Prepared { transaction: Some(B256::ZERO), ..prepared };
        assert_eq!(Stored::read(&other), None);
    }

    #[test]
    fn fees_allow_for_a_doubled_base_fee_within_the_limit() {
        assert_eq!(Fees::over(100, 5, 1000), Some(Fees { most: 205, tip: 5 }));
        assert_eq!(Fees::over(100, 5, 150), Some(Fees { most: 150, tip: 5 }));
        assert_eq!(Fees::over(100, 5, 105), Some(Fees { most: 105, tip: 5 }));
        assert_eq!(Fees::over(100, 5, 104), None);
        assert_eq!(Fees::over(u128::MAX, 1, u128::MAX), None);
    }

    #[test]
    fn a_replacement_pays_a_tenth_more_of_each() {
        let before = Fees { most: 100, tip: 10 };
        let low = Fees { most: 50, tip: 1 };
        assert_eq!(low.replacing(before, 1000), Some(Fees { most: 113, tip: 12 }));
        assert_eq!(low.replacing(before, 112), None);
        let high = Fees { most: 500, tip: 50 };
        assert_eq!(high.replacing(before, 1000), Some(high));
        assert_eq!(low.replacing(Fees { most: 0, tip: 0 }, 1000), Some(Fees { most: 50, tip: 1 }));
    }
}
