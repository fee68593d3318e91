CREATE TABLE chains (agent TEXT PRIMARY KEY, start INTEGER NOT NULL, end INTEGER NOT NULL, digest BLOB NOT NULL)
  WITHOUT ROWID;
CREATE TABLE entries (
  id TEXT NOT NULL, agent TEXT NOT NULL, seq INTEGER NOT NULL, at TEXT NOT NULL, kind TEXT NOT NULL,
  cycle TEXT NOT NULL, task TEXT NOT NULL, tool TEXT NOT NULL, start INTEGER NOT NULL, size INTEGER NOT NULL,
  PRIMARY KEY (agent, start)) WITHOUT ROWID;
CREATE INDEX entries_by_id ON entries (id, start);
CREATE INDEX entries_by_chain ON entries (agent, at, seq, kind, size);
CREATE INDEX entries_by_task ON entries (task, at, agent, seq) WHERE task != '';
CREATE INDEX entries_by_cycle ON entries (cycle, seq) WHERE cycle != '';
CREATE INDEX entries_by_kind ON entries (kind, at, agent, seq);
CREATE TABLE tasks (
  id TEXT PRIMARY KEY, agent TEXT NOT NULL, goal TEXT NOT NULL, plan TEXT NOT NULL, started TEXT NOT NULL,
  updated TEXT NOT NULL, status TEXT NOT NULL) WITHOUT ROWID;
CREATE INDEX tasks_by_time ON tasks (updated, id);
