//! The question of `/distress-score`, parsed once with its bounds.

use company_facts::{Basis, MAX_TICKER_CHARS};
use distress::{Amount, Currency, Financials, InputError, InputProblem, Item, Year};
use jiff::civil::Date;
use receipt::json::{Json, Object};
use serde_json::{Map, Value, json};
use verdict::{Field, FieldError, Fields, Question, Raw, Reason, Table, Text, Words};

/// Largest number of a company in EDGAR: ten digits.
const MAX_CIK: u64 = 9_999_999_999;

/// Items that no filing has, which a question about a company of EDGAR may add.
const SUPPLEMENTED: [Item; 7] = [
    Item::MarketValue,
    Item::EquityVolatility,
    Item::RiskFreeRate,
    Item::GnpIndex,
    Item::Nimtaavg,
    Item::Exretavg,
    Item::Rsize,
];

/// The question of `/distress-score`: a company's accounts, or a company whose accounts EDGAR has.
#[derive(Clone, PartialEq, Debug)]
pub enum DistressQuestion {
    /// The accounts as they were sent.
    Sent(Financials),
    /// A company that files accounts.
    Filed(FiledQuestion),
}

/// A question about a company that files accounts.
#[derive(Clone, PartialEq, Debug)]
pub struct FiledQuestion {
    /// The company.
    pub company: CompanyKey,
    /// The day of judging; `None` for the day of the question. Nothing that was filed later counts.
    pub as_of: Option<Date>,
    /// The filing whose value is taken where several report one period.
    pub basis: Basis,
    /// What no filing has.
    pub supplement: Supplement,
}

/// The company that is asked about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CompanyKey {
    /// Its number in EDGAR.
    Cik(u64),
    /// A ticker of its shares, as it was sent.
    Ticker(String),
}

/// What the caller adds to a company's filings.
#[derive(Clone, PartialEq, Debug)]
pub struct Supplement {
    /// The industry code, for a company of which EDGAR has none.
    pub sic: Option<u16>,
    /// The currency of the market value.
    pub currency: Currency,
    is_private: Option<bool>,
    items: Vec<(Item, Amount)>,
}

impl Default for Supplement {
    fn default() -> Self {
        Self { sic: None, currency: Currency::USD, is_private: None, items: Vec::new() }
    }
}

impl Supplement {
    /// True if it has a market value.
    pub fn has_market_value(&self) -> bool {
        self.items.iter().any(|(item, _)| *item == Item::MarketValue)
    }

    /// Adds to the accounts what they lack.
    pub fn add_to(&self, financials: &mut Financials) {
        financials.is_private = self.is_private;
        for (item, amount) in &self.items {
            financials.set(*item, Year::Current, amount.clone());
        }
    }
}

const FINANCIALS: Field<Raw> = Field::raw("financials", schema)
    .describe(
        "The accounts of one year: the currency, the last day of the year, and the items that are known, as decimal strings; \
         the year before under `prior`.",
    )
    .synonyms("accounts statements financial_statements");

const CIK: Field<Raw> = Field::raw("cik", || {
    json!({"anyOf": [
        {"type": "string", "pattern": "^0{0,9}[1-9][0-9]{0,9}$", "maxLength": 10},
        {"type": "integer", "minimum": 1, "maximum": MAX_CIK},
    ]})
})
.describe(
    "The number of a company in the SEC's EDGAR, whose annual report is scored, such as \"0000320193\".",
)
.synonyms("central_index_key company_number");

pub(super) const TICKER: Field<Text> = Field::text("ticker", 1..=MAX_TICKER_CHARS)
    .pattern("^[A-Za-z0-9./_-]+$")
    .describe("A ticker of a company that files with the SEC, such as AAPL or BRK.B.")
    .synonyms("symbol");

const AS_OF: Field<Text> = Field::text("as_of", 10..=10)
    .form(
        "^(199[3-9]|20[0-9]{2}|21[0-9]{2})-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$",
        "must be a day from 1993-01-01 on, such as 2026-03-31",
    )
    .describe(
        "The day of judging a company of EDGAR; nothing that was filed later counts. The day of the question where it is left out.",
    )
    .synonyms("date day");

const BASIS: Field<Words<Basis>> =
    Field::words("basis", &[("latest", Basis::Latest), ("as_first_filed", Basis::AsFirstFiled)])
        .or_first()
        .describe(
            "The value that is taken where several filings report one period: that of the newest filing, so that restatements count, \
             or that of the first.",
        );

const SUPPLEMENT: Field<Raw> = Field::raw("supplement", supplement_schema)
    .describe(
        "What no filing of a company of EDGAR has, as decimal strings; `sic` only where EDGAR has none. The market value is in \
         `currency`, which is USD where it is left out.",
    )
    .synonyms("market");

