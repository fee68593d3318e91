"""Documents of any kind as text: a file of the inbox as passages and tables with their places.

    document = read_text("inbox/cover.eml", content(path))
    document.passages[0].text, document.passages[0].place      # 'The excess is 750 dollars.', 'line 4'
    document.tables[0].header, document.tables[0].rows         # of a sheet, a CSV or a Markdown table

Reading order: `text.py` (the parts of a document), `reading.py` (the reader for each file), `guard.py` and `apart.py`
(hostile files: checks before, and a process with limits), `grids.py` (the shared table reader), then the readers:
`prose.py` (text, Markdown, HTML and CSV), `sheets.py`, `word.py`, `pdf.py`, `mail.py` and `calendar.py`. Text is data:
nothing here acts on its content.
"""

from mabos.society.documents.reading import READABLE, read_text
from mabos.society.documents.text import DocumentText, Passage, TextTable

__all__ = ["READABLE", "DocumentText", "Passage", "TextTable", "read_text"]
