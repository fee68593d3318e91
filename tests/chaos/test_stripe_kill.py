"""Whoever is killed between a server's answer and its own record has made one price when it is tried again."""

import os
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from chaos.stripe_kill import opened, priced
from mabos.backends.stripe import StripeAnswer
from mabos.society.pricing import open_pricing
from mabos.society.stripe import ApiRequest, FakeStripe, serve_locally
from mabos.workspace.clock import frozen_clock
from mabos.workspace.ids import Ids
from mabos.workspace.sync import Sync
from tests.test_shape import ROOT
from tests.tools.offices import NOW


@dataclass
class Killing:
    """Answers as the fake does, and kills who asks for a price: before it is made, or before the answer is sent."""

    fake: FakeStripe
    when: str = ""
    victim: list[int] = field(default_factory=list)
    asked: int = 0

    def answer(self, request: ApiRequest) -> StripeAnswer:
        wants_price = request.method == "POST" and request.path == "/v1/prices"
        self.asked += wants_price
        if wants_price and self.when == "before":
            self._kill()
        answered = self.fake.answer(request)
        if wants_price and self.when == "after":
            self._kill()
        return answered

    def _kill(self) -> None:
        self.when = ""
        os.kill(self.victim.pop(), signal.SIGKILL)


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_price_is_made_once_whenever_its_maker_died(tmp_path: Path, when: str) -> None:
    root, there = tmp_path / "workspace", open_pricing(tmp_path / "elsewhere", Sync("off"))
    root.mkdir()
    killing = Killing(FakeStripe(there, frozen_clock(NOW), Ids(frozen_clock(NOW), seed="there")))
    with serve_locally(killing) as address:
        world = opened(root, address)
        profile = world.business.directory / "stakeholder.json"
        profile.write_text(profile.read_text().replace("strategic-only", "exception-based"))
        world.do("stripe_create_product", "cfo", name="Team")
        world.close()
        killing.when = when
        command = [sys.executable, "-m", "chaos.stripe_kill", str(root), address]
        with subprocess.Popen(command, cwd=ROOT) as maker:
            killing.victim.append(maker.pid)
        assert (maker.returncode, killing.asked) == (-signal.SIGKILL, 1)
        world = opened(root, address)
        (begun,) = world.services.directory.effects("cfo").list_unsettled()
        assert begun.tool == "stripe_create_price"
        outcome = priced(world)
        assert outcome.ok, outcome.message
        assert [one.id for one in there.prices.all()] == [outcome.result["price_id"]]
        assert [one.id for one in world.business.pricing.prices.all()] == [outcome.result["price_id"]]
        assert priced(world).repeated
        assert killing.asked == 2
        world.close()
