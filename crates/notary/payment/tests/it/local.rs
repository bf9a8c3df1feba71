//! The development profile's back end over a book in memory.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};

use crate::common::{NOW, PRICE, authorization, signed, terms, wallet};
use async_trait::async_trait;
use payment::local::{INITIAL_BALANCE, faucet_wallet};
use payment::{
    Address, Authorization, B256, BookEntry, Bytes, Code, LocalBook, LocalSettler, Network, Outcome,
    SettleError, SettlementKind, Settler, Transfer, U256, Wanted, local_payee,
};

#[derive(Default)]
struct State {
    balances: HashMap<Address, U256>,
    used: HashSet<(Address, B256)>,
    entries: HashMap<B256, BookEntry>,
}

#[derive(Clone, Default)]
struct Book(Arc<Mutex<State>>);

#[async_trait]
impl LocalBook for Book {
    async fn balance(&self, account: Address) -> Result<U256, SettleError> {
        Ok(self.0.lock().unwrap().balances.get(&account).copied().unwrap_or_default())
    }

    async fn is_used(&self, payer: Address, nonce: B256) -> Result<bool, SettleError> {
        Ok(self.0.lock().unwrap().used.contains(&(payer, nonce)))
    }

    async fn entry(&self, transaction: B256) -> Result<Option<BookEntry>, SettleError> {
        Ok(self.0.lock().unwrap().entries.get(&transaction).cloned())
    }
}

impl Book {
    fn holding(balance: u64) -> Self {
        let book = Self::default();
        book.0.lock().unwrap().balances.insert(wallet().address(), U256::from(balance));
        book
    }

    /// What the ledger does in the transaction by which a claim becomes settled.
    fn transfer(&self, transaction: B256, authorization: &Authorization) -> Transfer {
        let Authorization { from, to, value, nonce, .. } = *authorization;
        let transfer = Transfer { transaction, log_index: Some(0), payer: from, value };
        let mut state = self.0.lock().unwrap();
        state.used.insert((from, nonce));
        *state.balances.entry(from).or_default() -= value;
        state.entries.insert(transaction, BookEntry { transfer: transfer.clone(), pay_to: to, at: NOW });
        transfer
    }
}

fn settler(book: &Book) -> LocalSettler<Book> {
    LocalSettler::new(Network::base(), book.clone())
}

fn code<T: std::fmt::Debug>(result: Result<T, SettleError>) -> Code {
    match result {
        Err(SettleError::Refused(refused)) => refused.code,
        other => panic!("{other:?} where it is to be refused"),
    }
}

#[tokio::test]
async fn a_payment_settles_once_and_only_when_the_book_has_it() {
    let book = Book::holding(30_000);
    let settler = settler(&book);
    let signed = signed(authorization());
    assert_eq!(settler.kind(), SettlementKind::Local);
    settler.verify(&signed).await.unwrap();
    let prepared = settler.prepare(&signed).await.unwrap();
    settler.broadcast(&signed, &prepared).await.unwrap();
    assert_eq!(settler.outcome(&signed, &prepared).await, Ok(Outcome::Unknown));
    let transfer = book.transfer(prepared.transaction.unwrap(), &signed.authorization);
    assert_eq!(settler.outcome(&signed, &prepared).await, Ok(Outcome::Settled(transfer)));
    assert_eq!(settler.prepare(&signed).await.unwrap(), prepared, "a repeated step is the same step");
    assert_eq!(code(settler.verify(&signed).await), Code::NonceUsed);
    let again = crate::common::signed(Authorization { nonce: B256::ZERO, ..authorization() });
    assert_eq!(code(settler.verify(&again).await), Code::InsufficientFunds);
}

#[tokio::test]
async fn a_signature_that_is_not_the_payers_account_s_never_settles() {
    let settler = settler(&Book::holding(30_000));
    let mut forged = signed(authorization());
    forged.authorization.nonce = B256::ZERO;
    assert_eq!(code(settler.verify(&forged).await), Code::InvalidSignature);
    for length in [0, 64, 66, 500] {
        forged.signature = Bytes::from(vec![27; length]);
        assert_eq!(code(settler.verify(&forged).await), Code::InvalidSignature);
    }
    let own = signed(authorization());
    let digest = terms().domain().authorization_digest(&own.authorization);
    assert_eq!(settler.is_signed_by(wallet().address(), digest, &own.signature).await, Ok(true));
    assert_eq!(settler.is_signed_by(Address::ZERO, digest, &own.signature).await, Ok(false));
}

#[tokio::test]
async fn nothing_that_is_signed_for_the_local_token_is_signed_for_a_real_one() {
    let signed = signed(authorization());
    let local = LocalSettler::new(Network::local(), Book::holding(30_000));
    assert_eq!(code(local.verify(&signed).await), Code::InvalidSignature);
    assert_ne!(
        local.transaction(&signed.authorization),
        settler(&Book::default()).transaction(&signed.authorization)
    );
}

#[tokio::test]
async fn each_payer_and_nonce_has_a_transaction_of_its_own() {
    let settler = settler(&Book::default());
    let own = settler.transaction(&authorization());
    let other_nonce = Authorization { nonce: B256::ZERO, ..authorization() };
    let other_payer = Authorization { from: Address::ZERO, ..authorization() };
    let later = Authorization { valid_before: U256::MAX, ..authorization() };
    assert_ne!(settler.transaction(&other_nonce), own);
    assert_ne!(settler.transaction(&other_payer), own);
    assert_eq!(settler.transaction(&later), own);
}

#[tokio::test]
async fn a_transfer_is_found_by_all_that_a_proof_of_settlement_says_of_it() {
    let book = Book::holding(30_000);
    let settler = settler(&book);
    let transaction = settler.transaction(&authorization());
    let wanted = Wanted {
        transaction,
        log_index: None,
        payer: wallet().address(),
        pay_to: terms().pay_to(),
        values: vec![U256::from(PRICE.atomic())],
        not_before: NOW,
    };
    assert_eq!(code(settler.find(&wanted).await), Code::InvalidTransaction);
    let transfer = book.transfer(transaction, &authorization());
    assert_eq!(settler.find(&wanted).await, Ok(transfer.clone()));
    assert_eq!(settler.find(&Wanted { log_index: Some(0), ..wanted.clone() }).await, Ok(transfer));
    for other in [
        Wanted { log_index: Some(1), ..wanted.clone() },
        Wanted { payer: Address::ZERO, ..wanted.clone() },
        Wanted { pay_to: Address::ZERO, ..wanted.clone() },
        Wanted { values: vec![U256::from(19_999), U256::from(20_001)], ..wanted.clone() },
        Wanted { values: vec![], ..wanted.clone() },
        Wanted { transaction: B256::ZERO, ..wanted.clone() },
    ] {
        assert_eq!(code(settler.find(&other).await), Code::InvalidTransaction, "{other:?}");
    }
    let too_old = Wanted { not_before: NOW + 1, ..wanted };
    assert_eq!(code(settler.find(&too_old).await), Code::TransactionTooOld);
}

#[test]
fn the_faucet_is_the_first_development_account_and_the_payee_nobodys() {
    assert_eq!(faucet_wallet().address().to_string(), "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266");
    assert_eq!(INITIAL_BALANCE.to_string(), "1000000.00");
    assert_ne!(local_payee(), faucet_wallet().address());
    assert_ne!(local_payee(), Network::local().token);
}
