-- The log stands by itself (head, edge, leaves, tiles); receipts, requests and evidence can be separated from it.
-- Times are milliseconds since 1970, days are days since 1970-01-01 UTC, amounts are atomic units. Only what PostgreSQL,
-- CockroachDB, YugabyteDB and Citus share is used.

-- Who signs, and for which prices: a store is bound to the keys that it was made with, and all replicas ask for the same.
CREATE TABLE identity (
    only_one    BIGINT PRIMARY KEY CHECK (only_one = 1),
    receipt_kid TEXT NOT NULL,
    log_vkey    TEXT NOT NULL,
    rerun_kid   TEXT,
    webhook_key TEXT,
    prices      TEXT -- a line for each class: its name, a space, the amount
);

-- The processes that have the store open, as each describes itself every second. Times are the store's.
CREATE TABLE replicas (
    replica      BYTEA PRIMARY KEY, -- 16 random bytes
    started_at   BIGINT NOT NULL,
    seen_at      BIGINT NOT NULL,
    head         BIGINT NOT NULL, -- the leaves of the head that it knows
    clock_offset BIGINT NOT NULL, -- the store's clock less its own, in milliseconds
    name         TEXT NOT NULL,
    version      TEXT NOT NULL,
    lists        TEXT NOT NULL,
    health       TEXT NOT NULL,
    prices       TEXT NOT NULL    -- SHA-256 of its price table
);

-- The newest durable head of the log; the checkpoint is the signed note as published. The row is the lock under which the log
-- grows.
CREATE TABLE head (
    only_one   BIGINT PRIMARY KEY CHECK (only_one = 1),
    size       BIGINT NOT NULL,
    root       BYTEA NOT NULL,
    latest     BIGINT NOT NULL, -- the greatest signed_at in the tree
    checkpoint TEXT NOT NULL
);

-- The right edge of the tree of that head: the hashes of its partial tile of each level.
CREATE TABLE edge (
    level  BIGINT PRIMARY KEY,
    hashes BYTEA NOT NULL
);

-- The rows under which all other decisions are made: 'work' and 'admission'.
CREATE TABLE locks (
    name TEXT PRIMARY KEY
);
INSERT INTO locks (name) VALUES ('work'), ('admission');

-- The last transaction of each task that writes: by its token a COMMIT of unknown outcome is found to have landed.
CREATE TABLE writers (
    writer   BYTEA PRIMARY KEY, -- 16 random bytes; with one more where reads are confirmed
    token    BIGINT NOT NULL,
    resolved BIGINT NOT NULL,   -- the number of times that the outcome was asked for
    at       BIGINT NOT NULL    -- when it was written last
);

-- Log entries as hashed into the tree: runs of them from `leaf` on, each a part of one entry bundle and in its form.
CREATE TABLE leaves (
    leaf    BIGINT PRIMARY KEY,
    width   BIGINT NOT NULL,
    entries BYTEA NOT NULL
);

-- Full tiles. So that no proof hashes anything, inner nodes are stored too: 16 hashes make a group, and a group's nodes are the
-- hashes and the 15 nodes above them, height by height. `upper` has the nodes over a tile's 16 groups.
CREATE TABLE tiles (
    level  BIGINT NOT NULL,
    number BIGINT NOT NULL,
    upper  BYTEA NOT NULL,
    hashes BYTEA NOT NULL, -- 256, as served
    PRIMARY KEY (level, number)
);

-- The groups of tile level 0: group n begins at leaf 16 n.
CREATE TABLE groups (
    number BIGINT PRIMARY KEY,
    nodes  BYTEA NOT NULL
);

-- The key is the first 8 bytes of the hash, as a signed integer.
CREATE TABLE receipts (
    leaf      BIGINT PRIMARY KEY,
    key       BIGINT NOT NULL UNIQUE,
    hash      BYTEA NOT NULL,
    signature BYTEA NOT NULL,
    payload   BYTEA NOT NULL
);

-- The request in canonical form: its SHA-256 is the payload's request_hash.
CREATE TABLE requests (
    leaf      BIGINT PRIMARY KEY,
    body      BYTEA NOT NULL,
    judged_at BIGINT NOT NULL -- the time that the judge was given
);

