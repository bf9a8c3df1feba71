//! A company's accounts as they were given: the items of two years, their currency and their end.

use jiff::civil::Date;
use serde_json::{Map, Value};

use crate::item::{Item, Year};
use crate::number::{Amount, AmountError};

/// The most members that an object of accounts may have.
pub const MAX_MEMBERS: usize = 64;

/// The most characters of an unknown member's name that an error repeats.
const MAX_NAME_CHARS: usize = 60;

/// The named items of two years. Every item may be absent.
#[derive(Clone, PartialEq, Debug)]
pub struct Financials {
    /// The currency of all amounts.
    pub currency: Currency,
    /// The last day of the year that is judged.
    pub period_end: Date,
    /// The industry code (SIC), 100 to 9999.
    pub sic: Option<u16>,
    /// True if no market prices the equity.
    pub is_private: Option<bool>,
    current: Vec<Option<Amount>>,
    prior: Vec<Option<Amount>>,
}

impl Financials {
    /// Returns accounts without any item.
    #[must_use]
    pub fn new(currency: Currency, period_end: Date) -> Self {
        let none = vec![None; Item::ALL.len()];
        Self { currency, period_end, sic: None, is_private: None, current: none.clone(), prior: none }
    }

    /// Sets an item, and returns its former amount.
    pub fn set(&mut self, item: Item, year: Year, amount: Amount) -> Option<Amount> {
        let items = match year {
            Year::Current => &mut self.current,
            Year::Prior => &mut self.prior,
        };
        items[item as usize].replace(amount)
    }

    /// Returns an item as it was given.
    #[must_use]
    pub fn get(&self, item: Item, year: Year) -> Option<&Amount> {
        match year {
            Year::Current => self.current[item as usize].as_ref(),
            Year::Prior => self.prior[item as usize].as_ref(),
        }
    }

    /// Reads accounts from an object: `currency` and `period_end`, the named items as decimal strings, `sic` as a string or an
    /// integer, `is_private`, and the items of the year before under `prior`. A member that is `null` is absent.
    ///
    /// # Errors
    ///
    /// Every member that is unknown or malformed, in the object's order.
    pub fn from_json(json: &Value) -> Result<Self, Vec<InputError>> {
        let Some(members) = json.as_object() else {
            return Err(vec![InputError::new("financials", InputProblem::NotAnObject)]);
        };
        let mut errors = Vec::new();
        let currency = required(members, "currency", Currency::parse, &mut errors);
        let period_end = required(members, "period_end", day, &mut errors);
        let (Some(currency), Some(period_end)) = (currency, period_end) else { return Err(errors) };
        let mut read = Self::new(currency, period_end);
        if members.len() > MAX_MEMBERS {
            return Err(vec![InputError::new("financials", InputProblem::TooManyMembers)]);
        }
        for (name, value) in members.iter().filter(|(_, value)| !value.is_null()) {
            let problem = match name.as_str() {
                "currency" | "period_end" => None,
                "sic" => read_sic(value).map(|sic| read.sic = Some(sic)).err(),
                "is_private" => match value.as_bool() {
                    Some(is_private) => {
                        read.is_private = Some(is_private);
                        None
                    }
                    None => Some(InputProblem::NotABoolean),
                },
                "prior" => {
                    read.read_prior(value, &mut errors);
                    None
                }
                _ => read.read_item(name, Year::Current, value).err(),
            };
            errors.extend(problem.map(|problem| InputError::new(name, problem)));
        }
        if errors.is_empty() { Ok(read) } else { Err(errors) }
    }

    fn read_prior(&mut self, json: &Value, errors: &mut Vec<InputError>) {
        let Some(members) = json.as_object() else {
            return errors.push(InputError::new("prior", InputProblem::NotAnObject));
        };
        if members.len() > MAX_MEMBERS {
            return errors.push(InputError::new("prior", InputProblem::TooManyMembers));
        }
        for (name, value) in members.iter().filter(|(_, value)| !value.is_null()) {
            if let Err(problem) = self.read_item(name, Year::Prior, value) {
                errors.push(InputError::new(&format!("prior.{name}"), problem));
            }
        }
    }

