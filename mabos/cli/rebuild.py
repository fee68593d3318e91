"""`mabos rebuild`: everything that is derived, made again from the files of truth."""

from typing import TYPE_CHECKING

from mabos.cli.request import Request, command

if TYPE_CHECKING:
    from rich.console import Console


@command("rebuild")
def rebuild(request: Request) -> None:
    """Make the text index, and the words and vectors of memories, again from the files of truth."""
    with request.open() as services:
        from mabos.views.words import count
        from tools.rebuilding import rebuild as made_again

        done = made_again(services, request.notice)

        def show(out: "Console") -> None:
            out.print(f"the text index was made again from the files: {count(done.rows, 'row')}")
            for agent_id, texts in done.embedded.items():
                out.print(f"{agent_id}: words made again, {count(texts, 'text')} embedded")
            for agent_id, reason in done.refused.items():
                out.print(f"{agent_id}: not made again: {reason}", markup=False)

        made = ["index", "words", *(["vectors"] if services.embedder.fingerprint else [])]
        data = {"rebuilt": made, "rows": done.rows, "embedded": done.embedded, "refused": done.refused}
        request.answer(data, show, done=not done.refused)
