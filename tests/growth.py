"""How work grows with the length of hostile text: of every regular expression of the product, and of what scans text.

``python -m tests.growth`` prints the table of all expressions and functions: what each costs at its worst text, and by
which power of its length that grows: linear is 1, quadratic 2.
"""

import argparse
import ast
import importlib
import math
import pkgutil
import re
import signal
import tempfile
import time
from collections import defaultdict
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import torch

import gpustab
from benchmarks.setting import environment, keep
from gpustab.corpus.broken import run_on
from gpustab.corpus.dates import kept_year
from gpustab.corpus.evidence import DOUBTS, evidence_of, look_at
from gpustab.corpus.formats.registry import FORMATS
from gpustab.corpus.numbering import number
from gpustab.corpus.options import CorpusOptions
from gpustab.corpus.tokenise import tokeniser
from gpustab.corpus.variants import fold
from gpustab.formats.registry import looks_like_vectors
from gpustab.formats.sniff import foreign

_parser = re._parser  # Hypothesis makes its texts of expressions by it, too
ANCHORED, SEARCHING = {"match", "fullmatch"}, {"search", "findall", "finditer", "sub", "subn", "split"}
USUAL = (*'aA1é中 \n\t\0<([{"-.#=:|_/', " \n", "a ", "a\n", "1 a,", "<a ", "a: ")
"""What every text may repeat, whether the expression knows it or not."""
ENDS = ("", "\0", "\n")
METHODS = {"compile"} | ANCHORED | SEARCHING
FACTOR = 4
MOST = 9.0
"""What a text four times as long may cost, as a multiple: linear work costs 4, quadratic 16."""
CLEAR = 6.0
"""A multiple that is measured but once: the clock would have to err by half for quadratic work to look so."""
FLOOR = 0.02
"""Seconds of the processor below which nobody asks how they grow: quadratic work takes ten times as many."""
NOISE = 2e-4
"""Seconds that are too few to tell how they grow."""
TICK = 0.004
"""Seconds: some clocks of the processor count in steps as large, and then show work of less as none."""
BUDGET = 2.0
"""Seconds of the processor after which work is given up: it has no end in sight."""


class Expression(NamedTuple):
    """A regular expression at its place, how it is used there, and the longest text that its module lets come to it."""

    place: str
    pattern: re.Pattern
    methods: frozenset
    longest: int | None


class Growth(NamedTuple):
    """The worst text of some work: seconds at its length, and their multiple of those at a quarter of it."""

    what: str
    text: str
    seconds: float
    times: float

    @property
    def linear(self):
        return self.seconds < FLOOR or self.times < MOST


def modules():
    """Yield every module of the product."""
    for found in pkgutil.walk_packages(gpustab.__path__, "gpustab."):
        if not found.name.endswith("__main__"):
            try:
                yield importlib.import_module(found.name)
            except ModuleNotFoundError as error:
                if error.name != "triton":  # which no CPU build of torch brings
                    raise


def expressions():
    """Return the expressions in all modules, and the places of those that are made while the product runs."""
    found, made = [], []
    texts = {module: Path(module.__file__).read_text("utf-8") for module in modules()}
    named = re.compile(rf"\.(?:{'|'.join(METHODS)})\b")
    nodes = {module: list(ast.walk(ast.parse(text))) for module, text in texts.items() if named.search(text)}
    used = _uses(nodes)
    for module, found_there in nodes.items():
        for node in found_there:
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
                continue
            value, name = node.func.value, node.func.attr
            if not (isinstance(value, ast.Name) and value.id in ("re", "regex") and name in METHODS):
                continue
            place = f"{module.__name__.removeprefix('gpustab.')}:{node.lineno}"
            flags = [word.value for word in node.keywords if word.arg == "flags"]
            flags += node.args[1:2] if name == "compile" else () if name in ("sub", "subn", "split") else node.args[2:3]
            try:
                pattern = re.compile(_value(node.args[0], module), *(_value(flag, module) for flag in flags))
            except NameError:
                made.append((module.__name__.removeprefix("gpustab."), ast.unparse(node.args[0])))
                continue
            own = used[module.__name__, _name_of(found_there, node)] if name == "compile" else {name}
            methods = own or {"fullmatch", "search"}
            found.append(Expression(place, pattern, frozenset(methods), getattr(module, "LONGEST", None)))
    return found, made


