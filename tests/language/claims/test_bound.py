"""A number of a reply is that of its own month, row, record, label, target and sum: another one on record is not."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from mabos.configs.yaml_file import read_yaml
from mabos.language.claims import Deed, Evidence, check_claims

CASES = read_yaml(Path(__file__).with_name("bound_cases.yaml"))

NOW = datetime(2026, 11, 9, 8, tzinfo=UTC)
TEXTS = (
    "- loaves sold: 5,310, October 2026 (till.csv); before: 4,870 August 2026, 5,020 September 2026",
    "flour.xlsx:\nitem | in stock | minimum\nrye flour | 120 | 300\nwheat flour T55 | 870 | 650\nyeast cubes | 45 | 80",
    "targets.md:\nloaves sold: at least 5,500 a month\nwaste: below 4 %",
    "Oven 3 trips its fuse since 12 October. Oven 1 was cleaned. The guarantee of the slicer ran 6 years.",
    "On record: Work package 'Shop sign' is on record with a budget of $640, due 4 December 2026 (WP-2231-aa01, open).",
    "## Facts that may matter\n- oven cleaners: 17 (payroll of October)\n- flour licences expiring: 4 (the register)",
    "Our only driver has worked 61 hours a week since 12 October, and the inspector allows 48. I'd hire one.",
    "On record: Campaign 'Advent' is recorded on social: $75 a week for 5 weeks, $375 in total (CMP-2231-bb07).",
)
DEEDS = (Deed("recorded", TEXTS[4]), Deed("recorded", TEXTS[-1]), *(Deed(one, TEXTS[6]) for one in ("read", "found")))
KNOWN = Evidence((*TEXTS, "The baker starts at 4:30. The shop opens at 7:00. The van leaves at 6:15."), DEEDS, NOW)


def wrong(reply: str) -> list[str]:
    """Return the numbers of a reply that the check does not accept."""
    return [one.words for one in check_claims(reply, KNOWN) if one.kind in ("number", "amount")]


@pytest.mark.parametrize(
    "reply",
    [
        "Loaves sold were 5,310 in October, up by 290 from 5,020 in September.",
        "They rose every month: 4,870 in August, 5,020 in September and 5,310 in October.",
        "Loaves sold were 5,310 in October against a target of at least 5,500, so 190 short.",
        "Rye flour has 120 of 300, so 180 are missing; yeast cubes 45 of 80, so 35 are missing.",
        "Wheat flour T55 is fine with 870 in stock.",
        "Oven 3 is the one that trips its fuse; the target for waste is below 4 %.",
        "The work package 'Shop sign' costs $640, and 'Advent' comes to $375 in total; that is $265 less.",
        "'Advent' runs for 5 weeks at $75 a week.",
        "'Advent' is on record at $75 a week for 5 weeks, $375 in all.",
        "For the bank you have these: 17 oven cleaners (payroll), 4 flour licences expiring and $640 for the sign.",
        "I recommend to hire one: our only driver has worked 61 hours a week since 12 October.",
    ],
)
def test_what_the_records_say_of_a_thing_passes(reply: str) -> None:
    assert wrong(reply) == []


@pytest.mark.parametrize(("reply", "number"), CASES["a_number_of_another_thing_is_found"])
def test_a_number_of_another_thing_is_found(reply: str, number: str) -> None:
    assert number in wrong(reply)


def test_a_time_of_day_is_that_of_its_own_thing() -> None:
    def wrong_times(reply: str) -> list[str]:
        return [one.words for one in check_claims(reply, KNOWN) if one.kind == "date"]

    assert wrong_times("The baker starts at 4:30, the van leaves at 6:15 and the shop opens at 7:00.") == []
    assert wrong_times("The van leaves at 7:00.") == ["7:00"]
    assert wrong_times("The shop opens at 4:30.") == ["4:30"]
