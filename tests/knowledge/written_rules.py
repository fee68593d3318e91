"""The text of rules, which `knowledge.rule_files` reads: what people write by hand."""

import re
from collections.abc import Iterable
from dataclasses import replace

from mabos.knowledge.model import Condition, Rule

SIGNS = {"eq": "=", "ne": "!=", "gt": ">", "gte": ">=", "lt": "<", "lte": "<=", "contains": "contains"}
_WORD = re.compile(r'"(?:[^"\\]|\\.)*"|\S+')


def write_rules(rules: Iterable[Rule]) -> str:
    """Return the text that `read_rules` reads these rules from."""
    return "\n".join(_text(rule) for rule in rules)


def _text(rule: Rule) -> str:
    lines = [f"# {rule.description}"] if rule.description else []
    lines.append(f"RULE {rule.id}: {rule.name}")
    for keyword, condition in zip(["IF", *["AND"] * len(rule.conditions)], rule.conditions, strict=False):
        lines.append(f"{keyword} {_pattern(condition)}")
    lines.append(" ".join(["THEN", _consequence(rule), *_marks(rule)]))
    return "\n".join(lines) + "\n"


def _pattern(condition: Condition) -> str:
    sign = SIGNS[condition.operator]
    signs = [] if sign == "=" else [sign]
    return " ".join([_quoted(condition.subject), condition.predicate, *signs, _quoted(condition.object)])


def _consequence(rule: Rule) -> str:
    if rule.conclusion is not None:
        return _pattern(replace(rule.conclusion, operator="eq"))
    if rule.type == "constraint":
        return f"ALERT {_quoted(rule.violation_message, always=True)}"
    return rule.action if re.match(r"[A-Z][A-Z_]+ ", rule.action) else _quoted(rule.action, always=True)


def _marks(rule: Rule) -> list[str]:
    marks = [f"confidence: {rule.confidence_factor!r}"] if rule.confidence_factor != 0.9 else []
    marks += [f"severity: {rule.severity}"] if rule.severity != "warning" else []
    marks += ["escalate"] * rule.escalate + ["disabled"] * (not rule.enabled)
    marks += [f"domain: {rule.domain}"] if rule.domain else []
    return [f"[{', '.join(marks)}]"] if marks else []


def _quoted(term: str, *, always: bool = False) -> str:
    if not term and not always:
        return "_"
    plain = _WORD.fullmatch(term) is not None and not term.startswith(('"', "_", "[", "#")) and not term.endswith("]")
    if plain and term not in SIGNS.values() and not always:
        return term
    return '"' + re.sub(r'(["\\])', r"\\\1", term) + '"'
