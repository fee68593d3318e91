"""A company whose whole catalogue may be called, cycles included, and what its files say before and after.

with house(tmp_path / "workspace") as home:
    home.do("fact_assert", subject="acme", predicate="churn", object="5", confidence=0.9, source="x")
    assert "churn" in home.text("agents/cfo/facts.json")
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson

from mabos.backends.chat import ChatModel
from mabos.backends.embed import Embedder
from mabos.configs.settings import Settings, environment, load_settings, without_embeddings
from mabos.graphs import wiring
from mabos.tools.gate.call import Outcome, call
from mabos.tools.runtime.services import Caller, Services
from mabos.workspace.clock import SteppedClock
from tests.society.webhooks.test_signatures import SECRET

MONDAY = datetime(2026, 1, 5, 9, tzinfo=UTC)


class House:
    """One company; calls are a person's in the name of `agent`, by default the CFO, or an agent's own."""

    def __init__(self, services: Services, clock: SteppedClock) -> None:
        self.services = services
        self.clock = clock
        self.root = services.layout.root

    def do(self, tool: str, /, *, agent: str | None = "cfo", **arguments: Any) -> dict[str, Any]:
        """Return the result of a call that must succeed; without an agent it is the owner's own."""
        outcome = self.asked(tool, arguments, agent=agent)
        assert outcome.ok, f"{tool}: {outcome.message}"
        return dict(outcome.result)

    def asked(self, tool: str, arguments: Mapping[str, Any], *, agent: str | None = "cfo") -> Outcome:
        """Return what became of a call."""
        return call(self.services, tool, arguments, agent_id=agent)

    def by_itself(self, agent: str, tool: str, arguments: Mapping[str, Any]) -> Outcome:
        """Return what became of a call that an agent makes itself."""
        return call(self.services, tool, arguments, caller=Caller("agent", agent))

    def text(self, path: str) -> str:
        """Return a file of the workspace."""
        self.services.sync.flush()
        return (self.root / path).read_text("utf-8")

    def read(self, path: str) -> Any:
        """Return a JSON file of the workspace."""
        return orjson.loads(self.text(path))

    def write(self, path: str, content: str) -> None:
        """Write a file of the workspace by hand."""
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content, "utf-8")

    def files(self) -> dict[str, bytes]:
        """Return every file with its content, but what is derived, and the ledger, which has failed calls too."""
        self.services.sync.flush()
        found = sorted(path for path in self.root.rglob("*") if path.is_file())
        return {str(path.relative_to(self.root)): path.read_bytes() for path in found if not _is_derived(path)}


def _is_derived(path: Path) -> bool:
    return bool({".mabos", "ledger"} & set(path.parts)) or path.suffix in {".lock", ".svg"} or path.name == ".lock"


def settings(**governance: Any) -> Settings:
    """Return settings without embeddings and fsync; the owner asks to see little, unless `governance` says so."""
    plain = without_embeddings(load_settings())
    asked = plain.governance.model_copy(update={"approval_threshold_usd": 1_000_000, **governance})
    return plain.model_copy(update={"durability": "off", "governance": asked})


@contextmanager
def house(
    root: Path,
    *,
    found: bool = True,
    model: ChatModel | None = None,
    embedder: Embedder | None = None,
    **governance: Any,
) -> Iterator[House]:
    """Open a workspace, and found the business acme in it unless it is there already."""
    clock = SteppedClock(MONDAY)
    with wiring.opened(
        root, settings=settings(**governance), environment=environment({"STRIPE_WEBHOOK_SECRET": SECRET}),
        clock=clock, seed="test", model=model, embedder=embedder,
    ) as services:  # fmt: skip
        home = House(services, clock)
        if found:
            home.do("business_create", agent=None, business_id="acme", name="Acme", template="saas")
        yield home