-- Which blobs a receipt was found on, and the blobs, each kept once. A blob may be removed, or be kept by the judge itself; its
-- address stays.
CREATE TABLE evidence (
    leaf     BIGINT NOT NULL,
    position BIGINT NOT NULL,
    role     TEXT NOT NULL,
    sha256   BYTEA NOT NULL,
    PRIMARY KEY (leaf, position)
);
CREATE TABLE blobs (
    sha256 BYTEA PRIMARY KEY,
    bytes  BYTEA NOT NULL
);

-- Receipts by class, so that /stats never counts rows; and by UTC day and class, beside the income of the day without bonds.
CREATE TABLE counts (
    class TEXT PRIMARY KEY,
    free  BIGINT NOT NULL,
    paid  BIGINT NOT NULL
);
CREATE TABLE days (
    day    BIGINT NOT NULL,
    class  TEXT NOT NULL,
    free   BIGINT NOT NULL,
    paid   BIGINT NOT NULL,
    PRIMARY KEY (day, class)
);
-- A table of its own: settlements are counted under another lock than receipts.
CREATE TABLE incomes (
    day    BIGINT NOT NULL,
    class  TEXT NOT NULL,
    income BIGINT NOT NULL,
    PRIMARY KEY (day, class)
);

-- Receipts by agent and by subject, of the classes whose receipts say how often both were judged before. Half a SHA-256 stands for
-- either: no name is here.
CREATE TABLE counters (
    key      BYTEA PRIMARY KEY, -- 16 bytes
    receipts BIGINT NOT NULL
);

-- Memories that a class has of a subject, for its later receipts. Half a SHA-256 stands for class and subject.
CREATE TABLE memories (
    key  BYTEA PRIMARY KEY, -- 16 bytes
    text TEXT NOT NULL,
    at   BIGINT NOT NULL    -- the time of the receipt that stored it
);

-- Budgets of a UTC day that receipts have used up: free calls of an agent from a network, free calls and stored bytes of a network.
-- By half a SHA-256, so that no network stands here in the clear.
CREATE TABLE uses (
    day    BIGINT NOT NULL,
    id     BYTEA NOT NULL, -- 16 bytes
    amount BIGINT NOT NULL, -- calls, or bytes
    PRIMARY KEY (day, id)
);

-- Reservations of such budgets, and of the calls of grants, by the process that holds them. They end with its epoch, which it
-- renews.
CREATE TABLE epochs (
    epoch       BYTEA PRIMARY KEY, -- 16 random bytes
    alive_until BIGINT NOT NULL
);
CREATE TABLE reserved (
    start  BIGINT NOT NULL, -- the day, or the first day of a grant's period
    id     BYTEA NOT NULL,  -- 16 bytes
    epoch  BYTEA NOT NULL,
    amount BIGINT NOT NULL,
    PRIMARY KEY (start, id, epoch)
);
CREATE INDEX reserved_by ON reserved (epoch);

-- Rate limits: the hits of a key within the last minute.
CREATE TABLE hits (
    key     BYTEA PRIMARY KEY, -- 16 bytes
    kind    BIGINT NOT NULL,   -- 0 an agent or payer, 1 a network
    grp     BIGINT NOT NULL,   -- by which keys are removed from a full table
    newest  BIGINT NOT NULL,   -- the time of the newest hit
    times   BYTEA NOT NULL     -- the time of each hit, 8 bytes big-endian each, the oldest first
);
CREATE INDEX hits_by_age ON hits (newest);

CREATE TABLE trials (
    id         BIGINT PRIMARY KEY,
    request_id TEXT NOT NULL,
    agent      TEXT NOT NULL,
    endpoint   TEXT,
    contact    TEXT,
    reason     TEXT,
    at         BIGINT NOT NULL
);

-- Payment claims. One by an authorization has a nonce; one by a transaction has none, and the transfer that it is by from the
-- start. A freed claim is gone, and its number is not given again: `numbers` has the last number given.
CREATE TABLE numbers (
    name TEXT PRIMARY KEY,
    last BIGINT NOT NULL
);
INSERT INTO numbers (name, last) VALUES ('claims', 0), ('refunds', 0), ('grants', 0), ('watches', 0), ('alerts', 0), ('trials', 0),
    ('shared_files', 0);
