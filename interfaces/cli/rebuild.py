"""`mabos rebuild`: all derived data, rebuilt from the files of truth."""

from typing import TYPE_CHECKING

from mabos.interfaces.cli.request import CommandRequest, command

if TYPE_CHECKING:
    from rich.console import Console


@command("rebuild")
def rebuild(request: CommandRequest) -> None:
    """Rebuild the text index, the words and vectors of memories, and the graphs from the source files."""
    with request.open() as services:
        from mabos.interfaces.views.words import count
        from mabos.tools.runtime.rebuilding import rebuild as made_again

        done = made_again(services, request.notice)

        def show(out: "Console") -> None:
            out.print(f"the text index was made again from the files: {count(done.rows, 'row')}")
            for agent_id, texts in done.embedded.items():
                out.print(f"{agent_id}: words made again, {count(texts, 'text')} embedded")
            for business_id, nodes in done.graphs.items():
                out.print(f"{business_id}: its graph was made again: {count(nodes, 'node')}")
            for agent_id, reason in done.refused.items():
                out.print(f"{agent_id}: not made again: {reason}", markup=False)

        made = ["index", "words", *(["vectors"] if services.embedder.fingerprint else []), "graph"]
        data = {
            "rebuilt": made,
            "rows": done.rows,
            "embedded": done.embedded,
            "graphs": done.graphs,
            "refused": done.refused,
        }
        request.answer(data, show, done=not done.refused)
