-- Memories by their age, by which they are deleted.
CREATE INDEX memories_at ON memories (at);
