"""Founding, listing and looking at businesses through the one call path."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from mabos.configs.settings import environment, load_settings
from mabos.mind.binding import laid_out, tasks_of, values_for
from mabos.mind.library import load_library
from mabos.mind.model import Goal, Step
from mabos.mind.tasks import PlanTask
from mabos.mind.templates import Template
from mabos.society.roles import ROLES
from mabos.tools.catalogue.registry import Registry
from mabos.tools.gate.call import Outcome, call
from mabos.tools.runtime.opening import open_services
from mabos.tools.runtime.services import PERSON, Caller, Services
from mabos.workspace.clock import frozen_clock

NOW = datetime(2026, 1, 5, 9, tzinfo=UTC)


def opened(root: Path, variables: Mapping[str, str] | None = None) -> Services:
    env = environment(variables or {})
    return open_services(
        root, settings=load_settings(None, env), environment=env, clock=frozen_clock(NOW), seed="test",
        registry=Registry(("business.businesses", "people.communication", "business.metrics")),
    )  # fmt: skip


def asked(services: Services, tool: str, **arguments: Any) -> Outcome:
    return call(services, tool, arguments, caller=PERSON)


def done(services: Services, tool: str, **arguments: Any) -> Mapping[str, Any]:
    outcome = asked(services, tool, **arguments)
    assert outcome.ok, outcome.message
    return outcome.result


def test_a_person_creates_a_business_and_finds_it_in_the_list(tmp_path: Path) -> None:
    services = opened(tmp_path)
    made = done(services, "business_create", business_id="acme", name="Acme", template="saas", legal_name="Acme Inc.")
    assert made["agents"]["cfo"] == "cfo"
    assert made["legal_name"] == "Acme Inc."
    listed = done(services, "business_list")
    assert [one["business_id"] for one in listed["businesses"]] == ["acme"]
    assert listed["businesses"][0]["agents"] == list(ROLES)


def test_an_agent_that_wants_to_found_a_business_asks_the_owner_first(tmp_path: Path) -> None:
    services = opened(tmp_path)
    done(services, "business_create", business_id="acme", name="Acme", template="saas")
    wanted = {"business_id": "two", "name": "Two", "template": "saas"}
    outcome = call(services, "onboard_business", wanted, caller=Caller("agent", "ceo"), agent_id="ceo")
    assert outcome.code == "awaiting_approval"
    assert [one["business_id"] for one in done(services, "business_list")["businesses"]] == ["acme"]


@pytest.mark.parametrize(
    ("wrong", "argument"),
    [({"template": "sas"}, "template"), ({"business_id": "A B"}, "business_id"), ({"name": ""}, "name")],
)
def test_a_wrong_argument_is_named_and_nothing_is_written(tmp_path: Path, wrong: dict[str, str], argument: str) -> None:
    services = opened(tmp_path)
    outcome = asked(services, "business_create", **({"business_id": "acme", "name": "A", "template": "saas"} | wrong))
    assert outcome.argument == argument
    assert not (tmp_path / "businesses").exists()


def test_a_business_that_exists_is_not_created_again(tmp_path: Path) -> None:
    services = opened(tmp_path)
    done(services, "business_create", business_id="acme", name="Acme", template="saas")
    outcome = asked(services, "business_create", business_id="acme", name="Acme", template="saas")
    assert (outcome.code, outcome.argument) == ("invalid_argument", "business_id")


def test_the_status_shows_numbers_and_agents(tmp_path: Path) -> None:
    services = opened(tmp_path)
    done(services, "business_create", business_id="acme", name="Acme", template="saas")
    services.business("acme").metrics.record("cash", 400_000, "2026-01-05", "USD", "test")
    status = done(services, "business_status", business_id="acme")
    assert status["metrics"]["cash"]["value"] == 400_000
    cfo = next(one for one in status["agents"] if one["role"] == "cfo")
    assert cfo["title"] == "Chief Financial Officer"
    assert cfo["desires"] >= 3
    assert status["pending_decisions"] == []


def test_the_status_of_an_unknown_business_names_the_nearest(tmp_path: Path) -> None:
    services = opened(tmp_path)
    done(services, "business_create", business_id="acme", name="Acme", template="saas")
    outcome = asked(services, "business_status", business_id="acmee")
    assert outcome.code == "unknown_id"
    assert "did you mean 'acme'" in outcome.message


def test_onboarding_takes_what_the_owner_says_and_names_the_next_steps(tmp_path: Path) -> None:
    made = done(
        opened(tmp_path), "onboard_business", business_id="acme", name="Acme", template="consulting",
        description="Advice on tide power", revenue_streams=["day rates"],
    )  # fmt: skip
    assert made["description"] == "Advice on tide power"
    assert made["revenue_streams"] == ["day rates"]
    assert "businesses/acme/inbox" in made["next_steps"][0]


def health(services: Services) -> dict[str, dict[str, str]]:
    return {check["name"]: check for check in done(services, "setup_health_check")["checks"]}


def test_a_fresh_workspace_is_degraded_and_says_what_to_do(tmp_path: Path) -> None:
    checks = health(opened(tmp_path))
    assert "business_create" in checks["businesses"]["detail"]
    assert checks["chat model"]["status"] == "degraded"


def test_a_business_with_all_files_is_healthy(tmp_path: Path) -> None:
    services, _ = onboarded(tmp_path, metrics={"cash": 5})
    result = done(services, "setup_health_check")
    assert result["status"] == "ok", result["checks"]
    assert result["counts"] == {"ok": len(result["checks"]), "degraded": 0, "failed": 0}


def test_a_missing_file_a_broken_section_and_half_a_business_are_found(tmp_path: Path) -> None:
    services = opened(tmp_path)
    done(services, "business_create", business_id="acme", name="Acme", template="saas")
    (tmp_path / "agents" / "hr" / "Goals.md").unlink()
    (tmp_path / "agents" / "cto" / "agent.json").write_text("{", encoding="utf-8")
    (tmp_path / "businesses" / "half").mkdir()
    checks = health(services)
    assert "Goals.md" in checks["agent hr"]["detail"]
    assert checks["agent cto"]["status"] == "failed"
    assert "create it again" in checks["business half"]["detail"]


def test_a_key_that_is_missing_is_named_without_showing_any(tmp_path: Path) -> None:
    services = opened(tmp_path)
    models = services.settings.models.model_copy(update={"active": "openai"})
    services = replace(services, settings=services.settings.model_copy(update={"models": models}))
    assert "OPENAI_API_KEY is not set" in health(services)["chat model"]["detail"]


def every_step(tasks: Sequence[PlanTask]) -> Iterator[Step]:
    for task in tasks:
        yield task.step
        for way in task.ways:
            yield from every_step(way.tasks)


def called_for(template: Template) -> Template:
    """Return a template laid out over a company with one segment, every step of it, whenever it is called for."""
    steps = tuple(step.model_copy(update={"when": ""}) for step in template.steps)
    laid = laid_out(template.model_copy(update={"steps": steps}), lambda _: "7", ["subscribers_smb", "price_smb"])
    assert laid is not None, template.name
    return laid


def test_every_step_of_the_plan_library_has_arguments_that_its_tool_takes() -> None:
    registry, library = Registry(), load_library()
    there = {tool.name for tool in registry.all()}
    for name in library.names:
        template = called_for(library.template(name))
        known = {one.subject: "7" for one in template.parameters.values() if one.default is None}
        for step in every_step(tasks_of(template, values_for(template, Goal("G-1", "a goal"), known.get, NOW))):
            if step.tool and step.tool in there:
                registry.tool(step.tool).validate_arguments(step.arguments)


def onboarded(root: Path, **more: Any) -> tuple[Services, Mapping[str, Any]]:
    services = opened(root, {"OPENAI_API_KEY": "sk-1"})
    made = done(
        services, "onboard_business", business_id="acme", name="Acme", template="saas",
        description="Ledgers for small firms", value_propositions=["No spreadsheet"],
        customer_segments=["bakeries", "florists"], **more,
    )  # fmt: skip
    return services, made


def test_onboarding_leaves_a_company_whose_agents_know_what_it_is_and_what_it_wants(tmp_path: Path) -> None:
    services, made = onboarded(tmp_path, metrics={"mrr": 26_000, "cash": 300_000, "burn": 20_000})
    for holder in made["agents"].values():
        mind = services.agent(holder).mind
        held = {(one.subject, one.value): one for one in mind.beliefs}
        assert held["acme customer_segment 2", "florists"].certainty == 0.9
        assert held["acme revenue_stream 1", "monthly subscriptions"].certainty == 0.6, "that is usual for its kind"
        assert "- No spreadsheet" in mind.file("Knowledge.md")
    goals = {goal["description"]: goal for goal in made["goals"]}
    reach = goals["Achieve $100K of monthly recurring revenue"]
    assert services.agent(reach["owner"]).mind.goal(reach["goal_id"]).target == "mrr >= 100000"
    metrics = services.business("acme").metrics
    assert {name: point.value for name in metrics.names() if (point := metrics.latest(name))} == {
        "mrr": 26_000, "cash": 300_000, "burn": 20_000, "runway_months": 15.0,
    }  # fmt: skip
    assert "churn_rate" in made["missing_metrics"]
    assert "mrr" not in made["missing_metrics"]
    assert (tmp_path / "ontologies" / "saas.jsonld").exists()
    assert done(services, "setup_health_check")["status"] == "ok"


def test_after_onboarding_the_first_agent_has_something_to_do(tmp_path: Path) -> None:
    from mabos.graphs.wiring import hold_services as machines

    services, _ = onboarded(tmp_path, metrics={"mrr": 26_000, "cash": 300_000, "burn": 20_000})
    services.close()
    env = environment({})
    with machines(tmp_path, settings=load_settings(None, env), clock=frozen_clock(NOW), seed="test") as running:
        report = running.cycle_of("ceo", {})
    assert (report["ok"], report["outcome"]) == (True, "completed")
    assert report["goal_id"].startswith("G-acme-"), "one of the goals that the business was given"
    assert [one["status"] for one in report["results"]] == ["done"] * len(report["results"]) != []


def test_a_first_number_that_is_none_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    services = opened(tmp_path)
    wanted = {"business_id": "acme", "name": "Acme", "template": "saas", "metrics": {"Net Revenue!": 1}}
    outcome = asked(services, "onboard_business", **wanted)
    assert (outcome.code, outcome.argument) == ("invalid_argument", "metrics")
    assert not (tmp_path / "businesses").exists()


def test_an_onboarding_cut_short_anywhere_is_finished_by_the_same_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    services = opened(tmp_path)
    wanted = {"business_id": "acme", "name": "Acme", "template": "saas", "metrics": {"cash": 5}}
    with monkeypatch.context() as killed:
        killed.setattr("mabos.tools.business.businesses.seed_goals", lambda *_: (_ for _ in ()).throw(SystemExit()))
        with pytest.raises(SystemExit):
            call(services, "onboard_business", wanted, caller=PERSON, key="k")
    assert health(services)["goals acme"]["status"] == "degraded"
    outcome = call(services, "onboard_business", wanted, caller=PERSON, key="k")
    assert outcome.ok, outcome.message
    assert health(services)["goals acme"]["status"] == "ok"
    assert len({goal.id for goal in services.agent("ceo").mind.goals}) == len(services.agent("ceo").mind.goals)


def test_what_is_broken_or_reduced_names_the_command_that_mends_it(tmp_path: Path) -> None:
    services = opened(tmp_path, {"STRIPE_API_BASE": "https://api.stripe.com", "STRIPE_WEBHOOK_SECRET": "whsec_x"})
    services = replace(services, settings=load_settings(None, services.environment))
    done(services, "business_create", business_id="acme", name="Acme", template="saas")
    (tmp_path / "agents" / "hr" / "Goals.md").unlink()
    (tmp_path / "ontologies" / "saas.jsonld").unlink()
    found = health(services)
    assert all(bool(one["mend"]) == (one["status"] != "ok") for one in found.values()), found
    mends = {name: (one["status"], one["mend"]) for name, one in found.items() if one["mend"]}
    assert mends == {
        "ontology acme": ("failed", "mabos init"),
        "goals acme": ("degraded", 'mabos call goal_seed_business \'{"business_id": "acme"}\''),
        "metrics acme": (
            "degraded", 'mabos call metrics_record \'{"name": "cash", "value": 0, "business_id": "acme"}\'',
        ),
        "agent hr": ("failed", "mabos heartbeat --once"),
        "chat model": ("degraded", "export OPENAI_API_KEY=..."),
        "prices": ("failed", "export STRIPE_API_KEY=..."),
    }  # fmt: skip
    assert "whsec_x" not in str(found)
    assert found["webhooks"]["detail"].startswith("taken in from stripe")
