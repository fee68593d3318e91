"""A small software market that the agents run a company in: seeded, weekly, and hidden behind sensors.

Read `truth.py` (what nobody may know), `state.py` (where the company stands), `levers.py` (what it can move),
`market.py` and `delivery.py` (how customers and contractors answer), `happenings.py` (what comes from outside),
`world.py` (one week of all that, and the weeks before the first). Around it: `sensors.py` (what agents
see), `company.py` (the market on disk, week by week), `scenario.py` (the YAML files), `stakeholder_policy.py` (the
owner as a script), `policies.py` (scripts to compare agents with), and what a run comes to: `report.py` with
`charts.py`, `figures.py`, `rendering.py` and `wording.py`; `difference.py` and `comparison.py` compare runs.

    from mabos.society.simulation.levers import NOTHING
    from mabos.society.simulation.scenario_files import load_scenario
    from mabos.society.simulation.world import step

    scenario = load_scenario("saas")
    world, events = step(scenario.opening("1"), scenario.truth("1"), NOTHING, seed="1")
"""
