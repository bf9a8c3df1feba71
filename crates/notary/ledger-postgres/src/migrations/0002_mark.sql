-- There is a row while the log does not go on in this store: it was moved, is a copy that is not whole, or is an archive. But for an
-- archive, the head is here alone, and `locks` is empty, so that no process that had it open before can write. A store
-- that is marked has 2 as its `oldest_writer` at least.
CREATE TABLE mark (
    only_one   BIGINT PRIMARY KEY CHECK (only_one = 1),
    kind       TEXT NOT NULL, -- 'copying', 'moving', 'moved' or 'archive'
    place      TEXT NOT NULL, -- where it was moved to, or what it is a copy of
    size       BIGINT NOT NULL,
    root       BYTEA NOT NULL,
    latest     BIGINT NOT NULL,
    checkpoint TEXT NOT NULL
);
