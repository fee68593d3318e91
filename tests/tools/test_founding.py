"""A company founded from its owner's words: what is read, what follows from it, and what is left open."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

from mabos.configs.errors import InvalidArgument
from mabos.society.business import read_manifest
from mabos.society.describing import interview, read_description
from mabos.society.roles import ROLES
from mabos.society.templates import template_named, templates
from mabos.tools.business.figure_watch import targets_in
from tests.world import Member, World

CLINIC = """Lakeside is a dental practice in Bergen with two chairs. We offer check-ups, fillings and crowns.
Dr. Ida Holm owns the practice, and Petra Vik runs the front desk. Our hygienist, Lars Moe, retires in March.
Cash is 84,000 euros, and revenue was 62,000 euros a month.
The no-show rate is 17.2 % and should be below 6 %. The oven is green.

Rules:
- Never publish anything about patients.
- Ask me before spending more than 500 euros. Nobody climbs alone.

Every Monday send me the no-show rate.
On the first of every month order gloves.
"""
JOINERY = """Hollis & Daughter makes furniture to order in a workshop in Kendal: tables, chairs and dressers in
oak and ash. We are seven people.

Ruth Hollis owns the workshop. Her father, Alan Hollis, still turns chair legs. Two joiners, Tom and Priya, make and
fit.

Cash in the bank is 38,400 pounds. The lead time is 11 weeks and should be at most 9
weeks. Rework was 6.5 % of jobs last month and should be below 3 %. We want at least 12 orders a month.

Nothing is cut before the deposit is in the bank. Never offer a discount.
Never name a customer in anything we publish.
"""
NOTES = """We hire out scaffolding around Leeds.

Who does what
Gemma Illing - managing director, signs everything
Dean Hoyle - yard foreman, stock and lorries

Where we are (end of October)
Cash at bank: £143,700
Overdue invoices: £41,850 - that must come down under £25,000
Hire utilisation: 68% of our tube is out on hire, target 80%
Inspections late: 5 of the weekly inspections were late, there should be none

House rules
No scaffold is handed over without a certificate.
Anything above £1,500 comes to me first.
Cheese is sold only after the lab has cleared the batch.

