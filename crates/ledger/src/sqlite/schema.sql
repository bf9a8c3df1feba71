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
    indexed    INTEGER NOT NULL  -- the leaves below this have their receipts' keys in `keys`
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
    leaf INTEGER PRIMARY KEY,
    body BLOB NOT NULL
) STRICT;

-- Which blobs a receipt was found on, and the blobs, each kept once. A blob may be removed; its address stays.
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
