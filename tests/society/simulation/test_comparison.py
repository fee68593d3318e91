"""Policies over many seeds: the table, and who beats whom on the same luck, with how sure that is."""

from hypothesis import given, settings
from hypothesis import strategies as st

from mabos.society.simulation.comparison import RunResult, comparison_markdown, duels, runs_csv, summaries


def result(policy: str, seed: int, score: float, *, scenario: str = "saas", bankrupt: bool = False) -> RunResult:
    return RunResult(scenario, policy, str(seed), 13, score, bankrupt, {"mrr": score / 10})


RESULTS = [result("bdi", seed, 100.0 + seed) for seed in range(20)]
RESULTS += [result("rules", seed, 100.0 + seed + (-5 if seed < 15 else 5)) for seed in range(20)]


def test_a_policy_is_summed_up_by_its_middle_and_its_tenths() -> None:
    [bdi, rules] = summaries(RESULTS)
    assert (bdi.policy, bdi.runs, bdi.median) == ("bdi", 20, 109.5)
    assert bdi.low == 101.9
    assert bdi.high == 117.1
    assert rules.bankrupt == 0


def test_bankrupt_runs_are_counted() -> None:
    [one] = summaries([result("greedy", 1, 0, bankrupt=True), result("greedy", 2, 9)])
    assert one.bankrupt == 0.5


def test_policies_are_paired_on_the_same_seeds_alone() -> None:
    [duel] = duels([*RESULTS, result("bdi", 99, 10_000)], "bdi", "rules")
    assert duel.pairs == 20
    assert duel.wins.value == 0.75
    assert duel.difference.value == 5
    assert duel.wins.low < 0.75 < duel.wins.high


def test_a_tie_is_half_a_win() -> None:
    [duel] = duels([result("bdi", 1, 7), result("rules", 1, 7)], "bdi", "rules")
    assert duel.wins.value == 0.5


@settings(max_examples=15)
@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=8))
def test_what_beats_always_has_no_doubt_about_it_and_loses_the_other_way_round(scores: list[float]) -> None:
    runs = [result("a", seed, score + 1.0e7) for seed, score in enumerate(scores)]
    runs += [result("b", seed, score) for seed, score in enumerate(scores)]
    [won], [lost] = duels(runs, "a", "b"), duels(runs, "b", "a")
    assert (won.wins.low, won.wins.high) == (1, 1)
    assert (lost.wins.low, lost.wins.high) == (0, 0)
    assert won.difference.low <= won.difference.value <= won.difference.high


def test_the_tables_name_every_run_and_every_duel() -> None:
    assert runs_csv(RESULTS).splitlines()[0] == "scenario,policy,seed,weeks,score,bankrupt,mrr"
    assert len(runs_csv(RESULTS).splitlines()) == 41
    text = comparison_markdown(RESULTS)
    assert "| saas | bdi | 20 | $110 | $102 | $117 | 0% |" in text
    assert "## bdi against rules, on the same seeds" in text
