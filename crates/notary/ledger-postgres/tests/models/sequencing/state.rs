//! The state of the model: two nodes, two replicas, and what their callers know.

use std::collections::VecDeque;

use super::{BATCHES, Doubt, Guards};

pub(super) type Log = Vec<u8>;

/// The answer to the caller of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Told {
    Nothing,
    Appended,
    Refused,
    /// A 503 that does not say what became of the record.
    Unknown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum NodeName {
    Old,
    New,
}

/// The committed rows of a node that transactions can see.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Rows {
    pub(super) head: Log,
    /// The token of each replica's last batch.
    pub(super) tokens: [u8; 2],
}

/// A transaction whose COMMIT has been sent.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Transaction {
    pub(super) replica: usize,
    /// True while its client waits for the answer to COMMIT.
    pub(super) is_attached: bool,
    pub(super) work: Work,
    /// The number of commits, including this one, that the standby still lacks; `None` before the local flush.
    pub(super) flushed: Option<u8>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Work {
    /// Makes this the head, and stores the token.
    Append { token: u8, head: Log },
    /// Writes a row of its own, after it has read whether the batch in doubt has landed.
    Resolve { landed: bool },
}

impl Work {
    pub(super) fn apply(&self, replica: usize, rows: &mut Rows) {
        if let Self::Append { token, head } = self {
            rows.head.clone_from(head);
            rows.tokens[replica] = *token;
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Node {
    pub(super) is_up: bool,
    pub(super) rows: Rows,
    /// The transactions that have not ended, which hold their locks.
    pub(super) open: Vec<Transaction>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Replica {
    /// The number of batches begun, which is also the token of the last.
    pub(super) batches: u8,
    /// The node on which a transaction of the replica waits for its answer.
    pub(super) waits_on: Option<NodeName>,
    /// True while the outcome of the last batch is unknown.
    pub(super) is_in_doubt: bool,
    /// The log of the checkpoint that the last batch has signed.
    pub(super) signed: Log,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct State {
    pub(super) old: Node,
    pub(super) new: Node,
    /// The commits of the old primary that the standby lacks, each with its replica.
    pub(super) unshipped: VecDeque<(usize, Work)>,
    pub(super) is_promoted: bool,
    pub(super) replicas: [Replica; 2],
    /// The answers about each replica's records.
    pub(super) told: [Vec<Told>; 2],
    /// The longest log of which a checkpoint was handed out.
    pub(super) longest: Log,
    /// True if two checkpoints that were handed out are not of one log.
    pub(super) is_forked: bool,
    /// True if no replica may crash any more, and if the primary may not.
    pub(super) crashed: [bool; 2],
}

pub(super) fn record(replica: usize, batch: u8) -> u8 {
    10 * (replica as u8 + 1) + batch
}

impl State {
    pub(super) fn new() -> Self {
        let node = Node { is_up: true, rows: Rows::default(), open: Vec::new() };
        Self {
            old: node.clone(),
            new: node,
            unshipped: VecDeque::new(),
            is_promoted: false,
            replicas: Default::default(),
            told: BATCHES.map(|batches| vec![Told::Nothing; usize::from(batches)]),
            longest: Log::new(),
            is_forked: false,
            crashed: [false; 2],
        }
    }

    pub(super) fn node(&self, name: NodeName) -> &Node {
        match name {
            NodeName::Old => &self.old,
            NodeName::New => &self.new,
        }
    }

    pub(super) fn node_mut(&mut self, name: NodeName) -> &mut Node {
        match name {
            NodeName::Old => &mut self.old,
            NodeName::New => &mut self.new,
        }
    }

    /// Says whether a node takes writes; the old primary does so for as long as it is up.
    pub(super) fn is_writable(&self, name: NodeName) -> bool {
        match name {
            NodeName::Old => self.old.is_up,
            NodeName::New => self.is_promoted,
        }
    }

    /// Says whether a node acknowledges a commit that comes after all that it has committed so far.
    pub(super) fn acknowledges(&self, name: NodeName) -> bool {
        self.is_writable(name) && (name == NodeName::New || self.unshipped.is_empty() && !self.is_promoted)
    }

    pub(super) fn hand_out(&mut self, log: &Log) {
        if log.starts_with(&self.longest) {
            self.longest.clone_from(log);
        } else if !self.longest.starts_with(log) {
            self.is_forked = true;
        }
    }

    /// Answers the callers of a replica's last batch, unless they have their answer.
    pub(super) fn tell(&mut self, replica: usize, answer: Told) {
        let begun = usize::from(self.replicas[replica].batches);
        if let Some(told @ Told::Nothing) = self.told[replica][..begun].last_mut() {
            *told = answer;
        }
    }

    pub(super) fn conclude(&mut self, replica: usize, landed: bool) {
        self.replicas[replica].is_in_doubt = false;
        self.tell(replica, if landed { Told::Appended } else { Told::Refused });
        if landed {
            let signed = self.replicas[replica].signed.clone();
            self.hand_out(&signed);
        }
    }

    /// Takes a transaction off its node, and its replica from its wait. Returns its work, and whether a replica waited.
    pub(super) fn end(&mut self, name: NodeName, at: usize) -> (Transaction, bool) {
        let transaction = self.node_mut(name).open.remove(at);
        if transaction.is_attached {
            self.replicas[transaction.replica].waits_on = None;
        }
        let is_attached = transaction.is_attached;
        (transaction, is_attached)
    }

    pub(super) fn acknowledged(&mut self, replica: usize, work: Work) {
        match work {
            Work::Append { .. } => self.conclude(replica, true),
            Work::Resolve { landed } => self.conclude(replica, landed),
        }
    }

    pub(super) fn unknown(&mut self, replica: usize, work: &Work, guards: Guards) {
        if let Work::Append { .. } = work {
            match guards.doubt {
                Doubt::ReadToken => self.replicas[replica].is_in_doubt = true,
                Doubt::AssumeLanded => self.conclude(replica, true),
                Doubt::AssumeFailed => self.conclude(replica, false),
            }
        }
    }

    pub(super) fn lose_connection(&mut self, replica: usize, guards: Guards) {
        let Some(name) = self.replicas[replica].waits_on.take() else { return };
        let mine =
            self.node_mut(name).open.iter_mut().find(|open| open.is_attached && open.replica == replica);
        if let Some(transaction) = mine {
            transaction.is_attached = false;
            let work = transaction.work.clone();
            self.unknown(replica, &work, guards);
        }
        // Nothing depends on what becomes of a resolution that nobody waits for.
        let node = self.node_mut(name);
        node.open.retain(|open| open.is_attached || matches!(open.work, Work::Append { .. }));
    }

    pub(super) fn send(&mut self, replica: usize, name: NodeName, work: Work) {
        self.replicas[replica].waits_on = Some(name);
        self.node_mut(name).open.push(Transaction { replica, is_attached: true, work, flushed: None });
    }

    /// The records that count as durable: those of the standby, also after it has become the primary.
    pub(super) fn durable(&self) -> &Log {
        &self.new.rows.head
    }

    pub(super) fn records(&self, answer: Told) -> impl Iterator<Item = u8> {
        self.told.iter().enumerate().flat_map(move |(replica, told)| {
            (1..)
                .zip(told)
                .filter(move |(_, told)| **told == answer)
                .map(move |(batch, _)| record(replica, batch))
        })
    }
}
