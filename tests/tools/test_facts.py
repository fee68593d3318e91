"""The fact tools, called as a person calls them."""

import pytest

from tests.world import Member


def runway(cfo: Member, months: object = "9", **more: object) -> dict[str, object]:
    given = {"subject": "acme", "predicate": "runway_months", "object": months, "confidence": 0.9, "source": "ledger"}
    return cfo.do("fact_assert", **(given | more))


def test_a_fact_is_asserted_found_and_restated(cfo: Member) -> None:
    first = runway(cfo)
    again = runway(cfo, confidence=0.5)
    assert again["fact_id"] == first["fact_id"]
    assert (first["created"], again["created"]) == (True, False)
    (fact,) = cfo.do("fact_query", subject="ac*")["facts"]
    assert (fact["id"], fact["confidence"]) == (first["fact_id"], 0.5)


def test_numbers_are_kept_as_they_are_written(cfo: Member) -> None:
    assert runway(cfo, 9)["fact"]["object"] == "9"  # type: ignore[index]  # a result is plain data
    assert runway(cfo, True)["fact"]["object"] == "true"  # type: ignore[index]  # as above


def test_a_fact_holds_in_its_time(cfo: Member) -> None:
    runway(cfo, valid_from="2026-01-01", valid_until="2026-06-30")
    for moment, count in (("2025-12-31", 0), ("2026-01-01", 1), ("2026-06-30T15:00:00Z", 1), ("2026-07-01", 0)):
        assert cfo.do("fact_query", valid_at=moment)["count"] == count


def test_a_limit_says_how_many_there_are(cfo: Member) -> None:
    for months in range(5):
        runway(cfo, months)
    found = cfo.do("fact_query", limit=2)
    assert (found["count"], found["total"]) == (2, 5)


def test_a_fact_is_explained(cfo: Member) -> None:
    fact_id = runway(cfo)["fact_id"]
    explained = cfo.do("fact_explain", fact_id=fact_id)
    assert (explained["derived"], explained["supports"]) == (False, [])
    assert "acme runway_months 9" in explained["text"]


def test_facts_are_retracted_in_bulk(cfo: Member) -> None:
    for months in range(3):
        runway(cfo, months)
    assert cfo.do("fact_retract", subject="acme")["count"] == 3
    assert cfo.do("fact_query")["count"] == 0


@pytest.mark.parametrize(
    ("tool", "arguments", "code", "argument"),
    [
        ("fact_explain", {"fact_id": "F-1"}, "unknown_id", "fact_id"),
        ("fact_retract", {"fact_id": "F-1"}, "unknown_id", "fact_id"),
        ("fact_retract", {}, "invalid_argument", "fact_id"),
        ("fact_query", {"valid_at": "soon"}, "invalid_argument", "valid_at"),
        (
            "fact_assert",
            {"subject": "a", "predicate": "b", "object": "c", "confidence": 1, "source": "d",
             "valid_from": "2026-02-01", "valid_until": "2026-01-01"},
            "invalid_argument",
            "valid_until",
        ),
    ],
)  # fmt: skip
def test_a_wrong_argument_is_named(
    cfo: Member, tool: str, arguments: dict[str, object], code: str, argument: str
) -> None:
    assert cfo.refused(tool, **arguments) == (code, argument)


def test_a_file_of_triples_is_held_whole_or_not_at_all(cfo: Member) -> None:
    folder = "businesses/acme/data"
    triples = "".join(f"p{number},knows,p{number + 1}\n" for number in range(2000))
    said = "globex,mail,ann@globex.example,0.5\nglobex,note,password: hunter2secret,1\n"
    cfo.world.write(f"{folder}/known.csv", f"subject,predicate,object,confidence\n{said}{triples}")
    cfo.world.write(
        f"{folder}/known.nt", '<http://x/a> <http://x/is> "good"@en .\n# a remark\n_:b <http://x/of> <http://x/a> .\n'
    )
    cfo.world.write(f"{folder}/torn.csv", "subject,predicate,object\na,b,c\n,b,c\n")
    assert cfo.do("fact_import", path="data/known.csv")["new"] == 2002
    assert cfo.do("fact_import", path="data/known.csv")["new"] == 0
    (one,) = cfo.do("fact_query", subject="p1999")["facts"]
    assert (one["object"], one["confidence"], one["source"]) == ("p2000", 1, "data/known.csv:2003")
    (mail,) = cfo.do("fact_query", subject="globex", predicate="mail")["facts"]
    assert (mail["object"], mail["confidence"]) == ("ann@globex.example", 0.5)
    assert "hunter2" not in str(cfo.do("fact_query", subject="globex"))
    assert cfo.do("fact_import", path="data/known.nt")["statements"] == 2
    assert cfo.do("fact_query", subject="_:b")["facts"][0]["object"] == "http://x/a"
    before = cfo.do("fact_query")["total"]
    assert "torn.csv:3" in cfo.ask("fact_import", path="data/torn.csv").message
    assert cfo.do("fact_query")["total"] == before
