//! Verdicts that one core gives in a second, with every model computed: `cargo bench -p distress`.

use std::hint::black_box;
use std::time::Instant;

use distress::{Financials, ModelId, assess};
use serde_json::json;

fn main() {
    let items = json!({
        "current_assets": "400000", "current_liabilities": "250000", "total_assets": "1000000",
        "total_liabilities": "600000", "retained_earnings": "200000", "ebit": "90000", "pretax_income": "60000",
        "net_income": "45000", "revenue": "1100000", "cost_of_revenue": "770000", "sga_expense": "180000",
        "depreciation_amortization": "40000", "operating_cash_flow": "80000", "cash": "50000",
        "short_term_debt": "60000", "long_term_debt": "240000", "receivables": "132000", "ppe_net": "360000",
        "equity": "400000", "shares_outstanding": "10000", "market_value": "500000", "equity_volatility": "0.4",
        "risk_free_rate": "0.04", "gnp_index": "500", "nimtaavg": "0.01", "exretavg": "-0.02", "rsize": "-9",
    });
    let mut accounts = items.clone();
    accounts["currency"] = json!("USD");
    accounts["period_end"] = json!("2025-12-31");
    accounts["sic"] = json!("3571");
    accounts["prior"] = items;
    let day = "2026-03-01".parse().expect("it is a day");
    let rounds = 5_000;
    let start = Instant::now();
    for _ in 0..rounds {
        let read = Financials::from_json(black_box(&accounts)).expect("the accounts can be read");
        let judged = assess(&read, day);
        assert_eq!(judged.models.len(), ModelId::ALL.len());
        black_box(serde_json::to_string(&judged).expect("an assessment is JSON"));
    }
    let microseconds = start.elapsed().as_secs_f64() * 1e6 / f64::from(rounds);
    println!("{microseconds:.0} microseconds a verdict: accounts read, ten models, serialised");
}
