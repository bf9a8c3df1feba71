-- Checkpoints with a token of a time-stamping authority (RFC 3161): all of the last 90 days, and the first of each UTC day
-- before them.
CREATE TABLE stamped (
    size   INTEGER PRIMARY KEY, -- the number of leaves of the tree
    root   BLOB NOT NULL,       -- 32 bytes
    note   TEXT NOT NULL,       -- the checkpoint whose bytes are stamped
    answer BLOB NOT NULL,       -- the authority's answer, a TimeStampResp
    at     INTEGER NOT NULL     -- the time of the token, milliseconds since 1970
) STRICT;
CREATE INDEX stamped_at ON stamped (at);
