//! Groups of award type codes.

use receipt::json::{Json, Object};
use record_search::{AnswerError, parse};

use crate::SERVICE;
use crate::award::whole;

/// The address of the service's reference of award types.
pub const AWARD_TYPES_URL: &str = "https://api.usaspending.gov/api/v2/references/award_types/";

/// A group of award type codes; a call searches one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AwardGroup {
    /// Contracts.
    Contracts,
    /// Indefinite delivery vehicles: contracts that orders are placed under.
    Idvs,
    /// Grants.
    Grants,
    /// Direct payments.
    DirectPayments,
    /// Loans.
    Loans,
    /// Other financial assistance.
    Other,
}

impl AwardGroup {
    /// All groups.
    pub const ALL: [Self; 6] =
        [Self::Contracts, Self::Idvs, Self::Grants, Self::DirectPayments, Self::Loans, Self::Other];

    /// The name in requests and in the service's counts.
    pub fn name(self) -> &'static str {
        match self {
            Self::Contracts => "contracts",
            Self::Idvs => "idvs",
            Self::Grants => "grants",
            Self::DirectPayments => "direct_payments",
            Self::Loans => "loans",
            Self::Other => "other",
        }
    }

    /// The name in the service's reference of award types.
    pub fn reference_name(self) -> &'static str {
        match self {
            Self::Other => "other_financial_assistance",
            group => group.name(),
        }
    }

    /// The group of a name, in either form.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|group| [group.name(), group.reference_name()].contains(&name))
    }

    /// The codes of the group, with the labels of the service.
    pub fn codes(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Contracts => &[
                ("A", "BPA Call"),
                ("B", "Purchase Order"),
                ("C", "Delivery Order"),
                ("D", "Definitive Contract"),
            ],
            Self::Idvs => &[
                ("IDV_A", "GWAC Government Wide Acquisition Contract"),
                ("IDV_B", "IDC Multi-Agency Contract, Other Indefinite Delivery Contract"),
                ("IDV_B_A", "IDC Indefinite Delivery Contract / Requirements"),
                ("IDV_B_B", "IDC Indefinite Delivery Contract / Indefinite Quantity"),
                ("IDV_B_C", "IDC Indefinite Delivery Contract / Definite Quantity"),
                ("IDV_C", "FSS Federal Supply Schedule"),
                ("IDV_D", "BOA Basic Ordering Agreement"),
                ("IDV_E", "BPA Blanket Purchase Agreement"),
            ],
            Self::Grants => &[
                ("02", "Block Grant"),
                ("03", "Formula Grant"),
                ("04", "Project Grant"),
                ("05", "Cooperative Agreement"),
            ],
            Self::DirectPayments => {
                &[("06", "Direct Payment for Specified Use"), ("10", "Direct Payment with Unrestricted Use")]
            }
            Self::Loans => &[("07", "Direct Loan"), ("08", "Guaranteed/Insured Loan")],
            Self::Other => {
                &[("09", "Insurance"), ("11", "Other Financial Assistance"), ("-1", "Not Specified")]
            }
        }
    }
}

/// A code that the service's reference and the bundled table do not both have in the same group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drift {
    /// The group, as the reference names it.
    pub group: String,
    /// The code; empty for a group without any.
    pub code: String,
    /// True if the service has it and the bundled table lacks it, false for the reverse.
    pub is_new: bool,
}

/// The award type codes of each group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AwardTypes {
    groups: Vec<(AwardGroup, Vec<(String, String)>)>,
    unknown_groups: Vec<(String, Vec<String>)>,
}

impl AwardTypes {
    /// The bundled table.
    pub fn bundled() -> Self {
        let codes = |group: AwardGroup| {
            group.codes().iter().map(|(code, label)| ((*code).to_owned(), (*label).to_owned())).collect()
        };
        let groups = AwardGroup::ALL.into_iter().map(|group| (group, codes(group))).collect();
        Self { groups, unknown_groups: Vec::new() }
    }

    /// Reads the service's reference, the answer at [`AWARD_TYPES_URL`].
    ///
    /// # Errors
    /// [`AnswerError::Missing`] for a group that is not there, [`AnswerError::Shape`] for one that is no object of texts.
    pub fn read(body: &[u8]) -> Result<Self, AnswerError> {
        let parsed = parse(SERVICE, body)?;
        let answer = whole(&parsed)?;
        let mut groups = Vec::new();
        for group in AwardGroup::ALL {
            let member = group.reference_name();
            let Some(codes) = answer.get(member).and_then(Json::as_object) else {
                return Err(AnswerError::Missing {
                    service: SERVICE,
                    kind: "reference of award types",
                    member,
                });
            };
            groups.push((group, labels(member, codes)?));
        }
        let mut unknown_groups = Vec::new();
        for (name, codes) in answer.iter().filter(|(name, _)| AwardGroup::from_name(name).is_none()) {
            let codes =
                codes.as_object().map(|codes| codes.iter().map(|(code, _)| code.to_owned()).collect());
            unknown_groups.push((name.to_owned(), codes.unwrap_or_default()));
        }
        Ok(Self { groups, unknown_groups })
    }

    /// The codes of a group, in the order of the source.
    pub fn codes(&self, group: AwardGroup) -> Vec<&str> {
        let of_group = self.groups.iter().find(|(other, _)| *other == group);
        of_group.map(|(_, codes)| codes.iter().map(|(code, _)| code.as_str()).collect()).unwrap_or_default()
    }

    /// The group of a code.
    pub fn group_of(&self, code: &str) -> Option<AwardGroup> {
        let has = |codes: &[(String, String)]| codes.iter().any(|(other, _)| other == code);
        self.groups.iter().find(|(_, codes)| has(codes)).map(|(group, _)| *group)
    }

    /// The differences between this reference and the bundled table; empty where they agree.
    pub fn drift(&self) -> Vec<Drift> {
        let mut drift = Vec::new();
        for group in AwardGroup::ALL {
            let theirs = self.codes(group);
            let named = |code: &str, is_new| Drift {
                group: group.reference_name().to_owned(),
                code: code.to_owned(),
                is_new,
            };
            let ours = || group.codes().iter().map(|(code, _)| *code);
            drift.extend(
                theirs.iter().filter(|code| !ours().any(|our| our == **code)).map(|code| named(code, true)),
            );
            drift.extend(ours().filter(|code| !theirs.contains(code)).map(|code| named(code, false)));
        }
        for (group, codes) in &self.unknown_groups {
            let named = |code: &str| Drift { group: group.clone(), code: code.to_owned(), is_new: true };
            if codes.is_empty() {
                drift.push(named(""));
            }
            drift.extend(codes.iter().map(|code| named(code)));
        }
        drift
    }
}

fn labels(group: &str, codes: &Object) -> Result<Vec<(String, String)>, AnswerError> {
    let label = |(code, label): (&str, &Json)| match label.as_str() {
        Some(label) => Ok((code.to_owned(), label.to_owned())),
        None => {
            let detail = format!("the code {code:?} of {group} is {}, expected a text", label.type_name());
            Err(AnswerError::Shape { service: SERVICE, detail })
        }
    };
    codes.iter().map(label).collect()
}
