//! A wallet with a budget.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use anyhow::ensure;
use payment::payer::Demand;
use verdict::Usd;

use crate::commands::call::http::Server;
use crate::commands::call::spending_limit::{self, SpendingLimit};

/// A wallet, and what may be spent from it while the command runs.
pub(super) struct Purse {
    pub(super) limit: SpendingLimit,
    budget: Usd,
    spent: Mutex<Usd>,
}

impl Purse {
    pub(super) fn open(wallet: &Path, budget: Usd) -> anyhow::Result<Self> {
        Ok(Self {
            limit: SpendingLimit::open(wallet, budget)?,
            budget,
            spent: Mutex::new(Usd::from_atomic(0)),
        })
    }

    /// Signs a payment, which counts as spent from now on. It counts also where the notary refuses it: a notary that lies could
    /// take the money all the same.
    pub(super) fn pay(&self, demand: Demand, server: &Server) -> anyhow::Result<(String, Usd)> {
        let price = spending_limit::price(&demand)?;
        let mut spent = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        let after = Usd::from_atomic(spent.atomic().saturating_add(price.atomic()));
        ensure!(
            after <= self.budget,
            "the call costs {price} USDC, and of the budget of {} USDC {spent} are spent: nothing was paid",
            self.budget
        );
        let proof = self.limit.pay(demand, price, server)?;
        *spent = after;
        Ok((proof, price))
    }
}