def _name_of(nodes, node):
    """Return what an expression is assigned to, alone or within a tuple or dictionary; ``None`` where to nothing."""
    for own in nodes:
        if isinstance(own, ast.Assign) and any(part is node for part in ast.walk(own.value)):
            target = own.targets[0]
            if isinstance(target, ast.Tuple):
                return target.elts[own.value.elts.index(node)].id
            return target.id if isinstance(target, ast.Name) else None
        if isinstance(own, ast.AnnAssign) and own.value and any(part is node for part in ast.walk(own.value)):
            return own.target.id
    return None


def _value(node, module):
    return eval(ast.unparse(node), dict(vars(module)))


def _uses(nodes):
    """Return by module and name which methods of an expression are used, wherever it is imported."""
    used = defaultdict(set)
    for module, found in nodes.items():
        home = {}
        for node in found:
            if isinstance(node, ast.ImportFrom):
                home |= {alias.asname or alias.name: (node.module, alias.name) for alias in node.names}
        for node in found:
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.attr in METHODS:
                used[home.get(node.value.id, (module.__name__, node.value.id))].add(node.attr)
        for node in found:
            if isinstance(node, ast.For | ast.comprehension):  # what goes round in a loop is used as the loop's name is
                own = {name.id for name in ast.walk(node.target) if isinstance(name, ast.Name)}
                methods = set().union(*(used[module.__name__, one] for one in own))
                for name in ast.walk(node.iter):
                    if isinstance(name, ast.Name):
                        used[home.get(name.id, (module.__name__, name.id))] |= methods
    return used


def hostile(pattern):
    """Return texts as (beginning, what is repeated, end), made of the parts of an expression."""
    texts = dict.fromkeys(("", unit, end) for unit in USUAL for end in ENDS)
    for pieces in _samples(_parser.parse(pattern.pattern, pattern.flags)):
        for i, piece in enumerate(pieces):
            before, after = "".join(pieces[:i]), "".join(pieces[i + 1 :])
            units = (piece, "".join(pieces[i : i + 2]), "".join(pieces[: i + 1]), "".join(pieces[i:]))
            for unit in filter(None, units):
                texts |= dict.fromkeys((start, unit, end) for start in {"", before} for end in {*ENDS, after})
    return list(texts)


def _samples(tree):
    """Return what an expression matches, as lists of the smallest pieces: one for each of its alternatives."""
    ways = [[]]
    for op, value in tree:
        parts = _ways(str(op), value)
        longest = max(len(ways), len(parts))
        ways = [ways[k % len(ways)] + parts[k % len(parts)] for k in range(min(longest, 6))]
    return ways


def _ways(op, value):
    match op:
        case "LITERAL":
            return [[chr(value)]]
        case "NOT_LITERAL":
            return [["a" if chr(value) != "a" else "b"]]
        case "ANY":
            return [["a"], [" "]]
        case "IN":
            return [[sign] for sign in _signs(value)]
        case "BRANCH":
            return [way for branch in value[1] for way in _samples(branch)]
        case "SUBPATTERN":
            return _samples(value[3])
        case "ATOMIC_GROUP":
            return _samples(value)
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            low, _, sub = value
            return [way * min(max(low, 1), 30) for way in _samples(sub)]
        case "ASSERT":
            return _samples(value[1])
        case _:
            return [[]]


def _signs(items):
    """Return up to four different signs of a set."""
    pattern = "[" + "".join(map(_written, items)) + "]"
    candidates = [chr(item[1]) for item in items if str(item[0]) == "LITERAL"]
    candidates += [chr(item[1][0]) for item in items if str(item[0]) == "RANGE"]
    candidates += [chr(code) for code in (*range(32, 127), 9, 10, 0, 0xE9, 0x4E2D, 0xDC80)]
    return [sign for sign in dict.fromkeys(candidates) if re.fullmatch(pattern, sign)][:4] or [""]


