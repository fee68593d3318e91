"""Personal data and secrets that an operation is told stand nowhere in the workspace, its ledger included."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mabos.tools.catalogue.declaration import Tool
from mabos.tools.catalogue.registry import registry
from tests.knowledge.entities.test_sensitive import SECRETS, made
from tests.tools.catalogue.effects import EFFECTS
from tests.tools.catalogue.furnished import furnish
from tests.tools.catalogue.house import house
from tests.world import World

SAMPLES = [(text, secret) for _, text, secret in SECRETS if "\n" not in secret]


def clear(root: Path, secrets: list[str]) -> dict[str, list[str]]:
    """Return which of these texts stand in a file of the workspace as they are, or as JSON writes them."""
    found: dict[str, list[str]] = {}
    for path in (path for path in root.rglob("*") if path.is_file()):
        content = path.read_bytes()
        for secret in secrets:
            if secret.encode() in content:
                found.setdefault(secret, []).append(str(path.relative_to(root)))
    return found


@pytest.mark.parametrize("policy", ["redact", "refuse", "flag"])
def test_nothing_that_is_redacted_or_refused_stands_anywhere_in_the_workspace(tmp_path: Path, policy: str) -> None:
    with World.small(tmp_path, settings={"entities.sensitive": policy}) as world:
        cto = world.agent("cto")
        for number, (text, _) in enumerate(SAMPLES):
            said = {"name": f"c{number}", "label": text, "properties": {"note": {text: [text]}}, "observations": [text]}
            cto.call("knowledge", {"action": "create_entity", "type": "Concept", "source_session": text, **said})
        cto.call("knowledge", {"action": "forget", "target": "concept:c0", "reason": SAMPLES[0][0]})
        lines = [{"role": "user", "content": f"Is {text} right?"} for text, _ in SAMPLES]
        lines += [{"role": "assistant", "content": text} for text, _ in SAMPLES]
        task = {"systemPrompt": f"Ask for {SAMPLES[0][0]}", "completionStatus": "success", "messages": lines}
        saved = cto.call("ldg:task:save", {"task": task})
        assert saved.ok == (policy != "refuse")
        if saved.ok:
            cto.do("mem:archive", taskId=saved.result["taskId"])
        assert world.services.ledger.verify() == []
        cto.do("knowledge", action="query_semantic", query="contact")
        world.services.graph().fresh()
    found = clear(tmp_path, [secret for _, secret in SAMPLES])
    assert bool(found) == (policy == "flag"), found


def test_a_caller_is_told_what_was_redacted_and_where(tmp_path: Path) -> None:
    with World.small(tmp_path) as world:
        said = {"type": "Concept", "name": "x", "label": "ask kim@acme.io"}
        made = world.agent("cto").do("knowledge", action="create_entity", **said)
        assert made["entity"]["label"] == "ask [email]"
        assert made["notices"] == ["label had sensitive data: email"]


def test_archiving_redacts_what_an_older_ledger_still_has(tmp_path: Path) -> None:
    said = {"id": "M-1", "role": "assistant", "content": "The new owner of our account is kim@acme.example."}
    body = {"intention": "TASK-1", "systemPrompt": "Card 4111 1111 1111 1111 is our account", "messages": [said]}
    with World.small(tmp_path, settings={"entities.sensitive": "flag"}) as world:
        world.services.ledger.append("cfo", "task", body, at=world.now)
    with World.small(tmp_path) as world:
        assert world.agent("cfo").do("mem:archive", taskId="TASK-1")["nodesCreated"]
    stored = (tmp_path / "businesses" / "acme" / "archive.json").read_bytes()
    assert (b"4111" in stored, b"kim@acme" in stored, b"The new owner" in stored) == (False, False, True)


WRITERS = [tool for tool in registry().all() if tool.writes and not tool.sealed]
BESIDE_EFFECTS: dict[str, dict[str, Any]] = {
    "knowledge": {"action": "create_entity", "type": "Concept", "name": "leak", "label": "Leak"},
    "ldg:task:save": {"task": {"systemPrompt": "x", "messages": []}},
    "mem:archive": {"taskId": "TASK-1"},
    "staff_hire": {"title": "Clerk", "area": "support", "weekly_usd": 500, "position_id": "POS-1"},
    "staff_release": {"position_id": "POS-1"},
    "loan_request": {"amount_usd": 100},
    "refund_issue": {"segment": "all", "amount_usd": 10, "reason": "Delay"},
}


def free_arguments(tool: Tool) -> Iterator[tuple[str, Any]]:
    """Yield each argument that may hold any text, with a function of that text to its value."""
    for name, schema in tool.schema["properties"].items():
        kinds = [one.get("type") for one in schema.get("anyOf", [schema])]
        if schema.get("enum") or name in ("agent_id", "action", "from", "initiator"):
            continue
        if "string" in kinds:
            yield name, lambda text: text
        elif "array" in kinds:
            yield name, lambda text: [text]
            yield name, lambda text: [{"id": "A", "label": text, "description": text, "arguments": {"note": text}}]
        elif "object" in kinds or kinds == [None]:
            yield name, lambda text: {"note": text, "role": text}


def test_no_writing_operation_leaves_a_secret_anywhere_nor_an_address_in_the_ledger(tmp_path: Path) -> None:
    base = {one.tool: (one.agent or "", dict(one.arguments)) for one in EFFECTS}
    base |= {name: ("cfo", arguments) for name, arguments in BESIDE_EFFECTS.items()}
    assert {tool.name for tool in WRITERS} - set(base) == set()
    tried: dict[str, tuple[str, str]] = {}
    done, root = 0, tmp_path / "workspace"
    with house(root) as home:
        ids = furnish(home)
        for tool in WRITERS:
            agent, arguments = base[tool.name]
            arguments = {name: ids.get(str(one)[1:-1], (one,))[0] for name, one in arguments.items()}
            for name, shape in free_arguments(tool):
                key = made("gh", "p_", "a1B2" * 8, f"{len(tried):04}")
                mail = f"leak{len(tried)}@example.com"
                tried |= {key: (tool.name, name), mail: (tool.name, name)}
                text = f"Ask {mail} with {key}" if len(tried) % 4 else f"Ask {key} or {mail}"
                done += home.call(tool.name, {**arguments, name: shape(text)}, agent).ok
        assert home.services.ledger.verify() == []
        home.services.graph("acme").fresh()
    assert done > len(tried) / 2 / 5  # a fifth of the calls came through to write something
    found = clear(root, list(tried))
    secrets = {tried[one]: paths for one, paths in found.items() if "@" not in one}
    assert secrets == {}
    needed = {tool.name: tool.addresses for tool in WRITERS}
    wrong = {
        tried[one]: paths
        for one, paths in found.items()
        if tried[one][1] not in needed[tried[one][0]] or any(path.startswith("ledger/") for path in paths)
    }
    assert wrong == {}


def test_a_letter_reaches_the_address_it_was_given_and_none_is_sent_with_holes(tmp_path: Path) -> None:
    with house(tmp_path / "workspace") as home:
        letter = {"to": "ana@example.com", "subject": "Invoice 7", "text": "Please pay DE89 3704 0044 0532 0130 00."}
        assert home.ask("email_send", "cmo", **letter).awaiting
        home.restart()
        home.answer()
        sent = home.do("email_send", "cmo", **letter)
        assert sent["sent"] == 1
        assert len(clear(home.root / "businesses/acme/mail", ["ana@example.com", "DE89 3704 0044 0532 0130 00"])) == 2
        refused = home.call("email_send", {**letter, "text": "Your card 4111 1111 1111 1111 failed"}, "cmo")
        assert refused.code == "invalid_argument"
        assert refused.argument == "text"
        assert b"ana@example.com" not in (home.root / "ledger" / "cmo.jsonl").read_bytes()


@pytest.mark.parametrize("policy", ["redact", "refuse"])
def test_a_message_and_a_document_leave_no_secret_behind_the_document_itself(tmp_path: Path, policy: str) -> None:
    secrets = [made("gh", "p_", "a1B2" * 9), "4111 1111 1111 1111", "536-22-8726", "hunter2!"]
    key, card, number, password = secrets
    beside = ["CorrectHorse77x", "CorrectHorse78x", "letmein-please"]
    reached = ["kim@acme.io", "0049 170 1234567", "zed@globex.example"]
    text = f"The deploy key is {key}, the card is {card}, ssn {number}, DB_PASSWORD={password}. Ask {reached[0]}."
    with World(tmp_path, seed="screen", settings={"entities.sensitive": policy}) as world:
        world.write("businesses/acme/inbox/note.md", f"# Note\n\n{text}\n\nRoot password: {beside[0]}\n")
        world.write("businesses/acme/inbox/logins.csv", f"person,password\nkim,{beside[1]}\nomar,{beside[2]}\n")
        cfo = world.agent("cfo")
        cfo.cycle(text)
        cfo.cycle(f"Remember that Zed of Globex is reached at {reached[2]} or {reached[1]}.")
        world.agent("knowledge").cycle()
        asked = world.ask("agent_message", to="cfo", performative="REQUEST", content=f"Remember this: {text}")
        assert asked.ok == (policy == "redact")
        cfo.cycle()
        world.services.graph().fresh()
        assert cfo.handle.cases.all()
        assert reached[0] in world.text("agents/cfo/inbox.json")
    found = clear(tmp_path, [*secrets, *beside, *reached])
    places = {path for one in reached for path in found.pop(one)}
    assert {path.rpartition("/")[2] for paths in found.values() for path in paths} == {"note.md", "logins.csv"}
    hidden = ("ledger/", "memory", "cases.j", "Learnings.md", "graph.jsonl")
    assert not [path for path in places if any(one in path for one in hidden)]
