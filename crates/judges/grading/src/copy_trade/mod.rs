//! The judge behind `POST /copy-trade-score`, which decides if a track record can be copied at a follower's costs. It is
//! a gate, not a ranking.
//!
//! The copier's net record is x' = x + the trader's own fees - the sum over the day's trades of notional over equity × (2 (half
//! spread + fee) + 2 impact + delay), with the costs of the trade's instrument, where impact = Y σ √(Q / ADV) (Torre 1997; Tóth et
//! al. 2011) and delay = max(measured drift, σ √latency / 2), σ being the daily volatility and the latency in days. Fees that prices
//! do not confirm are not added back. In this order:
//!
//! 1. `AVOID`: x' grades `NEGATIVE_EV`; x is profitable and x' is not; positions grow with losses; the drawdown of x' is 50%
//!    or more. Costs that are not known count as nothing here: they could only make it worse.
//! 2. `INSUFFICIENT_DATA`: costs are not known, or x' grades so.
//! 3. `COPY`: x' grades `REAL_EDGE`, every gate passes, and the number of trials is declared; without it `INSUFFICIENT_DATA`.
//! 4. Else `CAUTION`.
//!
//! # Invariants
//!
//! - `COPY` requires that every cost, hold and size is known; of several instruments those of each that matters; and the drift within
//!   the latency where trades are held for less than an hour.
//!
//! # Modules
//!
//! | module | holds |
//! |---|---|
//! | `question` | the question, and its JSON Schema |
//! | `costs`, `delay_curve` | the copier's costs, as they are stated |
//! | `activity` | turnover by instrument, holds, fees, exposure, measured on the rows |
//! | `charge` | what a round trip costs, by instrument |
//! | `missing` | what `COPY` needs and the request lacks |
//! | `net` | the record after costs; capacity |
//! | `gates` | the gates: each a value and its bound |
//! | `growth` | growth a year before and after the copier's costs |
//! | `finding`, `explain` | the order above; the finding, as the receipt shows it |
//! | `judge` | [`CopyTradeJudge`]: the above behind [`verdict::Judge`] |

mod activity;
mod charge;
mod costs;
mod delay_curve;
mod explain;
mod finding;
mod gates;
mod growth;
mod judge;
mod missing;
mod net;
mod question;

pub use activity::TraderFees;
pub use charge::CostBreakdown;
pub use costs::{Costs, InstrumentCosts, MOST_INSTRUMENTS};
pub use delay_curve::{DelayCurve, MOST_POINTS};
pub use finding::{CopyFinding, CopyReason, CopyVerdict, METHOD};
pub use growth::CopyGrowth;
pub use judge::CopyTradeJudge;
pub use question::CopyQuestion;