/// Members that only a company of EDGAR may have beside it.
const OF_FILED: [&str; 3] = [AS_OF.name, BASIS.name, SUPPLEMENT.name];

impl Question for DistressQuestion {
    const TABLE: Table =
        Table::new("DistressQuestion", &[], &[&FINANCIALS, &CIK, &TICKER, &AS_OF, &BASIS, &SUPPLEMENT])
            .describe(
                "A company's accounts to score: as they are sent, or as the company filed them with the SEC.",
            )
            .refusing_misnamed()
            .with(|| {
                let sent: Map<String, Value> =
                    OF_FILED.iter().map(|name| ((*name).to_owned(), json!({"not": {}}))).collect();
                json!({"oneOf": [
                    {"required": [FINANCIALS.name], "properties": sent},
                    {"required": [CIK.name]},
                    {"required": [TICKER.name]},
                ]})
            });

    fn read(fields: &Fields<'_>) -> Result<Self, FieldError> {
        let is_given = |name: &&str| fields.value(name).is_some();
        let of = [FINANCIALS.name, CIK.name, TICKER.name];
        let mut given = of.iter().filter(|name| is_given(name));
        match (given.next(), given.next()) {
            (None, _) => {
                let detail = format!("is required, or `{}`, or `{}`", CIK.name, TICKER.name);
                Err(fields.error(FINANCIALS.name, Reason::Missing, detail))
            }
            (Some(first), Some(second)) => {
                let detail = format!("must not be there beside `{first}`: send one of them");
                Err(fields.error(second, Reason::Contradictory, detail))
            }
            (Some(one), None) if *one == FINANCIALS.name => {
                if let Some(other) = OF_FILED.iter().find(|name| is_given(name)) {
                    let detail = format!("must not be there beside `{}`", FINANCIALS.name);
                    return Err(fields.error(other, Reason::Contradictory, detail));
                }
                financials(fields, FINANCIALS.name, Map::new()).map(Self::Sent)
            }
            _ => FiledQuestion::read(fields).map(Self::Filed),
        }
    }
}

impl FiledQuestion {
    fn read(fields: &Fields<'_>) -> Result<Self, FieldError> {
        let company = match fields.value(CIK.name) {
            Some(cik) => CompanyKey::Cik(read_cik(fields, cik)?),
            None => {
                let ticker = fields.text(&TICKER)?;
                let is_shape = |byte: u8| byte.is_ascii_alphanumeric() || b"./_-".contains(&byte);
                if !ticker.bytes().all(is_shape) {
                    let detail =
                        "must be letters and digits, with a point or a hyphen before the class of the share";
                    return Err(fields.error(TICKER.name, Reason::Malformed, detail));
                }
                CompanyKey::Ticker(ticker.to_owned())
            }
        };
        let first = jiff::civil::date(1993, 1, 1);
        let as_of =
            fields.optional_parse(&AS_OF, |text| text.parse::<Date>().ok().filter(|day| *day >= first))?;
        Ok(Self { company, as_of, basis: fields.choice(&BASIS)?, supplement: Supplement::read(fields)? })
    }
}

fn read_cik(fields: &Fields<'_>, cik: &Json) -> Result<u64, FieldError> {
    let number = match cik {
        Json::Number(number) => number.as_u64(),
        Json::String(text)
            if (1..=10).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit()) =>
        {
            text.parse().ok()
        }
        Json::String(_) => None,
        _ => return Err(fields.error(CIK.name, Reason::WrongType, "must be a string or an integer")),
    };
    number.filter(|cik| (1..=MAX_CIK).contains(cik)).ok_or_else(|| {
        fields.error(CIK.name, Reason::Malformed, "must have one to ten digits, such as \"0000320193\"")
    })
}

impl Supplement {
    fn read(fields: &Fields<'_>) -> Result<Self, FieldError> {
        if fields.value(SUPPLEMENT.name).is_none() {
            return Ok(Self::default());
        }
        let members = fields.object(SUPPLEMENT.name)?;
        let object = fields.value(SUPPLEMENT.name).and_then(Json::as_object);
        let is_known = |name: &str| {
            matches!(name, "sic" | "is_private" | "currency")
                || SUPPLEMENTED.iter().any(|item| item.name() == name)
        };
        if let Some((name, _)) = object.into_iter().flat_map(Object::iter).find(|(name, _)| !is_known(name)) {
            let names: Vec<&str> = SUPPLEMENTED.iter().map(|item| item.name()).collect();
            let detail = format!("is not one of sic, is_private, currency, {}", names.join(", "));
            return Err(members.error(name, Reason::UnknownValue, detail));
        }
        // What a set of accounts must have beside, none of which is used.
        let mut beside = Map::new();
        beside.insert("period_end".to_owned(), json!("2000-12-31"));
        if members.value("currency").is_none() {
            beside.insert("currency".to_owned(), json!(Currency::USD.as_str()));
        }
        let read = financials(fields, SUPPLEMENT.name, beside)?;
        let items = read.given().map(|(item, _, amount)| (item, amount.clone())).collect();
        Ok(Self { sic: read.sic, currency: read.currency, is_private: read.is_private, items })
    }
}

