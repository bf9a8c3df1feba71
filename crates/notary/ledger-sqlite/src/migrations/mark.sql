-- There is a row while the log does not go on in this store: it was moved, is a copy that is not whole, or is an archive. But for an
-- archive, the head is here alone.
CREATE TABLE mark (
    only       INTEGER PRIMARY KEY CHECK (only = 1),
    kind       TEXT NOT NULL, -- 'copying', 'moving', 'moved' or 'archive'
    place      TEXT NOT NULL, -- where it was moved to, or what it is a copy of
    size       INTEGER NOT NULL,
    root       BLOB NOT NULL,
    latest     INTEGER NOT NULL,
    checkpoint TEXT NOT NULL
) STRICT;
