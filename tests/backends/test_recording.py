"""A run with a model can be had again without one, from what was recorded; nothing else is ever made up."""

import json
from contextlib import suppress
from datetime import UTC, datetime
from itertools import count
from operator import itemgetter
from pathlib import Path
from threading import Barrier, Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from mabos.backends.chat import ChatMessage, Completion, NotAsked, ScriptedModel, Usage
from mabos.backends.choice import choose_models
from mabos.backends.metering import (
    BudgetExhausted,
    Meter,
    Metered,
    MeteredCall,
    ModelBudget,
    ModelPrice,
    Spent,
    Terms,
    within,
)
from mabos.backends.recording import MissingRecord, RecordedFailure, RecordedModel, Replayed
from mabos.backends.structured import complete_structured
from mabos.configs.errors import Damaged, InvalidArgument, MabosError, Unavailable
from mabos.configs.settings import environment, load_settings
from mabos.workspace.clock import frozen_clock, iso, parse_time

HOW = st.sampled_from(["answers", "fails", "not asked"])
SAID = Completion("yes", usage=Usage(100, 400))


def ask(text: str) -> list[ChatMessage]:
    return [ChatMessage("user", text)]


class Runway(BaseModel):
    months: int


def test_what_was_answered_is_answered_again_in_the_order_of_the_same_question(tmp_path: Path) -> None:
    recorded = RecordedModel(ScriptedModel(["one", "two", "other"], name="tiny"), tmp_path / "calls.jsonl")
    said = [recorded.complete(ask(text)) for text in ("same", "same", "else")]
    replayed = Replayed(tmp_path / "calls.jsonl")
    assert replayed.name == "tiny"
    assert replayed.complete(ask("else")) == said[2]
    assert [replayed.complete(ask("same")) for _ in range(2)] == said[:2]
    assert replayed.unused == 0


@given(st.lists(st.tuples(st.sampled_from("abc"), st.text(), HOW), min_size=1, max_size=12))
def test_whatever_was_said_comes_back_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, calls: list[tuple[str, str, str]]
) -> None:
    path = tmp_path_factory.mktemp("calls") / "calls.jsonl"
    failure = {"fails": Unavailable, "not asked": NotAsked}
    replies = [failure[how](text) if how in failure else Completion(text, usage=Usage(3, 4)) for _, text, how in calls]

    def outcomes(model: RecordedModel | Replayed) -> list[tuple[str, object]]:
        found: list[tuple[str, object]] = []
        for question, _, _ in calls:
            try:
                answer = model.complete(ask(question), tag="t")
                found.append(("said", (answer.text, answer.usage, answer.seconds)))
            except Unavailable as error:
                found.append((error.code, error.message))
        return found

    assert outcomes(RecordedModel(ScriptedModel(replies), path)) == outcomes(Replayed(path))


def test_a_call_that_was_not_recorded_is_an_error_that_nothing_degrades_around(tmp_path: Path) -> None:
    RecordedModel(ScriptedModel(['{"months": 9}']), tmp_path / "calls").complete(ask("how long?"), tag="runway")
    with pytest.raises(MissingRecord, match=r"holds no answer to this 'runway' of nobody.*it has 1 such calls"):
        complete_structured(Replayed(tmp_path / "calls"), ask("how much?"), Runway, tag="runway")


def test_structured_output_and_its_repair_are_replayed(tmp_path: Path) -> None:
    recorded = RecordedModel(ScriptedModel(["nine", {"months": 9}]), tmp_path / "calls")
    assert complete_structured(recorded, ask("how long?"), Runway) == Runway(months=9)
    replayed = Replayed(tmp_path / "calls")
    assert complete_structured(replayed, ask("how long?"), Runway) == Runway(months=9)
    assert replayed.unused == 0


ID = st.builds("{}-{}".format, st.integers(10**12, 10**13 - 1), st.integers(0, 0xFFFF).map("{:04x}".format))
MOMENT = st.integers(10**9, 4 * 10**9).map(lambda at: iso(datetime.fromtimestamp(at, UTC)))


