"""The files of truth: named, locked, journalled, readable, and never half written.

All data of MABOS is in files a person can open. This package keeps them intact despite concurrent writers, manual edits
and crashes. In reading order:

- `names`, `clock`, `ids`: paths, the current time and new ids; all of it injected
- `sync`, `forcing`, `atomic`, `locks`: when bytes are safe and how they get there, whole files in one step, one writer
  at a time; `copies`
- `operations`, `journal`: records in collections, and the line that makes a change of them true
- `store`: the one mechanism of documents and minds; inside it `truth` keeps the records and the files in step,
  `snapshots` reads and replaces files, `files` tells our texts from a person's, `lineage` finds the version
  a person had before them, and `merge` unites the two sides
- `documents`, `markdown`, `fields`: the format of the files: JSON, Markdown sections, and the fields in them
- `records`, `field_types`: a stored record declared once: how it is read, checked, written and verified; `view` is the
  typed view of a store, converted only where something changed
- `ledger`, `heads`: past actions and their reasons, hash-chained, and the end of each chain; `ledger_reader` follows
  a chain, `ledger_index` answers questions across them
- `indexer`, `index_file`, `follower`: search, derived from the stores and deletable
- `text`, `dates`, `numbers`, `expressions`: the one way to shorten, name, read a date or a number, and calculate
- `delivery`: deliver once, and again after a pause where it failed

>>> from pathlib import Path; from tempfile import mkdtemp
>>> from mabos.workspace.documents import json_document; from mabos.workspace.store import Put
>>> from mabos.workspace.sync import Sync
>>> facts = json_document(Path(mkdtemp()) / "facts.json", ["facts"], sync=Sync())
>>> facts.commit([Put("facts", "F-1", {"subject": "acme", "predicate": "runway_months", "object": "9"})])
1
>>> facts.read()["facts"]["F-1"]["object"]
'9'
"""
