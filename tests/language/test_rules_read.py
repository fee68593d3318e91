"""Rules name the operations that they forbid, or what they may cost, and never something else."""

from pathlib import Path
from typing import Any

import pytest

from mabos.configs.yaml_file import read_yaml
from mabos.language.interpreter import Context, Vocabulary
from mabos.language.rule_interpreter import RuleInterpreter
from tests.language.test_whole_messages import NOW, operations, values

CASES = read_yaml(Path(__file__).with_name("test_rules_read_cases.yaml"))
VOCABULARY = Vocabulary(names={"Regatta week": "campaigns/CMP-1", "Ada Pell": "contacts/CON-1"})


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    CASES["rules"],
)
def test_a_rule_is_read_as_what_it_forbids(text: str, kind: str, expected: dict[str, Any]) -> None:
    (reading,) = RuleInterpreter().read(text, Context(NOW, operations(), {}, VOCABULARY))
    assert (reading.act, reading.operation) == ("standing", kind)
    assert values(reading) == expected
