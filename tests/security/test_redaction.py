"""Personal data and secrets that the memory is told stand nowhere in the workspace, its ledger included."""

from pathlib import Path

import pytest

from tests.knowledge.entities.test_sensitive import SECRETS
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
        made = world.agent("cto").do(
            "knowledge", action="create_entity", type="Concept", name="x", label="ask kim@acme.io"
        )
        assert made["entity"]["label"] == "ask [email]"
        assert made["notices"] == ["label had what is sensitive: email"]


def test_archiving_redacts_what_an_older_ledger_still_has(tmp_path: Path) -> None:
    with World.small(tmp_path) as world:
        body = {"intention": "TASK-1", "systemPrompt": "Card 4111 1111 1111 1111 is our account", "messages": []}
        world.services.ledger.append("cfo", "task", body, at=world.now)
        assert world.agent("cfo").do("mem:archive", taskId="TASK-1")["nodesCreated"]
    assert b"4111" not in (tmp_path / "businesses" / "acme" / "archive.json").read_bytes()
