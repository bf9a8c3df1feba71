//! Fees that no row shows.

use super::trade::Trade;

/// The share of the gross profit by which a result may differ from it that has no fees in it: exports round to cents.
const ROUNDING: f64 = 1e-9;
const CENT: f64 = 0.01;
/// One trade in so many may show fees, lest a single one turns the test off.
const LEAST_FREE_OF: usize = 20;

/// Returns true if nearly every result is the gross of its prices, and no fees are given. The price of a bet is what it costs; other
/// trades without any fee are rather those of a simulation.
pub fn are_unseen(settled: &[&Trade]) -> bool {
    let is_gross = |trade: &&Trade| {
        let free = trade.fees.unwrap_or(0.0) == 0.0;
        let gross = trade.gross().zip(trade.pnl_net).filter(|_| trade.outcome.is_none());
        free && gross.is_some_and(|(gross, pnl)| (gross - pnl).abs() <= CENT + ROUNDING * gross.abs())
    };
    let gross = settled.iter().filter(|trade| is_gross(trade)).count();
    !settled.is_empty() && LEAST_FREE_OF * gross >= (LEAST_FREE_OF - 1) * settled.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trade(more: &str) -> Trade {
        let row = format!(
            r#"{{"settled": true, "closed_at": "2024-01-01T10:00:00Z", "side": "long", "size": 10, "entry_price": 100,
                "exit_price": 110{more}}}"#
        );
        let receipt::json::Json::Object(row) = receipt::json::parse(row.as_bytes()).unwrap() else {
            panic!()
        };
        Trade::read(verdict::Fields::root(&row)).unwrap()
    }

    #[test]
    fn results_that_are_the_gross_of_their_prices_show_no_fees() {
        let (gross, zero) = (trade(r#", "pnl_net": 100"#), trade(r#", "pnl_net": 100, "fees": 0"#));
        assert!(are_unseen(&[&gross, &zero]));
        let (paid, less) = (trade(r#", "pnl_net": 99, "fees": 1"#), trade(r#", "pnl_net": 99"#));
        assert!(!are_unseen(&[&gross, &paid]) && !are_unseen(&[&gross, &less]));
        let mut bare = gross.clone();
        bare.exit_price = None;
        assert!(!are_unseen(&[&bare]), "nothing to hold it against");
        assert!(!are_unseen(&[]));
    }
}
