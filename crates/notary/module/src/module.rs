//! A module of the notary as one value.

use std::error::Error;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use verdict::{AnyJudge, AnyPublicView, Timestamp};

use crate::standing::Standing;

/// The future of a background loop.
pub type BoxFuture = Pin<Box<dyn Future<Output = ()> + Send>>;

/// One module: the judges, public views, bounds, sources and background loops of one field.
///
/// The crate of the field makes it. This is the template of one:
///
/// ```
/// use std::sync::Arc;
///
/// use module::{Host, Mode, Module, ModuleError};
/// use schemars::JsonSchema;
/// use serde::{Deserialize, Serialize};
/// use verdict::{EvidenceBlob, EvidenceMissing, Field, FieldError, Fields, Judge, JudgeContext, EvidencedFinding, Question,
///     Table, Text, Timestamp, Unavailable};
///
/// /// The section `parity` of the configuration.
/// #[derive(Deserialize, Default)]
/// #[serde(deny_unknown_fields, default)]
/// struct Settings {
///     even_is_good: bool,
/// }
///
/// /// A question: the text whose length is judged.
/// struct ParityQuestion {
///     text: String,
/// }
///
/// const TEXT: Field<Text> = Field::text("text", 1..=1000).describe("The text whose length is judged.");
///
/// impl Question for ParityQuestion {
///     const TABLE: Table = Table::new("ParityQuestion", &[&TEXT], &[]).describe("A text.");
///
///     fn read(fields: &Fields<'_>) -> Result<Self, FieldError> {
///         Ok(Self { text: fields.text(&TEXT)?.to_owned() })
///     }
/// }
///
/// #[derive(Serialize, JsonSchema)]
/// struct ParityFinding {
///     verdict: &'static str,
///     evidence: serde_json::Value,
///     scope: &'static str,
///     method: &'static str,
/// }
///
/// struct ParityJudge {
///     even_is_good: bool,
/// }
///
/// impl ParityJudge {
///     fn find(&self, question: &ParityQuestion) -> ParityFinding {
///         let is_good = (question.text.chars().count() % 2 == 0) == self.even_is_good;
///         ParityFinding {
///             verdict: if is_good { "GOOD" } else { "BAD" },
///             evidence: serde_json::json!({}),
///             scope: "This receipt says whether a text has an even number of characters.",
///             method: "parity/1",
///         }
///     }
/// }
///
/// impl Judge for ParityJudge {
///     type Question = ParityQuestion;
///     type Finding = ParityFinding;
///
///     async fn judge(&self, question: &ParityQuestion, _: JudgeContext) -> Result<EvidencedFinding<ParityFinding>, Unavailable> {
///         Ok(EvidencedFinding { finding: self.find(question), evidence: Vec::new() })
///     }
///
///     fn replay(&self, question: &ParityQuestion, _: &[EvidenceBlob], _: Timestamp) -> Result<ParityFinding, EvidenceMissing> {
///         Ok(self.find(question))
///     }
/// }
///
/// fn module(settings: &Settings, _: &Host) -> Result<Module, ModuleError> {
///     let judge = Arc::new(ParityJudge { even_is_good: settings.even_is_good });
///     Ok(Module::new("parity").route("parity", judge, r#"{"agent":"my-agent","text":"four"}"#))
/// }
///
/// let host = Host {
///     mode: Mode::Batch,
///     data_dir: "touchstone-data".into(),
///     policy: fetch::Policy::production(),
///     roots: fetch::Roots::webpki(),
///     files: 1024,
///     sharing: module::Sharing::alone(),
/// };
/// assert_eq!(module(&Settings::default(), &host).unwrap().name, "parity");
/// ```
pub struct Module {
    /// The name of the module, as `/catalog` and `/health` show it.
    pub name: &'static str,
    pub(crate) routes: Vec<JudgedRoute>,
    pub(crate) views: Vec<(&'static str, Arc<dyn AnyPublicView>)>,
    pub(crate) bounds: Option<Value>,
    standing: Option<Box<dyn Fn(Timestamp) -> Standing + Send + Sync>>,
    loops: Vec<BackgroundLoop>,
    preparation: Option<Preparation>,
}

/// A class with the judge of its questions.
pub(crate) struct JudgedRoute {
    pub(crate) class: &'static str,
    pub(crate) judge: Arc<dyn AnyJudge>,
    pub(crate) example: &'static str,
    pub(crate) watched: Option<Watched>,
}

/// A kind of question that can be watched.
#[derive(Clone)]
pub struct Watched {
    /// The member of a `/watch` request that holds the question.
    pub field: &'static str,
    /// The times at which a question is judged again.
    pub schedule: WatchSchedule,
}

/// The snapshots that a judge uses now.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct WatchedSnapshots {
    /// Their ids.
    pub ids: Vec<String>,
    /// The file that says which they are, where the processes of the store have it in common.
    pub file: Option<FileVersion>,
}

/// A version of a file that the processes of the store have in common.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileVersion {
    /// The name of the shared folder.
    pub folder: &'static str,
    /// The path of the file within the folder.
    pub path: &'static str,
    /// The version.
    pub version: u64,
}

/// The times at which a watched question is judged again.
#[derive(Clone)]
pub enum WatchSchedule {
    /// When the snapshots change that this function returns, and once a UTC day; never while it returns none, as where no
    /// list is loaded. Findings name their lists in `evidence.snapshots` and their time in
    /// `evidence.screened_at`.
    Snapshots(Arc<dyn Fn() -> WatchedSnapshots + Send + Sync>),
    /// So long after the last time. Findings have their time in `evidence.observed_at`, and in `facts` arrays of texts
    /// that are compared with those of the time before.
    Every(Duration),
}

