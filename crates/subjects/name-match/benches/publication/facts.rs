//! The facts of parties: places, documents, features.

use std::io::{self, Write};

use watchlist::{EntityKind, Entry};

use super::xml::Xml;

/// Addresses of a party.
const ADDRESSES: usize = 1;

/// The addresses of a party, and the place where it is from.
pub fn locations(xml: &mut Xml<impl Write>, at: usize) -> io::Result<()> {
    for n in 0..=ADDRESSES {
        xml.element("Location", &[("ID", &location(at, n))], |xml| {
            let relevance = ("CountryRelevanceID", &1413 as &dyn std::fmt::Display);
            xml.leaf("LocationCountry", &[("CountryID", &country(at)), relevance], "")?;
            let street = format!("{} Street of the Publication", at % 211 + n);
            let city = format!("City {}", at % 97);
            let parts = [(1451, street), (1454, city), (1456, format!("{:06}", at % 997 * 613))];
            for (kind, text) in parts.iter().take(if n == 0 { 0 } else { 3 }) {
                xml.element("LocationPart", &[("LocPartTypeID", kind)], |xml| {
                    let status = ("LocPartValueStatusID", &1 as &dyn std::fmt::Display);
                    let attributes = [("Primary", &"true" as &dyn std::fmt::Display), status];
                    xml.element("LocationPartValue", &attributes, |xml| {
                        xml.leaf("Comment", &[], "")?;
                        xml.leaf("Value", &[], text)
                    })
                })?;
            }
            xml.leaf("FeatureVersionReference", &[("FeatureVersionID", &(at * 20 + n))], "")
        })?;
    }
    Ok(())
}

fn location(at: usize, n: usize) -> usize {
    at * (ADDRESSES + 1) + n + 1
}

fn country(at: usize) -> usize {
    at % 4 + 1
}

/// A party's document.
pub fn document(xml: &mut Xml<impl Write>, at: usize, entry: &Entry) -> io::Result<()> {
    let (kind, number) = match entry.kind {
        EntityKind::Person => (1571, format!("P{:07}", at * 37 % 10_000_000)),
        EntityKind::Vessel => (1626, format!("IMO {:07}", 8_000_000 + at)),
        _ => (1619, format!("{:010}", at * 7_919)),
    };
    let id = at + 1;
    let attributes: [(&str, &dyn std::fmt::Display); 5] = [
        ("ID", &id),
        ("IDRegDocTypeID", &kind),
        ("IdentityID", &identity(at)),
        ("IssuedBy-CountryID", &country(at)),
        ("ValidityID", &1),
    ];
    xml.element("IDRegDocument", &attributes, |xml| {
        xml.leaf("Comment", &[], "")?;
        xml.leaf("IDRegistrationNo", &[], &number)?;
        xml.leaf("IssuingAuthority", &[], "")?;
        xml.element("DocumentDate", &[("IDRegDocDateTypeID", &1480)], |xml| period(xml, at))?;
        xml.leaf("DocumentedNameReference", &[("DocumentedNameID", &(at * 100))], "")
    })
}

/// The key of the identity of the party at that place.
pub fn identity(at: usize) -> usize {
    1_000_000 + at
}

/// What is known of a party.
pub fn features(xml: &mut Xml<impl Write>, at: usize, entry: &Entry) -> io::Result<()> {
    let mut id = at * 20;
    let mut feature = |xml: &mut Xml<_>, kind: u32, fact: &Fact| {
        id += 1;
        self::feature(xml, at, id, kind, fact)
    };
    for n in 1..=ADDRESSES {
        feature(xml, 25, &Fact::Place(n))?;
    }
    let own: &[(u32, Fact)] = match entry.kind {
        EntityKind::Person => &[
            (8, Fact::Day),
            (8, Fact::Day),
            (9, Fact::Text("A place of birth")),
            (10, Fact::Place(0)),
            (11, Fact::Place(0)),
            (224, Fact::Reference(91526)),
        ],
        EntityKind::Vessel => {
            &[(1, Fact::Text("CL2192")), (2, Fact::Text("Crude Oil Tanker")), (3, Fact::Text("Panama"))]
        }
        _ => &[(646, Fact::Day), (504, Fact::Text("section 1(b) of Executive Order 13224, as amended"))],
    };
    own.iter().try_for_each(|(kind, fact)| feature(xml, *kind, fact))
}

/// What a feature says.
enum Fact {
    /// Some day.
    Day,
    /// One of the party's places.
    Place(usize),
    Text(&'static str),
    /// A reference value.
    Reference(u32),
}

fn feature(xml: &mut Xml<impl Write>, at: usize, id: usize, kind: u32, fact: &Fact) -> io::Result<()> {
    xml.element("Feature", &[("ID", &id), ("FeatureTypeID", &kind)], |xml| {
        xml.element("FeatureVersion", &[("ID", &id), ("ReliabilityID", &1560)], |xml| {
            xml.leaf("Comment", &[], "")?;
            match fact {
                Fact::Day => period(xml, at),
                Fact::Place(n) => {
                    xml.leaf("VersionDetail", &[("DetailTypeID", &1433)], "")?;
                    xml.leaf("VersionLocation", &[("LocationID", &location(at, *n))], "")
                }
                Fact::Text(text) => xml.leaf("VersionDetail", &[("DetailTypeID", &1432)], text),
                Fact::Reference(id) => {
                    xml.leaf("VersionDetail", &[("DetailTypeID", &1431), ("DetailReferenceID", id)], "")
                }
            }
        })?;
        let link = ("IdentityFeatureLinkTypeID", &1 as &dyn std::fmt::Display);
        xml.leaf("IdentityReference", &[("IdentityID", &identity(at)), link], "")
    })
}

/// One day, said as the schema says it: a start and an end, each between two points.
fn period(xml: &mut Xml<impl Write>, at: usize) -> io::Result<()> {
    let fixed: [(&str, &dyn std::fmt::Display); 4] =
        [("CalendarTypeID", &1), ("YearFixed", &"false"), ("MonthFixed", &"false"), ("DayFixed", &"false")];
    let (year, month, of_month) = (1940 + at % 60, at % 12 + 1, at % 28 + 1);
    xml.element("DatePeriod", &fixed, |xml| {
        for bound in ["Start", "End"] {
            let attributes: [(&str, &dyn std::fmt::Display); 4] = [
                ("Approximate", &"false"),
                ("YearFixed", &"false"),
                ("MonthFixed", &"false"),
                ("DayFixed", &"false"),
            ];
            xml.element(bound, &attributes, |xml| {
                for point in ["From", "To"] {
                    xml.element(point, &[], |xml| day(xml, year, month, of_month))?;
                }
                Ok(())
            })?;
        }
        Ok(())
    })
}

/// A day in its parts.
pub fn day(xml: &mut Xml<impl Write>, year: usize, month: usize, day: usize) -> io::Result<()> {
    for (name, value) in [("Year", year), ("Month", month), ("Day", day)] {
        xml.leaf(name, &[], &value.to_string())?;
    }
    Ok(())
}
