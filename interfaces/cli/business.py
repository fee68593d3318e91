"""`mabos business`: create companies, list them, and show the status of one."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mabos.interfaces.cli.operation import perform_operation
from mabos.interfaces.cli.request import CommandRequest, command, group

if TYPE_CHECKING:
    from rich.console import Console

_LONGEST_PATH = 1_000


@group("business")
def business() -> None:
    """Create, list and show businesses."""


@command("create", parent=business)
@click.argument("business_id", metavar="ID")
@click.option("--name", required=True, help="Its usual name.")
@click.option("--template", metavar="PACK", help="The kind of business: a shipped pack, or one in templates/.")
@click.option("--describe", metavar="FILE|TEXT", help="The business in your words, or YAML in the form of a pack.")
@click.option("--answers", type=click.Path(path_type=Path, dir_okay=False), help="Answers to the interview, as YAML.")
@click.option("--interview", is_flag=True, help="Ask about the business, one question at a time.")
@click.option("--legal-name", help="Its registered name.")
def create(  # noqa: PLR0917  # one for each option
    request: CommandRequest,
    business_id: str,
    name: str,
    template: str | None,
    describe: str | None,
    answers: Path | None,
    interview: bool,
    legal_name: str | None,
) -> None:
    """Create a business with nine agents, from a template, a description, or an interview.

    Shows what was read from your words, and lists what was not. Check both: words can be misread.
    """
    said = [_words(describe)] if describe else []
    if answers is not None:
        said.append(_file(answers))
    if interview:
        said.append(_run_interview())
    if not said and template is None:
        raise click.UsageError(f"Name a --template ({', '.join(_packs(request))}), or use --describe or --interview.")
    with request.open(create=True) as services:
        made = perform_operation(
            services, "business_create", business_id=business_id, name=name, template=template, legal_name=legal_name,
            describe=_join_descriptions(said) or None,
        )  # fmt: skip
        request.answer(dict(made), lambda out: _show_made(out, made))


@command("packs", parent=business)
def packs(request: CommandRequest) -> None:
    """List the kinds of business, shipped ones and those in templates/."""
    from mabos.society.templates import template_named

    root = request.place if request.place.exists() else None
    found = {one: template_named(one, root) for one in _packs(request)}
    shown = [{"id": one, "title": pack.title, "description": pack.description} for one, pack in found.items()]
    request.answer({"packs": shown}, lambda out: _show_packs(out, shown))


@command("list", parent=business)
def list_(request: CommandRequest) -> None:
    """List the businesses of the workspace."""
    with request.open() as services:
        found = perform_operation(services, "business_list")
        request.answer(dict(found), lambda out: _show_list(out, found["businesses"]))


@command("status", parent=business)
@click.argument("business_id", metavar="ID")
def status(request: CommandRequest, business_id: str) -> None:
    """Show the status of a business: figures, agents, pending decisions."""
    with request.open() as services:
        found = perform_operation(services, "business_status", business_id=business_id)
        request.answer(dict(found), lambda out: _show_status(out, found))


def _packs(request: CommandRequest) -> tuple[str, ...]:
    from mabos.society.templates import templates

    return templates(request.place if request.place.exists() else None)


def _words(given: str) -> str:
    """Return the text of a file where there is one of this name, else the text itself."""
    path = Path(given) if len(given) < _LONGEST_PATH and "\n" not in given else None
    return _file(path) if path is not None and path.is_file() else given


def _file(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise click.UsageError(f"{path} cannot be read: {error}") from None


def _run_interview() -> str:
    """Return the answers to the interview as YAML; an empty answer leaves a question open."""
    import yaml

    from mabos.society.describing import interview

    answers: dict[str, str] = {}
    for number, question in enumerate(interview(), start=1):
        said = click.prompt(f"{number}. {question.ask}", default="", show_default=False, err=True)
        if said.strip():
            answers[question.key] = said.strip()
    if not answers:
        raise click.UsageError("No question was answered.")
    return yaml.safe_dump(answers, allow_unicode=True, sort_keys=False)


def _join_descriptions(said: list[str]) -> str:
    """Return descriptions as one text: answers next to prose go under the headings that they answer."""
    if len(said) < 2:
        return "".join(said)
    import yaml

    from mabos.configs.yaml_file import load_yaml

    parts = list[str]()
    for text in said:
        try:
            content = load_yaml(text)
        except yaml.YAMLError:
            content = None
        if isinstance(content, dict):
            parts += [f"{key.capitalize()}:\n- {value}" for key, value in content.items() if isinstance(value, str)]
            parts += [f"{key.capitalize()}:\n" + "\n".join(f"- {one}" for one in value)
                      for key, value in content.items() if isinstance(value, list)]  # fmt: skip
        else:
            parts.append(text)
    return "\n\n".join(parts)


def _show_made(out: "Console", made: Mapping[str, Any]) -> None:
    agents = list(made["agents"].values())
    out.print(f"made {made['business_id']}, run by {', '.join(agents)}")
    for one in made.get("read", ()):
        out.print(f"read {one['what']}: {one['value']}  ({one['words']!r})", markup=False, highlight=False)
    for one in made.get("not_read", ()):
        out.print(f"not read: {one}", markup=False, highlight=False)
    for one in made.get("open_questions", ()):
        out.print(f"still open, {one['key']}: {one['question']}", markup=False, highlight=False)
    if usual := made.get("usual_targets"):
        out.print(f"usual targets, until you set others: {'; '.join(usual)}", markup=False, highlight=False)
    if "read" in made:
        out.print(f"its pack, to read and to change: businesses/{made['business_id']}/pack.yaml", markup=False)
    out.print("next: mabos chat")


def _show_packs(out: "Console", shown: list[dict[str, str]]) -> None:
    from mabos.interfaces.views.words import table

    out.print(table("Pack", "Title", "What it is", rows=[list(one.values()) for one in shown]))


def _show_list(out: "Console", found: list[Mapping[str, Any]]) -> None:
    from mabos.interfaces.views.words import table

    if not found:
        out.print("no business yet; make one with: mabos business create acme --name Acme --template saas")
        return
    rows = [[one["business_id"], one["name"], one["template"], len(one["agents"])] for one in found]
    out.print(table("Business", "Name", "Template", ">Agents", rows=rows))


def _show_status(out: "Console", found: Mapping[str, Any]) -> None:
    from mabos.interfaces.views.words import format_value, table

    out.print(f"{found['name']} ({found['business_id']}, {found['template']})", style="bold", markup=False)
    figures = [
        [name, format_value(point["value"]), point["unit"], point["at"][:10]]
        for name, point in found["metrics"].items()
    ]
    if figures:
        out.print(table("Figure", ">Value", "", "At", rows=figures, title="\nFigures"))
    for kind in ("pending_decisions", "open_work_packages", "running_campaigns", "recorded_campaigns"):
        if found.get(kind):
            rows = [list(one.values()) for one in found[kind]]
            out.print(table(*[""] * len(rows[0]), rows=rows, title=f"\n{kind.replace('_', ' ').capitalize()}"))
    first: Mapping[str, Any] = next(iter(found["agents"]), {})
    columns = [name for name, value in first.items() if not isinstance(value, dict | list)]
    headings = [name.replace("_", " ").capitalize() for name in columns]
    out.print(table(*headings, rows=[[one[name] for name in columns] for one in found["agents"]], title="\nAgents"))
