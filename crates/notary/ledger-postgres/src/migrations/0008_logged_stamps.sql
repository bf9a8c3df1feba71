-- Where the log has the hashes of tokens: of those in `stamped`, once each is logged.
CREATE TABLE logged_stamps (
    leaf BIGINT PRIMARY KEY, -- the leaf of the receipt
    size BIGINT NOT NULL,    -- the size of the stamped tree
    hash BYTEA NOT NULL      -- the receipt's hash
);
CREATE UNIQUE INDEX logged_stamps_of_size ON logged_stamps (size);
