"""Rules in files that people write, `rules/*.rules` in an agent's folder, in the form of S3 12.2.

A file is read again when it has changed. Nothing is copied from it: its rules hold next to those of `rules.json`.

    # Large enterprise customers
    RULE strategic-accounts: Strategic accounts
    IF ?customer has_status "enterprise"
    AND ?customer subscription_value_usd > 10000
    THEN ?customer is_strategic_account = true [confidence: 0.9]

    RULE runway: Cash must last
    IF cash_runway months < 3
    THEN ALERT "Cash runway below 3 months" [severity: critical]

    RULE churn: Act on churn
    IF ?product churn_percent > 5
    THEN REQUEST cmo "Initiate churn reduction campaign for ?product" [escalate]

The text after THEN gives the kind: a triple is an inference, ALERT a constraint, anything else a policy's action. `_`
is anything, and a term of several words is written in quotes. Marks in brackets are confidence, severity, escalate,
disabled and domain. The comment above a rule is its description.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from mabos.configs.errors import Damaged, InvalidArgument
from mabos.knowledge.model import OPERATOR_SIGNS, Rule
from mabos.knowledge.rule_records import parse_rule
from mabos.workspace.damage import readable
from mabos.workspace.regular import content

FOLDER = "rules"
_PATTERN = "*.rules"
_WORD = re.compile(r'"(?:[^"\\]|\\.)*"|\S+')
_SIGNS = OPERATOR_SIGNS | {"contains": "contains"}
_MARKS = re.compile(r"\s*\[(?P<marks>[^\[\]]*)\]\s*$")
_CONDITION = re.compile(r"condition (\d+) ")
_HEAD = re.compile(r"(?P<id>[\w.-]+)\s*(?::\s*(?P<name>.*\S))?")


@dataclass(slots=True)
class _Written:
    """The part of a rule read so far, with the lines of its head, its conditions and its consequence."""

    line: int
    definition: dict[str, Any] = field(default_factory=dict)
    conditions: list[int] = field(default_factory=list)
    consequence: int = 0

    def line_of(self, fault: InvalidArgument) -> int:
        """Return the line that a fault of the whole rule is about."""
        named = _CONDITION.match(fault.message)
        if named is not None:
            return self.conditions[int(named[1]) - 1]
        return self.line if fault.argument in ("conditions", "id", "name") else self.consequence


def load_rule_files(directory: Path) -> dict[str, Rule]:
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
                    f"{FOLDER}/{path.name}: the id {rule.id!r} is already used by a rule of {other}; choose another"
                )
            found[rule.id], sources[rule.id] = rule, path
    return found


def beside(records: Mapping[str, Rule], files: Mapping[str, Rule]) -> dict[str, Rule]:
    """Return all rules by id; a file's rule overrides a record, but keeps whether the record is switched on."""
    return {**records, **{name: _prefer_record(rule, records.get(name)) for name, rule in files.items()}}


def says_the_same(one: Rule, other: Rule) -> bool:
    """Return whether two rules differ at most in id, in when they were made, and in being switched on."""
    return _bare(one) == _bare(other)


def _bare(rule: Rule) -> Rule:
    return replace(rule, id="", created_at="", enabled=True)


def _prefer_record(rule: Rule, record: Rule | None) -> Rule:
    return record if record is not None and says_the_same(record, rule) else rule


@lru_cache(maxsize=256)
def _read(path: Path, changed: int, size: int) -> tuple[Rule, ...]:  # noqa: ARG001  # they tell one text from another
    text = readable(content(path), _format_path(path), remedy="correct it, or restore the file")
    return tuple(read_rules(text, _format_path(path)))


def _format_path(path: Path) -> str:
    """Return a file's path within the workspace, as `agents/cfo/rules/churn.rules`."""
    return "/".join(path.parts[-4:])


def read_rules(text: str, source: str = "rules") -> list[Rule]:
    """Return the rules in `text`, in order; raises `Damaged` with `source` and the line at fault."""
    rules: dict[str, Rule] = {}
    for written in _split_rules(text, source):
        rule_id = written.definition["id"]
        if rule_id in rules:
            raise Damaged(f"{source}:{written.line}: two rules have the id {rule_id!r}; choose another")
        if "then" not in written.definition:
            raise Damaged(f"{source}:{written.line}: the rule {rule_id!r} has no THEN")
        definition = {name: value for name, value in written.definition.items() if name != "then"}
        try:
            rules[rule_id] = parse_rule(definition, rule_id, created_at="")
        except InvalidArgument as error:
            raise Damaged(f"{source}:{written.line_of(error)}: the rule {rule_id!r}: {error.message}") from error
    return list(rules.values())


