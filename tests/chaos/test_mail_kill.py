"""Whoever is killed between sending a letter and recording it: nobody gets a letter twice, and none is forgotten."""

import subprocess
import sys
from mailbox import Maildir
from pathlib import Path

import pytest

from chaos.mail_kill import READERS, founded, opened, sends
from mabos.society.decisions import DecisionAnswer
from mabos.tools.people.informing import inform
from mabos.workspace.clock import iso
from tests.contracts.mail_server import Post, post_office
from tests.test_shape import ROOT

EVERYBODY = [f"Reader{number} <reader{number}@company.com>" for number in range(READERS)]


def killed(root: Path, when: str, after: int) -> None:
    """Run the campaign in a process that dies at a letter."""
    command = [sys.executable, "-m", "chaos.mail_kill", str(root), when, str(after)]
    assert subprocess.run(command, cwd=ROOT, check=False).returncode == -9


@pytest.mark.parametrize("when", ["before", "after"])
def test_the_maildir_has_each_letter_once_whenever_the_sender_died(tmp_path: Path, when: str) -> None:
    root = tmp_path / "workspace"
    founded(root)
    for after in (1, 2, 1):
        killed(root, when, after)
    services = opened(root)
    outcome = sends(services)
    assert outcome.ok, outcome.message
    assert (outcome.result["status"], outcome.result["counts"]) == ("completed", {"sent": READERS})
    box = Maildir(root / "businesses" / "acme" / "mail" / "sent", create=False)
    assert sorted(str(one["To"]) for one in box) == EVERYBODY
    services.close()


def letters(post: Post) -> list[str]:
    """Return who has got a letter, each as often as he did."""
    return sorted(str(one["To"]) for one in post.letters)


@pytest.mark.parametrize(("when", "chosen"), [("before", "not-sent"), ("after", "sent")])
def test_a_letter_that_a_server_may_have_goes_before_a_person_and_the_others_go_on(
    tmp_path: Path, when: str, chosen: str
) -> None:
    root = tmp_path / "workspace"
    with post_office() as post:
        founded(root, {"smtp_host": post.host, "smtp_port": post.port})
        killed(root, when, 3)
        services = opened(root)
        outcome = sends(services)
        assert outcome.ok, outcome.message
        assert (outcome.result["status"], outcome.result["counts"]) == ("running", {"begun": 1, "sent": READERS - 1})
        (decision,) = services.decisions("acme").pending()
        assert [decision.id] == outcome.result["decision_ids"]
        assert decision.subject == "Did reader2@company.com get the letter 'Spring'?"
        assert len(post.taken) == READERS - (when == "before")
        services.decisions("acme").resolve(
            decision.id, DecisionAnswer("approve", iso(services.clock()), chosen_option=chosen)
        )
        inform(services, "acme")
        assert services.business("acme").mailings.mailings.one("spring").status == "completed"
        services.close()
    assert letters(post) == EVERYBODY