CREATE TABLE claims (
    id          BIGINT PRIMARY KEY,
    state       BIGINT NOT NULL, -- 0 claimed, 1 judged, 2 broadcast, 3 settled; 4 delivered, 5 failed
    owner       BYTEA NOT NULL,  -- 16 bytes
    lease_until BIGINT NOT NULL, -- in the store's time
    chain_id    BIGINT NOT NULL,
    asset       BYTEA,           -- 20 bytes
    payer       BYTEA NOT NULL,  -- 20 bytes
    nonce       BYTEA,           -- 32 bytes
    hash        BYTEA,           -- the transaction's: as prepared, or as settled
    log_index   BIGINT,
    settlement  TEXT,            -- who settled, once it has
    settled_at  BIGINT,
    fingerprint BYTEA NOT NULL,
    class       TEXT NOT NULL,
    agent       TEXT NOT NULL,
    symbol      TEXT NOT NULL,
    amount      BIGINT NOT NULL,
    bond        BIGINT NOT NULL, -- 1 a bond, 2 one that settled too late to be a dispute
    about       BYTEA,           -- the hash of the receipt that it disputes (a bond), or takes the place of
    identifier  TEXT,
    receipt     BYTEA,           -- the receipt's hash, once delivered
    leaf        BIGINT,
    proof       TEXT,            -- the receipt's, as first answered
    code        TEXT,            -- why it failed
    detail      TEXT
);
CREATE INDEX unfinished_by_payer ON claims (payer) WHERE state < 4;
-- What there is about a receipt, disputes first. A claim that has failed is about nothing any more.
CREATE INDEX claims_about ON claims (about, bond, payer) WHERE about IS NOT NULL AND state < 5;
-- Whose receipt a leaf is of.
CREATE UNIQUE INDEX delivered ON claims (leaf) WHERE leaf IS NOT NULL;

-- What claims are unique by, each the first 16 bytes of a SHA-256: a proof's key, a payment identifier, and the transfer by which it
-- was settled. A claim by a transaction is also found by its transaction and payer alone.
CREATE TABLE claim_names (
    name  BYTEA PRIMARY KEY,
    claim BIGINT NOT NULL
);

-- What is needed to go on with a claim; gone once it is delivered or has failed.
CREATE TABLE claim_works (
    claim         BIGINT PRIMARY KEY,
    proof         BYTEA NOT NULL,
    raw           BYTEA,  -- what was prepared last
    finding       BYTEA,
    request       BYTEA,  -- of a bond from the start
    redacted_from BYTEA,  -- SHA-256 of the request as it was sent, where it is not stored so
    judged_at     BIGINT  -- until there is a finding, when the request came
);
CREATE TABLE claim_evidence (
    claim    BIGINT NOT NULL,
    position BIGINT NOT NULL,
    role     TEXT NOT NULL,
    bytes    BYTEA,
    kept     BYTEA, -- instead of bytes: the SHA-256 of what the judge keeps itself
    PRIMARY KEY (claim, position)
);

-- Settled payments, by token and class; and by agent and day without bonds. What is owed back is in neither.
CREATE TABLE revenue (
    symbol TEXT NOT NULL,
    class  TEXT NOT NULL,
    income BIGINT NOT NULL,
    bonds  BIGINT NOT NULL,
    PRIMARY KEY (symbol, class)
);
CREATE TABLE settled (
    agent  TEXT NOT NULL,
    day    BIGINT NOT NULL,
    amount BIGINT NOT NULL,
    PRIMARY KEY (agent, day)
);

-- From when on a class had which price. Each holds until the next one.
CREATE TABLE prices (
    class  TEXT NOT NULL,
    since  BIGINT NOT NULL,
    amount BIGINT NOT NULL,
    PRIMARY KEY (class, since)
);

-- The development profile's own money, and where it went.
CREATE TABLE local_accounts (
    account BYTEA PRIMARY KEY,
    balance BIGINT NOT NULL CHECK (balance >= 0)
);
CREATE TABLE local_transfers (
    name   BYTEA PRIMARY KEY, -- as in claim_names: a transfer of a claim has its name there, too
    payer  BYTEA NOT NULL,
    payee  BYTEA NOT NULL,
    amount BIGINT NOT NULL,
    at     BIGINT NOT NULL
);

