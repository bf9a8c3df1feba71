-- Receipts and income by UTC day and class, from the migration on. Income is in atomic units, without bonds.
CREATE TABLE days (
    day    INTEGER NOT NULL, -- days since 1970-01-01
    class  TEXT NOT NULL,
    free   INTEGER NOT NULL DEFAULT 0,
    paid   INTEGER NOT NULL DEFAULT 0,
    income INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (day, class)
) STRICT, WITHOUT ROWID;
