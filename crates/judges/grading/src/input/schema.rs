//! The rows of a record as JSON Schema, by hand: it says what [`Row`](super::Row) reads, as far as JSON Schema can. The
//! rest is in the descriptions: the days that exist, and the relations between two members.

use serde_json::{Value, json};

use super::row::{DECIMAL_CHARS, TEXT_CHARS};

/// Returns the schemas of a number: a JSON number, or a plain decimal in a string.
pub fn number() -> Vec<Value> {
    vec![json!({ "type": "number" }), text_of(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?")]
}

/// Returns the schema of a string that matches a whole pattern.
pub fn text_of(pattern: &str) -> Value {
    json!({ "type": "string", "maxLength": DECIMAL_CHARS, "pattern": format!("^(?:{pattern})$") })
}

/// Returns the schemas of a number above zero.
pub fn above_zero() -> Vec<Value> {
    let text = text_of(r"[1-9][0-9]*(?:\.[0-9]+)?|0\.0*[1-9][0-9]*");
    vec![json!({ "type": "number", "exclusiveMinimum": 0 }), text]
}

fn not_negative() -> Vec<Value> {
    vec![json!({ "type": "number", "minimum": 0 }), text_of(r"(?:0|[1-9][0-9]*)(?:\.[0-9]+)?")]
}

/// Returns the schemas of a number from `least` to `most`. `whole` is a regular expression of the permitted integer
/// parts in strings.
pub fn bounded(least: f64, most: f64, whole: &str) -> Vec<Value> {
    let text = text_of(&format!(r"(?:{whole})(?:\.[0-9]+)?"));
    vec![json!({ "type": "number", "minimum": least, "maximum": most }), text]
}

fn price() -> Vec<Value> {
    let text = text_of(r"0\.0*[1-9][0-9]*|1");
    vec![json!({ "type": "number", "exclusiveMinimum": 0, "maximum": 1 }), text]
}

/// Returns the schemas of a number from 0 to 1.
pub fn share() -> Vec<Value> {
    vec![json!({ "type": "number", "minimum": 0, "maximum": 1 }), text_of(r"0(?:\.[0-9]+)?|1")]
}

/// A member of these kinds.
fn one_of(kinds: &[Value], description: &str) -> Value {
    json!({ "oneOf": kinds, "description": description })
}

/// Returns the schema of a member with these alternatives or `null`, which stands for an unknown value.
pub fn known(mut kinds: Vec<Value>, description: &str) -> Value {
    kinds.push(json!({ "type": "null" }));
    one_of(&kinds, description)
}

fn text(description: &str) -> Value {
    known(vec![text_given()], description)
}

fn text_given() -> Value {
    json!({ "type": "string", "minLength": 1, "maxLength": TEXT_CHARS })
}

fn flag(description: &str) -> Value {
    json!({ "type": ["boolean", "null"], "description": description })
}

fn time(description: &str) -> Value {
    known(vec![time_given()], description)
}

fn time_given() -> Value {
    let time = r"[Tt](?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]{1,9})?";
    let offset = r"(?:[Zz]|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])";
    json!({ "type": "string", "pattern": format!("^{}{time}{offset}$", day_pattern()) })
}

pub fn day(description: &str) -> Value {
    known(vec![json!({ "type": "string", "pattern": format!("^{}$", day_pattern()) })], description)
}

fn day_pattern() -> &'static str {
    r"(?:19|20)[0-9]{2}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])"
}

/// Returns the schema of a row of `returns`.
pub fn row() -> Value {
    json!({
        "type": "object",
        "required": ["r"],
        "properties": {
            "date": day("The UTC day, not in the future, each once."),
            "r": one_of(&number(), "The net return: 0.01 is one percent."),
            "b": known(number(), "The benchmark's return over the same period; `benchmark_return` is taken for it."),
            "max_loss": known(above_zero(), "The most that could have been lost, as a fraction of equity. One that a loss exceeds counts as not given."),
        },
    })
}

/// Returns the schema of a row of `marks`.
pub fn mark() -> Value {
    json!({
        "type": "object",
        "required": ["date", "equity"],
        "properties": {
            "date": day("The UTC day, not in the future, each once."),
            "equity": one_of(&number(), "What the account was worth at its end, open positions included, in currency."),
            "cash_flow": known(number(), "What was paid in on that day, less what was paid out, in currency."),
            "b": known(number(), "The benchmark's return since the mark before; `benchmark_return` is taken for it."),
        },
    })
}

/// The schema of a trade's commitment.
fn commitment() -> Value {
    let hash = json!({ "type": "string", "pattern": "^[0-9a-f]{64}$" });
    json!({
        "type": "object",
        "required": ["receipt_hash", "content"],
        "properties": {
            "receipt_hash": one_of(std::slice::from_ref(&hash), "The hash of a receipt of /commit of this notary, under the same name of an agent, signed when the trade opened or before."),
            "content": {
                "type": "object",
                "description": "The content that was committed, or whose hash was: at most 4,096 bytes in canonical form. Its members are those of the row, and others are allowed, such as a salt.",
                "required": ["instrument", "opened_at"],
                "properties": {
                    "instrument": one_of(&[text_given()], "What is traded."),
                    "opened_at": one_of(&[time_given()], "When it opens: the same instant as that of the row."),
                    "side": {
                        "enum": ["long", "short", "yes", "no", null],
                        "description": "What is held. Required where the row has it.",
                    },
                    "size": known(above_zero(), "The size."),
                    "stake": known(above_zero(), "What all shares cost."),
                    "max_loss": known(above_zero(), "The most that can be lost."),
                    "previous": known(vec![hash], "The hash of the receipt of the commitment before it in the series; absent in the first one."),
                },
            },
        },
    })
}

/// Returns the schema of a row of `trades`.
pub fn trade() -> Value {
    let result =
        |name: &str| json!({ "required": [name], "properties": { name: one_of(&number(), "The result.") } });
    let of_unsettled = json!({ "required": ["settled"], "properties": { "settled": { "const": false } } });
    let given = |kinds: Vec<Value>| one_of(&kinds, "Given.");
    let of_bet = json!({
        "required": ["price", "outcome", "stake"],
        "properties": { "price": given(price()), "outcome": given(share()), "stake": given(above_zero()) },
    });
    json!({
        "type": "object",
        "description": "A trade. Every one that is settled has a result: `pnl_net`, or what a bet's is made of.",
        "anyOf": [result("pnl_net"), result("pnl"), of_unsettled, of_bet],
        "properties": {
            "trade_id": text("Its name. None is given twice, and no trade under two names."),
            "instrument": text("What was traded."),
            "currency": text("The currency of its amounts, the same for all trades."),
            "side": {
                "enum": ["long", "short", "yes", "no", null],
                "description": "What was held: `yes` and `no` in a binary market.",
            },
            "opened_at": time("When it was opened, with the offset from UTC."),
            "closed_at": time("When it was closed: not before it was opened, and not in the future. Its UTC day is the settlement day."),
            "settled": flag(
                "Whether the result is final. What is not settled is left out, and counted: it has no `exit_price` or \
                 `outcome`, and has not closed yet.",
            ),
            "size": known(above_zero(), "The size, in units of the instrument."),
            "entry_price": known(above_zero(), "The price at which it was opened."),
            "exit_price": known(not_negative(), "The price at which it was closed."),
            "fees": known(number(), "All fees. Negative only where `fee_is_rebate` is true."),
            "fee_is_rebate": flag("Whether the fees may be negative."),
            "pnl_net": known(
                number(),
                "The profit after fees. Where side, prices, size and fees are given, it may differ from what they \
                 make it by a cent, or by half a percent of gross profit and fees.",
            ),
            "pnl": known(number(), "Another name for `pnl_net`."),
            "open_pnl": known(number(), "Of a trade that is not settled: its profit so far. An edge must survive a loss of each such trade: this one, \
                 its `max_loss`, or the greatest of a settled trade, whichever is the most."),
            "equity_before": known(number(), "The account's equity before it was closed; the day's first close gives the day's. Where profits alone do not \
                 make it, an edge must be there at another equity too. An account without any left is ruined."),
            "max_loss": known(above_zero(), "The most that could have been lost, in currency. One that a day's loss exceeds counts as not given."),
            "benchmark_return": known(number(), "The benchmark's return from the opening to the close; `b` is taken for it. One that hardly moves is none."),
            "price": known(price(), "In a binary market: what a share of the side held cost, of the 1 that it may pay."),
            "outcome": known(share(), "In a binary market: what that share paid, 1 if it won and 0 if not."),
            "stake": known(above_zero(), "In a binary market: what all shares cost, in currency."),
            "commitment": known(vec![commitment()], "What was committed of the trade with /commit before it opened. No receipt is named twice, and at most 2,000 are named."),
        },
    })
}
