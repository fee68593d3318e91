"""Generated documents with known answers: figures by month in every format, and letters with questions.

    sheet = figure_documents(7)[0]
    sheet.name, sheet.content      # 'figures-7.csv', b'Month,Revenue ...'
    sheet.answers                  # {('revenue', '2026-01'): 48210.0}

Seeds below 100 are for tuning; those from 100 on are used once, at the end. Companies, wordings, layouts, number
formats and units vary by seed.
"""

import io
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from email.message import EmailMessage
from typing import Any

Answers = Mapping[tuple[str, str], float]
"""The value of each metric by its name and month."""

_METRICS = (
    ("Revenue", "revenue", "money"), ("Cash", "cash", "money"), ("No-show rate", "no_show_rate", "percent"),
    ("Orders", "orders", "count"), ("Gross margin", "gross_margin", "percent"), ("Payroll", "payroll", "money"),
    ("New patients", "new_patients", "count"), ("Loaves sold", "loaves_sold", "count"),
)  # fmt: skip
_MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]


@dataclass(frozen=True, slots=True)
class FigureDocument:
    """A file with a table of figures by month, and the figures."""

    name: str
    content: bytes
    answers: Answers


@dataclass(frozen=True, slots=True)
class ProseDocument:
    """A prose file, and questions with the words that an answer must quote."""

    name: str
    content: bytes
    questions: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class _Figures:
    """A table before it is written: header, rows of values, and the kinds of its columns."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, tuple[float, ...]], ...]
    kinds: tuple[str, ...]
    answers: Answers
    is_german: bool
    title: str

    def shown(self) -> list[list[str]]:
        """Return the table as people write it, in the language of its numbers."""
        body = [[month, *map(self._cell, values, self.kinds)] for month, values in self.rows]
        return [list(self.header), *body]

    def _cell(self, value: float, kind: str) -> str:
        text = f"{value:,.1f}" if kind == "percent" else f"{value:,.2f}" if kind == "money" else f"{value:,.0f}"
        if self.is_german:
            text = text.translate(str.maketrans(",.", ".,"))
        return f"{text} %" if kind == "percent" else f"{text} €" if kind == "money" and self.is_german else text


def _figures(seed: int) -> _Figures:
    luck = random.Random(seed)
    chosen = luck.sample(_METRICS, luck.randint(2, 5))
    is_german = luck.random() < 0.5
    first, count = luck.randint(1, 6), luck.randint(4, 7)
    style = luck.randrange(3)
    rows, answers = list[tuple[str, tuple[float, ...]]](), dict[tuple[str, str], float]()
    for month in range(first, first + count):
        values = tuple(_value(luck, kind) for _, _, kind in chosen)
        shown = (f"2026-{month:02}", f"{_MONTHS[month - 1]} 2026", f"{month:02}/2026")[style]
        rows.append((shown, values))
        answers |= {(name, f"2026-{month:02}"): value for (_, name, _), value in zip(chosen, values, strict=True)}
    header = ("Monat" if is_german else "Month", *(title for title, _, _ in chosen))
    kinds = tuple(kind for _, _, kind in chosen)
    return _Figures(header, tuple(rows), kinds, answers, is_german, luck.choice(("", "Figures of the year", "Report")))


def _value(luck: random.Random, kind: str) -> float:
    if kind == "percent":
        return round(luck.uniform(1, 60), 1)
    return round(luck.uniform(900, 90_000), 2) if kind == "money" else float(luck.randint(3, 4_000))


def figure_documents(seed: int) -> list[FigureDocument]:
    """Return one table of figures in each format."""
    figures = _figures(seed)
    writers: dict[str, Callable[[_Figures], bytes]] = {
        "csv": _csv, "tsv": _tsv, "md": _markdown, "html": _html, "xlsx": _xlsx, "docx": _docx, "ruled.pdf": _ruled,
        "plain.pdf": _plain, "eml": _mail,
    }  # fmt: skip
    return [FigureDocument(f"figures-{seed}.{end}", write(figures), figures.answers) for end, write in writers.items()]


def _csv(figures: _Figures) -> bytes:
    mark = ";" if figures.is_german else ","
    rows = [[f'"{cell}"' if "," in cell and mark == "," else cell for cell in row] for row in figures.shown()]
    return "\r\n".join(mark.join(row) for row in rows).encode("cp1252" if figures.is_german else "utf-8")


def _tsv(figures: _Figures) -> bytes:
    return "\n".join("\t".join(row) for row in figures.shown()).encode()


def _markdown(figures: _Figures) -> bytes:
    header, *body = figures.shown()
    lines = [f"# {figures.title or 'Numbers'}", "", *map(_piped, (header, ["---"] * len(header), *body))]
    return "\n".join(lines).encode()


def _piped(row: Sequence[str]) -> str:
    return f"| {' | '.join(row)} |"


def _html(figures: _Figures) -> bytes:
    header, *body = figures.shown()
    head = "".join(f"<th>{one}</th>" for one in header)
    rows = "".join("<tr>" + "".join(f"<td>{one}</td>" for one in row) + "</tr>" for row in body)
    title = f'<tr><th colspan="{len(header)}">{figures.title}</th></tr>' if figures.title else ""
    return f"<html><body><h1>Figures</h1><table>{title}<tr>{head}</tr>{rows}</table></body></html>".encode()


def _xlsx(figures: _Figures) -> bytes:
    from openpyxl import Workbook

    book = Workbook()
    sheet = book.active
    assert sheet is not None
    if figures.title:
        sheet.append([figures.title])
        sheet.merge_cells(start_row=1, end_row=1, start_column=1, end_column=len(figures.header))
    sheet.append(list(figures.header))
    for month, values in figures.rows:
        day = date(2026, int(month[5:]), 1) if month.startswith("2026-") else month
        shares = [one / 100 if kind == "percent" else one for one, kind in zip(values, figures.kinds, strict=True)]
        sheet.append([day, *shares])
        for at, kind in enumerate(figures.kinds, 2):
            form = {"percent": "0.0%", "money": '#,##0.00 "€"' if figures.is_german else "#,##0.00", "count": "0"}[kind]
            sheet.cell(sheet.max_row, at).number_format = form
    sheet.append([])
    sheet.append(["Checked by the accountant"])
    return _saved(book)


def _saved(document: Any) -> bytes:
    into = io.BytesIO()
    document.save(into)
    return into.getvalue()


def _docx(figures: _Figures) -> bytes:
    from docx import Document

    document = Document()
    document.add_heading(figures.title or "Numbers", 1)
    document.add_paragraph("These are the numbers of the months that have closed.")
    rows = figures.shown()
    table = document.add_table(len(rows), len(rows[0]))
    for at, row in enumerate(rows):
        for column, cell in enumerate(row):
            table.cell(at, column).text = cell
    return _saved(document)


def _pdf(parts: Callable[[Any], list[Any]]) -> bytes:
    from reportlab.lib.styles import getSampleStyleSheet
    from reportlab.platypus import SimpleDocTemplate

    into = io.BytesIO()
    SimpleDocTemplate(into).build(parts(getSampleStyleSheet()))
    return into.getvalue()


def _table(figures: _Figures, *styles: Any) -> bytes:
    from reportlab.platypus import Paragraph, Spacer, Table

    rows = figures.shown()
    table = Table(
        rows, colWidths=[450 / len(rows[0])] * len(rows[0]), style=[*styles, ("ALIGN", (1, 0), (-1, -1), "RIGHT")]
    )
    title = figures.title or "Numbers"
    return _pdf(lambda style: [Paragraph(title, style["Heading1"]), Spacer(1, 12), table])


def _ruled(figures: _Figures) -> bytes:
    return _table(figures, ("GRID", (0, 0), (-1, -1), 0.5, (0, 0, 0)))


def _plain(figures: _Figures) -> bytes:
    return _table(figures)


def _mail(figures: _Figures) -> bytes:
    mail = EmailMessage()
    mail["From"], mail["Subject"] = "Accounts <books@firm.example>", "Your figures"
    mail["Date"] = "Thu, 05 Nov 2026 10:12:00 +0000"
    mail.set_content("Dear all,\n\nthe figures are attached.\n\nRegards\nThe office\n")
    mail.add_attachment(_xlsx(figures), maintype="application", subtype="octet-stream", filename="figures.xlsx")
    return mail.as_bytes()


_TOPICS = (
    ("The rent of {hall} is {sum} dollars a month.", "What is the rent of {hall}?", "{sum}"),
    ("{who} retires on {day}.", "When does {who} retire?", "{day}"),
    ("The lease of {hall} ends on {day}.", "When does the lease of {hall} end?", "{day}"),
    ("{firm} delivers {goods} every {weekday}.", "On which day does {firm} deliver?", "{weekday}"),
    ("The deposit for the {machine} is {sum} dollars.", "How much is the deposit for the {machine}?", "{sum}"),
    ("The inspection of the {machine} takes place on {day}.", "When is the {machine} inspected?", "{day}"),
    ("{who} is the new contact at {firm}.", "Who is the new contact at {firm}?", "{who}"),
    ("The warranty of the {machine} is {count} years.", "How long is the warranty of the {machine}?", "{count} years"),
    ("Notice must be given {count} months before the end.", "How many months of notice are there?", "{count} months"),
    ("{firm} asks {sum} dollars for {goods} from {day}.", "What does {firm} want for {goods}?", "{sum}"),
)  # fmt: skip
_WORDS = {
    "hall": ("the mill hall", "the boathouse", "the second shop", "the workshop"),
    "who": ("Dr. Weber", "Anna Lindt", "Mrs. Okafor", "Tomas Reyes"),
    "firm": ("Leafworks", "Tern Mutual", "Stringworks", "Harbour Foods"),
    "goods": ("flour", "gauze", "green tea", "oak boards"),
    "machine": ("kiln", "oven", "goods lift", "X-ray unit"),
    "weekday": ("Monday", "Tuesday", "Thursday", "Friday"),
}
_FILLER = (
    "We were glad to see you last month.", "Please keep this letter with your papers.",
    "The garden was repainted in spring.", "Many thanks for the good work of the past years.",
)  # fmt: skip


def prose_documents(seed: int) -> list[ProseDocument]:
    """Return one letter in each format, with the questions it answers."""
    luck = random.Random(seed + 10_000)
    fill = {name: luck.choice(words) for name, words in _WORDS.items()}
    lines, questions = [luck.choice(_FILLER)], list[tuple[str, str]]()
    for said, question, answer in luck.sample(_TOPICS, 6):
        month = luck.randint(1, 12)
        own = {**fill, "sum": f"{luck.randint(2, 9)},{luck.randint(100, 999)}", "count": str(luck.randint(2, 9)),
               "day": f"{luck.randint(1, 28)} {date(2027, month, 1):%B} 2027"}  # fmt: skip
        text = said.format(**own)
        lines += (
            [text[0].upper() + text[1:], luck.choice(_FILLER)] if luck.random() < 0.5 else [text[0].upper() + text[1:]]
        )
        questions.append((question.format(**own), answer.format(**own)))
    writers = {"txt": _txt, "html": _page, "docx": _letter, "pdf": _letter_pdf, "eml": _letter_mail}
    return [ProseDocument(f"letter-{seed}.{end}", write(lines), questions) for end, write in writers.items()]


def _txt(lines: Sequence[str]) -> bytes:
    return "\n\n".join(" ".join(lines[at : at + 2]) for at in range(0, len(lines), 2)).encode()


def _page(lines: Sequence[str]) -> bytes:
    return f"<html><body><h1>Letter</h1>{''.join(f'<p>{one}</p>' for one in lines)}</body></html>".encode()


def _letter(lines: Sequence[str]) -> bytes:
    from docx import Document

    document = Document()
    document.add_heading("Letter", 1)
    for one in lines:
        document.add_paragraph(one)
    return _saved(document)


def _letter_pdf(lines: Sequence[str]) -> bytes:
    from reportlab.platypus import Paragraph

    return _pdf(lambda style: [Paragraph(" ".join(lines), style["Normal"])])


def _letter_mail(lines: Sequence[str]) -> bytes:
    mail = EmailMessage()
    mail["From"], mail["Subject"] = "Front office <desk@firm.example>", "For your papers"
    mail["Date"] = "Thu, 05 Nov 2026 10:12:00 +0000"
    mail.set_content("\n".join(lines))
    return mail.as_bytes()
