"""Tools of MCP servers are operations behind the one gate; a server that misbehaves is named and harms nothing."""

import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

import orjson
import pytest
import uvicorn
from mcp.server import MCPServer

from mabos.configs.errors import InvalidArgument
from mabos.configs.settings import load_settings
from mabos.configs.tool_servers import ToolServerSettings
from mabos.tools.runtime.tool_servers import ToolServers
from tests.world import World

ODD = Path(__file__).with_name("odd_server.py")


def odd(*how: str, **more: Any) -> dict[str, Any]:
    """Return the settings of a server that behaves as said."""
    return {"command": [sys.executable, str(ODD), *how], "connect_s": 20, "tools": {"price": "read"}, **more}


class Shop(World):
    """A small company with MCP servers in its settings."""

    @classmethod
    def with_servers(cls, root: Path, **servers: dict[str, Any]) -> "Shop":
        settings = {name: ToolServerSettings.model_validate(one) for name, one in servers.items()}
        return cls.small(root, settings={"mcp_servers": settings})

    @property
    def source(self) -> ToolServers:
        assert isinstance(self.services.tools.source, ToolServers)
        return self.services.tools.source


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    with Shop.with_servers(tmp_path / "w", shop=odd("good")) as world:
        yield world


def running(word: str) -> list[str]:
    """Return the command lines of processes of this machine that have a word."""
    found = [one / "cmdline" for one in Path("/proc").iterdir() if one.name.isdigit()]
    return [text for one in found if one.exists() and word in (text := one.read_bytes().decode(errors="replace"))]


def test_a_tool_that_only_reads_is_called_and_stands_in_no_ledger(shop: Shop) -> None:
    outcome = shop.agent("cfo").ask("shop_price", article="bread")
    assert outcome.ok, outcome.message
    assert outcome.result["text"] == '{"article": "bread"} is 3.20 EUR'


def test_arguments_are_checked_against_the_schema_of_the_server(shop: Shop) -> None:
    cfo = shop.agent("cfo")
    assert "'article' is missing (The article, e.g. 'bread'.)" in cfo.ask("shop_price").message
    assert "did you mean 'article'?" in cfo.ask("shop_price", artikle="bread").message
    wrong = cfo.ask("shop_place_order", article="bread", number="many")
    assert (wrong.code, wrong.argument) == ("invalid_argument", "number")


def test_what_nobody_classed_asks_the_owner_whatever_the_server_says_of_itself(shop: Shop) -> None:
    cfo = shop.agent("cfo")
    waiting = cfo.ask("shop_place_order", article="bread", number=2, _agent_id="theirs")
    assert waiting.awaiting, "the hint that it only reads is not trusted"
    shop.answer()
    done = cfo.ask("shop_place_order", article="bread", number=2, _agent_id="theirs")
    assert done.result["text"] == '{"agent_id": "theirs", "article": "bread", "number": 2} is 3.20 EUR'


def test_a_question_in_words_reaches_a_tool_that_reads(shop: Shop) -> None:
    reply = shop.agent("cfo").cycle("What is the price of the article 'bread' in the shop?").reply
    assert '{"article": "bread"} is 3.20 EUR' in reply


def test_only_the_agents_that_the_settings_name_may_use_a_server(tmp_path: Path) -> None:
    with Shop.with_servers(tmp_path, shop=odd("good", agents=["ceo"])) as world:
        refused = world.agent("cfo").ask("shop_price", article="bread")
        assert (refused.code, "the owner brought it for ceo" in refused.message) == ("refused", True)
        assert world.agent("ceo").ask("shop_price", article="bread").ok


def test_names_in_the_settings_that_do_not_exist_are_reported_with_those_that_do(tmp_path: Path) -> None:
    with Shop.with_servers(tmp_path, shop=odd("good", tools={"prize": "hidden"}, agents=["ceo", "cfi"])) as world:
        (report,) = world.source.reports()
        assert report.stands == "misnamed"
        assert "has no tool for the pattern 'prize'; did you mean 'price'?" in report.says
        assert "is for an unknown agent 'cfi'; did you mean 'cfo'?" in report.says


