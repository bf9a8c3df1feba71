-- The log stands by itself (head, leaves, tiles); receipts, requests and evidence can be separated from it.

-- Who signs: a store is bound to the keys that it was made with.
CREATE TABLE identity (
    only        INTEGER PRIMARY KEY CHECK (only = 1),
    receipt_kid TEXT NOT NULL,
    log_vkey    TEXT NOT NULL
) STRICT;

-- The newest durable head of the log; the checkpoint is the signed note as published.
CREATE TABLE head (
    only       INTEGER PRIMARY KEY CHECK (only = 1),
    size       INTEGER NOT NULL,
    root       BLOB NOT NULL,
    latest     INTEGER NOT NULL, -- the greatest signed_at in the tree, milliseconds since 1970
    checkpoint TEXT NOT NULL,
    indexed    INTEGER NOT NULL, -- the leaves below this have their receipts' keys in `keys`
    batch      INTEGER NOT NULL  -- transactions so far: by it a COMMIT of unknown outcome is found to have landed
) STRICT;

-- Log entries as hashed into the tree: runs of them from `leaf` on, each a part of one entry bundle and in its form.
CREATE TABLE leaves (
    leaf    INTEGER PRIMARY KEY,
    width   INTEGER NOT NULL,
    entries BLOB NOT NULL
) STRICT;

-- Full tiles. Partial tiles are the right edge and live in memory. So that no proof hashes anything, inner nodes
-- are stored too: 16 hashes make a group, and a group's nodes are the hashes and the 15 nodes above them, height by
-- height. `upper` has the nodes over a tile's 16 groups; it stands first, to be read without the hashes.
CREATE TABLE tiles (
    level  INTEGER NOT NULL,
    number INTEGER NOT NULL,
    upper  BLOB NOT NULL,
    hashes BLOB NOT NULL, -- 256, as served
    PRIMARY KEY (level, number)
) STRICT;

-- The groups of tile level 0: group n begins at leaf 16 n.
CREATE TABLE groups (
    number INTEGER PRIMARY KEY,
    nodes  BLOB NOT NULL
) STRICT;

-- The key is the first 8 bytes of the hash, as a signed integer. Keys get into their table some time later.
CREATE TABLE receipts (
    leaf      INTEGER PRIMARY KEY,
    key       INTEGER NOT NULL,
    hash      BLOB NOT NULL,
    signature BLOB NOT NULL,
    payload   BLOB NOT NULL
) STRICT;
CREATE TABLE keys (
    key  INTEGER PRIMARY KEY,
    leaf INTEGER NOT NULL
) STRICT;

-- The request in canonical form: its SHA-256 is the payload's request_hash.
CREATE TABLE requests (
    leaf      INTEGER PRIMARY KEY,
    body      BLOB NOT NULL,
    judged_at INTEGER NOT NULL -- the time that the judge was given, milliseconds since 1970
) STRICT;

