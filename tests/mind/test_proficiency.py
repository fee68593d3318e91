import pytest
from hypothesis import given
from hypothesis import strategies as st

from mabos.mind.files import parse_record
from mabos.mind.forms import CAPABILITIES
from mabos.mind.model import Capabilities, Proficiency
from mabos.mind.proficiency import COMPETENT, LEVELS, lacking, proficiency

CFO = Capabilities(skills={"cash flow forecasting": "expert", "pricing": "competent", "marketing": "novice"})


@pytest.mark.parametrize(
    ("wanted", "figure"),
    [
        (["pricing"], 0.6),
        (["Marketing"], 0.3),
        (["Review the pricing of the enterprise tier"], 0.6),
        (["forecasting"], 0.9),
        (["marketing", "pricing"], 0.6),
        (["React"], 0.0),
        ([""], 0.0),
        ([], 0.0),
    ],
)
def test_a_skill_counts_where_its_words_are_wanted_and_the_best_level_stands(wanted: list[str], figure: float) -> None:
    assert proficiency(CFO, wanted) == figure


def test_who_lists_no_skills_has_no_limits() -> None:
    assert proficiency(Capabilities(), ["anything"]) == COMPETENT
    assert lacking(Capabilities(), {"pricing": "competent"}) == ""


def test_what_is_asked_and_not_held_is_named_with_its_level() -> None:
    assert lacking(CFO, {"pricing": "competent"}) == ""
    assert lacking(CFO, {"pricing": "expert", "sourcing": "novice"}) == "pricing (expert), sourcing (novice)"


@given(
    st.dictionaries(st.text(max_size=20), st.sampled_from(sorted(LEVELS)), max_size=4),
    st.sampled_from(("cooking", "Cooking pasta", "pasta")),
)
def test_more_skill_is_never_less_proficient(skills: dict[str, Proficiency], wanted: str) -> None:
    before = proficiency(Capabilities(skills={**skills, "cooking": "novice"}), [wanted])
    assert before <= proficiency(Capabilities(skills={**skills, "cooking": "expert"}), [wanted]) <= 0.9


def test_a_level_that_nobody_defined_counts_as_the_least() -> None:
    text = "# Capabilities\n\n- **Skills:** Pricing: Expert; marketing: wizard\n"
    found = parse_record(CAPABILITIES, {"capabilities": text})
    assert found is not None
    assert dict(found.skills) == {"Pricing": "expert", "marketing": "novice"}
