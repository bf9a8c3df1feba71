//! What is served: the verdict routes with the judges behind them, and the registers that anybody may look into.

use std::sync::Arc;

use receipt::json::Json;
use schemars::SchemaGenerator;
use serde_json::{Map, Value};
use verdict::{AnyJudge, AnyPublicView, EffectKind};

use crate::known::Members;
use crate::terms::{Terms, UNSIGNED};

/// A declared route.
pub struct Route {
    /// Its line in the price table.
    pub terms: Terms,
    /// Its judge; `None` where its module is not built or not there.
    pub judge: Option<Arc<dyn AnyJudge>>,
    /// A question that a reader can copy, as JSON text.
    pub example: Option<&'static str>,
    /// What its question reads, where there is a judge.
    pub members: Option<Members>,
}

impl Route {
    /// The kind of effect that its rulings have.
    #[must_use]
    pub fn effect_kind(&self) -> EffectKind {
        self.judge.as_ref().map_or(EffectKind::None, |judge| judge.effect_kind())
    }
}

/// All verdict routes, and the registers that are open.
#[derive(Clone)]
pub struct RouteTable {
    routes: Vec<Arc<Route>>,
    registers: Vec<(&'static str, Arc<dyn AnyPublicView>)>,
    bounds: Map<String, Value>,
}

impl RouteTable {
    /// The table's routes, none with a judge yet.
    #[must_use]
    pub fn new(table: Vec<Terms>) -> Self {
        let route = |terms| Arc::new(Route { terms, judge: None, example: None, members: None });
        Self { routes: table.into_iter().map(route).collect(), registers: Vec::new(), bounds: Map::new() }
    }

    /// Seats a judge: the one line of wiring that a new route takes.
    ///
    /// # Panics
    /// Where the table has no such class: a fault in the wiring that the first start shows.
    #[must_use]
    pub fn register(mut self, class: &str, judge: impl AnyJudge + 'static, example: &'static str) -> Self {
        let route = self.routes.iter_mut().find(|route| route.terms.class == class);
        let route = route.unwrap_or_else(|| panic!("the price table has no class `{class}`"));
        let mut generator = SchemaGenerator::default();
        let question = judge.question_schema(&mut generator).to_value();
        let definitions = Value::Object(generator.take_definitions(true));
        *route = Arc::new(Route {
            terms: route.terms.clone(),
            members: Some(Members::of(&question, &definitions)),
            judge: Some(Arc::new(judge)),
            example: Some(example),
        });
        self
    }

    /// Opens a register at its path among the unsigned routes.
    ///
    /// # Panics
    /// Where the table has no such path for a module's register: a fault in the wiring that the first start shows.
    #[must_use]
    pub fn view(mut self, path: &str, register: impl AnyPublicView + 'static) -> Self {
        let route = UNSIGNED.iter().find(|route| route.path == path && route.module.is_some());
        let route = route.unwrap_or_else(|| panic!("the table has no register at `{path}`"));
        self.registers.push((route.path, Arc::new(register)));
        self
    }

    /// Publishes a module's bounds in `/catalog`, beside those of the service.
    #[must_use]
    pub fn publish(mut self, module: &str, bounds: Value) -> Self {
        self.bounds.insert(module.to_owned(), bounds);
        self
    }

    /// The modules' bounds.
    pub(crate) fn bounds(&self) -> &Map<String, Value> {
        &self.bounds
    }

    /// Every route, in the table's order.
    pub fn routes(&self) -> impl Iterator<Item = &Arc<Route>> {
        self.routes.iter()
    }

    /// The route of a class.
    #[must_use]
    pub fn route(&self, class: &str) -> Option<&Arc<Route>> {
        self.routes.iter().find(|route| route.terms.class == class)
    }

    /// Whether rulings of a class open watches. Where nobody judges the class any more, the answer is the careful one: yes.
    pub(crate) fn may_open_watches(&self, class: &str) -> bool {
        let judge = self.route(class).and_then(|route| route.judge.as_ref());
        judge.is_none_or(|judge| judge.effect_kind() == EffectKind::OpenWatch)
    }

    /// The judge of a receipt's class.
    pub(crate) fn judge_of(&self, receipt: &Json) -> Option<&Arc<dyn AnyJudge>> {
        self.route(receipt.get("class")?.as_str()?)?.judge.as_ref()
    }

    /// The register at a path of the unsigned routes, where it is open.
    #[must_use]
    pub fn view_at(&self, path: &str) -> Option<&Arc<dyn AnyPublicView>> {
        self.registers.iter().find(|(at, _)| *at == path).map(|(_, register)| register)
    }
}
