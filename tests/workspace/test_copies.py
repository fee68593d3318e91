from dataclasses import dataclass, field
from dataclasses import replace as by_the_book

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mabos.workspace.copies import replace


@dataclass(frozen=True, slots=True)
class Parcel:
    name: str
    weight: int = 1
    marks: tuple[str, ...] = ()
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.weight < 0:
            raise ValueError("a parcel has a weight")


changes = st.fixed_dictionaries(
    {}, optional={"name": st.text(), "weight": st.integers(0), "marks": st.lists(st.text()).map(tuple)}
)


@given(st.builds(Parcel, name=st.text(), weight=st.integers(0)), changes)
def test_a_copy_is_what_the_standard_library_makes(parcel: Parcel, changed: dict[str, object]) -> None:
    assert replace(parcel, **changed) == by_the_book(parcel, **changed)  # type: ignore[arg-type]  # any of its fields


def test_a_copy_leaves_the_record_alone_and_shares_what_was_not_changed() -> None:
    parcel = Parcel("one", notes=["fragile"])
    heavier = replace(parcel, weight=9)
    assert (parcel.weight, heavier.weight) == (1, 9)
    assert heavier.notes is parcel.notes


def test_a_copy_is_checked_as_a_new_record_is() -> None:
    with pytest.raises(ValueError, match="a parcel has a weight"):
        replace(Parcel("one"), weight=-1)


def test_a_field_that_is_none_is_named() -> None:
    with pytest.raises(TypeError, match="Parcel has no field 'colour'; it has name, weight, marks, notes"):
        replace(Parcel("one"), colour="red")