-- Which blobs a receipt was found on, and the blobs, each kept once. A blob may be removed, or be kept by the judge
-- itself; its address stays.
CREATE TABLE evidence (
    leaf     INTEGER NOT NULL,
    position INTEGER NOT NULL,
    role     TEXT NOT NULL,
    sha256   BLOB NOT NULL,
    PRIMARY KEY (leaf, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE blobs (
    id     INTEGER PRIMARY KEY,
    sha256 BLOB NOT NULL UNIQUE,
    bytes  BLOB NOT NULL
) STRICT;

-- Receipts by class, so that /stats never counts rows.
CREATE TABLE counts (
    class TEXT PRIMARY KEY,
    free  INTEGER NOT NULL,
    paid  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Free calls used up: days since 1970-01-01 UTC.
CREATE TABLE used (
    day   INTEGER NOT NULL,
    class TEXT NOT NULL,
    agent TEXT NOT NULL,
    calls INTEGER NOT NULL,
    PRIMARY KEY (day, class, agent)
) STRICT, WITHOUT ROWID;

CREATE TABLE trials (
    id         INTEGER PRIMARY KEY,
    request_id TEXT NOT NULL,
    agent      TEXT NOT NULL,
    endpoint   TEXT,
    contact    TEXT,
    reason     TEXT,
    at         INTEGER NOT NULL
) STRICT;

-- Payment claims. One by an authorization has a nonce; one by a transaction has none, and the transfer that it is by
-- from the start. A freed claim is gone, and its number is not given again.
CREATE TABLE claims (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    state       INTEGER NOT NULL, -- 0 claimed, 1 judged, 2 broadcast, 3 settled; 4 delivered, 5 failed
    owner       BLOB NOT NULL,    -- 16 bytes
    lease_until INTEGER NOT NULL, -- milliseconds since 1970
    chain_id    INTEGER NOT NULL,
    asset       BLOB,             -- 20 bytes
    payer       BLOB NOT NULL,    -- 20 bytes
    nonce       BLOB,             -- 32 bytes
    hash        BLOB,             -- the transaction's: as prepared, or as settled
    log_index   INTEGER,
    settlement  TEXT,             -- who settled, once it has
    fingerprint BLOB NOT NULL,
    class       TEXT NOT NULL,
    agent       TEXT NOT NULL,
    symbol      TEXT NOT NULL,
    amount      INTEGER NOT NULL, -- atomic units
    bond        INTEGER NOT NULL, -- 1 a bond, 2 one that settled too late to be a dispute
    about       BLOB,             -- the hash of the receipt that it disputes (a bond), or takes the place of
    identifier  TEXT,
    receipt     BLOB,             -- the receipt's hash, once delivered
    leaf        INTEGER,
    proof       TEXT,             -- the receipt's, as first answered
    code        TEXT,             -- why it failed
    detail      TEXT
) STRICT;
CREATE INDEX unfinished ON claims (lease_until) WHERE state < 4;
-- What there is about a receipt, disputes first. A claim that has failed is about nothing any more.
CREATE INDEX about ON claims (about, bond, payer) WHERE about IS NOT NULL AND state < 5;
-- Whose receipt a leaf is of.
CREATE UNIQUE INDEX delivered ON claims (leaf) WHERE leaf IS NOT NULL;

-- What claims are unique by, each the first 16 bytes of a SHA-256: a proof's key, a payment identifier, and the
-- transfer by which it was settled. A claim by a transaction is also found by its transaction and payer alone.
CREATE TABLE claim_names (
    name  BLOB PRIMARY KEY,
    claim INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What is needed to go on with a claim; gone once it is delivered or has failed.
CREATE TABLE claim_works (
    claim     INTEGER PRIMARY KEY,
    proof     BLOB NOT NULL,
    raw       BLOB,    -- what was prepared last
    finding   BLOB,
    request   BLOB,    -- of a bond from the start
    judged_at INTEGER  -- milliseconds since 1970; until there is a finding, when the request came
) STRICT;
CREATE TABLE claim_evidence (
    claim    INTEGER NOT NULL,
    position INTEGER NOT NULL,
    role     TEXT NOT NULL,
    bytes    BLOB,
    kept     BLOB, -- instead of bytes: the SHA-256 of what the judge keeps itself
    PRIMARY KEY (claim, position)
) STRICT, WITHOUT ROWID;

-- Settled payments in atomic units, by token and class; and by agent and day (since 1970-01-01 UTC) without bonds.
CREATE TABLE revenue (
    symbol TEXT NOT NULL,
    class  TEXT NOT NULL,
    income INTEGER NOT NULL,
    bonds  INTEGER NOT NULL,
    PRIMARY KEY (symbol, class)
) STRICT, WITHOUT ROWID;
CREATE TABLE settled (
    agent  TEXT NOT NULL,
    day    INTEGER NOT NULL,
    amount INTEGER NOT NULL,
    PRIMARY KEY (agent, day)
) STRICT, WITHOUT ROWID;

-- From when on a class had which price. Each holds until the next one.
CREATE TABLE prices (
    class  TEXT NOT NULL,
    since  INTEGER NOT NULL, -- milliseconds since 1970
    amount INTEGER NOT NULL, -- atomic units
    PRIMARY KEY (class, since)
) STRICT, WITHOUT ROWID;

-- The development profile's own money, and where it went.
CREATE TABLE local_accounts (
    account BLOB PRIMARY KEY,
    balance INTEGER NOT NULL CHECK (balance >= 0)
) STRICT, WITHOUT ROWID;
CREATE TABLE local_transfers (
    name   BLOB PRIMARY KEY, -- as in claim_names: a transfer of a claim has its name there, too
    payer  BLOB NOT NULL,
    payee  BLOB NOT NULL,
    amount INTEGER NOT NULL, -- atomic units
    at     INTEGER NOT NULL  -- milliseconds since 1970
) STRICT, WITHOUT ROWID;

-- What is owed to somebody since a dispute has ended. Whatever is disputed how often, a claim's money is owed back
-- once: as the bond or the bounty of the dispute's own claim, or as the fee of the claim that was disputed.
CREATE TABLE refunds (
    id          INTEGER PRIMARY KEY,
    claim       INTEGER NOT NULL,
    kind        INTEGER NOT NULL, -- 0 bond, 1 fee, 2 bounty
    dispute     BLOB NOT NULL,    -- the hash of the receipt that it follows from
    disputed    BLOB NOT NULL,    -- the hash of the receipt that was disputed
    chain_id    INTEGER NOT NULL,
    symbol      TEXT NOT NULL,
    payee       BLOB NOT NULL,    -- 20 bytes
    amount      INTEGER NOT NULL CHECK (amount > 0), -- atomic units
    state       INTEGER NOT NULL, -- 0 owed, 1 sending, 2 paid
    origin      BLOB NOT NULL,    -- the hash of the transaction whose money it gives back, and which of its events
    log_index   INTEGER NOT NULL,
    settlement  TEXT NOT NULL,    -- who settled that
    proof       BLOB,             -- what is broadcast
    raw         BLOB,
    hash        BLOB,             -- the transaction's: as prepared, or as paid
    owed_at     INTEGER NOT NULL, -- milliseconds since 1970
    paid_at     INTEGER,
    owner       BLOB,             -- 16 bytes; none until somebody works on it
    lease_until INTEGER NOT NULL, -- milliseconds since 1970
    UNIQUE (claim, kind)
) STRICT;
CREATE INDEX unpaid ON refunds (lease_until, id) WHERE state < 2;

-- Forfeited bonds, less the bounties that are owed.
CREATE TABLE reserve (
    chain_id   INTEGER NOT NULL,
    symbol     TEXT NOT NULL,
    settlement TEXT NOT NULL, -- the development profile's own money is none of a chain's
    amount     INTEGER NOT NULL CHECK (amount >= 0), -- atomic units
    PRIMARY KEY (chain_id, symbol, settlement)
) STRICT, WITHOUT ROWID;

-- Calls that an operator has given to an agent; those of the classes with a price where `class` is NULL.
CREATE TABLE grants (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    name       TEXT NOT NULL,
    agent      TEXT NOT NULL,
    class      TEXT,
    calls      INTEGER NOT NULL,
    period     INTEGER NOT NULL, -- 0 day, 1 month
    until      INTEGER NOT NULL, -- milliseconds since 1970, as all times here
    networks   TEXT NOT NULL,    -- with commas between; from anywhere where empty
    priority   INTEGER NOT NULL,
    request_id TEXT,
    made_at    INTEGER NOT NULL,
    revoked_at INTEGER
) STRICT;
CREATE INDEX granted ON grants (agent, until) WHERE revoked_at IS NULL;

-- Granted calls used up: the period's first day, as days since 1970-01-01 UTC.
CREATE TABLE grant_uses (
    start    INTEGER NOT NULL,
    grant_id INTEGER NOT NULL,
    calls    INTEGER NOT NULL,
    PRIMARY KEY (start, grant_id)
) STRICT, WITHOUT ROWID;

-- What is screened anew whenever a list changes: the request of the receipt at `leaf`. Ended ones are forgotten later.
CREATE TABLE watches (
    id          INTEGER PRIMARY KEY,
    key         BLOB NOT NULL UNIQUE, -- the SHA-256 of the id that its agent holds
    agent       TEXT NOT NULL,
    class       TEXT NOT NULL,    -- whose judge screens it
    leaf        INTEGER NOT NULL, -- of the receipt that it was opened by
    receipt     BLOB NOT NULL,    -- that receipt's hash
    until       INTEGER NOT NULL, -- milliseconds since 1970, as all times here
    ended_at    INTEGER,
    webhook     TEXT,
    host        TEXT,             -- the webhook's
    gone_at     INTEGER,          -- since when the webhook says that it is gone
    verdict     TEXT NOT NULL,    -- as found last
    snapshots   TEXT NOT NULL,    -- the ids of those that were looked at, with spaces between
    edition     BLOB NOT NULL,    -- their SHA-256
    screened_at INTEGER NOT NULL,
    owner       BLOB,             -- 16 bytes; none until somebody screens it anew
    lease_until INTEGER NOT NULL
) STRICT;
CREATE INDEX watched ON watches (class, edition) WHERE ended_at IS NULL;
CREATE INDEX watching ON watches (agent, until) WHERE ended_at IS NULL;
CREATE INDEX watched_until ON watches (until) WHERE ended_at IS NULL;
CREATE INDEX watch_ends ON watches (ended_at) WHERE ended_at IS NOT NULL;

-- The receipts that say that a verdict has changed, and how the webhooks stand that tell of them.
CREATE TABLE alerts (
    id       INTEGER PRIMARY KEY,
    watch    INTEGER NOT NULL,
    leaf     INTEGER NOT NULL,
    receipt  BLOB NOT NULL,
    verdict  TEXT NOT NULL,
    at       INTEGER NOT NULL,
    state    INTEGER,          -- 0 waiting, 1 delivered, 2 failed, 3 dropped; none without a webhook
    host     TEXT,
    agent    TEXT,             -- the watch's, where there is a webhook
    attempts INTEGER NOT NULL,
    due_at   INTEGER NOT NULL, -- when it is sent next; when it was sent last, once it waits no more
    error    TEXT
) STRICT;
CREATE INDEX alerts_of ON alerts (watch, id);
CREATE INDEX waiting ON alerts (host, agent, due_at, id) WHERE state = 0;

-- The hosts that webhooks wait for.
CREATE TABLE webhook_hosts (
    host   TEXT PRIMARY KEY,
    due_at INTEGER NOT NULL -- when it is looked at next
) STRICT, WITHOUT ROWID;
CREATE INDEX webhooks_due ON webhook_hosts (due_at);

-- What waits there of one agent: a lane, which is sent one at a time.
CREATE TABLE webhook_lanes (
    host        TEXT NOT NULL,
    agent       TEXT NOT NULL,
    due_at      INTEGER NOT NULL,
    owner       BLOB,             -- who sends to it
    lease_until INTEGER NOT NULL, -- 0 where nobody does
    PRIMARY KEY (host, agent)
) STRICT, WITHOUT ROWID;
CREATE INDEX lanes_free ON webhook_lanes (host, due_at, agent) WHERE lease_until = 0;
CREATE INDEX lanes_taken ON webhook_lanes (lease_until) WHERE lease_until > 0;
