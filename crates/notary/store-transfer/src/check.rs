//! The check of a store's rows as they pass by: leaves, receipts, signatures and the checkpoint.
//!
//! Two trees are built, of the leaves as they are stored, and of the log entries that the receipts give. Both must have the
//! root of the signed checkpoint, so each receipt is the one of its leaf. Neither takes more memory than its right edge.

use std::collections::BTreeMap;

use receipt::hash::{ReceiptHash, sha256};
use receipt::history::{KEY_CLASS, KeyHistory};
use receipt::json::{self, Json};
use receipt::sign::log_entry;
use receipt::time::Timestamp;
use sha2::{Digest as _, Sha256};
use tlog::tile::{FULL_WIDTH, decode_bundle};
use tlog::{Checkpoint, FullTile, Hash, RightEdge, VerifierKey, leaf_hash};

use crate::error::{Result, TransferError};
use crate::keys::NotaryKeys;
use crate::store::Head;
use crate::tables::{ERASED, IDENTITY, LEAVES, RECEIPTS, Table};
use crate::value::Value;

/// What was found sound.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The SHA-256 over all rows that are copied: equal for two stores with the same content.
    pub digest: [u8; 32],
    /// The number of leaves, each with its receipt.
    pub leaves: u64,
    /// The roots at the sizes that were asked for, as far as the log has them.
    pub(crate) roots: BTreeMap<u64, Hash>,
    /// The right edge of the tree.
    pub(crate) edge: RightEdge,
    /// The history of the notary's keys, as the receipts about them tell it; empty where they contradict one another.
    pub(crate) history: KeyHistory,
}

/// The check of one store.
pub(crate) struct Check<'k> {
    /// `None` where the receipts' signatures are not checked.
    keys: Option<&'k NotaryKeys>,
    head: Head,
    is_bound: bool,
    leaves: RightEdge,
    receipts: RightEdge,
    latest: i64,
    /// The receipts that were erased, less the rows of the table about them.
    erased: i64,
    /// The sizes that are asked for, and the roots that were found.
    roots: BTreeMap<u64, Option<Hash>>,
    digest: Sha256,
    row: Vec<u8>,
    /// `None` once a record of a key has broken the rules.
    history: Option<KeyHistory>,
}

impl<'k> Check<'k> {
    pub(crate) fn new(
        keys: Option<&'k NotaryKeys>,
        head: Head,
        sizes: impl IntoIterator<Item = u64>,
    ) -> Self {
        let (leaves, receipts) = (RightEdge::new(), RightEdge::new());
        let roots = sizes.into_iter().map(|size| (size, (size == 0).then_some(tlog::EMPTY_ROOT))).collect();
        Self {
            keys,
            head,
            is_bound: false,
            leaves,
            receipts,
            latest: i64::MIN,
            erased: 0,
            roots,
            digest: Sha256::new(),
            row: Vec::new(),
            history: Some(KeyHistory::default()),
        }
    }

    /// Checks the next row of a table. Returns the tiles that it fills.
    pub(crate) fn row(&mut self, table: &Table, row: &[Value]) -> Result<Vec<FullTile>> {
        self.row.clear();
        for value in row {
            value.write(&mut self.row)?;
        }
        self.digest.update(table.name.as_bytes());
        self.digest.update((self.row.len() as u64).to_be_bytes());
        self.digest.update(&self.row);
        match (table.name, row) {
            (IDENTITY, [receipt_kid, log_vkey, ..]) => {
                self.identity(receipt_kid.text()?, log_vkey.text()?)?
            }
            (LEAVES, [leaf, width, entries]) => {
                return self.run(leaf.unsigned()?, width.unsigned()?, entries.bytes()?);
            }
            (RECEIPTS, [leaf, key, hash, signature, payload]) => {
                let (leaf, key) = (leaf.unsigned()?, key.int()?);
                let (hash, signature, payload) = (hash.bytes()?, signature.bytes()?, payload.bytes()?);
                let checked = self.receipt((leaf, key), hash, signature, payload);
                checked.map_err(|error| match error {
                    TransferError::Unsound(why) => TransferError::Unsound(format!("leaf {leaf}: {why}")),
                    other => other,
                })?;
            }
            (ERASED, _) => self.erased -= 1,
            ("blobs", [address, bytes]) | ("shared_chunks", [address, bytes, _])
                if sha256(bytes.bytes()?) != address.bytes()? =>
            {
                return Err(TransferError::unsound(format!("a row of {} has other bytes", table.name)));
            }
            _ => {}
        }
        Ok(Vec::new())
    }

    /// The keys that the store is bound to, and the signature of its checkpoint.
    fn identity(&mut self, receipt_kid: &str, log_vkey: &str) -> Result<()> {
        if let Some(keys) = self.keys {
            keys.check_identity(receipt_kid, log_vkey)?;
        }
        let unsound = |why: &dyn std::fmt::Display| TransferError::unsound(format!("its checkpoint: {why}"));
        let log_keys: std::result::Result<Vec<VerifierKey>, tlog::KeyError> =
            log_vkey.split(' ').map(str::parse).collect();
        let log_keys = log_keys.map_err(|error| unsound(&error))?;
        let signed = Checkpoint::open(&self.head.checkpoint, &log_keys).map_err(|error| unsound(&error))?;
        if (signed.size(), signed.root()) != (self.head.size, self.head.root) {
            return Err(unsound(&"it is of another size or root than its head"));
        }
        self.is_bound = true;
        Ok(())
    }

