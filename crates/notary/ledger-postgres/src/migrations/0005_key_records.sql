-- The receipts that record changes of keys, with the step that each took: under the lock of the head, no step is taken twice.
CREATE TABLE key_records (
    leaf BIGINT PRIMARY KEY,
    mark TEXT NOT NULL
);
-- The kid of the receipt key that a process is ready to sign with next; empty where there is none, as in programs of before.
ALTER TABLE replicas ADD COLUMN next_key TEXT NOT NULL DEFAULT '';
