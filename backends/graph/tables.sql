CREATE TABLE cursors (source TEXT PRIMARY KEY, cursor TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE totals (nodes INTEGER NOT NULL, edges INTEGER NOT NULL, high INTEGER NOT NULL, low INTEGER NOT NULL,
  revision INTEGER NOT NULL);
INSERT INTO totals VALUES (0, 0, 0, 0, 0);
CREATE TABLE nodes (
  id INTEGER PRIMARY KEY, uid TEXT NOT NULL, type TEXT NOT NULL DEFAULT '', name TEXT NOT NULL DEFAULT '',
  text TEXT NOT NULL DEFAULT '', properties TEXT NOT NULL DEFAULT '{}', audience TEXT NOT NULL DEFAULT '[]',
  valid_from TEXT NOT NULL DEFAULT '', valid_to TEXT NOT NULL DEFAULT '', revision INTEGER NOT NULL DEFAULT 0,
  owner TEXT NOT NULL DEFAULT '', high INTEGER NOT NULL DEFAULT 0, low INTEGER NOT NULL DEFAULT 0);
CREATE UNIQUE INDEX nodes_by_uid ON nodes (uid);
CREATE INDEX nodes_by_type ON nodes (type, uid);
CREATE INDEX nodes_by_name ON nodes (name, type, uid);
CREATE INDEX nodes_by_owner ON nodes (owner);
CREATE TABLE edges (
  id INTEGER PRIMARY KEY, uid TEXT NOT NULL, type TEXT NOT NULL, start INTEGER NOT NULL, end INTEGER NOT NULL,
  start_type TEXT NOT NULL, end_type TEXT NOT NULL, properties TEXT NOT NULL, weight REAL NOT NULL,
  valid_from TEXT NOT NULL, valid_to TEXT NOT NULL, revision INTEGER NOT NULL, owner TEXT NOT NULL,
  high INTEGER NOT NULL, low INTEGER NOT NULL);
CREATE UNIQUE INDEX edges_by_uid ON edges (uid);
CREATE INDEX edges_by_start ON edges (start, type, end);
CREATE INDEX edges_by_end ON edges (end, type, start);
CREATE INDEX edges_by_kind ON edges (start_type, type, end_type, weight);
CREATE INDEX edges_by_owner ON edges (owner);
CREATE TABLE removed (kind TEXT NOT NULL, uid TEXT NOT NULL, revision INTEGER NOT NULL, PRIMARY KEY (kind, uid))
  WITHOUT ROWID;
CREATE VIRTUAL TABLE words USING fts5(
  name, text, content='nodes', content_rowid='id', tokenize='porter unicode61 remove_diacritics 2');