@given(
    st.lists(st.tuples(ID | MOMENT, ID | MOMENT), min_size=1, max_size=6, unique_by=(lambda one: one[0], itemgetter(1)))
)
def test_what_was_said_of_ids_and_moments_is_said_of_those_that_stand_in_their_place(
    tmp_path_factory: pytest.TempPathFactory, pairs: list[tuple[str, str]]
) -> None:
    path = tmp_path_factory.mktemp("calls") / "calls.jsonl"

    def told(side: int, form: str) -> str:
        return " ".join(form.format(pair[side]) for pair in pairs)

    said = "M-1234567890123-beef " + told(0, "[B-{}]") + ' {"seen": "' + pairs[-1][0] + '"}'
    RecordedModel(ScriptedModel([said]), path).complete(ask(told(0, "[B-{}] runs low")))
    again = Replayed(path).complete(ask(told(1, "[B-{}] runs low"))).text
    assert again == "M-1234567890123-beef " + told(1, "[B-{}]") + ' {"seen": "' + pairs[-1][1] + '"}'


def test_another_date_or_figure_is_another_question(tmp_path: Path) -> None:
    RecordedModel(ScriptedModel(["yes"]), tmp_path / "calls").complete(ask("Will 4200 do until 2026-12-01?"))
    for other in ("Will 4300 do until 2026-12-01?", "Will 4200 do until 2026-12-02?"):
        with pytest.raises(MissingRecord):
            Replayed(tmp_path / "calls").complete(ask(other))


def test_what_is_missing_names_the_moment_at_which_the_recorded_run_began(tmp_path: Path) -> None:
    read, began = environment({"MABOS_RECORD_MODEL": str(tmp_path / "calls")}), parse_time("2026-03-02T09:00:00Z")
    models = load_settings(tmp_path, read).models
    meant = choose_models(models, read, tmp_path, Meter(), stand_in=ScriptedModel(["yes"]), clock=frozen_clock(began))
    meant.model.complete(ask("a"))
    with pytest.raises(MissingRecord, match=r"MABOS_NOW=2026-03-02T09:00:00\.000Z it is that day again"):
        Replayed(tmp_path / "calls").complete(ask("b"))


