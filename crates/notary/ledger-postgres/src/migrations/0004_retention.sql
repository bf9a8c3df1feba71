-- Requests and evidence are deleted once their time is over. The leaves below `next_leaf` were looked at; what is kept longer of
-- them is in `kept_longer`, with what its log entry says, until it is looked at again.
CREATE TABLE retention (
    only_one  BIGINT PRIMARY KEY CHECK (only_one = 1),
    next_leaf BIGINT NOT NULL
);
INSERT INTO retention (only_one, next_leaf) VALUES (1, 0);
CREATE TABLE kept_longer (
    leaf      BIGINT PRIMARY KEY,
    class     TEXT NOT NULL,
    signed_at BIGINT NOT NULL,
    due_at    BIGINT NOT NULL
);
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
    leaf      BIGINT PRIMARY KEY,
    logged_by BYTEA NOT NULL, -- the hash of the receipt that logs it
    at        BIGINT NOT NULL
);

-- Erasures that an operator has asked for.
CREATE TABLE asked_erasures (
    hash      BYTEA PRIMARY KEY, -- the receipt's
    reason    TEXT,              -- until it has ended
    asked_at  BIGINT NOT NULL,
    state     BIGINT NOT NULL,   -- 0 asked, 1 done, 2 refused
    ended_at  BIGINT,
    logged_by BYTEA,             -- the hash of the receipt that logs it, once done
    shared    BIGINT,            -- pieces of evidence that stay because another receipt needs them, once done
    why       TEXT               -- why it was refused
);
CREATE INDEX erasures_waiting ON asked_erasures (asked_at) WHERE state = 0;