-- What is owed to somebody since a dispute has ended. Whatever is disputed how often, a claim's money is owed back once: as the bond
-- or the bounty of the dispute's own claim, or as the fee of the claim that was disputed.
CREATE TABLE refunds (
    id            BIGINT PRIMARY KEY,
    claim         BIGINT NOT NULL,
    kind          BIGINT NOT NULL, -- 0 bond, 1 fee, 2 bounty
    dispute       BYTEA NOT NULL,  -- the hash of the receipt that it follows from
    disputed      BYTEA NOT NULL,  -- the hash of the receipt that was disputed
    chain_id      BIGINT NOT NULL,
    symbol        TEXT NOT NULL,
    payee         BYTEA NOT NULL,  -- 20 bytes
    amount        BIGINT NOT NULL CHECK (amount > 0),
    state         BIGINT NOT NULL, -- 0 owed, 1 sending, 2 paid
    origin        BYTEA NOT NULL,  -- the hash of the transaction whose money it gives back, and which of its events
    log_index     BIGINT NOT NULL,
    "authorization" BYTEA,         -- payer and nonce of that payment, where nobody knows the index of its transfer (0 then)
    settlement    TEXT NOT NULL,   -- who settled that
    proof         BYTEA,           -- what is broadcast
    raw           BYTEA,
    hash          BYTEA,           -- the transaction's: as prepared, or as paid
    owed_at       BIGINT NOT NULL,
    paid_at       BIGINT,
    owner         BYTEA,           -- 16 bytes; none until somebody works on it
    lease_until   BIGINT NOT NULL, -- in the store's time
    UNIQUE (claim, kind)
);
CREATE INDEX unpaid ON refunds (lease_until, id) WHERE state < 2;
-- What was paid out lately: counted against the day's cap with each payout.
CREATE INDEX paid_out ON refunds (paid_at) WHERE paid_at IS NOT NULL;

-- Forfeited bonds, less the bounties that are owed.
CREATE TABLE reserve (
    chain_id   BIGINT NOT NULL,
    symbol     TEXT NOT NULL,
    settlement TEXT NOT NULL, -- the development profile's own money is none of a chain's
    amount     BIGINT NOT NULL CHECK (amount >= 0),
    PRIMARY KEY (chain_id, symbol, settlement)
);

-- Calls that an operator has given to an agent; those of the classes with a price where `class` is NULL.
CREATE TABLE grants (
    id         BIGINT PRIMARY KEY,
    name       TEXT NOT NULL,
    agent      TEXT NOT NULL,
    class      TEXT,
    calls      BIGINT NOT NULL,
    period     BIGINT NOT NULL, -- 0 day, 1 month
    until      BIGINT NOT NULL,
    networks   TEXT NOT NULL,   -- with commas between; from anywhere where empty
    priority   BIGINT NOT NULL,
    request_id TEXT,
    made_at    BIGINT NOT NULL,
    revoked_at BIGINT
);
CREATE INDEX granted ON grants (agent, until) WHERE revoked_at IS NULL;

-- Granted calls used up: the period's first day.
CREATE TABLE grant_uses (
    start    BIGINT NOT NULL,
    grant_id BIGINT NOT NULL,
    calls    BIGINT NOT NULL,
    PRIMARY KEY (start, grant_id)
);

