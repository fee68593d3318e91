"""Rules about a contractor or a campaign hold at the gate for calls that name it, and for no other call."""

from tests.tools.requests.test_orders import ask, said
from tests.world import Member, World


def contractor(world: World, name: str) -> str:
    made = world.do("contractor_add", name=name, skills=["roofing"], hourly_rate_usd=30)
    return str(made["id"])


def test_a_contractor_without_work_gets_none_and_the_others_do(coo: Member) -> None:
    world = coo.world
    banned, other = contractor(world, "Brightfix"), contractor(world, "Ines Roof")
    packages = [
        str(world.do("work_package_create", title=one, description=one, required_skills=[], budget_usd=50)["id"])
        for one in ("Roof", "Wall")
    ]
    slots = {"who": "Brightfix", "operations": ["work_package_assign"]}
    ask(coo, "standing", "forbid", sentence="Give no work to Brightfix any more.", slots=slots)
    coo.cycle()
    coo.ask("work_package_assign", package_id=packages[0], contractor_id=banned)
    coo.ask("work_package_assign", package_id=packages[1], contractor_id=other)
    status = {one.id: one.status for one in world.business.workforce.packages.all()}
    assert status[packages[0]] == "open"
    assert status[packages[1]] == "assigned"


def test_a_rule_that_nothing_enforces_is_noted_and_said_to_be_so(coo: Member) -> None:
    rule = ask(coo, "standing", "", sentence="Always answer the phone with a smile.")
    coo.cycle()
    assert not coo.world.business.instructions.all()
    assert coo.handle.requests.one(rule).status == "standing"
    assert "nothing enforces it" in said(coo)