    /// Entries of the log from a leaf on.
    fn run(&mut self, leaf: u64, width: u64, entries: &[u8]) -> Result<Vec<FullTile>> {
        if leaf != self.leaves.size() {
            return Err(TransferError::unsound(format!("leaf {} is missing", self.leaves.size())));
        }
        let entries = decode_bundle(entries)
            .map_err(|error| TransferError::unsound(format!("the entries from leaf {leaf} on: {error}")))?;
        let room = u64::from(FULL_WIDTH) - leaf % u64::from(FULL_WIDTH);
        if entries.len() as u64 != width || width > room {
            return Err(TransferError::unsound(format!(
                "the run of entries from leaf {leaf} on has another width"
            )));
        }
        let mut full = Vec::new();
        for entry in entries {
            full.extend(self.leaves.append(leaf_hash(entry)));
            let size = self.leaves.size();
            if let Some(root) = self.roots.get_mut(&size) {
                *root = Some(self.leaves.root());
            }
        }
        Ok(full)
    }

    fn receipt(
        &mut self,
        (leaf, key): (u64, i64),
        hash: &[u8],
        signature: &[u8],
        payload: &[u8],
    ) -> Result<()> {
        if leaf != self.receipts.size() {
            return Err(TransferError::unsound(format!(
                "the receipt of leaf {} is missing",
                self.receipts.size()
            )));
        }
        if signature.is_empty() {
            return self.erased_receipt(key, hash, payload);
        }
        let computed = ReceiptHash::of_payload(payload);
        if computed.as_bytes() != hash || hash.first_chunk().copied().map(i64::from_be_bytes) != Some(key) {
            return Err(TransferError::unsound("the receipt's hash is not that of its payload"));
        }
        let document = json::parse(payload).map_err(|error| TransferError::unsound(error.to_string()))?;
        let member = |name: &str| document.get(name).and_then(Json::as_str);
        let named = |name: &str| {
            member(name).ok_or_else(|| TransferError::unsound(format!("the receipt has no `{name}`")))
        };
        let (class, kid) = (named("class")?, named("kid")?);
        let signed_at: Timestamp = named("signed_at")?
            .parse()
            .map_err(|_| TransferError::unsound("the receipt's signed_at is no time"))?;
        let reference = member("ref").map(str::parse::<ReceiptHash>).transpose();
        let reference = reference.map_err(|_| TransferError::unsound("the receipt's ref is no hash"))?;
        if let Some(keys) = self.keys {
            keys.check_signature(kid, payload, signature)?;
        }
        if class == KEY_CLASS {
            self.key_record(leaf, payload, signature);
        }
        let entry = log_entry(class, &computed, kid, signed_at, reference.as_ref());
        self.receipts.append(leaf_hash(&entry));
        self.latest = self.latest.max(signed_at.as_millis());
        Ok(())
    }

    /// A record of a key.
    fn key_record(&mut self, leaf: u64, payload: &[u8], signature: &[u8]) {
        let Some(history) = &mut self.history else { return };
        let added = signature.try_into().is_ok_and(|signature| history.add(leaf, payload, signature).is_ok());
        if !added {
            self.history = None;
        }
    }

    /// A receipt that was erased, of which its log entry is left.
    fn erased_receipt(&mut self, key: i64, hash: &[u8], entry: &[u8]) -> Result<()> {
        let other = || TransferError::unsound("the log entry of an erased receipt is not its own");
        let document = json::parse(entry).map_err(|_| other())?;
        let member = |name: &str| document.get(name).and_then(Json::as_str).ok_or_else(other);
        let bytes: [u8; 32] = hash.try_into().map_err(|_| other())?;
        let is_its_own = member("h")? == ReceiptHash(ReceiptHash(bytes).log_id()).to_string()
            && hash.first_chunk().copied().map(i64::from_be_bytes) == Some(key);
        if !is_its_own {
            return Err(other());
        }
        let signed_at: Timestamp = member("t")?.parse().map_err(|_| other())?;
        self.receipts.append(leaf_hash(entry));
        self.latest = self.latest.max(signed_at.as_millis());
        self.erased += 1;
        Ok(())
    }

    /// Ends the check: all rows have passed by.
    pub(crate) fn end(mut self) -> Result<Checked> {
        let Head { size, root, latest, .. } = self.head;
        if !self.is_bound {
            return Err(TransferError::unsound("it is bound to no keys"));
        }
        if self.erased != 0 {
            return Err(TransferError::unsound(
                "the receipts that were erased are not those that it says were",
            ));
        }
        for (what, tree) in [("leaves", &self.leaves), ("receipts", &self.receipts)] {
            if (tree.size(), tree.root()) != (size, root) {
                let (found, has) = (tree.root(), tree.size());
                return Err(TransferError::unsound(format!(
                    "its checkpoint is over {size} leaves with the root {root}, and its {what} are {has} with {found}"
                )));
            }
        }
        if self.latest > latest {
            return Err(TransferError::unsound("a receipt is newer than the newest that the head knows of"));
        }
        for part in
            [size.to_be_bytes().as_slice(), &root.0, &latest.to_be_bytes(), self.head.checkpoint.as_bytes()]
        {
            self.digest.update(part);
        }
        let roots = self.roots.into_iter().filter_map(|(size, root)| Some((size, root?))).collect();
        Ok(Checked {
            digest: self.digest.finalize().into(),
            leaves: size,
            roots,
            edge: self.leaves,
            history: self.history.unwrap_or_default(),
        })
    }
}
