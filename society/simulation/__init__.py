"""A small software market in which the agents run a company: seeded, weekly, and hidden behind sensors.

Read `truth.py` (the hidden truth), `state.py` (the company's state), `levers.py` (its levers), `market.py` and
`delivery.py` (the response of customers and contractors), `happenings.py` (external events), `world.py` (one week of
all that, and the weeks before the first). Around it: `sensors.py` (the agents' view), `company.py` (the market on disk,
week by week), `scenario.py` (the YAML files), `stakeholder_policy.py` (the owner as a script), `policies.py` (scripts
to compare agents with). The results of a run: `report.py` with `charts.py`, `figures.py`, `rendering.py` and
`wording.py`; `difference.py` and `comparison.py` compare runs.

    from mabos.society.simulation.levers import NOTHING
    from mabos.society.simulation.scenario_files import load_scenario
    from mabos.society.simulation.world import step

    scenario = load_scenario("saas")
    world, events = step(scenario.opening("1"), scenario.truth("1"), NOTHING, seed="1")
"""