/// The accounts in a member, with some members beside.
fn financials(
    fields: &Fields<'_>,
    name: &'static str,
    beside: Map<String, Value>,
) -> Result<Financials, FieldError> {
    let members = fields.object(name)?;
    let mut json = fields.value(name).and_then(Json::as_object).map(members_of).unwrap_or_default();
    json.extend(beside);
    Financials::from_json(&Value::Object(json)).map_err(|errors| {
        let first = errors.into_iter().next();
        first.map_or_else(|| fields.missing(name), |error| of(&members, &error))
    })
}

/// The members as the accounts read them. Texts, booleans and whole numbers are kept, and the members of `prior`; anything else
/// becomes an array, which no member may be.
fn members_of(object: &Object) -> Map<String, Value> {
    let value = |value: &Json| match value {
        Json::Null => Value::Null,
        Json::Bool(flag) => Value::Bool(*flag),
        Json::String(text) => Value::String(text.clone()),
        Json::Number(number) => number.as_u64().map_or_else(|| json!([]), Value::from),
        Json::Object(object) => Value::Object(members_of(object)),
        Json::Array(_) => json!([]),
    };
    object.iter().map(|(name, member)| (name.to_owned(), value(member))).collect()
}

fn of(members: &Fields<'_>, error: &InputError) -> FieldError {
    let reason = match error.problem {
        InputProblem::Missing => Reason::Missing,
        InputProblem::Unknown => Reason::UnknownValue,
        InputProblem::NotAnObject | InputProblem::NotAString | InputProblem::NotABoolean => Reason::WrongType,
        InputProblem::TooManyMembers => Reason::TooLong,
        InputProblem::Amount(_)
        | InputProblem::NotACurrency
        | InputProblem::NotADay
        | InputProblem::NotASic => Reason::Malformed,
    };
    let detail = format!("is {}", error.problem);
    match (error.member.strip_prefix("prior."), members.object("prior")) {
        (Some(member), Ok(prior)) => prior.error(member, reason, detail),
        _ => members.error(&error.member, reason, detail),
    }
}

fn amount() -> Value {
    json!({"type": "string", "pattern": r"^-?[0-9]{1,18}(\.[0-9]{1,10})?$"})
}

/// The members that every set of accounts may have, beside items.
fn common() -> Map<String, Value> {
    let text = |pattern: &str| json!({"type": "string", "pattern": pattern});
    let sic =
        json!({"anyOf": [text("^[1-9][0-9]{2,3}$"), {"type": "integer", "minimum": 100, "maximum": 9999}]});
    let members =
        [("currency", text("^[A-Z]{3}$")), ("sic", sic), ("is_private", json!({"type": "boolean"}))];
    members.into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect()
}

fn schema() -> Value {
    let items = || Item::ALL.iter().map(|item| (item.name().to_owned(), amount()));
    let mut properties = common();
    properties.extend(items());
    let day = "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$";
    properties.insert("period_end".to_owned(), json!({"type": "string", "pattern": day}));
    let prior = json!({"type": "object", "properties": items().collect::<Map<_, _>>(), "additionalProperties": false});
    properties.insert("prior".to_owned(), prior);
    json!({
        "type": "object",
        "required": ["currency", "period_end"],
        "properties": properties,
        "additionalProperties": false,
    })
}