def test_calls_of_a_day_are_limited_across_restarts(tmp_path: Path) -> None:
    with Shop.with_servers(tmp_path, shop=odd("good", calls_a_day=1)) as world:
        assert world.agent("cfo").ask("shop_price", article="bread").ok
        world.restart()
        spent = world.agent("cfo").ask("shop_price", article="rye")
        assert (spent.code, "day of MCP server shop is 1 deeds" in spent.message) == ("budget_exhausted", True)


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("hangs", "MCP server shop did not answer price within 1 s; whether the call had an effect is not known"),
        ("dies", "[out of disk]"),
        ("floods", "more than 8 MiB without a line break"),
        ("babbles", "MCP server shop sent an invalid MCP answer"),
    ],
)
def test_a_server_that_misbehaves_is_named_and_the_next_call_finds_it_anew(tmp_path: Path, how: str, said: str) -> None:
    with Shop.with_servers(tmp_path, shop=odd(how, timeout_s=1), good=odd("good")) as world:
        began = time.monotonic()
        failed = world.agent("cfo").ask("shop_price", article="bread")
        assert (failed.code, said in failed.message) == ("unavailable", True), failed.message
        assert time.monotonic() - began < 30
        assert world.agent("cfo").ask("good_price", article="bread").ok, "no other server is the worse for it"
        assert world.agent("cfo").do("belief_get")
    assert not running("odd_server.py"), "nothing that was started is left"


def test_a_huge_answer_is_cut_and_says_what_is_left_out(tmp_path: Path) -> None:
    with Shop.with_servers(tmp_path, shop=odd("huge", answer_kb=2)) as world:
        text = world.agent("cfo").ask("shop_price", article="bread").result["text"]
        assert len(text) < 2_200
        assert text.endswith("1,997,952 more bytes of the answer are left out]")


def test_a_server_that_is_away_costs_other_work_nothing_and_is_tried_no_second_time(tmp_path: Path) -> None:
    tries = tmp_path / "tries"
    program = f"import sys; open({str(tries)!r}, 'a').write('x'); sys.exit('no licence')"
    with Shop.with_servers(tmp_path / "w", gone={"command": [sys.executable, "-c", program]}) as world:
        assert "gone_x" not in world.services.tools.names
        tried = tries.read_text("utf-8")
        world.restart()
        assert world.services.tools.names
        assert tries.read_text("utf-8") == tried, "another process does not wait for it again"
        (report,) = world.source.reports()
        assert (report.stands, "[no licence]" in report.says) == ("away", True)


def test_a_tool_that_is_described_otherwise_waits_until_the_owner_accepts_it(tmp_path: Path) -> None:
    mark = tmp_path / "shifted"
    with Shop.with_servers(tmp_path / "w", shop=odd("shifts", str(mark))) as world:
        assert world.agent("cfo").ask("shop_price", article="bread").ok
        mark.touch()
        world.restart()
        refused = world.agent("cfo").ask("shop_price", article="bread")
        assert "MCP server shop changed or withdrew price" in refused.message
        assert "passwords" not in str(world.services.tools.rows())
        (report,) = world.source.reports()
        assert (report.stands, report.waiting) == ("changed", ("describes otherwise price",))
        world.source.accept("shop")
        assert world.agent("cfo").ask("shop_price", article="bread").ok
        kept = orjson.loads((tmp_path / "w" / "mcp_servers" / "shop.json").read_bytes())
        assert [one["name"] for one in kept["tools"]] == ["price", "placeOrder"]


def test_a_server_that_honours_a_key_is_told_that_of_the_effect(tmp_path: Path) -> None:
    seen = tmp_path / "keys"
    settings = odd("keyed", str(seen), tools={"*": "write"}, key_argument="request_key")
    with Shop.with_servers(tmp_path / "w", shop=settings) as world:
        cfo = world.agent("cfo")
        first = cfo.ask("shop_place_order", article="bread", number=1, effect="P-1/S1")
        again = cfo.ask("shop_place_order", article="bread", number=1, effect="P-1/S1")
        assert (first.ok, again.repeated) == (True, True)
        argument, told = seen.read_text("utf-8").split()
        assert argument == told != "None"
        assert "request_key" not in world.services.tools.tool("shop_place_order").schema["properties"]


