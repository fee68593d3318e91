"""Messages to Slack: the JSON of its webhooks, its limits, and an address that shows nowhere."""

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mabos.backends.slack import Busy, SlackWebhook, message
from mabos.configs.errors import Unavailable
from tests.backends.test_openai_compatible import broken
from tests.contracts.web_receiver import receiver

SECRET = "T000/B000/a-secret-token"  # noqa: S105  # of nobody


def webhook(url: str) -> SlackWebhook:
    return SlackWebhook(url, variable="MABOS_SLACK_WEBHOOK", timeout_s=5)


def test_a_message_arrives_as_json_with_text_and_blocks() -> None:
    with receiver() as web:
        webhook(web.url(SECRET)).send(message("Acme: Sign?", "# Sign\n\n**Twelve** thousand <a year>", to="Jane"))
    (request,) = web.requests
    assert request.path == f"/{SECRET}"
    assert request.headers["Content-Type"].startswith("application/json")
    said = orjson.loads(request.body)
    assert said["text"] == "Acme: Sign?"
    assert [block["type"] for block in said["blocks"]] == ["header", "section", "context"]
    assert said["blocks"][1]["text"] == {"type": "mrkdwn", "text": "*Sign*\n\n*Twelve* thousand &lt;a year&gt;"}
    assert said["blocks"][2]["elements"][0]["text"] == "For Jane"


def test_a_table_keeps_its_columns() -> None:
    said = message("Week 9", "Figures\n\n| | Before | Now |\n| --- | --- | --- |\n| Cash | 1 | 2 |\n\nThat is all")
    assert "```\n| | Before | Now |\n| --- | --- | --- |\n| Cash | 1 | 2 |\n```" in said["blocks"][1]["text"]["text"]


def test_a_link_leads_somewhere_and_calls_nobody() -> None:
    text = "[the page](https://acme.com/a?b=1&c=2), [all](!channel), [him](@U012), [mail](mailto:a@acme.com)"
    said = message("Acme", text)["blocks"][1]["text"]["text"]
    assert said == (
        "<https://acme.com/a?b=1&amp;c=2|the page>, [all](!channel), [him](@U012), <mailto:a@acme.com|mail>"
    )


@given(st.text(max_size=200), st.lists(st.text(alphabet="|# -*a<&\n", max_size=400), max_size=30).map("\n".join))
def test_whatever_is_said_keeps_within_what_slack_takes(subject: str, text: str) -> None:
    said = message(subject, text * 20, to="Jane")
    assert len(said["blocks"]) <= 50
    assert 1 <= len(said["blocks"][0]["text"]["text"]) <= 150
    assert all(1 <= len(one["text"]["text"]) <= 3000 for one in said["blocks"] if one["type"] == "section")


@pytest.mark.parametrize(("status", "answer"), [(404, b"no_service"), (410, b"channel_is_archived"), (500, b"")])
def test_a_refusal_says_what_slack_said_and_not_where(status: int, answer: bytes) -> None:
    with receiver(status, answer) as web, pytest.raises(Unavailable) as wrong:
        webhook(web.url(SECRET)).send(message("Acme", "text"))
    assert f"(MABOS_SLACK_WEBHOOK) answered {status}" in wrong.value.message
    assert answer.decode() in wrong.value.message
    assert SECRET not in wrong.value.message


def test_a_busy_slack_says_how_long_to_wait() -> None:
    with receiver(429, headers={"Retry-After": "120"}) as web, pytest.raises(Busy) as wrong:
        webhook(web.url(SECRET)).send(message("Acme", "text"))
    assert wrong.value.retry_after_s == 120


def test_a_message_is_for_its_address_alone() -> None:
    with (
        receiver() as other,
        receiver(302, headers={"Location": other.url("elsewhere")}) as web,
        pytest.raises(Unavailable, match="answered 302"),
    ):
        webhook(web.url(SECRET)).send(message("Acme", "text"))
    assert other.requests == []


@pytest.mark.parametrize(
    "url", ["", "hooks.slack.com", f"http://hooks.slack.com/{SECRET}", f"file:///{SECRET}", f"https://a b/{SECRET}",
            f"https://[{SECRET}", f"https://hooks.slack.com:x/{SECRET}", f"https://hooks.slack.com/{SECRET}\r\nX: 1"],
)  # fmt: skip
def test_what_is_no_address_of_a_webhook_is_told_without_repeating_it(url: str) -> None:
    with pytest.raises(Unavailable, match="MABOS_SLACK_WEBHOOK is not a webhook URL") as wrong:
        webhook(url).send(message("Acme", "text"))
    assert SECRET not in wrong.value.message


@pytest.mark.parametrize("pause_s", [0.0, 0.6])
def test_a_refusal_that_breaks_off_or_hangs_is_still_a_refusal(pause_s: float) -> None:
    head = b"HTTP/1.1 404 Not Found\r\nContent-Length: 900\r\n\r\n"
    with broken(head, b"no_service", pause_s=pause_s) as url, pytest.raises(Unavailable, match="answered 404"):
        SlackWebhook(f"{url}/{SECRET}", variable="MABOS_SLACK_WEBHOOK", timeout_s=0.3).send(message("Acme", "text"))


def test_nobody_there_is_told_without_the_address() -> None:
    with pytest.raises(Unavailable, match=r"cannot be reached: .*refused") as wrong:
        webhook(f"http://127.0.0.1:1/{SECRET}").send(message("Acme", "text"))
    assert SECRET not in wrong.value.message
