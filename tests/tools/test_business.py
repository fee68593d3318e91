"""Founding, listing and looking at businesses through the one call path."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args

import pytest

from configs.settings import environment, load_settings
from mind.binding import tasks_of, values_for
from mind.library import load_library
from mind.model import Goal, Step
from mind.tasks import Task
from society.roles import ROLES
from society.templates import templates
from tools.agent import PERSON, Caller
from tools.business import Kind
from tools.call import Outcome, call
from tools.registry import Registry
from tools.services import Services, open_services
from workspace.clock import frozen_clock

NOW = datetime(2026, 1, 5, 9, tzinfo=UTC)


def opened(root: Path, variables: Mapping[str, str] | None = None) -> Services:
    env = environment(variables or {})
    return open_services(
        root, settings=load_settings(None, env), environment=env, clock=frozen_clock(NOW), seed="test",
        registry=Registry(("business", "communication", "metrics")),
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


def test_every_template_of_the_data_may_be_asked_for() -> None:
    assert set(get_args(Kind)) == set(templates())


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
    services = opened(tmp_path, {"OPENAI_API_KEY": "sk-1"})
    done(services, "business_create", business_id="acme", name="Acme", template="saas")
    result = done(services, "setup_health_check")
    assert result["status"] == "ok", result["checks"]


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


def every_step(tasks: Sequence[Task]) -> Iterator[Step]:
    for task in tasks:
        yield task.step
        for way in task.ways:
            yield from every_step(way.tasks)


def test_every_step_of_the_plan_library_has_arguments_that_its_tool_takes() -> None:
    registry, library = Registry(), load_library()
    there = {tool.name for tool in registry.all()}
    for name in library.names:
        template = library.template(name)
        known = {one.subject: "7" for one in template.parameters.values() if one.default is None}
        for step in every_step(tasks_of(template, values_for(template, Goal("G-1", "a goal"), known.get, NOW))):
            if step.tool and step.tool in there:
                registry.tool(step.tool).validated(step.arguments)