-- What is screened again whenever a list changes: the request of the receipt at `leaf`. Ended ones are forgotten later.
CREATE TABLE watches (
    id           BIGINT PRIMARY KEY,
    key          BYTEA NOT NULL UNIQUE, -- the SHA-256 of the id that its agent holds
    agent        TEXT NOT NULL,
    class        TEXT NOT NULL,   -- whose judge screens it
    leaf         BIGINT NOT NULL, -- of the receipt that it was opened by
    receipt      BYTEA NOT NULL,  -- that receipt's hash
    holder       BYTEA,           -- half a SHA-256 of who opened it: the narrow network, or the payer
    wide_network BYTEA,           -- half a SHA-256, beside a narrow network
    until        BIGINT NOT NULL,
    ended_at     BIGINT,
    webhook      TEXT,
    host         TEXT,            -- the webhook's
    gone_at      BIGINT,          -- since when the webhook says that it is gone
    verdict      TEXT NOT NULL,   -- as found last
    snapshots    TEXT NOT NULL,   -- the ids of those that were looked at, with spaces between
    edition      BYTEA NOT NULL,  -- their SHA-256
    screened_at  BIGINT NOT NULL,
    owner        BYTEA,           -- 16 bytes; none until somebody screens it again
    lease_until  BIGINT NOT NULL  -- in the store's time
);
CREATE INDEX watched ON watches (class, edition) WHERE ended_at IS NULL;
CREATE INDEX watched_at ON watches (class, screened_at) WHERE ended_at IS NULL;
CREATE INDEX watching_of_holder ON watches (holder, until) WHERE ended_at IS NULL;
CREATE INDEX watching_of_wide ON watches (wide_network, until) WHERE ended_at IS NULL AND wide_network IS NOT NULL;
CREATE INDEX watched_until ON watches (until) WHERE ended_at IS NULL;
CREATE INDEX watch_ends ON watches (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX watch_receipts ON watches (receipt);

-- The receipts that say that a verdict has changed, and how the webhooks stand that tell of them.
CREATE TABLE alerts (
    id       BIGINT PRIMARY KEY,
    watch    BIGINT NOT NULL,
    leaf     BIGINT NOT NULL,
    receipt  BYTEA NOT NULL,
    verdict  TEXT NOT NULL,
    at       BIGINT NOT NULL,
    state    BIGINT,          -- 0 waiting, 1 delivered, 2 failed, 3 dropped; none without a webhook
    host     TEXT,
    agent    TEXT,            -- the lane, where there is a webhook
    attempts BIGINT NOT NULL,
    due_at   BIGINT NOT NULL, -- when it is sent next; when it was sent last, once it waits no more
    error    TEXT
);
CREATE INDEX alerts_of ON alerts (watch, id);
CREATE INDEX waiting ON alerts (host, agent, due_at, id) WHERE state = 0;

-- The hosts that webhooks wait for.
CREATE TABLE webhook_hosts (
    host   TEXT PRIMARY KEY,
    due_at BIGINT NOT NULL -- when it is looked at next
);
CREATE INDEX webhooks_due ON webhook_hosts (due_at);

-- What waits there of one agent: a lane, which is sent one at a time.
CREATE TABLE webhook_lanes (
    host        TEXT NOT NULL,
    agent       TEXT NOT NULL,
    due_at      BIGINT NOT NULL,
    owner       BYTEA,           -- who sends to it
    lease_until BIGINT NOT NULL, -- 0 where nobody does; in the store's time
    PRIMARY KEY (host, agent)
);
CREATE INDEX lanes_free ON webhook_lanes (host, due_at, agent) WHERE lease_until = 0;
CREATE INDEX lanes_taken ON webhook_lanes (lease_until) WHERE lease_until > 0;

-- What the processes have in common beside the ledger: named leases, and small values.
CREATE TABLE shared_leases (
    name        TEXT PRIMARY KEY,
    owner       BYTEA NOT NULL, -- 16 bytes
    lease_until BIGINT NOT NULL -- in the store's time
);
CREATE TABLE shared_values (
    name    TEXT PRIMARY KEY,
    version BIGINT NOT NULL,
    bytes   BYTEA NOT NULL
);

-- Notes, until they end.
CREATE TABLE shared_notes (
    kind  TEXT NOT NULL,
    key   BYTEA NOT NULL, -- 32 bytes
    bytes BYTEA NOT NULL,
    until BIGINT NOT NULL, -- in the store's time
    PRIMARY KEY (kind, key)
);
CREATE INDEX shared_notes_until ON shared_notes (kind, until);

-- Files of folders that each process keeps a copy of, by versions that grow with each change of any file. A file that was removed
-- keeps its row.
CREATE TABLE shared_files (
    folder  TEXT NOT NULL,
    path    TEXT NOT NULL,
    version BIGINT NOT NULL UNIQUE,
    sha256  BYTEA,           -- none where the file was removed
    length  BIGINT NOT NULL,
    PRIMARY KEY (folder, path)
);
CREATE INDEX shared_files_since ON shared_files (folder, version);

-- The chunks of files, by their order in each, and their bytes.
CREATE TABLE shared_parts (
    folder   TEXT NOT NULL,
    path     TEXT NOT NULL,
    position BIGINT NOT NULL,
    sha256   BYTEA NOT NULL,
    PRIMARY KEY (folder, path, position)
);
CREATE INDEX shared_parts_of ON shared_parts (sha256);
CREATE TABLE shared_chunks (
    sha256 BYTEA PRIMARY KEY,
    bytes  BYTEA NOT NULL,
    at     BIGINT NOT NULL -- when it was stored last
);
CREATE INDEX shared_chunks_at ON shared_chunks (at);

-- The latest day on whose edition watches of a class were taken.
CREATE TABLE watched_days (
    class TEXT PRIMARY KEY,
    day   BIGINT NOT NULL
);
