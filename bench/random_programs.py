"""Random programs for both interpreters: goals, beliefs, messages and waits; they end, as goals only go upwards."""

from random import Random

AGENTS, LEVELS, BELIEFS = ("ann", "bob", "cid"), 5, "pqr"
CONTEXTS = ("", " : p(1)", " : not q(0)", " : p(_) & not r(2)")


def invented(chance: Random) -> list[list[str]]:
    """Return a program of one to three agents."""
    names = AGENTS[: chance.randint(1, 3)]
    return [[name, "\n".join(_lines(chance, name, names))] for name in names]


def _lines(chance: Random, name: str, names: tuple[str, ...]) -> list[str]:
    lines = ["yes.", *(f"!g{chance.randint(0, 3)}." for _ in range(chance.randint(1, 3)))]
    lines += [f"{one}(0)." for one in BELIEFS if chance.random() < 0.3]
    others = [one for one in names if one != name]
    for level in range(LEVELS + 1):
        for context in chance.sample(CONTEXTS, chance.randint(1, 2)):
            body = "; ".join(_formula(chance, name, others, level) for _ in range(chance.randint(2, 6)))
            lines.append(f"+!g{level}{context} <- {body}.")
        lines.append(f"+!g{level}.")  # where nothing applies the peer stops altogether
    return lines + [f'{chance.choice("+-")}{one}(V) <- .print("{one}", V).' for one in BELIEFS if chance.random() < 0.6]


def _formula(chance: Random, name: str, others: list[str], level: int) -> str:
    belief = f"{chance.choice(BELIEFS)}({chance.randint(0, 3)})"
    printed = f'.print("{name}", {chance.randint(0, 99)})'
    choices = [*[printed] * 4, f"+{belief}", f"-{belief}", f"-+s({level})", "?yes", f"Z{level} = {level} + 1"]
    if level < LEVELS:
        goal = f"g{chance.randint(level + 1, LEVELS)}"
        choices += [f"!{goal}", f"!!{goal}"]
        choices += [
            f".send({other}, {said})"
            for other in others
            for said in (f"tell, {belief}", f"untell, {belief}", f"achieve, {goal}")
        ]
    if chance.random() < 0.05:
        choices = [f'.wait("+{chance.choice(BELIEFS)}(_)")']
    return chance.choice(choices)
