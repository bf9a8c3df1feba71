//! The name engine from outside: its rules, bad input, and the index against an exhaustive scan.

mod bad_input;
mod exhaustive;
mod facts;
mod rules;
mod whole;

use name_match::{Facts, Index, Query, Scratch, ScreenResult};
use watchlist::{Coverage, EntityKind, Entry, EntryName, List, ListName, Quality};

/// A list of these entries, and its index.
struct Listed {
    list: List,
    index: Index,
}

impl Listed {
    fn new(mut entries: Vec<Entry>) -> Self {
        entries.sort_by(|a, b| a.uid.cmp(&b.uid));
        let list = List {
            name: name(),
            published: None,
            coverage: Coverage::Names,
            topic: watchlist::Topic::Sanctions,
            demo: false,
            entries,
        };
        let index = Index::build(&list);
        Self { list, index }
    }

    fn screen(&self, query: &str) -> ScreenResult {
        self.screen_knowing(query, Facts::default())
    }

    fn screen_knowing(&self, query: &str, facts: Facts<'_>) -> ScreenResult {
        self.index.screen(
            &self.list,
            &Query { name: query, facts, ..Query::default() },
            10,
            &mut Scratch::default(),
        )
    }

    /// The uid of the best hit.
    fn best(&self, query: &str) -> Option<&str> {
        self.screen(query).hits.first().map(|hit| &*self.list.entries[hit.entry].uid)
    }
}

fn name() -> ListName {
    ListName::new("test list")
}

fn person(uid: &str, primary: &str) -> Entry {
    Entry::new(uid, &name(), EntityKind::Person, primary)
}

fn organisation(uid: &str, primary: &str) -> Entry {
    Entry::new(uid, &name(), EntityKind::Entity, primary)
}

fn vessel(uid: &str, primary: &str) -> Entry {
    Entry::new(uid, &name(), EntityKind::Vessel, primary)
}

fn also(mut entry: Entry, text: &str, quality: Quality) -> Entry {
    entry.names.push(EntryName { text: text.into(), quality, original_script: !text.is_ascii() });
    entry
}

/// Names of made-up parties, common words among them often enough to be common.
fn invented() -> Listed {
    let mut entries = vec![
        person("p1", "VERESHKOV, Anatoly Sergeyevich"),
        person("p2", "AL-ZAHIRI, Yusuf Mahmud"),
        person("p3", "QUINTERO MONDRAGON, Rosalba Ines"),
        person("p4", "BRANDELMANN, Otto G."),
        person("p5", "HAN, Dokryon"),
        also(person("p6", "CHOE, Myongrok"), "최명록", Quality::Strong),
        also(person("p7", "ZUBKOVETS, Irina"), "LA RELOJERA", Quality::Weak),
        organisation("o1", "LIMITED LIABILITY COMPANY KVARZIT TRADING"),
        organisation("o2", "BANCO ALTAMIRA DE INVERSIONES, S.A."),
        organisation("o3", "NORDHAVEN SHIPPING COMPANY LIMITED"),
        vessel("v1", "HALCYON STAR"),
        vessel("v2", "DONG HAE 7628"),
        vessel("v3", "DONG HAE 8660"),
    ];
    for number in 0..40 {
        entries.push(organisation(
            &format!("x{number}"),
            &format!("FILLER{number}X TRADING SHIPPING COMPANY LTD"),
        ));
        entries.push(person(&format!("y{number}"), &format!("STOCKNAME{number}Q, Yusuf Anatoly")));
    }
    Listed::new(entries)
}
