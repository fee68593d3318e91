"""Rules name the operations that they forbid, or what they may cost, and never something else."""

from typing import Any

import pytest

from mabos.language.interpreter import Context, Vocabulary
from mabos.language.rule_interpreter import RuleInterpreter
from tests.language.test_whole_messages import NOW, operations, values

VOCABULARY = Vocabulary(names={"Regatta week": "campaigns/CMP-1", "Ada Pell": "contacts/CON-1"})


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        (
            "Don't give any work to Brightfix any more.",
            "forbid",
            {"who": "Brightfix", "operations": ["work_package_assign"]},
        ),
        ("No more jobs for Brightfix.", "forbid", {"who": "Brightfix", "operations": ["work_package_assign"]}),
        ("Brightfix gets no more work.", "forbid", {"who": "Brightfix", "operations": ["work_package_assign"]}),
        ("Never hire Brightfix again.", "forbid", {"who": "Brightfix", "operations": ["work_package_assign"]}),
        ("Never stop 'Regatta week'.", "forbid", {"who": "Regatta week", "operations": ["ad_campaign_manage"]}),
        ("Order no extra staff for the fair without asking me.", "ask_first", {"operations": ["work_package_create"]}),
        (
            "Please order no work package above 500 dollars.",
            "cap",
            {"amount": 500, "per": "total", "operations": ["work_package_create"]},
        ),
        (
            "Start no campaign above 100 dollars a week.",
            "cap",
            {"amount": 100, "per": "week", "operations": ["ad_campaign_create"]},
        ),
        ("No letters to Brannigan Group until I say otherwise.", "forbid", {"who": "Brannigan Group"}),
        ("Never pause the regatta ads without asking me.", "ask_first", {"operations": ["ad_campaign_manage"]}),
        ("Never write to Ada Pell.", "forbid", {"who": "Ada Pell"}),
    ],
)
def test_a_rule_is_read_as_what_it_forbids(text: str, kind: str, expected: dict[str, Any]) -> None:
    (reading,) = RuleInterpreter().read(text, Context(NOW, operations(), {}, VOCABULARY))
    assert (reading.act, reading.operation) == ("standing", kind)
    assert values(reading) == expected