Routine
Every Monday: overdue invoices to me.
Every Friday Dean checks the tyres.
"""
NURSERY = """Fernhill grows hedging plants, fruit trees and perennials on six acres, and sells them to garden designers.
My wife does the buying. Cash was £12,000 in June and £9,500 in October, and we lose about £3,000 a month. Plant losses
were 14 % last winter; we want them below 8 %. Designers owe us £17,400, and nobody should owe for more than 45 days.
Drivers never exceed nine hours. A crate over 2 kg gets two labels. Our biggest client makes 41 % of revenue.
Nothing goes out with a price lower than last year's list unless
I have said so.
"""
DAIRY = "We make cheese in Switzerland. There are CHF 186,400 in the bank. The yield should be at least 9.8."
INVOICES = "Invoice,Customer,Amount,Due\n2611,Lowther,8400,2026-02-20\n2614,Pargeter,3100,2026-03-20\n"
MONTHS = "Month,Cash,Rework,Orders\n01/01/2026,40900,5.8 %,11\n01/02/2026,38400,6.5 %,10\n"
BAKERY_MONTHS = "Month,Takings,Food cost,labour_cost_rate,Waste\n2026-01,41800,33.5 %,36,210\n"
MAIL = "From: Helen Pargeter <helen@pargeter.example>\nSubject: Kitchen\n\nWhen do you start?\n"
SAAS = ("subscriber", "churn", "mrr", "ticket", "saas", "smb", "product's")


def test_a_description_is_read_with_its_words_and_nothing_else_gets_a_target() -> None:
    read = read_description(CLINIC, name="Lakeside")
    assert read.pack.id == "clinic"
    assert {one.name: one.target for one in read.pack.figures if one.target} == {"no_show_rate": "< 6%"}
    assert {one.name: (one.value, one.unit) for one in read.values} == {
        "cash": (84000.0, "EUR"), "revenue": (62000.0, "EUR/month"), "no_show_rate": (17.2, "%"),
    }  # fmt: skip
    assert {one.name for one in read.pack.people} == {"Dr. Ida Holm", "Petra Vik", "Lars Moe"}
    assert (len(read.pack.rules), len(read.pack.duties)) == (3, 2)
    assert all(one.words.strip("- ") in CLINIC for one in read.parts)
    assert read.unread == ("The oven is green.",)
    assert not any("USD" in one.unit for one in read.pack.figures)


def test_a_number_that_is_no_figure_of_the_business_becomes_none_and_is_listed(tmp_path: Path) -> None:
    read = read_description(NURSERY, name="Fernhill")
    assert {one.name: one.target for one in read.pack.figures if one.target} == {"plant_losses": "< 8%"}
    assert {(one.name, one.value, one.when) for one in read.values} == {
        ("cash", 12000, "in June"), ("cash", 9500, "in October"), ("burn", 3000, ""), ("owed_by_designers", 17400, ""),
    }  # fmt: skip
    assert read.pack.products == ("hedging plants", "fruit trees", "perennials")
    assert read.pack.rules == ("Nothing goes out with a price lower than last year's list unless I have said so.",)
    assert all(any(word in one for one in read.unread) for word in ("14 %", "45", "nine hours", "2 kg", "41 %"))
    with World(tmp_path, template="", clock=lambda: datetime(2026, 11, 9, 9, tzinfo=UTC)) as world:
        world.do("business_create", business_id="fern", name="Fernhill", describe=NURSERY)
        series = world.business.metrics.series("cash")
        assert [(one.at[:10], one.value) for one in series] == [("2026-06-30", 12000), ("2026-10-31", 9500)]
        assert "plant_losses" not in world.business.metrics.names()


def test_a_page_of_notes_is_read_as_people_figures_rules_and_duties() -> None:
    read = read_description(NOTES, name="Aire Valley Scaffolding")
    assert [(one.name, one.duty) for one in read.pack.people] == [
        ("Gemma Illing", "managing director, signs everything"), ("Dean Hoyle", "yard foreman, stock and lorries"),
    ]  # fmt: skip
    assert {one.name: one.target for one in read.pack.figures if one.target} == {
        "overdue_invoices": "< 25000", "hire_utilisation": ">= 80%", "inspections_late": "<= 0",
    }  # fmt: skip
    assert read.pack.rules == (
        "No scaffold is handed over without a certificate.", "Ask me before spending more than £1,500.",
        "Cheese is sold only after the lab has cleared the batch.",
    )  # fmt: skip
    assert read.pack.duties == ("Every Monday send me the overdue invoices.", "Every Friday Dean checks the tyres.")
    assert (read.pack.currency, read.pack.description) == ("GBP", "We hire out scaffolding around Leeds.")


def test_money_is_in_the_currency_of_the_owners_text(tmp_path: Path) -> None:
    with World(tmp_path, template="") as world:
        world.do("business_create", business_id="suld", name="Suld", describe=DAIRY)
        cmo = world.agent("cmo")
        cmo.cycle(message="Start a search campaign named 'Spring': 90 francs a week for 8 weeks, for everybody.")
        (campaign,) = world.business.campaigns.all()
        assert campaign.weekly_budget_usd == 90
        assert "CHF 720" in world.services.inbox("stakeholder").messages()[-1].content
        cmo.cycle(message="Start a search campaign named 'Autumn': £90 a week for 8 weeks, for everybody.")
        assert "How many CHF" in world.services.inbox("stakeholder").messages()[-1].content
        assert len(world.business.campaigns.all()) == 1
        cmo.cycle(message="Revenue was CHF 92,000 in February.")
        series = world.business.metrics.series("revenue")
        assert [(one.value, one.unit, one.at[:10]) for one in series] == [(92000.0, "CHF", "2026-02-28")]
        cmo.cycle(message="Raise our goal for the revenue to CHF 95,000.")
        cmo.cycle(message="The yield was 9.1 in February, I want it above 9.5.")
        assert {one.id: one.target for one in world.business.figures.all()} == {"revenue": ">= 95000", "yield": "> 9.5"}


def test_what_the_chief_is_told_to_buy_is_a_package_of_the_colleague_who_may(tmp_path: Path) -> None:
    with World(tmp_path, template="") as world:
        world.do("business_create", business_id="suld", name="Suld", describe=DAIRY)
        world.cycle("ceo", "Order 40 cheese boards from Trachsel, at most CHF 600.")
        world.cycle("ceo", "Yes.")
        world.cycle("coo")
        assert [one.budget_usd for one in world.business.workforce.packages.all()] == [600]


def test_remarks_of_the_owner_change_what_the_business_sells_and_who_works_there(tmp_path: Path) -> None:
    pottery = "Ann Lee owns the pottery and Joe Marsh fires the kiln on Fridays. A lesson costs £30, a glaze from £9."
    with World(tmp_path, template="") as world:
        world.do("business_create", business_id="kiln", name="Harbour Kiln", describe=pottery)
        for said in ("We also sell bowls at £12.", "A lesson now costs £35.", "Mia Day joins us as an apprentice."):
            world.cycle("ceo", said)
        kept = read_manifest(world.services.layout, "kiln")
        assert ([it["name"] for it in kept.people][1:], kept.products[2:]) == (["Joe Marsh", "Mia Day"], ("bowls",))
        assert {one.unit_amount for one in world.business.pricing.prices.all() if one.active} == {3500, 1200}


def test_a_company_from_half_a_page_has_its_figures_rules_duties_people_and_questions(tmp_path: Path) -> None:
    with World(tmp_path, template="") as world:
        world.do("business_create", business_id="lakeside", name="Lakeside", describe=CLINIC)
        business = world.services.business("lakeside")
        assert [one.kind for one in business.instructions.all()] == ["forbid", "cap"]
        assert business.metrics.latest("no_show_rate").value == 17.2  # type: ignore[union-attr]  # it is there
        coo = world.agent("coo")
        assert "no_show_rate < 6%" in [one.target for one in coo.mind.desires]
        assert "Dr. Ida Holm" in coo.mind.file("Knowledge.md")
        first = {one.performative: one.content for one in world.services.inbox("stakeholder").messages()}
        assert "nothing enforces them: 'Nobody climbs alone.'" in first["INFORM"]
        pages = [world.text(str(one.relative_to(tmp_path))).lower() for one in (tmp_path / "agents").glob("*/*.md")]
        assert [word for word in SAAS for page in pages if word in page] == []
        for _ in range(2):
            for agent in business.manifest.agents.values():
                world.cycle(agent)
        told = [one for one in world.services.inbox("stakeholder").messages() if one.performative == "INFORM"]
        assert any("17.2%" in one.content and one.sender == "coo" for one in told)  # the alarm
        standing = [one.operation for one in world.agent("ceo").handle.requests.all() if one.status == "standing"]
        assert sorted(standing) == ["remind", "report_regularly"]
        assert [*business.campaigns.all(), *business.content.all(), *business.workforce.packages.all()] == []


def test_several_rules_of_a_sentence_and_the_words_of_one_owner_are_each_read() -> None:
    read = read_description(
        "I'm Gwen Harrow and we are tree surgeons. There's £23,700 in the account. Tom Beddoes is the groundsman. "
        "A crew day is £680, a stump £90. The chipper costs £412 a month. My mother Nora, who keeps the books, helps. "
        "Nobody climbs alone and nobody works aloft in a gale. I approve every purchase over £500. "
        "Please never promise a day, and ask me before you hire. Two pitches; a pitch is dry till March.",
        name="Harrow",
    )
    assert (read.pack.id, *read.pack.products, read.values[0].value) == ("general", "crew day", "stump", 23700)
    assert {one.name for one in read.pack.people} == {"Gwen Harrow", "Tom Beddoes", "Nora"}
    assert [one[:17] for one in read.pack.rules] == [
        "Nobody climbs alo", "Nobody works alof", "Ask me before spe", "Please never prom", "Ask me before you",
    ]  # fmt: skip


def test_a_line_without_a_pack_has_its_own_figures_people_and_products_from_wrapped_prose() -> None:
    read = read_description(JOINERY, name="Hollis & Daughter")
    assert (read.pack.id, read.pack.products) == ("general", ("tables", "chairs", "dressers"))
    assert {one.name: one.target for one in read.pack.figures if one.target} == {
        "lead_time": "<= 9", "rework": "< 3%", "orders": ">= 12",
    }  # fmt: skip
    assert {(one.name, one.value, one.unit) for one in read.values} == {
        ("cash", 38400, "GBP"), ("lead_time", 11, "weeks"), ("rework", 6.5, "%"),
    }  # fmt: skip
    assert {one.name for one in read.pack.people} == {"Ruth Hollis", "Alan Hollis", "Tom", "Priya"}
    assert {one.name: one.owner for one in read.pack.figures if one.target}["lead_time"] == "coo"
    assert read.unread == ("We are seven people.",)


def test_what_the_owner_of_a_joinery_says_changes_exactly_that(tmp_path: Path) -> None:
    with World(tmp_path, template="") as world:
        world.do("business_create", business_id="hollis", name="Hollis & Daughter", describe=JOINERY)
        inbox = "businesses/hollis/inbox"
        for name, text in {"unpaid.csv": INVOICES, "figures.csv": MONTHS, "helen.eml": MAIL}.items():
            world.write(f"{inbox}/{name}", text)
        business = world.services.business("hollis")
        rules = {one.sentence.split()[1]: (one.kind, one.operations) for one in business.instructions.all()}
        assert rules == {"offer": ("forbid", ("stripe_create_price",)), "name": ("ask_first", ("content_generate",))}
        world.cycle("ceo", "Remind me on 25 March to order oak.")
        assert not {"invoice", "amount"} & set(business.metrics.names())  # a list of invoices is no series
        world.cycle("ceo", "Correction: cash at the end of February was 36,900 pounds, not 38,400.")
        assert {one.value for one in business.metrics.series("cash")} == {40900, 36900}
        requests = world.agent("ceo").handle.requests.all()
        assert [one.slot("date") for one in requests if one.operation == "remind"] == ["2026-03-25"]
        world.cycle("ceo", "From now on our goal for rework is below 4 %.")
        world.cycle("cto")
        wanted = [one.target for one in world.agent("cto").mind.desires if one.status == "active"]
        assert [one for one in wanted if "rework" in one] == ["rework < 4%"]
        world.cycle("ceo", "Ms Pargeter has paid her deposit of 5,200 pounds.")
        assert any("5,200 pounds" in one.statement for one in world.agent("ceo").mind.beliefs)
        world.cycle("cmo", "Write to Helen Pargeter that we start on Thursday.")
        asked = [one.action["arguments"]["to"] for one in world.questions() if one.action]
        assert asked == ["helen@pargeter.example"]


def test_a_table_fills_the_figures_of_the_pack_by_their_other_names_and_in_their_unit(tmp_path: Path) -> None:
    with World(tmp_path, template="bakery") as world:
        world.write(f"businesses/{world.business.id}/inbox/month.csv", BAKERY_MONTHS)
        world.cycle("cfo")
        read = {(one.name, one.value, one.unit) for one in world.business.metrics.all()}
        assert read >= {("food_cost_rate", 33.5, "%"), ("labour_cost_rate", 36, "%"), ("waste", 210, "")}
        assert "Food cost (target: at most 33%): 33.5%" in world.services.inbox("stakeholder").messages()[-1].content


@pytest.mark.parametrize("name", templates())
def test_a_pack_promises_nothing_knows_its_aims_and_speaks_of_software_only_for_software(name: str) -> None:
    pack = template_named(name)
    assert not pack.value_propositions  # they would be told as facts in what is published
    aims = [one.target for own in pack.roles.values() for one in own.desires] + [one.target for one in pack.goals]
    assert {one.split()[0] for one in aims} <= set(pack.measures)
    for role in ROLES if pack.base == "general" else ():
        texts = pack.role(role)
        said = " ".join((*texts.responsibilities, *texts.colleagues.values(), texts.style)).lower()
        assert not any(word in said for word in ("{", "subscriber", "churn", "mrr", "ticket"))


def test_the_interview_is_answered_by_a_file_and_its_form_is_a_pack() -> None:
    answers = {
        "line": "We run a bakery with two ovens.", "products": "bread, rolls", "rules": "Never give discounts.",
        "people": "Tom Reed: bakes; Ana Diaz: counter", "cash": "52,000 pounds",
        "figures": "food waste below 5 %; food cost under 32 %",
        "duties": "Every Friday count the till.", "vocabulary": "customer: regular; customers: regulars",
    }  # fmt: skip
    read = read_description(yaml.safe_dump(answers), name="Crumb")
    assert read.pack.id == "bakery"
    aims = {one.name: one.target for one in read.pack.figures if one.target}
    assert aims == {"waste_rate": "< 5%", "food_cost_rate": "< 32%"}
    assert [one.duty for one in read.pack.people] == ["bakes", "counter"]
    assert read.pack.vocabulary["customers"] == "regulars"
    assert not {one.key for one in read.questions} & set(answers)
    assert len(interview()) == 15


def test_a_form_with_a_wrong_figure_names_the_key() -> None:
    with pytest.raises(InvalidArgument, match="target"):
        read_description("figures:\n- {name: waste_rate, target: rather low}\nline: A bakery.")


def test_a_pack_that_a_person_copied_and_changed_founds_a_company(tmp_path: Path) -> None:
    own = yaml.safe_load((Path(__file__).parents[2] / "configs" / "templates" / "bakery.yaml").read_text("utf-8"))
    own |= {"id": "pizzeria", "rules": ["Never give discounts."], "people": [{"name": "Ana Diaz", "duty": "counter"}]}
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / "pizzeria.yaml").write_text(yaml.safe_dump(own), "utf-8")
    with World(tmp_path, template="pizzeria") as world:
        assert [one.kind for one in world.business.instructions.all()] == ["forbid"]
        assert world.agent("ceo").handle.facts.query(subject="Ana Diaz", predicate="duty")
        asked = {one.sender: one.content for one in world.services.inbox("stakeholder").messages()}
        assert own["questions"][0]["text"] in asked["ceo"]
        assert "usual in this line: waste at most 8%." in asked["coo"]
        assert world.refused("business_create", business_id="two", name="Two", template="pizeria")[1] == "template"


@pytest.mark.parametrize("way", ["template", "prose", "form"])
def test_goals_of_the_owner_are_adopted_by_every_way_of_founding(tmp_path: Path, way: str) -> None:
    goal = {"text": "Sell 900 pizzas a week", "owner": "cmo", "target": "pizzas >= 900", "horizon_days": 200}
    own: dict[str, Any] = {"id": "pizzeria", "title": "Pizzeria", "description": "Pizza.", "domain": "retail"}
    own |= {"base": "general"}
    own |= {"figures": [{"name": "pizzas", "owner": "cmo"}], "goals": [goal]}
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / "pizzeria.yaml").write_text(yaml.safe_dump(own), "utf-8")
    given = {
        "template": {"template": "pizzeria"},
        "prose": {"template": "pizzeria", "describe": "We run a pizzeria in Bari."},
        "form": {"describe": yaml.safe_dump({"line": "A pizzeria.", "figures": ["pizzas"], "goals": [goal]})},
    }
    with World(tmp_path, template="bakery") as world:
        world.do("business_create", business_id="nord", name="Nord", **given[way])
        business = world.services.business("nord")
        held = [one.target for id_ in business.manifest.agents.values() for one in world.agent(id_).mind.goals]
        assert held == ["pizzas >= 900"]


def test_german_headings_and_a_band_are_read_and_asked_for_in_english(tmp_path: Path) -> None:
    about = "We run a swimming pool. Visits were 3,900 in September. The water should stay between 26 and 28 degrees."
    with World(tmp_path, template="", at=datetime(2026, 11, 20, 8, tzinfo=UTC)) as world:
        world.do("business_create", business_id="pool", name="Pool", describe=about)
        business = world.services.business("pool")
        chief, coo = (world.agent(business.manifest.agent(role)) for role in ("ceo", "coo"))
        inbox = "businesses/pool/inbox"
        world.write(f"{inbox}/zahlen.csv", "Monat;Umsatz;Besuche;Energiekosten (EUR)\n2026-10;51.900,00;4.320;8.640\n")
        world.write(f"{inbox}/kurse.csv", "Kurs;Zuständig;Fällig am\nAquafit;Svenja Holt;2026-12-01\n")
        world.write(
            f"{inbox}/brief.txt", "Die Miete steigt ab dem 1. Januar 2027 von 900 € auf 960 €. Wir grüßen Sie.\n"
        )
        world.cycle(chief.handle.id)
        assert "960" in answer_to(world, chief, "When does the rent rise?")
        assert {"revenue", "visits", "energy_cost"} <= {*business.metrics.names()}
        for said, known in (("What were the visits in October?", "4,320"), ("Who is responsible for Aquafit?", "Holt")):
            assert known in answer_to(world, chief, said)
        world.cycle(chief.handle.id, "Our target for visits is between 3,000 and 4,000.")
        figure = business.figures.find("visits")
        assert figure is not None
        assert figure.target == ">= 3000 and visits <= 4000"
        assert not answer_to(world, chief, "What are our targets?").startswith("No.")
        world.cycle(coo.handle.id)
        assert [one for one in world.services.inbox("stakeholder").messages() if "Target missed. Visits" in one.content]


def answer_to(world: World, agent: Member, question: str) -> str:
    world.cycle(agent.handle.id, question)
    return world.services.inbox("stakeholder").messages()[-1].content


def test_a_figure_with_a_target_gets_an_owner_an_alarm_and_a_goal(tmp_path: Path) -> None:
    with World(tmp_path, template="consulting") as world:
        inbox = "businesses/acme/inbox"
        world.write(f"{inbox}/metrics.csv", "month,no_show_rate\n2026-01,15.1 %\n2026-02,17.2 %\n")
        world.write(f"{inbox}/note.md", "# Note\n\nOur goal is a no-show rate below 6 %.\n")
        for _ in range(3):
            for agent in world.business.manifest.agents.values():
                world.cycle(agent)
        (figure,) = world.business.figures.all()
        assert (figure.id, figure.owner, figure.target) == ("no_show_rate", "coo", "< 6%")
        coo = world.agent("coo")
        assert coo.belief("no_show_rate").value == "17.2%"  # type: ignore[union-attr]  # it is believed
        assert "no_show_rate < 6%" in [one.target for one in coo.mind.goals]
        told = [one.content for one in world.services.inbox("stakeholder").messages() if one.sender == "coo"]
        assert sum("17.2%" in one and "15.1%" in one for one in told) == 1


def test_a_figure_that_is_asked_about_is_watched_from_then_on(tmp_path: Path) -> None:
    with World(tmp_path, template="consulting") as world:
        world.do("metrics_record", "coo", name="no_show_rate", value=17.2, unit="%")
        world.cycle("ceo", "What is our no-show rate, and how do we bring it below 6 percent?")
        (figure,) = world.business.figures.all()
        assert (figure.owner, figure.target) == ("coo", "< 6%")
        world.cycle("coo")
        assert world.agent("coo").belief("no_show_rate") is not None


PROSE = """We make a single malt, sold from 8 years old, at £62 a bottle, and a heather gin at £36.
Tours cost £18 per person. A 10x10 rents for $129 a month and a heated 10x10 for $169.
Right now we're 87% occupied and I want to get back over 92%.
The yield is what we live by: at the moment 402 litres per tonne. It ought to be 410 or better.
Call-offs run 7% of shifts and I need that at 4% or lower. We've got £212,400 in the current account.
Turnover is killing us. The city gives us a subsidy of £400 each month. Nobody's lock gets cut without me saying so.
What keeps me up at night: a new place opens. Every Monday morning: visitors and bottles sold."""


def test_prose_gives_prices_shares_and_bounds_and_nobody_who_is_no_person(tmp_path: Path) -> None:
    read = read_description(PROSE)
    assert {one.name: one.target for one in read.pack.figures if one.target} == {
        "occupancy": "> 92%", "yield": ">= 410", "call_off_rate": "<= 4%",
    }  # fmt: skip
    assert {one.name: one.value for one in read.values} == {
        "occupancy": 87, "yield": 402, "call_off_rate": 7, "cash": 212_400,
    }  # fmt: skip
    assert {name: (one.value, one.per) for name, one in read.prices.items()} == {
        "single malt": (62, ""), "heather gin": (36, ""), "Tours": (18, "each"), "10x10": (129, "month"),
        "heated 10x10": (169, "month"),
    }  # fmt: skip
    assert not read.pack.people
    assert read.pack.duties == ("Every Monday morning send me visitors and bottles sold.",)
    assert [one.value for one in read.parts if one.what == "worries"] == [
        "What keeps me up at night: a new place opens."
    ]
    with World(tmp_path, template="") as world:
        world.do("business_create", business_id="malt", name="Malt", describe=PROSE)
        assert world.business.instructions.all()[0].operations == ("work_package_create",)
        world.write("businesses/malt/inbox/wk.csv", "Week,Call-offs,Call-off rate\n2026-01-05,15,0.066\n")
        world.cycle("ceo")
        kept = {one.name: one.value for one in world.business.metrics.all() if one.source.endswith("wk.csv:2")}
        world.call("stripe_create_price", {"product": "Tours", "amount_usd": 20, "business_id": "malt"})
        assert world.questions()[-1].subject == "Set the price of Tours for all customers to £20, now £18"
        assert kept == {"call_offs": 15, "call_off_rate": 6.6}
        assert targets_in(world.agent("ceo").handle, "Call-offs run 7% of shifts and should be at most 4%.") == ()
