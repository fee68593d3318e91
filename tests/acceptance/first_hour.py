"""A founder's first hour as a script, and the three ways to go through it: a terminal, a browser, `langgraph_sdk`.

    for step in HOUR:
        step(Terminal(acme))

Each step says or does what a founder would, and checks what is on record then.
"""

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

from langgraph_sdk import get_sync_client

from mabos.graphs import wiring
from mabos.graphs.checkpoints import thread_id
from tests.acceptance.company import ROLES, Company
from tests.interfaces.surfaces.servers import serving
from tests.studio.server import studio

SAID = "Acme sells scheduling software to clinics. Cash was $380,000 in January. Ask me above $3,000."
FIGURES = "date,metric,value,unit\n2026-02-23,cash,400000,USD\n2026-02-23,burn,50000,USD/month\n"
FIRST, NEXT_WEEK = "2026-03-02T09:00:00Z", "2026-03-09T09:00:00Z"


@dataclass
class Founder(ABC):
    """Somebody who talks to a company; `now` is the day on which they do, `open` is left when they are gone."""

    acme: Company
    now: str = FIRST
    open: ExitStack = field(default_factory=ExitStack)
    _day: tuple[str, str] = ("", "")

    def server(self) -> str:
        """Return the address of the server of this day; that of the day before has ended."""
        if self._day[0] != self.now:
            self.open.close()
            self._day = (self.now, self.open.enter_context(self.serve()))
        return self._day[1]

    def serve(self) -> AbstractContextManager[str]:
        """Return a server of this day, which begins when it is entered."""
        raise NotImplementedError

    @abstractmethod
    def drop(self, name: str, text: str) -> None:
        """Leave a file with the company."""

    @abstractmethod
    def say(self, agent: str, text: str) -> str:
        """Say something to an agent and return its reply."""

    @abstractmethod
    def approve(self, asked: dict[str, Any]) -> None:
        """Allow what a decision asks for, and let the agent go on."""

    def records(self, path: str, section: str = "") -> list[dict[str, Any]]:
        """Return records of the business, as they lie in its files."""
        with wiring.hold_services(self.acme.root) as services:  # what a server that was killed left in journals
            services.business().metrics.store.refresh()
        path = f"businesses/acme/{path}"
        found: Any = self.acme.read(path) if self.acme.file(path).exists() else []
        return list(found[section] if section and found else found)


class Terminal(Founder):
    """Types commands."""

    def drop(self, name: str, text: str) -> None:
        self.acme.file(f"businesses/acme/inbox/{name}").write_text(text, "utf-8")

    def say(self, agent: str, text: str) -> str:
        return str(self.acme.data("chat", agent, "--say", text, now=self.now)["text"])

    def approve(self, asked: dict[str, Any]) -> None:
        self.acme.command("decisions", "approve", asked["id"], now=self.now)
        self.acme.run("cmo", now=self.now)


class Browser(Founder):
    """Works in the dashboard; each page is of a server that is started on that day."""

    chromium: Any = None

    def serve(self) -> AbstractContextManager[str]:
        return serving(self.acme.root, "dashboard", "--http", "127.0.0.1:0", MABOS_NOW=self.now)

    @contextmanager
    def _page(self, path: str) -> Iterator[Any]:
        page = self.chromium.new_page()
        page.set_default_timeout(60_000)
        page.goto(f"{self.server()}{path}")
        try:
            yield page
        finally:
            page.close()

    def drop(self, name: str, text: str) -> None:
        with self._page("/overview") as page:
            page.set_input_files("input[type=file]", {"name": name, "mimeType": "text/csv", "buffer": text.encode()})
            page.click("text=Add to the inbox")
            page.wait_for_selector(f".notice.is-done:has-text('{name}')")

    def say(self, agent: str, text: str) -> str:
        with self._page(f"/chat?agent={agent}") as page:
            before = page.locator(".said.is-theirs").count()
            page.fill("#say", text)
            page.press("#say", "Enter")
            page.wait_for_function("n => document.querySelectorAll('.said.is-theirs').length > n", arg=before)
            answer = "xpath=following-sibling::li[contains(@class, 'is-theirs')][1]"
            return str(page.locator(".said.is-mine", has_text=text).last.locator(answer).inner_text())

    def approve(self, asked: dict[str, Any]) -> None:
        with self._page("/chat?agent=cmo") as page:
            page.locator("article", has_text=asked["action"]["arguments"]["name"]).first.locator(
                "button:has-text('Approve')"
            ).click()
            page.wait_for_selector(".notice.is-done")


