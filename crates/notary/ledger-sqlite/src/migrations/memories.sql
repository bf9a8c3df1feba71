-- Memories that a class has of a subject, for its later receipts. Half a SHA-256 stands for class and subject: the text is
-- the judge's, of at most 2,048 bytes.
CREATE TABLE memories (
    key  BLOB PRIMARY KEY, -- 16 bytes
    text TEXT NOT NULL,
    at   INTEGER NOT NULL  -- the time of the receipt that stored it, milliseconds since 1970
) STRICT, WITHOUT ROWID;