/// A loop that works beside the answers for as long as the service runs.
pub struct BackgroundLoop {
    /// The name of the loop's work, as `/health` shows it.
    pub part: &'static str,
    /// Starts the loop. The service calls it again if the loop ends or panics.
    pub start: Box<dyn Fn() -> BoxFuture + Send + Sync>,
}

/// A function that loads the data that a judge needs in a command. Its error names the missing data.
pub type Preparation = Box<dyn Fn() -> Result<(), Unprepared> + Send + Sync>;

impl Module {
    /// Makes a module without routes.
    #[must_use]
    pub fn new(name: &'static str) -> Self {
        Self {
            name,
            routes: Vec::new(),
            views: Vec::new(),
            bounds: None,
            standing: None,
            loops: Vec::new(),
            preparation: None,
        }
    }

    /// Adds the judge of a class of the price table. `example` is a question as JSON text, which documentation shows.
    #[must_use]
    pub fn route(
        mut self,
        class: &'static str,
        judge: impl AnyJudge + 'static,
        example: &'static str,
    ) -> Self {
        self.routes.push(JudgedRoute { class, judge: Arc::new(judge), example, watched: None });
        self
    }

    /// Adds a judge whose questions can be watched: they are judged again when the [snapshots](WatchSchedule::Snapshots)
    /// change.
    #[must_use]
    pub fn watched_route(
        mut self,
        class: &'static str,
        judge: impl AnyJudge + 'static,
        example: &'static str,
        field: &'static str,
        snapshots: impl Fn() -> WatchedSnapshots + Send + Sync + 'static,
    ) -> Self {
        let watched = Watched { field, schedule: WatchSchedule::Snapshots(Arc::new(snapshots)) };
        self.routes.push(JudgedRoute { class, judge: Arc::new(judge), example, watched: Some(watched) });
        self
    }

    /// Adds a judge whose questions can be watched: they are judged again [so long](WatchSchedule::Every) after the last
    /// time.
    #[must_use]
    pub fn route_watched_every(
        mut self,
        every: Duration,
        class: &'static str,
        judge: impl AnyJudge + 'static,
        example: &'static str,
        field: &'static str,
    ) -> Self {
        let watched = Watched { field, schedule: WatchSchedule::Every(every) };
        self.routes.push(JudgedRoute { class, judge: Arc::new(judge), example, watched: Some(watched) });
        self
    }

    /// Adds the view behind a path of the [unsigned routes](crate::terms::UNSIGNED).
    #[must_use]
    pub fn view(mut self, path: &'static str, view: impl AnyPublicView + 'static) -> Self {
        self.views.push((path, Arc::new(view)));
        self
    }

    /// Sets the bounds that `/catalog` publishes.
    #[must_use]
    pub fn with_bounds(mut self, bounds: Value) -> Self {
        self.bounds = Some(bounds);
        self
    }

    /// Sets the function that reports the state of the sources at a time. Each `/health` calls it, so it must be cheap.
    #[must_use]
    pub fn with_standing(mut self, standing: impl Fn(Timestamp) -> Standing + Send + Sync + 'static) -> Self {
        self.standing = Some(Box::new(standing));
        self
    }

    /// Adds a background loop. `part` is the name of its work in `/health`.
    #[must_use]
    pub fn background<F>(mut self, part: &'static str, start: impl Fn() -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        self.loops.push(BackgroundLoop { part, start: Box::new(move || Box::pin(start())) });
        self
    }

    /// Sets the function that loads the data which the judges need in a command.
    #[must_use]
    pub fn prepared_by(
        mut self,
        preparation: impl Fn() -> Result<(), Unprepared> + Send + Sync + 'static,
    ) -> Self {
        self.preparation = Some(Box::new(preparation));
        self
    }

    /// The state of the sources at this time.
    #[must_use]
    pub fn standing(&self, at: Timestamp) -> Standing {
        self.standing.as_ref().map(|standing| standing(at)).unwrap_or_default()
    }

    /// Removes the loops from the module and returns them, so that each is started once.
    pub fn take_loops(&mut self) -> Vec<BackgroundLoop> {
        std::mem::take(&mut self.loops)
    }

    /// Returns true if the module has the judge of a class.
    #[must_use]
    pub fn judges(&self, class: &str) -> bool {
        self.routes.iter().any(|route| route.class == class)
    }

    /// Loads the data that the judges need in a command.
    ///
    /// # Errors
    /// The data is missing, or cannot be read.
    pub fn prepare(&self) -> Result<(), Unprepared> {
        self.preparation.as_ref().map_or(Ok(()), |prepare| prepare())
    }
}

impl fmt::Debug for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let classes: Vec<&str> = self.routes.iter().map(|route| route.class).collect();
        f.debug_struct("Module").field("name", &self.name).field("classes", &classes).finish_non_exhaustive()
    }
}

/// The error of a module that cannot be made from its settings.
#[derive(Debug, thiserror::Error)]
#[error("{setting}")]
pub struct ModuleError {
    /// The setting, or the part of the machine, that is wrong.
    setting: String,
    /// The reason.
    #[source]
    why: Box<dyn Error + Send + Sync>,
}

impl ModuleError {
    /// Makes the error of a setting, with the reason.
    #[must_use]
    pub fn new(setting: impl Into<String>, why: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self { setting: setting.into(), why: why.into() }
    }
}

/// The reason why a module's judges cannot be used in a command.
#[derive(Debug, thiserror::Error)]
pub enum Unprepared {
    /// Data is missing that the person who runs the command can bring in: which, and how.
    #[error("{0}")]
    Missing(String),
    /// Data is there, and cannot be read.
    #[error(transparent)]
    Unreadable(#[from] ModuleError),
}
