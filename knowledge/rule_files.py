"""Rules that people keep in files of their own, `rules/*.rules` in an agent's folder; the form is that of `rule_text`.

A file is read again when it has changed. Nothing is copied from it: its rules stand beside those of `rules.json`.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from mabos.configs.errors import Damaged
from mabos.knowledge.model import Rule
from mabos.knowledge.rule_text import read_rules
from mabos.workspace.damage import readable
from mabos.workspace.regular import content

FOLDER = "rules"
_PATTERN = "*.rules"


def filed(directory: Path) -> dict[str, Rule]:
    """Return the rules in the files of an agent's folder, by id; raises `Damaged` with the file and line at fault."""
    found: dict[str, Rule] = {}
    sources: dict[str, Path] = {}
    folder = directory / FOLDER
    for path in sorted(folder.glob(_PATTERN)) if folder.is_dir() else ():
        status = path.stat()
        for rule in _read(path, status.st_mtime_ns, status.st_size):
            if rule.id in found:
                other = sources[rule.id].name
                raise Damaged(
                    f"{FOLDER}/{path.name}: the id {rule.id!r} is given to a rule of {other} too; choose another"
                )
            found[rule.id], sources[rule.id] = rule, path
    return found


def beside(records: Mapping[str, Rule], files: Mapping[str, Rule]) -> dict[str, Rule]:
    """Return all rules by id; a file's rule stands over a record, of which it keeps whether it is switched on."""
    return {**records, **{name: _switched(rule, records.get(name)) for name, rule in files.items()}}


def says_the_same(one: Rule, other: Rule) -> bool:
    """Return whether two rules differ at most in id, in when they were made, and in being switched on."""
    return _bare(one) == _bare(other)


def _bare(rule: Rule) -> Rule:
    return replace(rule, id="", created_at="", enabled=True)


def _switched(rule: Rule, record: Rule | None) -> Rule:
    return record if record is not None and says_the_same(record, rule) else rule


@lru_cache(maxsize=256)
def _read(path: Path, changed: int, size: int) -> tuple[Rule, ...]:  # noqa: ARG001  # they tell one text from another
    text = readable(content(path), _told(path), remedy="correct it, or restore the file")
    return tuple(read_rules(text, _told(path)))


def _told(path: Path) -> str:
    """Return a file's path within the workspace, as `agents/cfo/rules/churn.rules`."""
    return "/".join(path.parts[-4:])
