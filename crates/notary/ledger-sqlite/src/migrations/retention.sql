-- Requests and evidence are deleted once their time is over. The leaves below `next_leaf` were looked at; what is kept
-- longer of them is in `kept_longer`, with what its log entry says, until it is looked at again.
CREATE TABLE retention (
    only      INTEGER PRIMARY KEY CHECK (only = 1),
    next_leaf INTEGER NOT NULL
) STRICT;
INSERT INTO retention (only, next_leaf) VALUES (1, 0);
CREATE TABLE kept_longer (
    leaf      INTEGER PRIMARY KEY,
    class     TEXT NOT NULL,
    signed_at INTEGER NOT NULL, -- milliseconds since 1970, as all times here
    due_at    INTEGER NOT NULL
) STRICT;
CREATE INDEX kept_longer_due ON kept_longer (due_at, leaf);

-- Whose evidence a blob is.
CREATE INDEX evidence_of ON evidence (sha256);
-- What is owed because of a dispute: to a receipt's disputers and payer, and from a dispute's receipt.
CREATE INDEX unpaid_of_disputed ON refunds (disputed) WHERE state < 2;
CREATE INDEX unpaid_of_dispute ON refunds (dispute) WHERE state < 2;
-- What is forgotten by its age, and by its receipt.
CREATE INDEX trials_at ON trials (at);
CREATE INDEX alerts_sent ON alerts (due_at) WHERE state > 0;
CREATE INDEX alerts_by_leaf ON alerts (leaf);

-- Receipts that were erased. The row of `receipts` stays: its signature is empty, and its payload is the log entry.
CREATE TABLE erased (
    leaf      INTEGER PRIMARY KEY,
    logged_by BLOB NOT NULL, -- the hash of the receipt that logs it
    at        INTEGER NOT NULL
) STRICT;

-- Erasures that an operator has asked for.
CREATE TABLE asked_erasures (
    hash      BLOB PRIMARY KEY, -- the receipt's
    reason    TEXT,             -- until it has ended
    asked_at  INTEGER NOT NULL,
    state     INTEGER NOT NULL, -- 0 asked, 1 done, 2 refused
    ended_at  INTEGER,
    logged_by BLOB,             -- the hash of the receipt that logs it, once done
    shared    INTEGER,          -- pieces of evidence that stay because another receipt needs them, once done
    why       TEXT              -- why it was refused
) STRICT, WITHOUT ROWID;
CREATE INDEX erasures_waiting ON asked_erasures (asked_at) WHERE state = 0;
