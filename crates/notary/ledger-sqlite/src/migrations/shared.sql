-- What the processes of one store have in common: an embedded store has one process, whose service needs none of it.
CREATE TABLE shared_leases (
    name        TEXT PRIMARY KEY,
    owner       BLOB NOT NULL, -- 16 bytes
    lease_until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE shared_values (
    name    TEXT PRIMARY KEY,
    version INTEGER NOT NULL,
    bytes   BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- Notes, until they end.
CREATE TABLE shared_notes (
    kind  TEXT NOT NULL,
    key   BLOB NOT NULL, -- 32 bytes
    bytes BLOB NOT NULL,
    until INTEGER NOT NULL,
    PRIMARY KEY (kind, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX shared_notes_until ON shared_notes (kind, until);

-- Files of folders, by versions that grow with each change of any file. A file that was removed keeps its row.
CREATE TABLE shared_files (
    version INTEGER PRIMARY KEY AUTOINCREMENT,
    folder  TEXT NOT NULL,
    path    TEXT NOT NULL,
    sha256  BLOB, -- none where the file was removed
    length  INTEGER NOT NULL,
    UNIQUE (folder, path)
) STRICT;

-- The chunks of files, by their order in each, and their bytes.
CREATE TABLE shared_parts (
    folder   TEXT NOT NULL,
    path     TEXT NOT NULL,
    position INTEGER NOT NULL,
    sha256   BLOB NOT NULL,
    PRIMARY KEY (folder, path, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX shared_parts_of ON shared_parts (sha256);
CREATE TABLE shared_chunks (
    sha256 BLOB PRIMARY KEY,
    bytes  BLOB NOT NULL,
    at     INTEGER NOT NULL -- when it was stored last
) STRICT;
