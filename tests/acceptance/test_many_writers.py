"""Several processes write one workspace at the same time, and nothing is lost."""

from tests.acceptance.company import ROLES, Company, ended, process, python

SENDERS = ("ceo", "coo", "cmo", "cto")
SENDING = """
import sys
from mabos import open_workspace
root, sender, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
with open_workspace(root) as ws:
    for n in range(count):
        done = ws.agent(sender).call("agent_message", to="cfo", performative="INFORM", content=f"{sender} {n}")
        assert done.ok, done.message
"""
REMEMBERING = """
import sys
from mabos import open_workspace
root, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
with open_workspace(root) as ws:
    for n in range(count):
        cfo = ws.agent("cfo")
        cfo.memory.store(f"{name} {n}", type="fact", importance=0.5, store="long_term")
        told = {"subject": name, "predicate": "n", "object": str(n), "confidence": 0.9, "source": name}
        assert cfo.call("fact_assert", **told).ok
        assert cfo.call("belief_update", description=f"{name} {n} holds", certainty=0.7, source=name).ok
"""


def test_four_processes_send_a_hundred_messages_each_and_four_hundred_lie_in_the_inbox(acme: Company) -> None:
    started = [python("-c", SENDING, str(acme.root), sender, "100") for sender in SENDERS]
    for one in started:
        ended(one)
    messages = acme.read("agents/cfo/inbox.json")
    assert len(messages) == 400
    assert len({message["id"] for message in messages}) == 400
    for sender in SENDERS:
        assert [message["content"] for message in messages if message["from"] == sender] == [
            f"{sender} {n}" for n in range(100)
        ]
    assert acme.data("verify")["valid"] is True


def test_commands_that_run_at_the_same_time_lose_nothing(acme: Company) -> None:
    said = '{"to": "cfo", "performative": "INFORM", "content": "x"}'
    where = ("--workspace", str(acme.root))
    started = [process(*where, "call", "agent_message", said, "--agent", agent) for agent in SENDERS]
    for one in started:
        ended(one)
    assert len(acme.read("agents/cfo/inbox.json")) == len(SENDERS)


def test_several_processes_write_one_agents_memory_facts_and_mind(acme: Company) -> None:
    names = ("one", "two", "three")
    for one in [python("-c", REMEMBERING, str(acme.root), name, "15") for name in names]:
        ended(one)
    expected = {f"{name} {n}" for name in names for n in range(15)}
    stored = acme.read("agents/cfo/memory-store.json")["long_term"]
    assert sorted(item["content"] for item in stored) == sorted(expected)
    facts = acme.read("agents/cfo/facts.json")["facts"]
    assert sorted(f"{fact['subject']} {fact['object']}" for fact in facts) == sorted(expected)
    believed = {one["statement"] for one in acme.done("belief_get", limit=1000)["beliefs"]}
    assert {f"{name} holds" for name in expected} <= believed
    assert acme.data("verify")["valid"] is True


def test_an_agent_is_run_by_one_process_at_a_time_and_the_others_run_beside_it(acme: Company) -> None:
    where = ("--workspace", str(acme.root))
    started = [process(*where, "run", agent, "--json") for agent in ("cfo", "cmo", "cfo")]
    for one in started:
        out, err = one.communicate(timeout=600)
        assert one.returncode == 0 or "cfo" in out + err
        assert "Traceback" not in err
    assert sorted(acme.data("memory", "status")["agents"]) == sorted(ROLES)
    assert acme.data("verify")["valid"] is True
