"""R3: when a checkpoint is due before a cut, what is asked for it, and the one a rule makes."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from mabos.configs.errors import InvalidArgument
from mabos.configs.settings import FlushSettings, load_settings
from mabos.memory import checkpoints
from mabos.memory.checkpoints import Checkpoint, CheckpointMark, bullets, parse, render
from mabos.memory.flush import (
    SILENT,
    ChatTurn,
    TokenLimits,
    by_rule,
    durable,
    is_due,
    is_silent,
    limits,
    parse_checkpoint,
    prompt,
)

DEFAULTS = load_settings().memory.flush
AT = datetime(2026, 2, 24, 9, 30, tzinfo=UTC)


def test_the_defaults_are_those_of_the_documents() -> None:
    assert (DEFAULTS.enabled, DEFAULTS.reserve_tokens, DEFAULTS.soft_tokens) == (True, 8000, 4000)


@pytest.mark.parametrize(
    ("window", "flush_at", "cut_at"),
    [(200_000, 188_000, 192_000), (32_000, 20_000, 24_000), (16_000, 4_000, 8_000), (8_000, 2_000, 4_000), (4, 1, 2)],
)
def test_a_flush_is_due_at_window_minus_reserve_minus_soft_and_small_windows_are_shared(
    window: int, flush_at: int, cut_at: int
) -> None:
    assert limits(window, DEFAULTS) == TokenLimits(flush_at, cut_at)


@given(st.integers(1, 2_000_000), st.integers(1, 50_000), st.integers(1, 50_000))
def test_a_checkpoint_is_always_due_before_a_cut_and_a_quarter_of_the_window_is_used(
    window: int, reserve: int, soft: int
) -> None:
    found = limits(window, DEFAULTS.model_copy(update={"reserve_tokens": reserve, "soft_tokens": soft}))
    assert 1 <= found.flush_at <= found.cut_at <= window
    assert found.flush_at >= window // 4


def test_a_flush_is_due_once_for_each_cut_the_first_included() -> None:
    assert not is_due(3_999, 4_000, cuts=0, last_flush=None)
    assert is_due(4_000, 4_000, cuts=0, last_flush=None)
    assert not is_due(7_000, 4_000, cuts=0, last_flush=0)
    assert is_due(4_000, 4_000, cuts=1, last_flush=0)
    assert not is_due(9_000, 4_000, cuts=1, last_flush=1)


def test_the_prompt_names_day_time_both_tools_every_section_and_the_silent_answer() -> None:
    asked = prompt(DEFAULTS, AT)
    for wanted in (
        "memory/2026-02-24.md",
        "memory/checkpoints/2026-02-24-0930.md",
        "memory_store_item",
        "memory_checkpoint",
        "## Current Task Context",
        "## Active Decisions",
        "## Key Findings",
        "## Open Questions",
        "## Next Steps",
        SILENT,
        "APPEND",
    ):
        assert wanted in asked
    assert "{" not in asked


def test_a_prompt_of_ones_own_may_hold_any_braces_and_name_a_value_twice() -> None:
    own = FlushSettings(enabled=True, reserve_tokens=1, soft_tokens=1, prompt="{date} {date} {}{x} {time}")
    assert prompt(own, AT) == "2026-02-24 2026-02-24 {}{x} 0930"
    with pytest.raises(ValidationError):
        FlushSettings(enabled=True, reserve_tokens=1, soft_tokens=1, prompt="")


def test_a_workspace_sets_it_in_its_own_file(tmp_path: Path) -> None:
    (tmp_path / "mabos.yaml").write_text("memory:\n  flush:\n    enabled: false\n    soft_tokens: 100\n", "utf-8")
    found = load_settings(tmp_path).memory.flush
    assert (found.enabled, found.soft_tokens, found.reserve_tokens) == (False, 100, 8000)
    (tmp_path / "mabos.yaml").write_text("memory:\n  flush:\n    soft_tokens: 0\n", "utf-8")
    with pytest.raises(InvalidArgument, match=r"flush\.soft_tokens"):
        load_settings(tmp_path)


@pytest.mark.parametrize("answer", [SILENT, f" `{SILENT}`.\n", f'"{SILENT}"', ""])
def test_a_silent_answer_is_no_checkpoint(answer: str) -> None:
    assert parse_checkpoint(answer) is None
    assert is_silent(answer) == bool(answer)


def test_an_answer_that_only_mentions_the_silent_token_is_not_silent() -> None:
    assert parse_checkpoint(f"I would say {SILENT}, but we chose plan B") is not None


def test_an_answer_with_sections_is_read_in_any_order_and_spelling() -> None:
    answer = (
        "Here it is.\n\n## NEXT STEPS:\n1. Write the test\n* Ask legal\n\n## Current task context\nTokens expire\n"
        "after 12 hours.\n\n## Active Decisions\n- None.\n\n## Durable Memories\n- TTL is 12 hours\n  hardcoded\n"
    )
    assert parse_checkpoint(answer) == Checkpoint(
        "Tokens expire\nafter 12 hours.", next_steps=("Write the test", "Ask legal")
    )
    assert durable(answer) == ("TTL is 12 hours\nhardcoded",)


def test_an_answer_without_sections_is_the_context() -> None:
    assert parse_checkpoint("We review the runway.") == Checkpoint("We review the runway.")


LINE = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1).filter(
    lambda text: text[0] not in "#-*•>0123456789" and text.strip(" .").lower() != "none"
)


LINES = st.lists(LINE).map(tuple)


@given(st.builds(Checkpoint, LINE, LINES, LINES, LINES, LINES))
def test_what_was_rendered_is_read_back(checkpoint: Checkpoint) -> None:
    assert parse(render(checkpoint, AT)) == checkpoint


def test_an_entry_of_several_lines_is_one() -> None:
    assert bullets("- one\n  more of it\n- two") == ("one\nmore of it", "two")


SAID = [
    ChatTurn("person", "Please find out why sessions expire overnight."),
    ChatTurn("tool", "auth-config.ts: ttl = 43200\nwe decided nothing here, did we?"),
    ChatTurn("agent", "The token TTL is 12 hours. We decided to use a sliding window. Next I will write the endpoint."),
    ChatTurn("person", "Good. Should we add a mutex?"),
]


def test_a_rule_sorts_the_sentences_that_were_said() -> None:
    made = by_rule(SAID, "there is no model")
    assert made.context.startswith("Made by rule, without a model's judgement: there is no model.")
    assert "First asked: Please find out why sessions expire overnight." in made.context
    assert "Last asked: Good. Should we add a mutex?" in made.context
    assert made.decisions == ("We decided to use a sliding window.",)
    assert made.findings == ("The token TTL is 12 hours.", "auth-config.ts: ttl = 43200")
    assert made.open_questions == ("Should we add a mutex?",)
    assert made.next_steps == ("Next I will write the endpoint.",)


def test_what_was_known_before_is_taken_over_and_never_grows_without_end() -> None:
    made = by_rule(SAID, "why", Checkpoint("Auditing the login", decisions=("Use cookies",)))
    assert "Earlier: Auditing the login" in made.context
    assert made.decisions == ("We decided to use a sliding window.", "Use cookies")
    sizes = []
    for number in range(30):
        more = [ChatTurn("person", f"Number {number}: what now?"), ChatTurn("agent", f"We decided on {number}. " * 50)]
        made = by_rule(more, "why", made)
        sizes.append(len(render(made, AT)))
    assert "Earlier: Auditing the login" in made.context
    assert max(sizes) < 8_000


def test_other_scripts_are_kept_whole() -> None:
    made = by_rule(
        [ChatTurn("person", "価格を据え置くべきか？ 明日までに答えて。"), ChatTurn("agent", "はい。 🙂")], "なし"
    )
    assert "First asked: 価格を据え置くべきか？" in made.context
    assert made.open_questions == ("価格を据え置くべきか？",)


@given(st.lists(st.builds(ChatTurn, st.sampled_from(["person", "agent", "tool"]), st.text(max_size=300)), max_size=20))
def test_a_rule_always_makes_a_checkpoint_that_can_be_read(said: list[ChatTurn]) -> None:
    made = by_rule(said, "why")
    assert made.context.strip()
    assert parse(render(made, AT)) is not None


def test_half_a_character_does_not_keep_a_checkpoint_from_being_written(tmp_path: Path) -> None:
    path = checkpoints.write(tmp_path, Checkpoint("torn \ud83d apart"), AT)
    assert "torn ? apart" in path.read_text("utf-8")


def test_a_mark_says_whose_checkpoint_it_is_and_prevents_a_second_one(tmp_path: Path) -> None:
    mine, other = CheckpointMark.of("thread", "0", "m1"), CheckpointMark.of("other", "0", "m1")
    first = checkpoints.write(tmp_path, Checkpoint("mine"), AT, mine)
    checkpoints.write(tmp_path, Checkpoint("other"), AT, other)
    assert checkpoints.write(tmp_path, Checkpoint("asked again, told otherwise"), AT, mine) == first
    assert list(checkpoints.find_checkpoints(tmp_path, mine.thread)) == [(first, mine)]
    latest = checkpoints.latest(tmp_path)
    assert latest is not None
    assert parse(latest.read_text("utf-8")) == Checkpoint("other")
    assert checkpoints.body(first.read_text("utf-8")) == render(Checkpoint("mine"), AT)