def _split_rules(text: str, source: str) -> Iterator[_Written]:
    current: _Written | None = None
    remarks: list[str] = []
    for number, line in enumerate(text.splitlines(), start=1):
        told = line.strip()
        if not told or told.startswith("#"):
            remarks = [*remarks, told.lstrip("# ")] if told else []
            continue
        keyword, _, rest = told.partition(" ")
        try:
            if keyword == "RULE":
                if current is not None:
                    yield current
                current = _Written(number, {**_head(rest), "description": " ".join(remarks), "conditions": []})
            elif current is None:
                raise ValueError("a rule must begin with RULE and an id")
            else:
                _take(current, keyword, rest.strip(), number)
        except ValueError as error:
            raise Damaged(f"{source}:{number}: {error}") from error
        remarks = []
    if current is not None:
        yield current


def _head(text: str) -> dict[str, Any]:
    found = _HEAD.fullmatch(text.strip())
    if found is None:
        raise ValueError(f"{text!r} is not a rule header; write RULE id: name")
    return {"id": found["id"], "name": found["name"] or found["id"]}


def _take(written: _Written, keyword: str, rest: str, number: int) -> None:
    definition = written.definition
    if "then" in definition:
        raise ValueError(f"{keyword} comes after THEN; begin the next rule with RULE")
    if keyword == ("AND" if definition["conditions"] else "IF"):
        definition["conditions"].append(_pattern(rest))
        written.conditions.append(number)
    elif keyword == "THEN":
        definition |= {"then": True, **_marks(rest), **_consequence(_MARKS.sub("", rest))}
        written.consequence = number
    else:
        expected = "AND or THEN" if definition["conditions"] else "IF"
        raise ValueError(f"{keyword!r} is not understood here; expected {expected}")


def _pattern(text: str) -> dict[str, str]:
    words = _WORD.findall(text)
    operator = "eq"
    if len(words) == 4 and words[2] in _SIGNS:
        operator = _SIGNS[words.pop(2)]
    if len(words) != 3:
        message = f"{text!r} is not a pattern; write subject predicate object, with a comparison before the object"
        raise ValueError(f"{message} if you like, and quotes around several words")
    subject, predicate, object_ = (_term(word) for word in words)
    return {"subject": subject, "predicate": predicate, "object": object_, "operator": operator}


def _term(word: str) -> str:
    if word == "_":
        return ""
    return re.sub(r"\\(.)", r"\1", word[1:-1]) if word.startswith('"') else word


def _consequence(text: str) -> dict[str, Any]:
    keyword, _, rest = text.strip().partition(" ")
    if keyword == "ALERT":
        return {"type": "constraint", "violation_message": _parse_message(rest)}
    if re.fullmatch(r"[A-Z][A-Z_]+", keyword):
        return {"type": "policy", "action": f"{keyword} {rest.strip()}"}
    if keyword.startswith('"') and len(_WORD.findall(text)) == 1:
        return {"type": "policy", "action": _parse_message(text)}
    conclusion = _pattern(text)
    if conclusion.pop("operator") != "eq":
        raise ValueError("a conclusion must state a value; it cannot compare")
    return {"type": "inference", "conclusion": conclusion}


def _parse_message(text: str) -> str:
    words = _WORD.findall(text.strip())
    return _term(words[0]) if len(words) == 1 else text.strip()


def _marks(text: str) -> dict[str, Any]:
    found = _MARKS.search(text)
    told: dict[str, Any] = {}
    for mark in found["marks"].split(",") if found else ():
        name, _, value = (part.strip() for part in mark.partition(":"))
        if name == "confidence":
            told["confidence_factor"] = value.split()[0] if value else value
        elif name in ("severity", "domain"):
            told[name] = value
        elif name == "escalate":
            told["escalate"] = value in ("", "true")
        elif name == "disabled":
            told["enabled"] = False
        else:
            raise ValueError(f"[{mark.strip()}] is not a mark; use confidence, severity, escalate, disabled or domain")
    return told
