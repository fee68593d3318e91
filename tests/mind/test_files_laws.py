"""What holds for every record: it survives being written, and a rewritten section reads as the new record."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mabos.configs.errors import Damaged
from mabos.mind.files import key_of, parse, parse_record, reads_back, render, rewrite
from mabos.mind.forms import FORM_OF, SECTION_FORMS, Form
from mabos.mind.model import Belief, Capabilities, Desire, Goal, Item, Persona, Plan, Playbook, Step
from mabos.workspace.markdown import split
from tests.mind import strategies as some

PAIRS = st.one_of(
    *(st.tuples(kind, kind) for kind in (some.beliefs, some.desires, some.goals, some.intentions, some.plans)),
    *(st.tuples(kind, kind) for kind in (some.commitments, some.learnings, some.playbooks)),
)


@settings(max_examples=60, deadline=None)
@given(some.records)
def test_a_rendered_record_reads_back_as_itself(item: Item) -> None:
    text = render(item)
    assert parse(FORM_OF[type(item)], key_of(item), text) == item


@settings(max_examples=50, deadline=None)
@given(some.records.filter(lambda item: not isinstance(item, Playbook)))
def test_it_is_sure_of_every_record_with_an_id_that_it_reads_back(item: Item) -> None:
    assert reads_back(item)


@pytest.mark.parametrize(
    "item",
    [
        Belief("B-1", "Sure beyond measure", 1.5),
        Belief("B-1", "Certain as a whole number", 1),
        Belief("B-1", "On no evidence", evidence=("",)),
        Belief("", "Known by its key"),
        Desire("D-1", "Its priority stands without dimensions", stated=True),
        Goal("G-1", "No such status", status="open"),  # type: ignore[arg-type]  # what no type checker saw
        Plan("P-1", steps=(Step("s1", "Arguments that JSON gives back as a list", arguments={"to": ("cmo",)}),)),
        Plan("P-1", steps=(Step("s1", "Not a number", cost=float("nan")),)),
        Playbook("Known by its heading"),
    ],
    ids=str,
)
def test_it_is_not_sure_of_a_record_that_might_read_back_as_another(item: Item) -> None:
    assert not reads_back(item)


@settings(max_examples=50, deadline=None)
@given(some.records)
def test_a_rendered_record_is_one_section_under_its_key(item: Item) -> None:
    preamble, sections = split(render(item))
    assert preamble == ""
    assert [section.key for section in sections] == [key_of(item)]


@settings(max_examples=40, deadline=None)
@given(st.one_of(some.personas, some.capabilities))
def test_a_record_of_a_whole_file_reads_back_as_itself(item: Persona | Capabilities) -> None:
    read = parse_record(FORM_OF[type(item)], {"": "# File\n\n", key_of(item): render(item)})
    if item != Capabilities():
        assert read == item


@settings(max_examples=60, deadline=None)
@given(PAIRS)
def test_a_rewritten_section_reads_as_the_new_record(pair: tuple[Item, Item]) -> None:
    old, new = pair
    key = key_of(old)
    if hasattr(new, "id"):
        object.__setattr__(new, "id", old.id)  # type: ignore[union-attr]  # both have ids
    else:
        object.__setattr__(new, "name", old.name)  # type: ignore[union-attr]  # playbooks are known by their name
    text = render(old).rstrip("\n") + "\n\nA line of prose that a person added.\n\n- **Owner:** Jane\n"
    if old.__class__.__name__ in ("Belief", "Desire", "Commitment", "Learning"):
        text = render(old).rstrip("\n") + "\n- **Owner:** Jane\n"
    form = FORM_OF[type(new)]
    assert parse(form, key, rewrite(new, key, text).text) == new
    assert "Jane" in rewrite(new, key, text).text


@settings(max_examples=40, deadline=None)
@given(some.records)
def test_rewriting_what_did_not_change_changes_nothing(item: Item) -> None:
    text = render(item).replace("- **", "* **")
    form = FORM_OF[type(item)]
    assert rewrite(parse(form, key_of(item), text), key_of(item), text).text == text


@settings(max_examples=50, deadline=None)
@given(st.lists(st.one_of(some.words, some.line), max_size=8).map("\n".join), st.sampled_from(SECTION_FORMS))
def test_any_text_is_read_or_refused_by_name_and_left_as_it_is(text: str, form: Form) -> None:
    for section in split("## A heading\n" + text)[1]:
        try:
            item = parse(form, section.key, section.text)
        except Damaged:
            continue
        assert rewrite(item, section.key, section.text).text == section.text
