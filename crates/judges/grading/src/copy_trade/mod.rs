//! The judge behind `POST /copy-trade-score`, which decides if a track record can be copied at a follower's costs. It is
//! a gate, not a ranking.
//!
//! The copier's net record is x' = x - turnover × (2 (half spread + fee) + 2 impact + delay), where the turnover is the
//! notional opened that day over equity, impact = Y σ √(Q / ADV) (Torre 1997; Tóth et al. 2011) and delay = max(measured
//! drift, σ √latency / 2), σ being the daily volatility and the latency in days. In this order:
//!
//! 1. `AVOID`: x' grades `NEGATIVE_EV`; x is profitable and x' is not; sizes grow with losses; the drawdown of x' is 50%
//!    or more. Costs that are not known count as nothing here: they could only make it worse.
//! 2. `INSUFFICIENT_DATA`: costs are not known, or x' grades so.
//! 3. `COPY`: x' grades `REAL_EDGE`, and every gate passes.
//! 4. Else `CAUTION`.
//!
//! # Invariants
//!
//! - `COPY` requires that every cost, hold and size is known.
//!
//! # Modules
//!
//! | module | holds |
//! |---|---|
//! | `question` | the question, and its JSON Schema |
//! | `costs` | the copier's costs |
//! | `conduct` | holds, sizes and turnover, measured on the trades |
//! | `gates` | the gates: each a value and its bound |
//! | `finding` | the order above; the finding, as the receipt shows it |
//! | `judge` | [`CopyTradeJudge`]: the above behind [`verdict::Judge`] |

mod conduct;
mod costs;
mod finding;
mod gates;
mod judge;
mod question;

pub use costs::{CostBreakdown, Costs};
pub use finding::{CopyFinding, CopyReason, CopyVerdict, METHOD};
pub use judge::CopyTradeJudge;
pub use question::CopyQuestion;
