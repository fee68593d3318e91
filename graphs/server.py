"""The machines as LangGraph's server loads them (`langgraph.json`): compiled, with the server's own checkpoints.

A workspace named only in a run's context is opened on demand; see `graphs/wiring.py`.
"""

import mabos.graphs.wiring  # noqa: F401 - says how a workspace that nobody has opened is opened
from mabos.graphs.archive import build as build_archive
from mabos.graphs.bdi import build as build_bdi
from mabos.graphs.company import build as build_company
from mabos.graphs.contract_net import build as build_contract_net
from mabos.graphs.governance import build as build_governance
from mabos.graphs.maintenance import build as build_maintenance
from mabos.graphs.reason import build as build_reason

archive = build_archive().compile(name="archive")
bdi = build_bdi().compile(name="bdi")
company = build_company().compile(name="company")
contract_net = build_contract_net().compile(name="contract_net")
governance = build_governance().compile(name="governance")
maintenance = build_maintenance().compile(name="maintenance")
reason = build_reason().compile(name="reason")
