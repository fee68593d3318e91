"""The generator of docs/settings.md from configs/defaults.yaml: `python -m scripts.settings_page`; tested."""

import re
from collections.abc import Iterator
from pathlib import Path

from mabos.configs.settings import DEFAULTS

PAGE = Path(__file__).resolve().parent.parent / "docs" / "settings.md"
_OPENING = """\
# Settings

`mabos.yaml` of a workspace needs only the lines that differ from these defaults; `mabos init` writes all of them
there, commented out. A name that is not known, or a value out of range, is refused with the file and the name. Units
are in the names: `_usd`, `_days`, `_hours`, `_minutes`, `_s` (seconds), `_tokens`; shares are 0 to 1. This page is
written from the defaults by `python -m scripts.settings_page`.
"""
VARIABLES = {
    "MABOS_WORKSPACE": "the workspace, where `--workspace` names none",
    "MABOS_NOW": "freezes the clock, as `2026-02-24T14:30:00Z`",
    "MABOS_FORBID_MODEL": "`1`: a call of a chat model is an error; nothing is embedded where that is automatic",
    "MABOS_RECORD_MODEL": "a file that takes every call of a model, over `models.record`",
    "MABOS_REPLAY_MODEL": "such a file that answers in the model's stead, over `models.replay`",
    "MABOS_TOKEN": "the token that HTTP and MCP ask for ([surfaces](surfaces.md#http))",
    "MABOS_SMTP_PASSWORD": "the password of the mail server (`notify.smtp_password_env` may name another variable)",
    "MABOS_IMAP_PASSWORD": "the password of the mailbox (`mail.imap_password_env` may name another variable)",
    "MABOS_SLACK_WEBHOOK": "the address of Slack's incoming webhook (`notify.slack_webhook_env`)",
    "OPENAI_API_KEY": "the key of the profile `openai`; with `models.active: auto` it turns a model on",
    "OPENAI_BASE_URL": "the address of that profile, as `http://localhost:11434/v1`; turns a model on as well",
    "OPENAI_MODEL": "the model of that profile",
    "NEO4J_URI": "a Neo4j that is kept as a copy of each business's graph, as `bolt://127.0.0.1:7687`",
    "NEO4J_USER": "who logs in there; `neo4j` where it is not set",
    "NEO4J_PASSWORD": "the password there",
    "CHROMA_ENDPOINT": "a Chroma server that searches vectors",
    "STRIPE_API_BASE": "where products and prices are made, over `stripe.api_base`",
    "STRIPE_API_KEY": "the key there",
}
"""The environment variables, with their meanings."""

_KEY = re.compile(r"^(?P<indent> *)(?P<key>[a-z_]+):(?: +(?P<value>[^#\s].*?))?(?: +# (?P<meaning>.*))?$")


def page(defaults: str) -> str:
    """Return the page for the text of the defaults, as Markdown."""
    lines = [
        _OPENING.rstrip(),
        *_sections(defaults),
        "## Environment\n",
        "Read once, at the start.\n",
        *_table(VARIABLES),
    ]
    return "\n".join(lines) + "\n"


def _table(rows: dict[str, str]) -> Iterator[str]:
    yield "| Variable | Meaning |"
    yield "| --- | --- |"
    yield from (f"| `{name}` | {meaning} |" for name, meaning in rows.items())


def _sections(defaults: str) -> Iterator[str]:
    """Yield a heading and table for each group; lines of a block of text are part of its setting."""
    path: list[str] = []
    block, above = -1, ""
    for line in defaults.splitlines()[_first(defaults) :]:
        indent = len(line) - len(line.lstrip())
        if block >= 0 and (not line.strip() or indent > block):
            continue
        block = -1
        if line.startswith("# "):
            above += f" {line.removeprefix('# ')}"
            continue
        found = _KEY.match(line)
        if found is None:
            continue
        path = [*path[: len(found["indent"]) // 2], found["key"]]
        value, meaning = found["value"] or "", found["meaning"] or above.strip()
        if len(path) == 1:
            yield from ("", f"## {path[0]}\n")
            if meaning and not value:
                yield f"{_sentence(meaning)}\n"
            yield "| Setting | Default | Meaning |"
            yield "| --- | --- | --- |"
        if value.strip() == "|":
            block, value = indent, "(a text)"
        if value or (meaning and len(path) > 1):
            yield f"| `{'.'.join(path)}` | {f'`{_cell(value)}`' if value else ''} | {_cell(meaning)} |"
        above = ""
    yield ""


def _first(defaults: str) -> int:
    """Return where the introduction of the defaults ends: after its first empty line."""
    return defaults.splitlines().index("") + 1


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:].rstrip('.')}."


def _cell(text: str) -> str:
    return text.strip().replace("|", "\\|")


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(DEFAULTS.read_text("utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
