-- Receipts by agent and by subject, of the classes whose receipts say how often both were judged before. Half a SHA-256
-- stands for either: no name is here, and a receipt adds at most two small rows.
CREATE TABLE counters (
    key      BLOB PRIMARY KEY, -- 16 bytes
    receipts INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
