CREATE TABLE texts (
  number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, text TEXT NOT NULL, tags TEXT NOT NULL, at TEXT NOT NULL,
  source TEXT NOT NULL, importance REAL NOT NULL, is_passage INTEGER NOT NULL, key BLOB NOT NULL,
  length INTEGER NOT NULL, stems TEXT NOT NULL);
CREATE INDEX lengths ON texts (source, length);
CREATE INDEX keys ON texts (id, key);
CREATE TABLE tagged (tag TEXT, number INTEGER, PRIMARY KEY (tag, number)) WITHOUT ROWID;
CREATE TABLE marks (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE VIRTUAL TABLE words USING fts5(
  stems, content='texts', content_rowid='number', tokenize='unicode61 remove_diacritics 0');
CREATE VIRTUAL TABLE holders USING fts5vocab(words, 'row');
CREATE VIRTUAL TABLE places USING fts5vocab(words, 'instance');
