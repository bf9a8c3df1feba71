//! The route table: verdict routes with the judges behind them, and public views.

use std::sync::Arc;

use receipt::json::Json;
use serde_json::{Map, Value};
use verdict::{AnyJudge, AnyPublicView, EffectKind};

use crate::members::Members;
use crate::module::{JudgedRoute, Module, Watched};
use crate::terms::{RouteTerms, UNSIGNED};

/// A route of the price table, with its judge if it has one.
pub struct Route {
    /// The route's line in the price table.
    pub terms: RouteTerms,
    /// The route's judge; `None` where its module is not built or not configured.
    pub judge: Option<Arc<dyn AnyJudge>>,
    /// A question that a reader can copy, as JSON text.
    pub example: Option<&'static str>,
    /// The members of a request that its question reads; `None` without a judge.
    pub members: Option<Members>,
    /// The member of a `/watch` request that holds the question, and when it is judged again; `None` where they cannot be watched.
    pub watched: Option<Watched>,
}

impl Route {
    /// The kind of effect of the route's rulings.
    #[must_use]
    pub fn effect_kind(&self) -> EffectKind {
        self.judge.as_ref().map_or(EffectKind::None, |judge| judge.effect_kind())
    }
}

/// All verdict routes, and the public views that are available.
#[derive(Clone)]
pub struct RouteTable {
    routes: Vec<Arc<Route>>,
    views: Vec<(&'static str, Arc<dyn AnyPublicView>)>,
    bounds: Map<String, Value>,
}

impl RouteTable {
    /// Makes a table of routes without judges.
    #[must_use]
    pub fn new(table: Vec<RouteTerms>) -> Self {
        let route =
            |terms| Arc::new(Route { terms, judge: None, example: None, members: None, watched: None });
        Self { routes: table.into_iter().map(route).collect(), views: Vec::new(), bounds: Map::new() }
    }

    /// Adds the judges, the views and the bounds of a module.
    ///
    /// # Panics
    /// The price table has no such class, or no such path: a mistake in the module that the first start shows.
    #[must_use]
    pub fn with(mut self, module: &Module) -> Self {
        for JudgedRoute { class, judge, example, watched } in &module.routes {
            self = self.with_judge(class, Arc::clone(judge), example, watched.clone());
        }
        for (path, view) in &module.views {
            let route = UNSIGNED.iter().find(|route| route.path == *path && route.module.is_some());
            let route = route.unwrap_or_else(|| panic!("the table has no view at `{path}`"));
            self.views.push((route.path, Arc::clone(view)));
        }
        if let Some(bounds) = &module.bounds {
            self = self.publish(module.name, bounds.clone());
        }
        self
    }

    /// Returns a table of the same judges, views and bounds under other prices, free calls and rates.
    #[must_use]
    pub fn with_terms(&self, table: Vec<RouteTerms>) -> Self {
        let route = |terms: RouteTerms| match self.route(terms.class) {
            Some(route) => Route {
                terms,
                judge: route.judge.clone(),
                example: route.example,
                members: route.members.clone(),
                watched: route.watched.clone(),
            },
            None => Route { terms, judge: None, example: None, members: None, watched: None },
        };
        Self { routes: table.into_iter().map(route).map(Arc::new).collect(), ..self.clone() }
    }

    /// Registers the judge of a class.
    ///
    /// # Panics
    /// The price table has no such class: a mistake in the wiring that the first start shows.
    #[must_use]
    pub fn register(self, class: &str, judge: impl AnyJudge + 'static, example: &'static str) -> Self {
        self.with_judge(class, Arc::new(judge), example, None)
    }

    fn with_judge(
        mut self,
        class: &str,
        judge: Arc<dyn AnyJudge>,
        example: &'static str,
        watched: Option<Watched>,
    ) -> Self {
        let route = self.routes.iter_mut().find(|route| route.terms.class == class);
        let route = route.unwrap_or_else(|| panic!("the price table has no class `{class}`"));
        *route = Arc::new(Route {
            terms: route.terms.clone(),
            members: Some(Members::of(&judge.question_schema())),
            judge: Some(judge),
            example: Some(example),
            watched,
        });
        self
    }

    /// Adds a module's bounds to those that `/catalog` publishes.
    #[must_use]
    pub fn publish(mut self, module: &str, bounds: Value) -> Self {
        self.bounds.insert(module.to_owned(), bounds);
        self
    }

    /// The published bounds of each module, by its name.
    pub fn bounds(&self) -> &Map<String, Value> {
        &self.bounds
    }

    /// All routes, in the table's order.
    pub fn routes(&self) -> impl Iterator<Item = &Arc<Route>> {
        self.routes.iter()
    }

    /// The routes that have a judge, in the table's order. A document that advertises names no others.
    pub fn offered(&self) -> impl Iterator<Item = &Arc<Route>> {
        self.routes().filter(|route| route.judge.is_some())
    }

    /// The route of a class; `None` where there is no such class.
    #[must_use]
    pub fn route(&self, class: &str) -> Option<&Arc<Route>> {
        self.routes.iter().find(|route| route.terms.class == class)
    }

    /// Returns true if rulings of a class open watches. A class without a judge gives true, which is the careful
    /// answer.
    pub fn may_open_watches(&self, class: &str) -> bool {
        let judge = self.route(class).and_then(|route| route.judge.as_ref());
        judge.is_none_or(|judge| judge.effect_kind() == EffectKind::OpenWatch)
    }

    /// The judge of the class that a receipt names; `None` where there is none.
    pub fn judge_of(&self, receipt: &Json) -> Option<&Arc<dyn AnyJudge>> {
        self.route(receipt.get("class")?.as_str()?)?.judge.as_ref()
    }

    /// The public view at a path of the unsigned routes; `None` where its module is absent.
    #[must_use]
    pub fn view_at(&self, path: &str) -> Option<&Arc<dyn AnyPublicView>> {
        self.views.iter().find(|(at, _)| *at == path).map(|(_, view)| view)
    }
}
