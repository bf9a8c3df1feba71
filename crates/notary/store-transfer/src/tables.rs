//! All tables of a store, in the order in which they are copied. A test holds the list against the schemas of both back
//! ends, so a table or a column that is added there must be added here, or be named as one that is not copied.

/// The type of a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A number.
    Int,
    /// A text.
    Text,
    /// Bytes.
    Bytes,
}

/// A column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    pub kind: Kind,
    /// True if it may be empty.
    pub is_optional: bool,
}

impl Column {
    const fn or_none(self) -> Self {
        Self { is_optional: true, ..self }
    }
}

const fn int(name: &'static str) -> Column {
    Column { name, kind: Kind::Int, is_optional: false }
}

const fn text(name: &'static str) -> Column {
    Column { name, kind: Kind::Text, is_optional: false }
}

const fn bytes(name: &'static str) -> Column {
    Column { name, kind: Kind::Bytes, is_optional: false }
}

/// The form of a table in a store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// A table of this name in both back ends.
    Plain,
    /// A table of one row, whose key is not copied: `only` on SQLite, `only_one` on PostgreSQL.
    OneRow,
    /// Rows of the table `days`, which SQLite has for two: those where one of these columns is not 0.
    OfDays,
    /// The last numbers given, which SQLite keeps by itself.
    Numbers,
}

/// A table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Table {
    /// Its name.
    pub name: &'static str,
    /// Its columns; first those of the key.
    pub columns: &'static [Column],
    /// The number of columns of the key, by which the rows are ordered.
    pub key: usize,
    /// Its form.
    pub form: Form,
}

const fn table(name: &'static str, key: usize, columns: &'static [Column]) -> Table {
    Table { name, columns, key, form: Form::Plain }
}

/// The names of the last numbers given that both back ends keep. Those of the other tables are the greatest number that is
/// there: on SQLite they are given so.
pub(crate) const NUMBERS: [&str; 3] = ["claims", "grants", "shared_files"];
/// The tables whose numbers PostgreSQL keeps too, and SQLite does not.
pub(crate) const COUNTED: [&str; 4] = ["alerts", "refunds", "trials", "watches"];

pub(crate) const LEAVES: &str = "leaves";
pub(crate) const RECEIPTS: &str = "receipts";
pub(crate) const IDENTITY: &str = "identity";
pub(crate) const ERASED: &str = "erased";
const RETENTION: &str = "retention";
const COSIGNED: &str = "cosigned";
const STAMPED: &str = "stamped";
const LOGGED_STAMPS: &str = "logged_stamps";
const KEY_RECORDS: &str = "key_records";
const KEPT_LONGER: &str = "kept_longer";
const ASKED_ERASURES: &str = "asked_erasures";
/// The tables that backups have from a version on.
pub(crate) const SINCE_VERSION: &[(u32, &[&str])] = &[
    (2, &[RETENTION, KEPT_LONGER, ERASED, ASKED_ERASURES, COSIGNED, KEY_RECORDS]),
    (3, &[STAMPED]),
    (4, &[LOGGED_STAMPS]),
];

