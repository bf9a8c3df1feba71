//! Reference values of the advanced format.

use std::collections::HashMap;

use jiff::civil::Date;

use super::super::text::{clean, line};
use super::super::xml::XmlElement;
use crate::model::Birth;

/// A place.
#[derive(Clone, Default)]
pub(super) struct Location {
    /// Address on one line, with its country.
    pub(super) address: String,
    /// Country as the list names it; empty where the location has none.
    pub(super) country: String,
}

#[derive(Default)]
pub(super) struct References {
    /// Values by the name of their set, then by their ID.
    names: HashMap<Box<str>, HashMap<Box<str>, Box<str>>>,
    /// A subtype's type: persons and organisations have subtypes that are called unknown.
    party_types: HashMap<Box<str>, Box<str>>,
    /// An area's country.
    area_countries: HashMap<Box<str>, Box<str>>,
    locations: HashMap<Box<str>, Location>,
}

impl References {
    /// Adds one set of reference values.
    pub(super) fn take_set(&mut self, set: &XmlElement) {
        let names = self.names.entry(set.name.clone()).or_default();
        for value in &set.children {
            let Some(id) = value.attribute("ID") else { continue };
            names.insert(id.into(), clean(value.text()).into());
            if let Some(party_type) = value.attribute("PartyTypeID") {
                self.party_types.insert(id.into(), party_type.into());
            }
            if let (Some(country), "AreaCode") = (value.attribute("CountryID"), &*value.name) {
                self.area_countries.insert(id.into(), country.into());
            }
        }
    }

    /// Resolves an ID of a reference set to its value.
    pub(super) fn name(&self, set: &str, id: Option<&str>) -> Result<&str, String> {
        let id = id.unwrap_or_default();
        let name = self.names.get(set).and_then(|names| names.get(id));
        name.map(|name| &**name).ok_or_else(|| format!("{set} has no {id:?}"))
    }

    /// `Individual`, `Entity`, `Vessel`, `Aircraft`: the subtype's name, or its type's where it has none.
    pub(super) fn party_kind(&self, subtype: Option<&str>) -> Result<&str, String> {
        match self.name("PartySubTypeValues", subtype)? {
            "" | "Unknown" => {
                let party_type = subtype.and_then(|id| self.party_types.get(id));
                self.name("PartyTypeValues", party_type.map(|id| &**id))
            }
            name => Ok(name),
        }
    }

    /// Adds one location.
    pub(super) fn take_location(&mut self, record: &XmlElement) -> Result<(), String> {
        let country = self.country(record)?;
        let values = record.named("LocationPart").flat_map(|part| part.named("LocationPartValue"));
        let parts = values.map(|value| value.text_of("Value")).chain([country.as_str()]);
        let location = Location { address: line(parts), country: country.clone() };
        self.locations.insert(record.attribute("ID").unwrap_or_default().into(), location);
        Ok(())
    }

    fn country(&self, record: &XmlElement) -> Result<String, String> {
        if let Some(country) = record.child("LocationCountry") {
            return self.name("CountryValues", country.attribute("CountryID")).map(str::to_owned);
        }
        let area = record.child("LocationAreaCode").and_then(|area| area.attribute("AreaCodeID"));
        match area.and_then(|id| self.area_countries.get(id)) {
            Some(country) => self.name("CountryValues", Some(country)).map(str::to_owned),
            None => Ok(String::new()),
        }
    }

    /// The place of that key.
    pub(super) fn location(&self, id: &str) -> Result<&Location, String> {
        self.locations.get(id).ok_or_else(|| format!("there is no location {id:?}"))
    }
}

/// `Year`, `Month`, `Day`.
fn parts(point: &XmlElement) -> Option<(i16, Option<i8>, Option<i8>)> {
    let year = point.text_of("Year").parse().ok()?;
    Some((year, point.text_of("Month").parse().ok(), point.text_of("Day").parse().ok()))
}

/// A whole day.
pub(super) fn date(point: &XmlElement) -> Option<Date> {
    let (year, month, day) = parts(point)?;
    Date::new(year, month?, day?).ok()
}

/// A period of a start and an end, each of which lies between two points.
pub(super) fn birth(period: &XmlElement) -> Option<Birth> {
    let points = ["Start", "End"].into_iter().filter_map(|name| period.child(name));
    let births: Vec<Birth> = points.clone().flat_map(|bound| &bound.children).filter_map(some_day).collect();
    let about = points.into_iter().any(|bound| bound.attribute("Approximate") == Some("true"));
    let first = births.iter().min_by_key(|birth| birth.earliest)?;
    let last = births.iter().max_by_key(|birth| birth.latest)?;
    let birth = Birth::between(*first, *last).ok()?;
    Some(if about { birth.circa() } else { birth })
}

fn some_day(point: &XmlElement) -> Option<Birth> {
    match parts(point)? {
        (year, Some(month), Some(day)) => Date::new(year, month, day).ok().map(Birth::on),
        (year, Some(month), None) => Birth::in_month(year, month).ok(),
        (year, None, _) => Birth::in_year(year).ok(),
    }
}
