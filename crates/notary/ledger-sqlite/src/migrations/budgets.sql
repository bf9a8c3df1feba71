-- Budgets of a UTC day: free calls of an agent from a network, free calls and stored bytes of a network. By half a SHA-256
-- of what they are of, so that no network stands here in the clear.
CREATE TABLE uses (
    day    INTEGER NOT NULL, -- days since 1970-01-01 UTC
    id     BLOB NOT NULL,    -- 16 bytes
    amount INTEGER NOT NULL, -- calls, or bytes
    PRIMARY KEY (day, id)
) STRICT, WITHOUT ROWID;
DROP TABLE used;

-- Who opened a watch, by half a SHA-256: the client's narrow network, or the payer. A name alone tells nobody from others.
-- The wide network stands beside a narrow one.
ALTER TABLE watches ADD COLUMN holder BLOB;
ALTER TABLE watches ADD COLUMN wide_network BLOB;
CREATE INDEX watching_of_holder ON watches (holder, until) WHERE ended_at IS NULL;
CREATE INDEX watching_of_wide ON watches (wide_network, until) WHERE ended_at IS NULL AND wide_network IS NOT NULL;
DROP INDEX watching;