fn supplement_schema() -> Value {
    let mut properties = common();
    properties.extend(SUPPLEMENTED.iter().map(|item| (item.name().to_owned(), amount())));
    json!({"type": "object", "properties": properties, "additionalProperties": false})
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str) -> Result<DistressQuestion, (String, &'static str)> {
        let request = receipt::json::parse(body.as_bytes()).unwrap();
        DistressQuestion::read(&Fields::root(request.as_object().unwrap()))
            .map_err(|error| (error.path.dotted(), error.reason.code()))
    }

    #[test]
    fn accounts_are_read_and_what_is_wrong_is_named_by_its_path() {
        let good = r#"{"financials":{"currency":"USD","period_end":"2025-12-31","total_assets":"10.5","sic":3571,
            "prior":{"total_assets":"9"}}}"#;
        let DistressQuestion::Sent(accounts) = read(good).unwrap() else { panic!("accounts were sent") };
        assert_eq!(accounts.given().count(), 2);
        for (members, field, code) in [
            (r#""period_end":"2025-12-31""#, "financials.currency", "missing"),
            (r#""currency":"USD","period_end":"2025-13-31""#, "financials.period_end", "malformed"),
            (r#""currency":"usd","period_end":"2025-12-31""#, "financials.currency", "malformed"),
            (
                r#""currency":"USD","period_end":"2025-12-31","assets":"1""#,
                "financials.assets",
                "unknown_value",
            ),
            (r#""currency":"USD","period_end":"2025-12-31","cash":1.5"#, "financials.cash", "wrong_type"),
            (r#""currency":"USD","period_end":"2025-12-31","cash":"1e5""#, "financials.cash", "malformed"),
            (
                r#""currency":"USD","period_end":"2025-12-31","prior":{"cash":"x"}"#,
                "financials.prior.cash",
                "malformed",
            ),
            (r#""currency":"USD","period_end":"2025-12-31","prior":[]"#, "financials.prior", "wrong_type"),
        ] {
            let found = read(&format!("{{\"financials\":{{{members}}}}}")).unwrap_err();
            assert_eq!((&*found.0, found.1), (field, code), "{members}");
        }
        assert_eq!(read("{}").unwrap_err(), ("financials".to_owned(), "missing"));
        assert_eq!(read(r#"{"financials":"a"}"#).unwrap_err(), ("financials".to_owned(), "wrong_type"));
    }

    #[test]
    fn a_company_is_named_in_one_way_with_what_its_filings_lack() {
        let DistressQuestion::Filed(asked) = read(
            r#"{"cik":"0000320193","as_of":"2025-03-31","basis":"as_first_filed",
            "supplement":{"market_value":"3e12"}}"#
                .replace("3e12", "3000000000000")
                .as_str(),
        )
        .unwrap() else {
            panic!("a company was named")
        };
        assert_eq!((asked.company, asked.basis), (CompanyKey::Cik(320_193), Basis::AsFirstFiled));
        assert!(asked.supplement.has_market_value() && asked.as_of.is_some());
        let DistressQuestion::Filed(asked) = read(r#"{"ticker":"brk.b"}"#).unwrap() else {
            panic!("a company was named")
        };
        assert_eq!((asked.company, asked.basis), (CompanyKey::Ticker("brk.b".to_owned()), Basis::Latest));
        assert_eq!(asked.supplement, Supplement::default());
        for (body, field, code) in [
            (r#"{"cik":1,"ticker":"A"}"#, "ticker", "contradictory"),
            (r#"{"cik":1,"financials":{}}"#, "cik", "contradictory"),
            (r#"{"financials":{},"as_of":"2025-01-01"}"#, "as_of", "contradictory"),
            (r#"{"cik":0}"#, "cik", "malformed"),
            (r#"{"cik":"0"}"#, "cik", "malformed"),
            (r#"{"cik":"12345678901"}"#, "cik", "malformed"),
            (r#"{"cik":"CIK1"}"#, "cik", "malformed"),
            (r#"{"cik":true}"#, "cik", "wrong_type"),
            (r#"{"ticker":"A B"}"#, "ticker", "malformed"),
            (r#"{"ticker":""}"#, "ticker", "empty"),
            (r#"{"cik":1,"as_of":"2025-02-30"}"#, "as_of", "malformed"),
            (r#"{"cik":1,"as_of":"1992-12-31"}"#, "as_of", "malformed"),
            (r#"{"cik":1,"basis":"newest"}"#, "basis", "unknown_value"),
            (r#"{"cik":1,"supplement":[]}"#, "supplement", "wrong_type"),
            (r#"{"cik":1,"supplement":{"total_assets":"1"}}"#, "supplement.total_assets", "unknown_value"),
            (r#"{"cik":1,"supplement":{"market_value":1}}"#, "supplement.market_value", "wrong_type"),
            (r#"{"cik":1,"supplement":{"sic":"1"}}"#, "supplement.sic", "malformed"),
            (
                r#"{"cik":1,"supplement":{"period_end":"2020-12-31"}}"#,
                "supplement.period_end",
                "unknown_value",
            ),
        ] {
            let found = read(body).unwrap_err();
            assert_eq!((&*found.0, found.1), (field, code), "{body}");
        }
    }

    #[test]
    fn what_is_supplemented_is_what_no_filing_has() {
        let mapped: Vec<Item> = company_facts::mapping().iter().map(|rule| rule.item).collect();
        for item in Item::ALL {
            assert_ne!(mapped.contains(item), SUPPLEMENTED.contains(item), "{}", item.name());
        }
    }

    #[test]
    fn the_schema_has_every_item_and_its_pattern_takes_what_is_read() {
        let schema = schema();
        for item in Item::ALL {
            assert!(schema["properties"][item.name()].is_object(), "{}", item.name());
            assert!(schema["properties"]["prior"]["properties"][item.name()].is_object());
        }
    }
}