/// All tables that are copied.
pub const TABLES: &[Table] = &[
    Table {
        name: IDENTITY,
        columns: &[
            text("receipt_kid"),
            text("log_vkey"),
            text("rerun_kid").or_none(),
            text("webhook_key").or_none(),
            text("prices").or_none(),
        ],
        key: 0,
        form: Form::OneRow,
    },
    table(LEAVES, 1, &[int("leaf"), int("width"), bytes("entries")]),
    table(RECEIPTS, 1, &[int("leaf"), int("key"), bytes("hash"), bytes("signature"), bytes("payload")]),
    table("requests", 1, &[int("leaf"), bytes("body"), int("judged_at")]),
    table("evidence", 2, &[int("leaf"), int("position"), text("role"), bytes("sha256")]),
    table("blobs", 1, &[bytes("sha256"), bytes("bytes")]),
    table(KEY_RECORDS, 1, &[int("leaf"), text("mark")]),
    table("counts", 1, &[text("class"), int("free"), int("paid")]),
    Table {
        name: "days",
        columns: &[int("day"), text("class"), int("free"), int("paid")],
        key: 2,
        form: Form::OfDays,
    },
    Table {
        name: "incomes",
        columns: &[int("day"), text("class"), int("income")],
        key: 2,
        form: Form::OfDays,
    },
    table("counters", 1, &[bytes("key"), int("receipts")]),
    table("memories", 1, &[bytes("key"), text("text"), int("at")]),
    table("uses", 2, &[int("day"), bytes("id"), int("amount")]),
    table(
        "trials",
        1,
        &[
            int("id"),
            text("request_id"),
            text("agent"),
            text("endpoint").or_none(),
            text("contact").or_none(),
            text("reason").or_none(),
            int("at"),
        ],
    ),
    table(
        "claims",
        1,
        &[
            int("id"),
            int("state"),
            bytes("owner"),
            int("lease_until"),
            int("chain_id"),
            bytes("asset").or_none(),
            bytes("payer"),
            bytes("nonce").or_none(),
            bytes("hash").or_none(),
            int("log_index").or_none(),
            text("settlement").or_none(),
            int("settled_at").or_none(),
            bytes("fingerprint"),
            text("class"),
            text("agent"),
            text("symbol"),
            int("amount"),
            int("bond"),
            bytes("about").or_none(),
            text("identifier").or_none(),
            bytes("receipt").or_none(),
            int("leaf").or_none(),
            text("proof").or_none(),
            text("code").or_none(),
            text("detail").or_none(),
        ],
    ),
    table("claim_names", 1, &[bytes("name"), int("claim")]),
    table(
        "claim_works",
        1,
        &[
            int("claim"),
            bytes("proof"),
            bytes("raw").or_none(),
            bytes("finding").or_none(),
            bytes("request").or_none(),
            bytes("redacted_from").or_none(),
            int("judged_at").or_none(),
        ],
    ),
    table(
        "claim_evidence",
        2,
        &[int("claim"), int("position"), text("role"), bytes("bytes").or_none(), bytes("kept").or_none()],
    ),
    table("revenue", 2, &[text("symbol"), text("class"), int("income"), int("bonds")]),
    table("settled", 2, &[text("agent"), int("day"), int("amount")]),
    table("prices", 2, &[text("class"), int("since"), int("amount")]),
    table("local_accounts", 1, &[bytes("account"), int("balance")]),
    table("local_transfers", 1, &[bytes("name"), bytes("payer"), bytes("payee"), int("amount"), int("at")]),
    table(
        "refunds",
        1,
        &[
            int("id"),
            int("claim"),
            int("kind"),
            bytes("dispute"),
            bytes("disputed"),
            int("chain_id"),
            text("symbol"),
            bytes("payee"),
            int("amount"),
            int("state"),
            bytes("origin"),
            int("log_index"),
            bytes("authorization").or_none(),
            text("settlement"),
            bytes("proof").or_none(),
            bytes("raw").or_none(),
            bytes("hash").or_none(),
            int("owed_at"),
            int("paid_at").or_none(),
            bytes("owner").or_none(),
            int("lease_until"),
        ],
    ),
    table("reserve", 3, &[int("chain_id"), text("symbol"), text("settlement"), int("amount")]),
    table(
        "grants",
        1,
        &[
            int("id"),
            text("name"),
            text("agent"),
            text("class").or_none(),
            int("calls"),
            int("period"),
            int("until"),
            text("networks"),
            int("priority"),
            text("request_id").or_none(),
            int("made_at"),
            int("revoked_at").or_none(),
        ],
    ),
    table("grant_uses", 2, &[int("start"), int("grant_id"), int("calls")]),
    table(
        "watches",
        1,
        &[
            int("id"),
            bytes("key"),
            text("agent"),
            text("class"),
            int("leaf"),
            bytes("receipt"),
            bytes("holder").or_none(),
            bytes("wide_network").or_none(),
            int("until"),
            int("ended_at").or_none(),
            text("webhook").or_none(),
            text("host").or_none(),
            int("gone_at").or_none(),
            text("verdict"),
            text("snapshots"),
            bytes("edition"),
            int("screened_at"),
            bytes("owner").or_none(),
            int("lease_until"),
        ],
    ),
    table(
        "alerts",
        1,
        &[
            int("id"),
            int("watch"),
            int("leaf"),
            bytes("receipt"),
            text("verdict"),
            int("at"),
            int("state").or_none(),
            text("host").or_none(),
            text("agent").or_none(),
            int("attempts"),
            int("due_at"),
            text("error").or_none(),
        ],
    ),
    table("webhook_hosts", 1, &[text("host"), int("due_at")]),
    table(
        "webhook_lanes",
        2,
        &[text("host"), text("agent"), int("due_at"), bytes("owner").or_none(), int("lease_until")],
    ),
    table(COSIGNED, 1, &[int("size"), bytes("root"), text("note"), int("at")]),
    table(STAMPED, 1, &[int("size"), bytes("root"), text("note"), bytes("answer"), int("at")]),
    table(LOGGED_STAMPS, 1, &[int("leaf"), int("size"), bytes("hash")]),
    Table { name: RETENTION, columns: &[int("next_leaf")], key: 0, form: Form::OneRow },
    table(KEPT_LONGER, 1, &[int("leaf"), text("class"), int("signed_at"), int("due_at")]),
    table(ERASED, 1, &[int("leaf"), bytes("logged_by"), int("at")]),
    table(
        ASKED_ERASURES,
        1,
        &[
            bytes("hash"),
            text("reason").or_none(),
            int("asked_at"),
            int("state"),
            int("ended_at").or_none(),
            bytes("logged_by").or_none(),
            int("shared").or_none(),
            text("why").or_none(),
        ],
    ),
    table("shared_values", 1, &[text("name"), int("version"), bytes("bytes")]),
    table("shared_notes", 2, &[text("kind"), bytes("key"), bytes("bytes"), int("until")]),
    table(
        "shared_files",
        2,
        &[text("folder"), text("path"), int("version"), bytes("sha256").or_none(), int("length")],
    ),
    table("shared_parts", 3, &[text("folder"), text("path"), int("position"), bytes("sha256")]),
    table("shared_chunks", 1, &[bytes("sha256"), bytes("bytes"), int("at")]),
    Table { name: "numbers", columns: &[text("name"), int("last")], key: 1, form: Form::Numbers },
];

/// Full tiles, which are made from the leaves.
pub(crate) const TILES: Table =
    table("tiles", 2, &[int("level"), int("number"), bytes("upper"), bytes("hashes")]);
/// Groups of tile level 0, which are made from the leaves.
pub(crate) const GROUPS: Table = table("groups", 1, &[int("number"), bytes("nodes")]);

/// Tables that are not copied, each with the reason. A name that one back end does not have is the other's alone.
pub const NOT_COPIED: &[(&str, &str)] = &[
    ("tiles", "made from the leaves"),
    ("groups", "made from the leaves"),
    ("edge", "made from the leaves"),
    ("keys", "made from the receipts"),
    ("head", "written last, with which the copy becomes a store"),
    ("mark", "of this very store"),
    ("schema_version", "of this very store"),
    ("locks", "rows to lock, which every store has"),
    ("writers", "of processes that have the store open"),
    ("replicas", "of processes that have the store open"),
    ("epochs", "of processes that have the store open"),
    ("reserved", "given back when the process that holds them ends"),
    ("hits", "of the last minute"),
    ("shared_leases", "of processes that have the store open"),
    ("watched_days", "of replicas with lists of several days; the next screening makes it again"),
    ("sqlite_sequence", "copied as `numbers`"),
];