    fn read_item(&mut self, name: &str, year: Year, value: &Value) -> Result<(), InputProblem> {
        let item = Item::from_name(name).ok_or(InputProblem::Unknown)?;
        let amount = Amount::parse(value.as_str().ok_or(InputProblem::NotAString)?)?;
        self.set(item, year, amount);
        Ok(())
    }

    /// Every item that was given, with its year: those of the year that is judged, then those of the year before.
    pub fn given(&self) -> impl Iterator<Item = (Item, Year, &Amount)> {
        let of = |year| move |item: &Item| self.get(*item, year).map(|amount| (*item, year, amount));
        Item::ALL.iter().filter_map(of(Year::Current)).chain(Item::ALL.iter().filter_map(of(Year::Prior)))
    }
}

/// A currency code of the shape of ISO 4217: three capital letters. The code is not looked up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Currency([u8; 3]);

impl Currency {
    /// The US dollar.
    pub const USD: Self = Self(*b"USD");

    /// Reads a code.
    ///
    /// # Errors
    ///
    /// [`InputProblem::NotACurrency`], if the text has another shape.
    pub fn parse(text: &str) -> Result<Self, InputProblem> {
        let code: [u8; 3] = text.as_bytes().try_into().map_err(|_| InputProblem::NotACurrency)?;
        code.iter().all(u8::is_ascii_uppercase).then_some(Self(code)).ok_or(InputProblem::NotACurrency)
    }

    /// The code.
    #[must_use]
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).expect("a currency code is of ASCII letters")
    }
}

/// A member of the accounts that cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{member}: {problem}")]
pub struct InputError {
    /// The name of the member, `prior.` before it for one of the year before; at most 60 characters.
    pub member: String,
    /// The problem.
    pub problem: InputProblem,
}

impl InputError {
    fn new(member: &str, problem: InputProblem) -> Self {
        Self { member: member.chars().take(MAX_NAME_CHARS).collect(), problem }
    }
}

/// The reason why a member cannot be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum InputProblem {
    /// Required, and not there.
    #[error("missing")]
    Missing,
    /// Not the name of an item.
    #[error("not the name of an item")]
    Unknown,
    /// Not an object.
    #[error("not an object; send the items as members, such as {{\"total_assets\": \"1000\"}}")]
    NotAnObject,
    /// More than [`MAX_MEMBERS`] members.
    #[error("more than {MAX_MEMBERS} members")]
    TooManyMembers,
    /// Not a string.
    #[error("not a string; send a decimal string such as \"-1250000.50\"")]
    NotAString,
    /// Neither true nor false.
    #[error("not a boolean; send true or false")]
    NotABoolean,
    /// Not an amount.
    #[error(transparent)]
    Amount(#[from] AmountError),
    /// Not the shape of an ISO 4217 code.
    #[error("not three capital letters; send an ISO 4217 code such as \"USD\"")]
    NotACurrency,
    /// Not a day.
    #[error("not a day; send one such as \"2025-12-31\"")]
    NotADay,
    /// Not an industry code.
    #[error("not a SIC code from 100 to 9999; send one such as \"3571\"")]
    NotASic,
}

fn required<T>(
    members: &Map<String, Value>,
    name: &str,
    read: impl Fn(&str) -> Result<T, InputProblem>,
    errors: &mut Vec<InputError>,
) -> Option<T> {
    let read = match members.get(name) {
        None | Some(Value::Null) => Err(InputProblem::Missing),
        Some(Value::String(text)) => read(text),
        Some(_) => Err(InputProblem::NotAString),
    };
    read.map_err(|problem| errors.push(InputError::new(name, problem))).ok()
}

/// Reads a day of the form `2025-12-31`.
fn day(text: &str) -> Result<Date, InputProblem> {
    let is_shape = text.len() == 10
        && text.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    is_shape.then(|| text.parse().ok()).flatten().ok_or(InputProblem::NotADay)
}

fn read_sic(value: &Value) -> Result<u16, InputProblem> {
    let number = match value {
        Value::String(text)
            if (3..=4).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit()) =>
        {
            text.parse().ok()
        }
        Value::Number(number) => number.as_u64(),
        _ => None,
    };
    let sic = number.and_then(|number| u16::try_from(number).ok());
    sic.filter(|sic| (100..=9999).contains(sic)).ok_or(InputProblem::NotASic)
}
