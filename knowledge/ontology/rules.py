"""The business rules of ontologies as agents' rules: listed by `rule_list`; constraints and inferences are active.

business_rules(Path("workspace/ontologies"), "saas")["BudgetIsKept"].type      # 'constraint'

A policy acts, so it is off until a person enables it (`rule_toggle`): most roles have a desire with the same purpose.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from mabos.configs.errors import InvalidArgument, MabosError
from mabos.knowledge.model import Rule
from mabos.knowledge.ontology.model import BusinessRule, Ontology
from mabos.knowledge.ontology.notation import Stamp, local_name, read_ontology, stamp
from mabos.knowledge.ontology.vocabulary import SHIPPED
from mabos.knowledge.rule_records import parse_rule


def business_rules(directory: Path, domain: str) -> Mapping[str, Rule]:
    """Return the rules of a domain and of everything it imports by their own names, nearest first.

    Missing or damaged files and unexecutable rules are left out; `mabos verify` reports them.
    """
    found: dict[str, Rule] = {}
    for ontology, when in _closure(directory, domain):
        for rule in _rules_of(ontology.path, when):
            found.setdefault(rule.id, rule)
    return found


def executable(rule: BusinessRule) -> dict[str, object]:
    """Return a rule in the rule engine's form."""
    return {"name": rule.label, "description": rule.statement, "domain": rule.ontology, **rule.definition}


def _closure(directory: Path, domain: str) -> Iterator[tuple[Ontology, Stamp]]:
    names = [domain]
    for name in names:  # which grows
        path = directory / f"{name}.jsonld"
        try:
            path = path if path.exists() else SHIPPED / path.name
            ontology, when = read_ontology(path), stamp(path)
        except (MabosError, OSError):
            continue
        yield ontology, when
        names += [one for one in ontology.imports if one not in names]


@lru_cache(maxsize=128)
def _rules_of(path: Path, _stamp: Stamp) -> tuple[Rule, ...]:
    found = []
    for rule in read_ontology(path).rules:
        try:
            is_on = rule.definition.get("type") != "policy"
            found.append(parse_rule({"enabled": is_on, **executable(rule)}, local_name(rule.id), created_at=""))
        except InvalidArgument:
            continue
    return tuple(found)