@pytest.mark.parametrize(
    ("terms", "autonomy", "waits"),
    [
        ({"tools": {}, "trust_hints": True}, "limited", False),
        ({"tools": {"*": "write"}, "cost_usd": 1}, "full", False),
        ({"tools": {"*": "write"}, "cost_usd": 1_000_000}, "full", True),
        ({"tools": {"*": "outward"}}, "full", False),
        ({"tools": {"*": "outward"}}, "limited", True),
    ],
)
def test_hints_costs_and_class_decide_whether_the_owner_is_asked(
    tmp_path: Path, terms: dict[str, Any], autonomy: str, waits: bool
) -> None:
    with Shop.with_servers(tmp_path, shop=odd("good", **terms)) as world:
        (tmp_path / "agents" / "cfo" / "Persona.md").write_text(f"# Persona\n\n- **Autonomy:** {autonomy}\n", "utf-8")
        outcome = world.agent("cfo").ask("shop_place_order", article="bread", number=2)
        assert (bool(outcome.awaiting), outcome.ok) == (waits, not waits), outcome.message


def test_a_program_gets_the_variables_that_the_settings_name_and_no_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = tmp_path / "variables"
    program = (
        f"import os, runpy, sys; open({str(seen)!r}, 'w').write(str(dict(os.environ))); sys.argv[1:] = ['good']; "
        f"runpy.run_path({str(ODD)!r}, run_name='__main__')"
    )
    settings = odd(env_from=["SHOP_KEY"]) | {"command": [sys.executable, "-c", program]}
    monkeypatch.setenv("OTHER_KEY", "b2")
    with Shop.with_servers(tmp_path / "w", shop=settings) as world:
        assert "SHOP_KEY" in world.source.reports()[0].says
        monkeypatch.setenv("SHOP_KEY", "a1")
        world.restart()
        assert world.source.reports()[0].stands == "ready"
        assert world.agent("cfo").ask("shop_price", article="bread").ok
        assert ("'SHOP_KEY': 'a1'" in seen.read_text("utf-8"), "OTHER_KEY" in seen.read_text("utf-8")) == (True, False)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("shop: {}", "needs either command"),
        ("shop: {url: ftp://x}", "is not a URL"),
        ("shop: {url: 'https://me:secret@x/mcp'}", "do not put a password into the file"),
        ("shop: {command: [x], tools: {a: maybe}}", "'read', 'write', 'outward', 'ask' or 'hidden'"),
        ("My Shop: {command: [x]}", "My Shop"),
    ],
)
def test_settings_that_cannot_be_are_refused_with_the_reason(tmp_path: Path, given: str, said: str) -> None:
    (tmp_path / "mabos.yaml").write_text(f"mcp_servers:\n  {given}\n", encoding="utf-8")
    with pytest.raises(InvalidArgument, match="mcp_servers") as refused:
        load_settings(tmp_path)
    assert said in refused.value.message


@contextmanager
def at_an_address(token: str) -> Iterator[str]:
    """Serve one tool over streamable HTTP to whoever has the token, and yield the address."""
    server = MCPServer("far")

    @server.tool()
    def weather(city: str) -> str:
        """Get the weather of a city."""
        return f"It rains in {city}."

    inner = server.streamable_http_app()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http" and dict(scope["headers"]).get(b"authorization") != f"Bearer {token}".encode():
            await send({"type": "http.response.start", "status": 401, "headers": []})
            await send({"type": "http.response.body", "body": b"who are you?"})
            return
        await inner(scope, receive, send)

    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        served = uvicorn.Server(uvicorn.Config(app, log_level="error"))
        thread = Thread(target=served.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/mcp"
        served.should_exit = True
        thread.join(10)


def test_a_server_at_an_address_is_reached_with_its_token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAR_KEY", "s3cret")
    with at_an_address("s3cret") as url:
        settings = {"url": url, "token_env": "FAR_KEY", "tools": {"*": "read"}}
        with Shop.with_servers(tmp_path / "near", far=settings) as near:
            outcome = near.agent("cfo").ask("far_weather", city="Bergen")
            assert outcome.result["text"] == "It rains in Bergen."
            monkeypatch.setenv("FAR_KEY", "wrong")
            near.restart()
            says = near.source.reports()[0].says
            assert "MCP server far cannot be reached" in says
            assert "wrong" not in says