_CLASSES = {"DIGIT": r"\d", "NOT_DIGIT": r"\D", "SPACE": r"\s", "NOT_SPACE": r"\S", "WORD": r"\w", "NOT_WORD": r"\W"}


def _written(item):
    op, value = str(item[0]), item[1]
    if op == "NEGATE":
        return "^"
    if op == "LITERAL":
        return re.escape(chr(value))
    if op == "RANGE":
        return f"{re.escape(chr(value[0]))}-{re.escape(chr(value[1]))}"
    return _CLASSES[str(value).removeprefix("CATEGORY_")]


def text_of(parts, length):
    """Return the text of about a length that repeats its middle part."""
    start, unit, end = parts
    return start + unit * (length // len(unit)) + end


class EndlessError(Exception):
    """Work that has used up its budget."""


@contextmanager
def _budget():
    def stop(*_):
        raise EndlessError

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, BUDGET)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def seconds(work, text):
    """Return the time of the processor that some work on a text takes; what it raises for the text is an answer."""
    started = time.process_time()
    try:
        with _budget():
            work(text)
    except EndlessError:
        return float("inf")
    except (gpustab.GpustabError, UnicodeError, RecursionError):
        pass
    return time.process_time() - started


def growth(what, work, parts, length):
    """Return how some work grows up to a length: measured several times where it takes any time at all."""
    long, short = text_of(parts, length), text_of(parts, length // FACTOR)
    took = before = seconds(work, short)
    if took < BUDGET:
        took = seconds(work, long)
    if took < FLOOR:
        return Growth(what, repr(parts), took, 1.0)
    if took < CLEAR * before:
        return Growth(what, repr(parts), took, took / before)
    if took == float("inf"):
        return Growth(what, repr(parts), took, took)
    found = []
    for _ in range(2):  # another process may have had the memory, or the clock of the processor, in one of them
        took = min(seconds(work, long) for _ in range(2))
        found.append((took / max(min(seconds(work, short) for _ in range(2)), TICK), took))
        if found[-1][0] < MOST:
            break
    return Growth(what, repr(parts), min(found)[1], min(found)[0])


def worst(what, work, texts, length):
    """Return the growth at the first text for which some work is not linear, else at that which takes longest."""
    found = []
    for parts in texts:
        one = growth(what, work, parts, length)
        if not one.linear:
            return one
        found.append(one)
    slowest = sorted(found, key=lambda one: -one.seconds)[:8]  # some by what other processes did meanwhile
    timed = lambda one: min(seconds(work, text_of(ast.literal_eval(one.text), length)) for _ in range(3))  # noqa: E731
    return max((one._replace(seconds=timed(one)) for one in slowest), key=lambda one: one.seconds)


def works(expression):
    """Return by method what an expression does to a text, in text or bytes as it is."""
    pattern = expression.pattern
    given = (lambda text: text) if isinstance(pattern.pattern, str) else lambda text: text.encode("latin-1", "replace")
    work = {
        "match": lambda text: pattern.match(given(text)),
        "fullmatch": lambda text: pattern.fullmatch(given(text)),
        "search": lambda text: pattern.search(given(text)),
        "all": lambda text: sum(1 for _ in pattern.finditer(given(text))),
    }
    return {name: work[name] for name in {one if one in work else "all" for one in expression.methods}}


def of_expression(expression, length):
    """Return the worst growth of an expression, in every way in which it is used."""
    texts = hostile(expression.pattern)
    length = min(length, expression.longest or length)
    found = [worst(f"{expression.place} {name}", work, texts, length) for name, work in works(expression).items()]
    return max(found, key=lambda one: (not one.linear, one.seconds))


def of_function(name, texts, length):
    """Return the worst growth of a function of text."""
    return worst(name, FUNCTIONS[name], texts, length)


def _of_file(suffix, read):
    """Return the work of reading a text as a file of a kind."""

    def work(text):
        with tempfile.NamedTemporaryFile("w", suffix=suffix, encoding="utf-8", errors="replace") as file:
            file.write(text)
            file.flush()
            read(Path(file.name))

    return work


def _read(path, **choices):
    """Read a corpus, and ask every doubt of it, also those that others make needless."""
    numbered = number(path, CorpusOptions(min_count=1, as_is=True, **choices))
    evidence_of(numbered)
    look = look_at(numbered)
    for ask in DOUBTS:
        ask(look)


_SUFFIXES = sorted({one.suffixes[0] for one in FORMATS if one.suffixes} - {".docx"})
FUNCTIONS = {
    **{f"{one.name} matches": one.matches for one in FORMATS},
    **{f"a corpus of {suffix}": _of_file(suffix, _read) for suffix in _SUFFIXES},
    "lines": _of_file(".txt", lambda path: _read(path, layout="lines")),
    "vectors": _of_file(".txt", looks_like_vectors),
    "foreign": lambda text: foreign(text.encode("utf-8", "replace")),
    "run_on": lambda text: run_on(text, "auto"),
    "fold": fold,
    "date": kept_year,
    **{f"words by {cut}": tokeniser(CorpusOptions(tokenizer=cut)) for cut in ("words", "whitespace")},
    "numbers and signs": tokeniser(CorpusOptions(drop_numbers=False, drop_punctuation=False)),
    "Lithuanian": tokeniser(CorpusOptions(language="lt")),
}
OPENINGS = (
    *("<!-- a -->", "<!--", "<?a", "<!DOCTYPE a [", "<p>", "<TEI>", "---\n", "a: b\n"),
    *('{"a": ', "[[", "a,", '"a"\t', "a\tb\n"),
)
"""What files of tags, fields, records and tables begin with: each is repeated, closed and left open."""


def scanned():
    """Return the texts that functions are given."""
    units = (*USUAL, *OPENINGS, "a-\n", "a\u00ad", "a\u200b", "e\u0301", "1a-", "a'", "http://a")
    texts = [("", unit, end) for unit in units for end in ENDS]
    return texts + [(start, unit, "") for start in OPENINGS for unit in ("a", " ", "\n", "a ", "<", "]", '"')]


def exponent(work, text, length):
    """Return the power of its length by which work on a text grows, ``None`` where it takes no time."""
    parts = ast.literal_eval(text)
    short, long = text_of(parts, length), text_of(parts, FACTOR * length)
    took = [min(seconds(work, one) for _ in range(3)) for one in (short, long)]
    return round(math.log(took[1] / took[0], FACTOR), 2) if took[0] > NOISE else None


def table(length):
    """Yield a row for every expression and every function: its worst text, the time of that, and how it grows."""
    for kind, measured in (("expression", _of_expressions(length)), ("function", _of_functions(length))):
        for one, work, longest in measured:
            at = min(2 * length, (longest or 2 * length) // FACTOR)
            yield {
                "kind": kind,
                "what": one.what,
                "linear": one.linear,
                "seconds": round(one.seconds, 6),
                "signs": min(length, longest or length),
                "exponent": exponent(work, one.text, at) if one.text and one.linear else None,
                "text": one.text[:200],
            }


def _of_expressions(length):
    for one in expressions()[0]:
        found = of_expression(one, length)
        yield found, works(one)[found.what.split()[-1]], one.longest


def _of_functions(length):
    for name, work in FUNCTIONS.items():
        yield of_function(name, scanned(), length), work, None


def main():
    """Print the table, and write it to a JSON file where one is named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--signs", type=int, default=8_000, help="length of the texts")
    parser.add_argument("--out", type=Path)
    chosen = parser.parse_args()
    rows = []
    for row in table(chosen.signs):
        rows.append(row)
        if chosen.out:
            keep({"rows": rows, "environment": environment(torch.device("cpu"))}, chosen.out)
        mark = " " if row["linear"] else "!"
        grows = "    " if row["exponent"] is None else f"{row['exponent']:4.2f}"
        print(f"{mark} {row['what']:50} {row['seconds']:9.5f} s  n^{grows}  {row['text'][:90]}", flush=True)


if __name__ == "__main__":
    main()