def test_two_agents_who_ask_the_same_have_each_their_own_answer_whoever_comes_first(tmp_path: Path) -> None:
    recorded = RecordedModel(ScriptedModel(["for the cfo", "for the cmo"]), tmp_path / "calls")
    for agent in ("cfo", "cmo"):
        with within(whose=agent):
            recorded.complete(ask("what now?"))
    replayed, heard, start = Replayed(tmp_path / "calls"), dict[str, str](), Barrier(2)

    def run(agent: str) -> None:
        start.wait(10)
        with within(whose=agent):
            heard[agent] = replayed.complete(ask("what now?")).text

    threads = [Thread(target=run, args=(agent,)) for agent in ("cmo", "cfo")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert heard == {"cfo": "for the cfo", "cmo": "for the cmo"}


def test_no_secret_reaches_the_file_nor_the_run(tmp_path: Path) -> None:
    beside = Completion("as asked", {"sk-very-secret": ["sk-very-secret", 1]})  # a provider's own structured output
    model = ScriptedModel(["your key is sk-very-secret", Unavailable("bad key sk-very-secret"), beside])
    recorded = RecordedModel(model, tmp_path / "calls", secrets=["sk-very-secret", "no"])
    assert recorded.complete(ask("tell me no secret")).text == "your key is ***"
    with pytest.raises(Unavailable, match=r"bad key \*\*\*"):
        recorded.complete(ask("again"))
    assert recorded.complete(ask("as data"), schema={}).data == {"***": ["***", 1]}
    written = (tmp_path / "calls").read_text()
    assert "sk-very-secret" not in written
    assert "tell me no secret" not in written, "what was asked is kept as a digest"


def test_a_run_whose_budget_ran_out_runs_out_at_the_same_call(tmp_path: Path) -> None:
    terms = Terms(ModelPrice(1_000.0, 1_000.0), patience_s=60.0)
    ticks = count(step=40.0)

    def run(model: RecordedModel | Replayed) -> tuple[list[MeteredCall], Spent, str]:
        seen: list[MeteredCall] = []
        bound = Metered(model, Meter(ModelBudget(model_usd=3.0)), terms=lambda: model.terms, report=seen.append)
        try:
            for number in range(9):
                with suppress(RecordedFailure):
                    bound.complete(ask(f"question {number}"), max_tokens=900)
        except BudgetExhausted as error:
            return seen, bound.meter.spent, error.message
        raise AssertionError("the budget never ran out")

    answers = ScriptedModel(lambda call: SAID if "3" not in call.messages[0].content else Unavailable("late"))
    recorded = run(RecordedModel(answers, tmp_path / "calls", terms=terms, seconds=lambda: next(ticks)))
    assert [one.error for one in recorded[0]] == ["", "", "", "late"]
    assert recorded[1].model_seconds == pytest.approx(160.0), "a call that failed took its time too"
    assert run(Replayed(tmp_path / "calls")) == recorded


def test_runs_and_processes_add_to_one_file_and_a_torn_line_is_no_call(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "calls.jsonl"
    RecordedModel(ScriptedModel(["one"]), path).complete(ask("a"))
    with path.open("ab") as file:
        file.write(b'{"request":"half of a li')
    assert Replayed(path).unused == 1
    RecordedModel(ScriptedModel(["two"]), path).complete(ask("b"))
    replayed = Replayed(path)
    assert (replayed.complete(ask("b")).text, replayed.complete(ask("a")).text) == ("two", "one")


def test_a_recording_whose_first_line_was_torn_is_begun_anew(tmp_path: Path) -> None:
    (tmp_path / "calls").write_bytes(b'{"recording_of": "sma')
    RecordedModel(ScriptedModel(["one"], name="large"), tmp_path / "calls").complete(ask("a"))
    assert Replayed(tmp_path / "calls").complete(ask("a")).text == "one"


def test_one_file_holds_one_model_on_one_set_of_terms(tmp_path: Path) -> None:
    RecordedModel(ScriptedModel(["one"], name="small"), tmp_path / "calls").complete(ask("a"))
    with pytest.raises(InvalidArgument, match="recording of 'small' on other terms; give 'large' another file"):
        RecordedModel(ScriptedModel(["two"], name="large"), tmp_path / "calls").complete(ask("a"))


@pytest.mark.parametrize(
    ("content", "error", "said"),
    [
        (None, MissingRecord, "no recording at"),
        ("", Damaged, ":1: this is not a line of a recording"),
        ('{"recording_of": "m", "form": 2}\nnonsense\n', Damaged, ":2: this is not a line"),
        ('{"recording_of": "m", "form": 1}\n', Damaged, "has format 1, expected 2; record again"),
        ('{"recording_of": "m", "surprise": 1}\n', Damaged, ":1: this is not a line"),
    ],
)
def test_a_file_that_is_no_recording_is_named_with_its_line(
    tmp_path: Path, content: str | None, error: type[MabosError], said: str
) -> None:
    path = tmp_path / "calls"
    if content is not None:
        path.write_text(content)
    with pytest.raises(error, match=said):
        Replayed(path).complete(ask("a"))


def test_a_recording_that_cannot_be_read_is_told_as_one_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(MissingRecord, match=r"cannot be read .*directory.*set models\.replay"):
        Replayed(tmp_path).complete(ask("a"))


def test_settings_or_environment_name_the_file_in_the_workspace_or_by_path(tmp_path: Path) -> None:
    (tmp_path / "mabos.yaml").write_text("models: {record: models/run.jsonl}\n")
    nobody = environment({})

    def chosen(model: ScriptedModel | None = None, **variables: str) -> Metered:
        read = environment(variables)
        return choose_models(load_settings(tmp_path, read).models, read, tmp_path, Meter(), stand_in=model).model

    chosen(ScriptedModel(["yes"])).complete(ask("a"))
    assert json.loads((tmp_path / "models" / "run.jsonl").read_text().splitlines()[0])["recording_of"] == "scripted"
    chosen(ScriptedModel(["no"]), MABOS_RECORD_MODEL=str(tmp_path / "other")).complete(ask("a"))
    (tmp_path / "mabos.yaml").write_text("")
    again = chosen(MABOS_REPLAY_MODEL=str(tmp_path / "other"), MABOS_FORBID_MODEL="1")
    assert again.complete(ask("a")).text == "no"
    (tmp_path / "mabos.yaml").write_text("models: {replay: models/run.jsonl}\n")
    assert chosen().complete(ask("a")).text == "yes"
    with pytest.raises(InvalidArgument, match="set only one"):
        load_settings(tmp_path, environment({"MABOS_RECORD_MODEL": "a", "MABOS_REPLAY_MODEL": "b"}))
    (tmp_path / "mabos.yaml").write_text("models: {record: a, replay: b}\n")
    with pytest.raises(InvalidArgument, match="set only one"):
        load_settings(tmp_path, nobody)
