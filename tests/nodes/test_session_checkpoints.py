"""What an agent was doing is believed by it in its next cycle, once for each checkpoint."""

from mabos.graphs import wiring
from mabos.memory.checkpoints import Checkpoint
from mabos.mind.model import Belief
from mabos.nodes.perceive import BELIEF_ID, summarize_checkpoint
from mabos.tools.gate.call import call
from mabos.tools.runtime.services import Services


def keep(services: Services, context: str) -> str:
    written = call(services, "memory_checkpoint", {"context": context, "next_steps": ["Ask legal"]}, agent_id="cfo")
    return str(written.result["path"])


def held(services: Services) -> list[Belief]:
    return [belief for belief in services.agent("cfo").mind.beliefs if belief.subject == "session_checkpoint"]


def test_the_next_cycle_believes_what_the_latest_checkpoint_says_and_where_it_stands(services: Services) -> None:
    wiring.run_cycle(services, "cfo")
    assert held(services) == []
    keep(services, "an older one")
    path = keep(services, "Debugging the token refresh")
    wiring.run_cycle(services, "cfo")
    (belief,) = held(services)
    assert (belief.id, belief.category) == (BELIEF_ID, "self")
    assert belief.statement == "Debugging the token refresh | Next: Ask legal"
    file, _, line = belief.source.rpartition(":")
    assert file == f"agents/cfo/{path}"
    assert (services.layout.root / file).read_text("utf-8").splitlines()[int(line) - 1] == "Debugging the token refresh"
    services.checkpoint()
    text = (services.layout.agent("cfo") / "Beliefs.md").read_text("utf-8")
    assert "Debugging the token refresh" in text


def test_a_checkpoint_is_believed_once_and_a_later_one_revises_it(services: Services) -> None:
    keep(services, "first")
    wiring.run_cycle(services, "cfo")
    before = held(services)
    for _ in range(3):
        wiring.run_cycle(services, "cfo")
    assert held(services) == before
    keep(services, "second")
    wiring.run_cycle(services, "cfo")
    (belief,) = held(services)
    assert belief.statement.startswith("second")
    assert belief.status == "held"
    assert belief.revisions


def test_a_file_that_is_no_checkpoint_is_left_alone(services: Services) -> None:
    keep(services, "first")
    folder = services.layout.agent("cfo") / "memory" / "checkpoints"
    (folder / "2099-01-01-0000.md").write_text("# A note of a person\n", "utf-8")
    wiring.run_cycle(services, "cfo")
    assert held(services) == []


def test_it_is_told_in_a_few_sentences() -> None:
    long = Checkpoint("word " * 400, ["a", "b", "c"], ["x " * 400], [], ["why?"])
    assert len(summarize_checkpoint(long)) < 1_000
    assert "Decided: a; b | Found: x x" in summarize_checkpoint(long)
    assert summarize_checkpoint(long).endswith("| Open: why?")
