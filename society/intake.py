"""Documents that people drop into a business's inbox, read into observations and goals: pure, and never in vain.

    kind = kind_of("metrics.csv")                                        # 'metrics'
    findings = read_document("inbox/metrics.csv", path.read_bytes())
    findings.observations, findings.goals, findings.problems

One bad line is a problem that names the line; the others are read.
"""

from pathlib import PurePath
from typing import Literal

from society.brief import read_brief
from society.findings import Findings, Observation, Problem, ProposedGoal
from society.metrics_file import read_metrics

__all__ = ["DocumentKind", "Findings", "Observation", "Problem", "ProposedGoal", "decoded", "kind_of", "read_document"]

DocumentKind = Literal["brief", "metrics"]
_KINDS: dict[str, DocumentKind] = {
    ".md": "brief", ".markdown": "brief", ".txt": "brief", ".csv": "metrics", ".tsv": "metrics",
}  # fmt: skip


def kind_of(name: str) -> DocumentKind | None:
    """Return what kind of document a file is by its name, or None for one nobody here reads."""
    path = PurePath(name)
    return None if path.name.startswith(".") else _KINDS.get(path.suffix.casefold())


def read_document(source: str, content: bytes) -> Findings:
    """Return what a document says; `source` is its path as sources shall show it, as `inbox/brief.md`."""
    kind = kind_of(source)
    if kind is None:
        known = ", ".join(sorted(_KINDS))
        return Findings(problems=(Problem(f"{source}:1", f"this kind of file is not read; expected one of {known}"),))
    text = decoded(content)
    return read_metrics(text, source) if kind == "metrics" else read_brief(text, source)


def decoded(content: bytes) -> str:
    """Return the text of a file as spreadsheets and editors save it: UTF-8, UTF-16 with its mark, or Windows-1252.

    Lines end as on this machine, whatever they ended with.
    """
    return _text(content).replace("\r\n", "\n").replace("\r", "\n")


def _text(content: bytes) -> str:
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16", errors="replace")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace")