class Studio(Founder):
    """Speaks LangGraph's API to `mabos studio`."""

    @contextmanager
    def serve(self) -> Iterator[str]:
        with ExitStack() as started:
            with patch.dict(os.environ, {"MABOS_NOW": self.now}):
                address = started.enter_context(studio(self.acme.root))
            yield address

    def _client(self) -> Any:
        return get_sync_client(url=self.server())

    def drop(self, name: str, text: str) -> None:
        self.acme.file(f"businesses/acme/inbox/{name}").write_text(text, "utf-8")

    def say(self, agent: str, text: str) -> str:
        return self._said(self._client(), agent, {"messages": [{"role": "user", "content": text}]})

    def approve(self, asked: dict[str, Any]) -> None:
        client = self._client()
        thread = self._thread(client, "decision", asked["id"])
        client.runs.wait(thread, "governance", input={"decision_id": asked["id"]})
        client.runs.wait(thread, "governance", command={"resume": {"resolution": "approve"}})
        self._said(client, "cmo", {"agent_id": "cmo"})

    def _said(self, client: Any, agent: str, given: dict[str, Any]) -> str:
        thread = self._thread(client, "agent", agent)
        values = client.runs.wait(thread, "bdi", input=given, context={"agent_id": agent})
        return str(values.get("reply", ""))

    def _thread(self, client: Any, kind: str, name: str) -> str:
        thread = thread_id(self.acme.root, kind, name)
        client.threads.create(thread_id=thread, if_exists="do_nothing")
        return thread


def found(founder: Founder) -> None:
    """Found a company in a founder's own words: nine agents are there, and the limit that the words set."""
    founder.acme.data("business", "create", "acme", "--name", "Acme", "--describe", SAID, now=founder.now)
    assert [one["amount"] for one in founder.records("instructions.json", "instructions")] == [3000]
    assert {path.name for path in (founder.acme.root / "agents").iterdir()} == set(ROLES)
    founder.acme.file("businesses/acme/inbox").mkdir(exist_ok=True)


def drop_figures(founder: Founder) -> None:
    """Drop a file with figures, and ask for what follows from them: the answer states the figures on record."""
    founder.drop("figures.csv", FIGURES)
    said = founder.say("cfo", "How much cash do we have?")
    values = {one["name"]: one["value"] for one in founder.records("metrics/metrics.json", "points")}
    assert (values["cash"], values["burn"]) == (400_000, 50_000)
    assert "400,000" in said


def order(founder: Founder) -> None:
    """Order what is above the limit: nothing is done, and a question waits."""
    founder.say("cmo", "Start a search campaign named 'Spring' for everybody: 900 dollars a week for 8 weeks.")
    (asked,) = [one for one in founder.records("decision-queue.json") if "Spring" in one["subject"]]
    assert (asked["status"], asked["cost"]) == ("pending", 7200)
    assert not [one for one in founder.records("campaigns.json", "campaigns") if one["name"] == "Spring"]


def approve(founder: Founder) -> None:
    """Approve it: exactly that is done, once."""
    (asked,) = [one for one in founder.records("decision-queue.json") if "Spring" in one["subject"]]
    founder.approve(asked)
    (answered,) = [one for one in founder.records("decision-queue.json") if one["id"] == asked["id"]]
    assert answered["status"] == "approved"
    assert _spring(founder) == (900, 8)


def correct(founder: Founder) -> None:
    """Correct it: the record has the new amount, and everything else stays."""
    founder.say("cmo", "Make the campaign 'Spring' 80 dollars a week.")
    assert _spring(founder) == (80, 8)


def look_again(founder: Founder) -> None:
    """Look again a week later: the agent says what is on record, and the conversation is still there."""
    founder.now = NEXT_WEEK
    said = founder.say("cmo", "What exactly is booked now?")
    assert "Spring" in said
    assert "$80" in said
    lines = founder.acme.data("chat", "cmo", "--history", now=founder.now)
    assert "900 dollars a week" in str(lines)
    assert _spring(founder) == (80, 8)
    assert "Spring" in founder.say("ceo", "What did everybody do in the last 8 days?")


def _spring(founder: Founder) -> tuple[float, int]:
    (made,) = [one for one in founder.records("campaigns.json", "campaigns") if one["name"] == "Spring"]
    return made["weekly_budget_usd"], made["weeks"]


HOUR: tuple[Callable[[Founder], None], ...] = (found, drop_figures, order, approve, correct, look_again)
"""The steps, in order."""
