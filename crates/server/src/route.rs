//! A verdict route: its line in the price table, and the judge behind it once there is one.

use std::sync::Arc;

use verdict::AnyJudge;

use crate::terms::Terms;

/// A declared route.
#[derive(Clone)]
pub struct Route {
    /// Its line in the price table.
    pub terms: Terms,
    /// Its judge; `None` where its module is not built or not there.
    pub judge: Option<Arc<dyn AnyJudge>>,
    /// A question that a reader can copy, as JSON text.
    pub example: Option<&'static str>,
}

/// All verdict routes.
#[derive(Clone)]
pub struct Docket(Vec<Arc<Route>>);

impl Docket {
    /// The table's routes, none with a judge yet.
    #[must_use]
    pub fn new(table: Vec<Terms>) -> Self {
        Self(table.into_iter().map(|terms| Arc::new(Route { terms, judge: None, example: None })).collect())
    }

    /// Seats a judge: the one line of wiring that a new route takes.
    ///
    /// # Panics
    /// Where the table has no such class: a fault in the wiring that the first start shows.
    #[must_use]
    pub fn seat(mut self, class: &str, judge: impl AnyJudge + 'static, example: &'static str) -> Self {
        let route = self.0.iter_mut().find(|route| route.terms.class == class);
        let route = route.unwrap_or_else(|| panic!("the price table has no class `{class}`"));
        *route = Arc::new(Route {
            terms: route.terms.clone(),
            judge: Some(Arc::new(judge)),
            example: Some(example),
        });
        self
    }

    /// Every route, in the table's order.
    pub fn routes(&self) -> impl Iterator<Item = &Arc<Route>> {
        self.0.iter()
    }

    /// The route of a class.
    #[must_use]
    pub fn route(&self, class: &str) -> Option<&Arc<Route>> {
        self.0.iter().find(|route| route.terms.class == class)
    }
}
