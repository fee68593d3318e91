"""Opening of a workspace with everything that tools and nodes use."""

from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING

from mabos.backends.chat import ChatModel
from mabos.backends.choice import ChosenModels, as_chat_model, check_prices, choose_models, vectors
from mabos.backends.choice import embedder as chosen_embedder
from mabos.backends.embed import Embedder
from mabos.backends.metering import Meter
from mabos.backends.vectors import Vectors
from mabos.configs.errors import MabosError
from mabos.configs.settings import Environment, Settings, load_settings
from mabos.configs.settings import environment as read_environment
from mabos.knowledge.entities.sensitive import cleaner
from mabos.knowledge.ontology.proposals import TermProposals, follow_terms
from mabos.knowledge.ontology.vocabulary import FOLDER
from mabos.memory.meaning import MeaningIndex
from mabos.mind.library import NO_PLANS, Library
from mabos.society.contract_net import ContractNet
from mabos.society.perceptors import Perceptor, Perceptors
from mabos.tools.catalogue.functions import installed_tools
from mabos.tools.catalogue.registry import Registry
from mabos.tools.runtime.allowances import Allowances
from mabos.tools.runtime.budgets import budget
from mabos.tools.runtime.directory import CompanyDirectory
from mabos.tools.runtime.graphs import BusinessGraphs
from mabos.tools.runtime.mailroom import Mailroom
from mabos.tools.runtime.once import Once
from mabos.tools.runtime.services import RunCycle, Services
from mabos.tools.runtime.spending import Spending
from mabos.tools.runtime.stores import AgentStores
from mabos.tools.runtime.tool_servers import ToolServers
from mabos.workspace.clock import Clock, frozen_clock, system_clock
from mabos.workspace.ids import Ids
from mabos.workspace.indexer import TextIndex
from mabos.workspace.ledger import Ledger
from mabos.workspace.ledger_index import LedgerIndex
from mabos.workspace.names import Layout, usable
from mabos.workspace.sync import Sync

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel


def open_services(
    root: Path,
    *,
    settings: Settings | None = None,
    environment: Environment | None = None,
    clock: Clock | None = None,
    seed: str = "",
    model: "ChatModel | BaseChatModel | str | None" = None,
    embedder: Embedder | None = None,
    run_cycle: RunCycle | None = None,
    without: Iterable[str] = (),
    registry: Registry | None = None,
    perceptors: Iterable[Perceptor] | None = None,
    plans: Library = NO_PLANS,
) -> Services:
    """Return the services of the workspace at `root`; only `.mabos` is created in advance.

    `MABOS_NOW` freezes the clock; with a `seed` every id derives from seed, clock and order of calls.
    """
    layout, variables = _laid_out(root), environment or read_environment()
    chosen = settings or load_settings(layout.root, variables)
    now, meter = _clock(clock, variables), Meter(budget("run", chosen.budgets.run))
    ids, sync, lock, unused = Ids(now, seed=seed or None), Sync(chosen.durability), RLock(), frozenset(without)
    screens = chosen.entities.sensitive != "flag"  # what stands in a chain stays in it, so nothing personal gets there
    ledger = Ledger(layout, sync, cleaner(chosen.entities.sensitive))
    index, ledger_index = TextIndex(layout.internal / "index.sqlite"), Once(partial(LedgerIndex, layout), lock)
    follow_terms(index, TermProposals(layout.root / FOLDER, sync))
    models = _models(chosen, variables, layout.root, meter, model=model, clock=now, embeds=embedder is None)
    embed = embedder or chosen_embedder(chosen.memory.embeddings, models.vectors)
    vectors_in = partial(vectors, embed, kind=chosen.memory.vectors, endpoint=variables.chroma_endpoint)
    meaning_of = partial(_meaning_of, layout, embed, vectors_in)
    directory = CompanyDirectory(layout, chosen, sync, clock=now, ids=ids, meaning=meaning_of, lock=lock)
    mail = Mailroom(directory, sync, lock, colleagues="coordination" not in unused, screens=screens)
    services = Services(
        layout=layout,
        settings=chosen,
        environment=variables,
        clock=now,
        ids=ids,
        seed=seed,
        sync=sync,
        ledger=ledger,
        ledger_index=ledger_index,
        index=index,
        model=models.model,
        embedder=embed,
        tools=_with_servers(registry or Registry(installed=installed_tools), chosen, layout, variables, now),
        spending=Spending(layout),
        contract_net=ContractNet(layout, durable=sync.durable),
        directory=directory,
        mail=mail,
        graphs=BusinessGraphs(layout, now, sync, embed, vectors_in, directory, lock),
        allowances=Allowances(meter, now, ledger, ledger_index, directory, mail),
        run_cycle=run_cycle,
        without=unused,
        perceptors=Perceptors(perceptors),
        plans=plans,
    )
    directory.listeners.append(partial(_take_in, services))
    return services


def _clock(given: Clock | None, variables: Environment) -> Clock:
    return given or (frozen_clock(variables.now) if variables.now else system_clock)


def _with_servers(
    registry: Registry, settings: Settings, layout: Layout, variables: Environment, clock: Clock
) -> Registry:
    """Return a registry that has the tools of the MCP servers of the settings too; none is asked for anything yet."""
    if settings.mcp_servers:
        registry.source = ToolServers(settings.mcp_servers, layout, variables, clock)
    return registry


def _models(
    settings: Settings,
    variables: Environment,
    root: Path,
    meter: Meter,
    *,
    model: "ChatModel | BaseChatModel | str | None",
    clock: Clock,
    embeds: bool,
) -> ChosenModels:
    """Return the models of a workspace.

    Raises `InvalidArgument` where a provider's package is missing, or dollars are limited and a price is not known.
    """
    stand_in = None if model is None else as_chat_model(model, variables)
    chosen, budgets = (
        choose_models(settings.models, variables, root, meter, stand_in=stand_in, clock=clock),
        settings.budgets,
    )
    limits = {"cycle": budgets.cycle.model_usd, "agent": budgets.agent.model_usd, "run": budgets.run.model_usd}
    check_prices(chosen, limits, embeds=embeds and settings.memory.embeddings == "openai")
    return chosen


def _laid_out(root: Path) -> Layout:
    """Return the layout of a workspace, with its folder for derived files made where that is possible.

    Raises `InvalidArgument` if no workspace can be there: a server takes `./workspace`, which may be a user's package.
    """
    layout = Layout(root.resolve())
    usable(layout.root)
    if layout.root.is_dir():
        with suppress(OSError):  # a workspace that may only be read is read
            layout.internal.mkdir(exist_ok=True)
    return layout


def _meaning_of(
    layout: Layout, embedder: Embedder, vectors_in: Callable[[Path], Vectors | None], agent_id: str
) -> MeaningIndex | None:
    """Return the index of an agent's memories by meaning; None without an embedder."""
    kept = vectors_in(layout.internal / "vectors" / agent_id)
    return None if kept is None else MeaningIndex(embedder, kept)


def _take_in(services: Services, stores: AgentStores) -> None:
    """Connect an agent's writes to search, and to the graph server of its business if there is one."""
    stores.index_in(services.index)
    if services.copies_graphs:
        with suppress(MabosError):  # an agent whose business cannot be read still has its own files
            services.graph(stores.business_id)
