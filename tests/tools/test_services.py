from pathlib import Path
from threading import Thread

import orjson
import pytest

from mabos.configs.errors import InvalidArgument, Unavailable
from mabos.configs.settings import environment
from mabos.society.messages import Message
from mabos.tools.gate.call import call
from mabos.tools.runtime.opening import open_services
from mabos.tools.runtime.services import Caller, Services
from mabos.workspace.clock import frozen_clock, iso
from tests.tools.workspaces import SOCIETY, Bench, opened
from tests.world import NOON


@pytest.fixture
def services(tmp_path: Path) -> Services:
    return opened(tmp_path, Bench(), modules=SOCIETY)


def note(number: int = 1, to: str = "cfo") -> Message:
    return Message(f"MSG-{number}", "ceo", to, "INFORM", f"note {number}", iso(NOON))


def test_threads_share_the_open_stores_of_an_agent(services: Services) -> None:
    found: list[object] = []
    threads = [Thread(target=lambda: found.append(services.agent("cfo").inbox)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({id(inbox) for inbox in found}) == 1


def test_threads_deliver_without_losing_a_message(services: Services) -> None:
    def deliver(first: int) -> None:
        for number in range(first, first + 25):
            services.mail.deliver(note(number))

    threads = [Thread(target=deliver, args=(1000 * which,)) for which in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(services.inbox("cfo").unread()) == 100


def test_a_message_is_delivered_and_wakes_once(services: Services) -> None:
    woken: list[str] = []
    services.mail.on_wake(lambda agent_id, _: woken.append(agent_id))
    assert services.mail.deliver(note())
    assert not services.mail.deliver(note())
    assert woken == ["cfo"]


def test_the_agent_of_another_time_shares_what_is_stored(services: Services) -> None:
    now, then = services.agent("cfo"), services.agent("cfo", clock=frozen_clock(NOON.replace(year=2025)))
    fact = then.facts.assert_("acme", "runway_months", "9")  # noqa: PT009  # not unittest's
    assert [one.id for one in now.facts.query(subject="acme")] == [fact.id]
    assert then.clock().year == 2025
    assert then.mind.clock is then.clock
    assert now.mind.clock is services.clock


def test_when_it_closes_the_readable_files_are_current(services: Services) -> None:
    services.mail.deliver(note())
    call(services, "money_spend", {"amount": 6000}, caller=Caller("agent", "cfo"))
    services.close()
    services.close()
    root = services.layout.root
    assert [one["id"] for one in orjson.loads((root / "agents" / "cfo" / "inbox.json").read_bytes())] == ["MSG-1"]
    own = orjson.loads((root / "businesses" / "acme" / "decision-queue.json").read_bytes())
    assert own == orjson.loads((root / "decision-queue.json").read_bytes())
    assert len(own) == 1


def test_what_an_agent_remembers_is_found_by_search(services: Services) -> None:
    item = services.agent("cfo").memory.store("The burn doubled in March", type="observation")
    assert [hit.id for hit in services.index.search("burn in March", agent="cfo")] == [item.id]


def test_a_cycle_needs_the_machines(services: Services) -> None:
    with pytest.raises(Unavailable, match="without its state machines"):
        services.cycle_of("cfo", {})


def test_the_environment_freezes_the_clock(tmp_path: Path) -> None:
    services = open_services(tmp_path, environment=environment({"MABOS_NOW": "2026-02-24T12:00:00Z"}))
    assert (services.clock(), services.agents(), services.businesses()) == (NOON, [], [])
    services.close()


def test_a_seed_makes_ids_reproducible(tmp_path: Path) -> None:
    def ids() -> list[str]:
        services = open_services(tmp_path, clock=frozen_clock(NOON), seed="7", environment=environment({}))
        made = [services.ids.new("X") for _ in range(3)]
        services.close()
        return made

    assert ids() == ids()


def test_a_person_in_no_agents_name_is_told_what_a_mind_needs(tmp_path: Path) -> None:
    services = open_services(tmp_path, environment=environment({}))
    with pytest.raises(InvalidArgument, match="create a business") as caught:
        _ = services.seat().mind.beliefs
    assert caught.value.argument == "agent_id"
    services.close()
