"""Give up a goal that no order made, when a person no longer wants it: "We can drop the search for a glazier"."""

from mabos.language.request import Request
from mabos.society.roles import STAKEHOLDER
from mabos.tools.requests.answers.work_items import is_uncommon, meaningful, overlap
from mabos.tools.requests.response import AbandonGoal, Ask, Response
from mabos.tools.requests.wording import join_words, quote_text
from mabos.tools.runtime.services import Agent

_OPEN = ("pending", "active", "blocked")


def drop_goal(agent: Agent, request: Request) -> Response | None:
    """Return the end of the goal that a withdrawal names, or the question which of several; None if it names none.

    Only a person may end a goal, and only one that no standing desire would set again.
    """
    wanted = [one for one in meaningful(request.sentence) if is_uncommon(one)]
    if request.sender != STAKEHOLDER or not wanted:
        return None
    carried = {one.goal_id for one in agent.requests.all()}
    goals = [one for one in agent.mind.goals if one.status in _OPEN and one.id not in carried and not one.desire_id]
    scored = [(overlap(wanted, one.description), one) for one in goals]
    best = max((share for share, _ in scored), default=0.0)
    meant = [one for share, one in scored if share == best > 0]
    if not meant:
        return None
    named = join_words([quote_text(one.description) for one in meant], "or")
    if len(meant) > 1:
        return Ask(f"Which of these goals do you no longer want: {named}?")
    return AbandonGoal(meant[0].id, f"I no longer pursue the goal {named} ({meant[0].id}).")
