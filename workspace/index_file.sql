CREATE TABLE cursors (source TEXT PRIMARY KEY, generation INTEGER NOT NULL, seq INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE rows (
  number INTEGER PRIMARY KEY, source TEXT NOT NULL, collection TEXT NOT NULL, key TEXT NOT NULL,
  kind TEXT NOT NULL, id TEXT NOT NULL, agent TEXT NOT NULL, text TEXT NOT NULL, tags TEXT NOT NULL,
  digest BLOB NOT NULL, UNIQUE (source, collection, key));
CREATE INDEX rows_by_id ON rows (kind, id);
CREATE VIRTUAL TABLE words USING fts5(
  text, tags, content='rows', content_rowid='number', tokenize='porter unicode61 remove_diacritics 2');
CREATE TRIGGER row_added AFTER INSERT ON rows BEGIN
  INSERT INTO words(rowid, text, tags) VALUES (new.number, new.text, new.tags); END;
CREATE TRIGGER row_removed AFTER DELETE ON rows BEGIN
  INSERT INTO words(words, rowid, text, tags) VALUES ('delete', old.number, old.text, old.tags); END;
