"""docs/tools.md says what the declarations say."""

from mabos.tools.catalogue.registry import registry
from scripts.tools_page import PAGE, page


def test_the_page_is_the_one_that_the_declarations_give() -> None:
    assert PAGE.read_text("utf-8") == page(registry()), "docs/tools.md is old: python -m scripts.tools_page"


def test_the_page_has_every_tool_once_with_its_arguments_and_what_governance_knows_of_it() -> None:
    lines = page(registry()).splitlines()
    rows = {line.split("`")[1]: line for line in lines if line.startswith("| `") and "of `" not in line[:30]}
    for tool in registry().all():
        assert tool.category in rows[tool.name]
        assert all(reason in rows[tool.name] for reason in tool.asked_for)
        names = set(tool.schema["properties"]) - {"agent_id"}
        assert tool.actions or all(f"`{name}" in rows[tool.name] for name in names)
        assert all(f"| `{action}` |" in "\n".join(lines) for action in tool.actions)
