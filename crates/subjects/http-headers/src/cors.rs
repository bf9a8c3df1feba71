//! The test of cross-origin resource sharing: the origins that the page permits to read it.

use crate::fields::normal;
use crate::outcome::TestOutcome;
use crate::{Cors, ScanInput};

const ABSENT: TestOutcome = TestOutcome::pass("cross-origin-resource-sharing-not-implemented", 0);
const PUBLIC: TestOutcome =
    TestOutcome::pass("cross-origin-resource-sharing-implemented-with-public-access", 0);
const RESTRICTED: TestOutcome =
    TestOutcome::pass("cross-origin-resource-sharing-implemented-with-restricted-access", 0);
const UNIVERSAL: TestOutcome =
    TestOutcome::fail("cross-origin-resource-sharing-implemented-with-universal-access", -50);

pub(crate) const OUTCOMES: &[TestOutcome] = &[ABSENT, PUBLIC, RESTRICTED, UNIVERSAL];

pub(crate) fn test(observed: &ScanInput<'_>) -> TestOutcome {
    let Some(Cors { origin, fields }) = observed.cors else { return ABSENT };
    let Some(allowed) = fields.filled("access-control-allow-origin") else { return ABSENT };
    let credentials = fields.get("access-control-allow-credentials").unwrap_or_default();
    if normal(&allowed, 256) == "*" {
        PUBLIC
    } else if allowed == *origin && normal(&credentials, 256) == "true" {
        UNIVERSAL
    } else {
        RESTRICTED
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{HeaderFields, Page};

    #[test]
    fn an_origin_that_is_repeated_with_credentials_lets_everybody_in() {
        let origin = "https://asker.example";
        for (fields, result) in [
            (vec![], ABSENT),
            (vec![("access-control-allow-origin", "*")], PUBLIC),
            (vec![("access-control-allow-origin", "https://other.example")], RESTRICTED),
            (vec![("access-control-allow-origin", origin)], RESTRICTED),
            (
                vec![("access-control-allow-origin", origin), ("access-control-allow-credentials", " True")],
                UNIVERSAL,
            ),
        ] {
            let fields: HeaderFields = fields.into_iter().collect();
            let (page, cors) = (Page::example(), Cors { origin: origin.to_owned(), fields });
            let observed = ScanInput { cors: Some(&cors), ..ScanInput::example(&page) };
            assert_eq!(test(&observed), result, "{cors:?}");
        }
    }
}
