-- Where the log has the hashes of tokens: of those in `stamped`, once each is logged.
CREATE TABLE logged_stamps (
    leaf INTEGER PRIMARY KEY, -- the leaf of the receipt
    size INTEGER NOT NULL,    -- the size of the stamped tree
    hash BLOB NOT NULL        -- the receipt's hash
) STRICT;
CREATE UNIQUE INDEX logged_stamps_of_size ON logged_stamps (size);
