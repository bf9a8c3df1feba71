-- Checkpoints that a quorum of witnesses has cosigned: the newest, and the first of each ten minutes.
CREATE TABLE cosigned (
    size INTEGER PRIMARY KEY, -- the number of leaves of the tree
    root BLOB NOT NULL,       -- 32 bytes
    note TEXT NOT NULL,       -- the checkpoint with the log's signature and the cosignatures
    at   INTEGER NOT NULL     -- when the quorum was complete, milliseconds since 1970
) STRICT;
