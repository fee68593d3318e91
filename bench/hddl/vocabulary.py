"""The meaning of a domain's words: types, predicates, objects, and conditions and effects."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from bench.hddl.brackets import Element, Form, Source, Word
from mabos.configs.errors import InvalidArgument
from mabos.mind.htn.model import ANY, And, Condition, Each, Effect, Exists, Fact, ForAll, Not, Or, Same, Variable
from mabos.mind.htn.world import ancestry

Scope = Mapping[str, str]
"""The variables that may be named here, with their types."""
_COMPARED = frozenset({"<", ">", "<=", ">="})


@dataclass(slots=True)
class Vocabulary:
    """The declarations so far."""

    supertypes: dict[str, tuple[str, ...]] = field(default_factory=dict)
    predicates: dict[str, int] = field(default_factory=dict)
    objects: dict[str, str] = field(default_factory=dict)
    tasks: dict[str, tuple[Variable, ...]] = field(default_factory=dict)

    def is_of(self, kind: str, wanted: str) -> bool:
        """Return whether everything of one type is also of the other."""
        return wanted == ANY or wanted in ancestry(kind, self.supertypes)


class Phrases:
    """A reader of one file's conditions, effects and typed names."""

    def __init__(self, source: Source, words: Vocabulary) -> None:
        self.source, self.words = source, words

    def form(self, element: Element, expected: str) -> Form:
        """Return an element that must be in brackets."""
        if isinstance(element, Word):
            raise self.source.fault(element.line, f"expected {expected} in brackets, found {str(element)!r}")
        return element

    def word(self, form: Form, place: int, expected: str) -> Word:
        """Return a required word of a form."""
        found = form[place] if place < len(form) else None
        if not isinstance(found, Word):
            raise self.source.fault(form.line, f"expected {expected}")
        return found

    def typed(self, form: Sequence[Element], *, things: bool = False) -> Iterator[tuple[Word, str]]:
        """Yield each name of a list like `?a ?b - truck ?c` with its type; `things` are objects, not variables."""
        for names, of in self.grouped(form, "names"):
            kind = ANY if of is None else self._kind(of, things=things)
            yield from ((name, kind) for name in names)

    def grouped(self, form: Sequence[Element], expected: str) -> Iterator[tuple[list[Word], Element | None]]:
        """Yield the names of a list like `a b - c d` in groups, each with the part after its '-'; None without."""
        waiting: list[Word] = []
        rest = iter(form)
        for element in rest:
            if isinstance(element, Form):
                raise self.source.fault(element.line, f"expected {expected}, found a bracket")
            if element != "-":
                waiting.append(element)
                continue
            of = next(rest, None)
            if of is None:
                raise self.source.fault(element.line, "a type is missing after '-'")
            yield waiting, of
            waiting = []
        yield waiting, None

    def variables(self, form: Form) -> tuple[Variable, ...]:
        """Return a list of typed variables."""
        found = list(self.typed(form))
        for name, _ in found:
            if not name.startswith("?"):
                raise self.source.fault(name.line, f"{str(name)!r} is not a variable; a parameter begins with '?'")
        return tuple((str(name), kind) for name, kind in found)

    def fact(self, form: Form, scope: Scope) -> Fact:
        """Return a fact of a declared predicate."""
        name = self.word(form, 0, "a predicate")
        arity = self.words.predicates.get(name)
        if arity is None:
            raise self._undeclared(name, "predicate", self.words.predicates)
        if len(form) - 1 != arity:
            raise self.source.fault(form.line, f"{str(name)!r} has {arity} terms, not {len(form) - 1}")
        return (str(name), *(self.term(term, scope) for term in form[1:]))

    def call(self, form: Form, scope: Scope) -> Fact:
        """Return a task with its arguments, each of a type compatible with the declared one."""
        name = self.word(form, 0, "a task")
        parameters = self.words.tasks.get(name)
        if parameters is None:
            raise self._undeclared(name, "task or action", self.words.tasks)
        if len(form) - 1 != len(parameters):
            raise self.source.fault(form.line, f"{str(name)!r} has {len(parameters)} parameters, not {len(form) - 1}")
        terms = [self.term(term, scope) for term in form[1:]]
        for term, (_, wanted) in zip(terms, parameters, strict=True):
            kind = self.words.objects.get(term)
            if kind is not None and not self.words.is_of(kind, wanted):
                raise self.source.fault(form.line, f"{term!r} is a {kind}; {str(name)!r} needs a {wanted}")
        return (str(name), *terms)

    def term(self, element: Element, scope: Scope) -> str:
        """Return a variable that is in scope, or an object."""
        if isinstance(element, Form):
            raise self.source.fault(element.line, "expected a variable or an object, found a bracket")
        if element not in (scope if element.startswith("?") else self.words.objects):
            kind = "variable" if element.startswith("?") else "object"
            raise self._undeclared(element, kind, scope if kind == "variable" else self.words.objects)
        return str(element)

    def condition(self, element: Element, scope: Scope) -> Condition:
        """Return a condition."""
        form = self.form(element, "a condition")
        if not form:
            return And()
        head, rest = form[0], form[1:]
        match head:
            case "and":
                return And(tuple(self.condition(part, scope) for part in rest))
            case "or":
                return Or(tuple(self.condition(part, scope) for part in rest))
            case "not" | "imply" | "=":
                return self._of_fixed_size(form, scope)
            case "forall" | "exists":
                variables, inner = self._quantified(form, scope)
                part = self.condition(form[2], inner)
                return ForAll(variables, part) if head == "forall" else Exists(variables, part)
            case str() if head in _COMPARED:
                raise self.source.fault(form.line, "comparisons of numbers are not supported")
        return self.fact(form, scope)

    def effects(self, element: Element, scope: Scope) -> Iterator[Effect]:
        """Yield the effects of an action; costs are skipped."""
        form = self.form(element, "an effect")
        match form[0] if form else "and":
            case "and":
                for part in form[1:]:
                    yield from self.effects(part, scope)
            case "not" if len(form) == 2:
                yield Not(self.fact(self.form(form[1], "a fact"), scope))
            case "when" if len(form) == 3:
                yield Each((), self.condition(form[1], scope), tuple(self.effects(form[2], scope)))
            case "forall":
                variables, inner = self._quantified(form, scope)
                yield Each(variables, And(), tuple(self.effects(form[2], inner)))
            case "increase":
                return
            case _:
                yield self.fact(form, scope)

    def _of_fixed_size(self, form: Form, scope: Scope) -> Condition:
        head, size = form[0], 2 if form[0] == "not" else 3
        if len(form) != size:
            raise self.source.fault(
                form.line, f"{str(head)!r} takes {size - 1} part{'s' * (size > 2)}, not {len(form) - 1}"
            )
        if head == "=":
            return Same(self.term(form[1], scope), self.term(form[2], scope))
        parts = [self.condition(part, scope) for part in form[1:]]
        return Not(parts[0]) if head == "not" else Or((Not(parts[0]), parts[1]))

    def _quantified(self, form: Form, scope: Scope) -> tuple[tuple[Variable, ...], Scope]:
        if len(form) != 3:
            raise self.source.fault(form.line, f"{str(form[0])!r} takes variables in brackets and one part")
        variables = self.variables(self.form(form[1], "variables"))
        return variables, {**scope, **dict(variables)}

    def _kind(self, element: Element, *, things: bool) -> str:
        """Return the name of a type; one of several is made a type of its own."""
        names = [element] if isinstance(element, Word) else element[1:]
        for name in names:
            if not isinstance(name, Word) or (name != ANY and name not in self.words.supertypes):
                line = name.line
                raise self.source.fault(line, f"no type {str(name)!r} was declared")
        kinds = [str(name) for name in names]
        if len(kinds) == 1:
            return kinds[0]
        union = ("" if things else "one of ") + "|".join(kinds)
        if things:
            self.words.supertypes[union] = tuple(kinds)
        elif union not in self.words.supertypes:
            self.words.supertypes[union] = ()
            for kind in kinds:
                self.words.supertypes[kind] = (*self.words.supertypes[kind], union)
        return union

    def _undeclared(self, word: Word, kind: str, known: Collection[str]) -> InvalidArgument:
        found = ", ".join(sorted(known)[:9]) or "none"
        return self.source.fault(word.line, f"no {kind} {str(word)!r} was declared; found {found}")
