-- The receipts that record changes of keys, with the step that each took: no step is taken twice.
CREATE TABLE key_records (
    leaf INTEGER PRIMARY KEY,
    mark TEXT NOT NULL UNIQUE
) STRICT;
