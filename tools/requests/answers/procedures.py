"""Quote the complete procedure that a question asks for: all steps under a heading of a document, or a playbook's."""

from collections.abc import Iterator

from mabos.language.request import Claim, Request
from mabos.language.wordlists import order_form
from mabos.tools.requests.answers.passages import claim_of
from mabos.tools.requests.answers.sources import sources_of
from mabos.tools.requests.answers.synonyms import stems_in
from mabos.tools.requests.response import Say
from mabos.tools.runtime.services import Agent
from mabos.workspace.text import STOPWORDS

_ASKS = order_form("procedures.asks")
_LONGEST = 20
"""So many steps are quoted at most."""


def describe_procedure(agent: Agent, request: Request) -> Say | None:
    """Return the steps of the procedures whose title has all words of the question; None if none has."""
    asked = _ASKS.match(request.sentence)
    wanted = _words(asked["what"]) if asked else set[str]()
    found = [one for one in _procedures(agent) if wanted <= _words(one[0])] if wanted else []
    if not found:
        return None
    parts = [f"{source}:\n" + "\n".join(steps) for _, source, steps, _ in found]
    return Say("\n".join(parts), tuple(claim for *_, claims in found for claim in claims))


def _words(text: str) -> set[str]:
    return {stem for word in text.split() if word.strip(".,?!").lower() not in STOPWORDS for stem in stems_in(word)}


def _procedures(agent: Agent) -> Iterator[tuple[str, str, list[str], list[Claim]]]:
    """Yield title, source, steps and claims of each procedure: first of documents, then of the playbooks of agents."""
    for document in sources_of(agent).documents:
        for heading in dict.fromkeys(one.heading for one in document.passages if one.heading):
            under = [one for one in document.passages if one.heading == heading][:_LONGEST]
            steps = [f"{number}. {one.text}" for number, one in enumerate(under, start=1)]
            yield heading, f"{heading} ({document.file})", steps, [claim_of(one, document) for one in under]
    for holder in agent.business.manifest.agents.values() if agent.business_id else ():
        playbooks = agent.services.agent(holder).mind.playbooks
        for playbook in (one for one in playbooks if not any("{" in step for step in one.steps)):
            steps = [f"{number}. {one}" for number, one in enumerate(playbook.steps, start=1)]
            claims = [Claim(f"Playbooks.md of {holder}", "steps", one) for one in playbook.steps]
            yield playbook.name, f"{playbook.name} (playbook of the {holder})", steps, claims
