//! The module `grading`: the judges of /grade-strategy and /copy-trade-score.

use std::sync::Arc;

use module::Module;

use crate::copy_trade::CopyTradeJudge;
use crate::grade_strategy::GradeJudge;

/// Two trades, which are too few.
const GRADE_STRATEGY_EXAMPLE: &str = r#"{"agent":"my-agent","declared_trials":3,"trades":[{"trade_id":"1","instrument":"EURUSD","side":"long","opened_at":"2026-10-01T09:00:00Z","closed_at":"2026-10-01T15:30:00Z","settled":true,"currency":"USD","size":"10000","entry_price":"1.1000","exit_price":"1.1020","fees":"2.00","pnl_net":"18.00","equity_before":"25000.00","max_loss":"100","benchmark_return":0.001},{"trade_id":"2","instrument":"EURUSD","side":"short","opened_at":"2026-10-02T09:00:00Z","closed_at":"2026-10-02T17:00:00+02:00","settled":true,"currency":"USD","size":"10000","entry_price":"1.1020","exit_price":"1.1030","fees":"2.00","pnl_net":"-12.00","equity_before":"25018.00","max_loss":"100","benchmark_return":-0.002}]}"#;

/// One return, which is too little.
const COPY_TRADE_EXAMPLE: &str = r#"{"agent":"my-agent","benchmark":"cash","returns":[{"date":"2026-10-01","r":"0.004","max_loss":0.02}],"costs":{"half_spread":0.0002,"fee":0.0005,"order_size":"1000","adv":"50000000","daily_volatility":0.02,"latency_seconds":3}}"#;

/// Builds the module, which has no settings and opens no connection.
#[must_use]
pub fn module() -> Module {
    Module::new("grading")
        .route("grade-strategy", Arc::new(GradeJudge), GRADE_STRATEGY_EXAMPLE)
        .route("copy-trade-score", Arc::new(CopyTradeJudge), COPY_TRADE_EXAMPLE)
        .with_bounds(crate::bounds())
}
