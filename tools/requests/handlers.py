"""Choose the handler of each request and the interpreter of messages."""

import re
from collections.abc import Mapping

from mabos.language.frames import asks
from mabos.language.interpreter import Interpreter
from mabos.language.orders import order
from mabos.language.request import Request, Slot
from mabos.language.rule_interpreter import RuleInterpreter
from mabos.language.sentences import begins_with_verb, plain
from mabos.language.wordlists import order_form
from mabos.tools.requests import business_statements
from mabos.tools.requests.answers.abilities import may_use
from mabos.tools.requests.answers.dispatch import answer_fragment, answer_question, answer_unclear
from mabos.tools.requests.answers.periods import periods_in
from mabos.tools.requests.answers.procedures import describe_procedure
from mabos.tools.requests.answers.smalltalk import small_talk
from mabos.tools.requests.answers.topics import is_indirect_question
from mabos.tools.requests.calls import call_tool, looked_up
from mabos.tools.requests.changes import apply_answer, correct, withdraw
from mabos.tools.requests.colleagues import WHOM, ask_colleagues, cannot, delegate, tell_colleagues
from mabos.tools.requests.comparing import compare
from mabos.tools.requests.dated import remind_of_record, report_of_records
from mabos.tools.requests.figure_statements import OPERATION, settle_figure
from mabos.tools.requests.improving import improve
from mabos.tools.requests.mailing import TAGS, tag_contacts, write_letter
from mabos.tools.requests.managing import book, manage
from mabos.tools.requests.projects import project
from mabos.tools.requests.reports import report
from mabos.tools.requests.response import Ask, Handler, Response, StepReport
from mabos.tools.requests.standing import instruct
from mabos.tools.requests.tasks import task
from mabos.tools.requests.unsettled import answer_forwarded_mail, answer_wish, conditional, report_exceeded_cap
from mabos.tools.runtime.services import Agent, Services
from mabos.tools.work.session import parent_of
from mabos.workspace.copies import replace


def answer(agent: Agent, request: Request) -> Response:
    """Return the answer to a question: from colleagues, an owner's tool, or the records."""
    found = compare(agent, request) or looked_up(agent, request)
    described = found or business_statements.describe_business(agent, request) or describe_procedure(agent, request)
    return described or answer_question(agent, request)


def unclear(agent: Agent, request: Request) -> Response:
    """Return the answer of an owner's tool if one fits, else a question for the meaning."""
    return looked_up(agent, request) or answer_unclear(agent, request)


_IS_SAID = order_form("handlers.is_said")


def _fragment(handler: Handler) -> Handler:
    """Return a handler that answers words without a verb from records, where they name some: "Overtime week 42"."""

    def handle(agent: Agent, request: Request) -> Response:
        response = handler(agent, request)
        is_said = request.refers_to or request.operation or _IS_SAID.search(request.sentence)
        is_taken = isinstance(response, StepReport) and bool(response.done)
        _, rest = periods_in(request.sentence, agent.clock().date())
        is_news = re.search(r"\d|\bdone\b", rest)  # "New boiler: 450 dollars" tells a value, and asks for none
        if is_said or is_taken or is_news or begins_with_verb(request.sentence):
            return response
        return answer_fragment(agent, request) or response

    return handle


def put_to_colleagues(agent: Agent, request: Request) -> Response:
    """Return the questions to colleagues; a question that names no colleague is answered here."""
    response = ask_colleagues(agent, request)
    is_own = isinstance(response, Ask) and response.question == WHOM and asks(plain(request.sentence))
    return answer_question(agent, request) if is_own else response


_NEWS_FOR_ALL = order_form("handlers.news_for_all")


def letter(agent: Agent, request: Request) -> Response:
    """Return a letter; an agent that writes none tells its colleagues general news, and passes a letter on."""
    if may_use(agent, "email_send") and may_use(agent, "crm_tag_contacts"):
        return write_letter(agent, request)
    colleagues = [one for one in agent.services.agents() if one != agent.id]
    if (lead := _NEWS_FOR_ALL.match(request.sentence)) and colleagues:
        news = re.sub(r"^\s*(?:know\s+)?(?:that\s+|about\s+|:\s*)?", "", request.sentence[lead.end() :]).strip()
        told = (Slot("to", colleagues, lead[0]), Slot("text", news[:1].upper() + news[1:], news))
        return tell_colleagues(agent, replace(request, slots=told))
    if request.slot("to"):
        return write_letter(agent, request)
    return cannot(
        agent, agent.services.tools.tool("crm_tag_contacts"), request, "I write no letters to several people."
    )


def tag(agent: Agent, request: Request) -> Response:
    """Return the tagging of contacts: a model names them by the tool's arguments, a person in words."""
    return call_tool(agent, request) if parent_of(request) else tag_contacts(agent, request)


BY_OPERATION: Mapping[str, Handler] = {
    "ad_campaign_create": book,
    "ad_campaign_manage": manage,
    "ask_colleagues": put_to_colleagues,
    "capped": report_exceeded_cap,
    TAGS: tag,
    "conditional": conditional,
    "delegate": delegate,
    "email_campaign": letter,
    "email_send": letter,
    OPERATION: settle_figure,
    business_statements.OPERATION: business_statements.settle_business,
    "forwarded": answer_forwarded_mail,
    "goal_create": task,
    "improve": improve,
    "project": project,
    "remind": remind_of_record,
    "report_regularly": report_of_records,
    "task": task,
    "tell_colleagues": tell_colleagues,
    "wish": answer_wish,
}
"""Handlers of operations that are more than one call of a tool: `remind`, `report_regularly`, `project`, ..."""

BY_ACT: Mapping[str, Handler] = {
    "question": answer,
    "small_talk": _fragment(small_talk),
    "correction": correct,
    "withdrawal": withdraw,
    "answer": _fragment(apply_answer),
    "report": _fragment(report),
    "standing": instruct,
    "unclear": unclear,
}
"""Handlers of sentences by their kind."""


_GUESSED = 0.4
"""Below this probability a sentence without an imperative is no goal."""


def handler_of(services: Services, request: Request) -> Handler | None:
    """Return the handler of a request, or None if nothing fits."""
    if request.act in BY_ACT:
        return BY_ACT[request.act]
    is_asked = request.operation == "task" and not request.slot("impossible")
    if is_asked and is_indirect_question(request.sentence):
        return answer_question  # no operation does it, and its words ask to be told something
    if is_asked and request.confidence < _GUESSED and not begins_with_verb(request.sentence):
        return unclear
    if request.operation in BY_OPERATION:
        return BY_OPERATION[request.operation]
    return call_tool if request.operation and request.operation in services.tools.names else None


def interpreter_of(services: Services) -> Interpreter:
    """Return the reader of messages of a workspace."""
    return RuleInterpreter(services.embedder, order)
