"""Real texts that no rule has seen: chosen and written down before the rules were frozen, and read once, afterwards.

Ordinary ones are of languages and places that neither :mod:`benchmarks.zoo.ordinary` nor
:mod:`benchmarks.zoo.first_fresh` has; those of other kinds are files as people have them: treebanks, tagged corpora,
word lists, tables, data of programs. Each goes into one of two sets, by turns, so that what the first teaches is tried
on the second. Places are this machine's, and two repositories that are cloned by hand into one folder, with or without
work trees: https://github.com/wooorm/udhr and https://github.com/nltk/nltk_data.
"""

from __future__ import annotations

import io
import random
import re
import subprocess
import sysconfig
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from benchmarks.zoo.ordinary import opened
from benchmarks.zoo.specimen import LONG, SHORT, Specimen, a_folder, by_script, lines_of

SETS = ("second fresh", "third fresh")
_PACKAGES, _SHARE = Path(sysconfig.get_path("purelib")), Path("/usr/share")
_WORDS = ("a word a line", "vertical")
_OF_XML = ("XML", "field", "element", "attribute", "twice")
_LISTS = ("words", "counts", "columns", "few")
_ROWS = ("columns", "counts", "tags", "names", "program")
_CODE = ("program", "markup", "names", "heads")
_TREES = ("columns", "tags", "program", "markup")

_TREEBANKS: dict[str, tuple[str, tuple[str, ...], tuple[str, ...]]] = {
    "alpino.zip:alpino.xml": ("syntax in attributes", (), _OF_XML),
    "brown.zip:c[a-c]0": ("words with tags", ("tags",), _WORDS),
    "cess_esp.zip:100": ("trees over lines", _TREES, ()),
    "chat80.zip:cities.pl": ("facts of a program", ("program", "names", "counts"), ()),
    "cmudict.zip:cmudict$": ("pronunciations", _ROWS, ()),
    "comparative_sentences.zip:labeledSentences": ("labelled sentences", ("markup", "names"), ()),
    "conll2000.zip:test.txt": ("chunks", ("columns",), _WORDS),
    "conll2002.zip:ned.testa": ("entities", ("columns",), _WORDS),
    "conll2007.zip:eus.test": ("dependencies", ("columns",), _WORDS),
    "dependency_treebank.zip:wsj_00": ("heads of words", ("columns",), _WORDS),
    "floresta.zip:ptb": ("trees with a head", _TREES, ()),
    "gazetteers.zip:uscities": ("places", _LISTS, ()),
    "ieer.zip:NYT": ("entities in SGML", ("markup",), _OF_XML),
    "indian.zip:hindi": ("words with tags, Hindi", ("tags", "markup"), _WORDS),
    "kimmo.zip:english.lex": ("lexicon of a parser", (*_CODE, "columns"), _WORDS),
    "mac_morpho.zip:ag94": ("a tagged word a line", ("tags", "words", "columns"), _WORDS),
    "masc_tagged.zip:written/": ("words with tags, all genres", ("tags",), _WORDS),
    "names.zip:male": ("names", _LISTS, ()),
    "opinion_lexicon.zip:positive": ("words of praise", _LISTS, ()),
    "panlex_swadesh.zip:swadesh207/": ("translations of words", (*_LISTS, "languages"), _WORDS),
    "paradigms.zip:english": ("paradigms", (), _OF_XML),
    "pe08.zip:wsj02.hpsg-pa": ("predicates", ("columns",), _WORDS),
    "pil.zip:[AL]": ("leaflets in SGML", ("markup",), _OF_XML),
    "ppattach.zip:training": ("attachments", _ROWS, _WORDS),
    "problem_reports.zip:apache": ("reports with tags", ("tags",), _WORDS),
    "product_reviews_1.zip:Nikon": ("opinions with marks", ("markup", "names", "tags", "program"), ()),
    "pros_cons.zip:Pros": ("lines in tags", ("markup",), _OF_XML),
    "qc.zip:train": ("questions with labels", ("names", "heads"), ()),
    "rte.zip:rte3_dev": ("pairs of sentences", (), _OF_XML),
    "senseval.zip:line": ("senses", ("markup", "tags"), _OF_XML),
    "shakespeare.zip:hamlet": ("a play in elements of its own", ("markup",), _OF_XML),
    "sinica_treebank.zip:parsed": ("trees in Chinese", (*_TREES, "names", "clauses"), ()),
    "sinica_treebank.zip:raw": ("numbered words in Chinese", (*_ROWS, "heads", "markup", "clauses"), ()),
    "smultron.zip:smultron_en": ("trees in attributes", (), _OF_XML),
    "stopwords.zip:": ("stop words of many languages", (*_LISTS, "languages"), ()),
    "swadesh.zip:": ("basic words of many languages", (*_LISTS, "languages"), ()),
    "switchboard.zip:tagged": ("talk with tags", ("tags", "names"), _WORDS),
    "switchboard.zip:timed": ("talk with times", ("names", "times", "columns", "counts", "heads"), _WORDS),
    "toolbox.zip:rotokas.dic": ("a dictionary's fields", ("heads", "names"), ()),
    "treebank.zip:combined/wsj_00": ("trees of the Wall Street Journal", _TREES, ()),
    "treebank.zip:tagged/wsj_00": ("tags of the Wall Street Journal", ("tags",), _WORDS),
    "verbnet.zip:a": ("classes of verbs", (), _OF_XML),
    "webtext.zip:grail": ("a script", ("names", "heads"), ()),
    "webtext.zip:overheard": ("talk with names", ("names", "heads"), ()),
    "words.zip:en-basic": ("easy words", _LISTS, ()),
}
"""Files within archives of NLTK, by a pattern; what they are, the doubts that fit, what a refusal may say."""

_PROGRAMS: dict[str, tuple[str, tuple[str, ...], tuple[str, ...]]] = {
    "/var/lib/dpkg/status": ("packages", ("heads", "names"), ("record",)),
    "/usr/share/applications/*.desktop": ("entries of a menu", ("names", "heads", "program"), ()),
    "/usr/share/vim/vim*/syntax/a*.vim": ("colours of an editor", _CODE, ()),
    "/usr/share/perl/5.36/*.pm": ("modules in Perl", _CODE, ()),
    "/usr/share/maven-repo/**/*.pom": ("projects in XML", ("markup",), _OF_XML),
    "/usr/share/zoneinfo/zone1970.tab": ("zones of time", (*_ROWS, "heads"), ("column", "table")),
    "/usr/share/i18n/locales/d*": ("locales", (*_CODE, "columns"), ()),
    "/usr/share/publicsuffix/public_suffix_list.dat": ("domains", (*_LISTS, *_CODE), ()),
    "/usr/include/*.h": ("declarations in C", _CODE, ()),
    "/usr/share/groff/1.22.4/font/devps/freeeuro.afm": ("measures of letters", (*_ROWS, "heads"), ()),
    "/usr/share/X11/rgb.txt": ("colours", _ROWS, ("column", "table")),
    "/etc/services": ("services", (*_ROWS, "words"), ("column", "table")),
    "/usr/share/perl/5.36.0/unicore/NamedSequences.txt": ("sequences of signs", _ROWS, ("column", "table")),
    "/usr/share/misc/magic": ("patterns of files", _CODE, ()),
    "/usr/share/vim/vim*/print/latin1.ps": ("a page in PostScript", (*_CODE, *_ROWS), ()),
    "/usr/share/cmake-3.25/Modules/Find[A-D]*.cmake": ("modules of a build", _CODE, ()),
    "/usr/share/iso-codes/json/iso_3166-1.json": ("countries in JSON", _CODE, ("JSON", "field", "column", "text")),
    "/usr/lib/google-cloud-sdk/platform/gsutil/third_party/chardet/tests/iso-8859-9-turkish/subtitle.srt": (
        "subtitles in Turkish",
        ("times", "heads"),
        (),
    ),
    "/usr/lib/google-cloud-sdk/platform/gsutil/third_party/pyparsing/examples/mozilla.ics": (
        "a calendar",
        ("heads", "names"),
        (),
    ),
    "/usr/share/locale/fi/LC_MESSAGES/coreutils.mo": ("messages and translations", ("heads", "names"), ()),
}
"""Files of programs on this machine; messages are printed by ``msgunfmt``."""


def found(clones: Path) -> Iterator[Specimen]:
    """Yield the texts of both sets; ``clones`` holds ``udhr`` and ``nltk_data``; what is not there is passed over."""
    for specimens in (_ordinary(clones, random.Random(29)), _others(clones)):
        for number, one in enumerate(specimens):
            yield replace(one, part=SETS[number % 2])


def _ordinary(clones: Path, draw: random.Random) -> Iterator[Specimen]:
    yield from map(by_script, _declarations(clones, draw))
    yield from map(by_script, _tutors())
    yield from _manuals_of_info()
    yield from _changes(draw)
    yield from _corpora(clones, draw)
    yield from _documentation(draw)
    yield from _pages()


def _declarations(clones: Path, draw: random.Random) -> Iterator[Specimen]:
    """The declaration of human rights in many languages: as text, and as pages."""
    members = _members(clones, "udhr2.zip")
    for name in draw.sample(members, min(120, len(members))):
        text = _member(clones, "udhr2.zip", name).decode("utf-8", "replace")[:LONG]
        yield Specimen(f"declaration {Path(name).stem}", {"declaration.txt": text}, {"layout": "files"})
    pages = [name for name in _tree(clones / "udhr") if name.endswith(".html")]
    for name in draw.sample(pages, min(20, len(pages))):
        yield Specimen(f"declaration {Path(name).stem}, HTML", {"page.html": _blob(clones / "udhr", name)})


def _tutors() -> Iterator[Specimen]:
    """Lessons on an editor, in many languages."""
    for path in sorted(_SHARE.glob("vim/vim*/tutor/tutor.*.utf-8")):
        yield Specimen(f"lessons {path.name}", {"lessons.txt": opened(path)[:LONG]}, {"layout": "files"})


def _manuals_of_info() -> Iterator[Specimen]:
    for path in sorted(_SHARE.glob("info/*.info*.gz")):
        if len(text := opened(path)[:LONG]) > 2 * SHORT:
            yield Specimen(f"manual {path.stem}", {"manual.txt": text}, {"layout": "files"})


def _changes(draw: random.Random) -> Iterator[Specimen]:
    """What changed in programs: by their authors, and by those who package them."""
    for pattern, number in (("changelog.gz", 16), ("changelog.Debian.gz", 8)):
        sizes = {path.stat().st_size: path for path in sorted(_SHARE.glob(f"doc/*/{pattern}"))}
        large = sorted(path for size, path in sizes.items() if size > SHORT)
        for path in draw.sample(large, min(number, len(large))):
            yield Specimen(f"{pattern} {path.parent.name}", {"changes.txt": opened(path)[:LONG]}, {"layout": "files"})


def _corpora(clones: Path, draw: random.Random) -> Iterator[Specimen]:
    """Corpora of running text: speeches, reviews, scripture, news, talk."""

    def texts(archive: str, names: Iterable[str]) -> Iterator[str]:
        return (_member(clones, archive, name).decode("utf-8", "replace") for name in names)

    for archive in ("state_union.zip", "inaugural.zip"):
        members = _members(clones, archive)
        for start in range(0, len(members), 20):
            yield from a_folder(f"{archive} {start}", (text[:6000] for text in texts(archive, members[start:][:20])))
    reviews = _members(clones, "movie_reviews.zip")
    for number in range(6 if reviews else 0):
        yield from a_folder(f"reviews {number}", texts("movie_reviews.zip", draw.sample(reviews, 20)))
    for archive in ("genesis.zip", "abc.zip", "sentence_polarity.zip", "subjectivity.zip"):
        for name in _members(clones, archive):
            text = next(texts(archive, [name]))
            yield from lines_of(f"{archive} {Path(name).name}", text.splitlines())
    for name in _members(clones, "webtext.zip"):
        if Path(name).stem not in ("grail", "overheard"):
            text = next(texts("webtext.zip", [name]))[:LONG]
            yield Specimen(f"webtext {Path(name).stem}", {"text.txt": text}, {"layout": "files"})


def _documentation(draw: random.Random) -> Iterator[Specimen]:
    """Documentation in reStructuredText, saved as text."""
    for place in ("cmake-3.25/Help", "doc/python3-pip", "doc/python3-setuptools"):
        pages = [path for path in sorted(_SHARE.glob(f"{place}/**/*.rst")) if path.stat().st_size > SHORT]
        for number in range(2 if len(pages) > 24 else 1):
            chosen = draw.sample(pages, min(12, len(pages)))
            yield from a_folder(f"documentation {place} {number}", map(opened, chosen))


def _pages() -> Iterator[Specimen]:
    """Pages in HTML that come with programs, each once."""
    sizes = {path.stat().st_size: path for path in sorted(_SHARE.glob("doc/*/*.html")) if path.is_file()}
    for size, path in sorted(sizes.items()):
        if size > 2 * SHORT:
            yield Specimen(f"page {path.parent.name} {path.name}", {path.name: path.read_bytes()[:400_000]})


def _others(clones: Path) -> Iterator[Specimen]:
    for place, (name, raises, words) in _TREEBANKS.items():
        archive, _, pattern = place.partition(":")
        chosen = [member for member in _members(clones, archive) if re.search(pattern, member.partition("/")[2])]
        files = {f"{n:02}{_suffix(member)}": _member(clones, archive, member) for n, member in enumerate(chosen[:12])}
        yield from _of_files(f"found: {name}", files, raises, words)
    for pattern, (name, raises, words) in _PROGRAMS.items():
        paths = [path for path in sorted(Path("/").glob(pattern[1:])) if path.is_file()][:12]
        files = {f"{n:02}{_suffix(path.name)}": _printed(path) for n, path in enumerate(paths)}
        yield from _of_files(f"found: {name}", files, raises, words)
    if (Path(__file__).parents[2] / ".git").exists():
        log = _git(Path(__file__).parents[2], "log", "-n", "150")
        yield from _of_files("found: log of changes", {"log.txt": log}, ("heads", "names", "times"), ())


def _suffix(name: str) -> str:
    """Return the suffix that tells what a file is; others are saved as text."""
    suffix = Path(name).suffix
    return suffix if suffix in (".xml", ".html", ".json") else ".txt"


def _of_files(
    name: str, files: dict[str, bytes], raises: tuple[str, ...], words: tuple[str, ...]
) -> Iterator[Specimen]:
    cut = {
        key: raw if Path(key).suffix != ".txt" else raw[:LONG].rpartition(b"\n")[0] + b"\n"
        for key, raw in files.items()
    }
    if sum(map(len, cut.values())) > 200:
        several = {"layout": "files"} if len(cut) > 1 and all(key.endswith(".txt") for key in cut) else {}
        yield Specimen(name, cut, several, raises or ("markup",), words)


def _printed(path: Path) -> bytes:
    return _run(["msgunfmt", str(path)]) if path.suffix == ".mo" else path.read_bytes()


@cache
def _archive(clones: Path, name: str) -> zipfile.ZipFile | None:
    raw = _blob(clones / "nltk_data", f"packages/corpora/{name}")
    return zipfile.ZipFile(io.BytesIO(raw)) if raw else None


def _members(clones: Path, name: str) -> list[str]:
    archive = _archive(clones, name)
    names = archive.namelist() if archive else []
    return sorted(one for one in names if not one.endswith("/") and "README" not in one.upper())


def _member(clones: Path, archive: str, name: str) -> bytes:
    opened_archive = _archive(clones, archive)
    return opened_archive.read(name) if opened_archive else b""


def _tree(repository: Path) -> list[str]:
    return sorted(_git(repository, "ls-tree", "-r", "--name-only", "HEAD").decode().splitlines())


def _blob(repository: Path, name: str) -> bytes:
    return _git(repository, "cat-file", "blob", f"HEAD:{name}")


def _git(repository: Path, *arguments: str) -> bytes:
    return _run(["git", "-C", str(repository), *arguments]) if repository.exists() else b""


def _run(command: Sequence[str]) -> bytes:
    return subprocess.run(command, capture_output=True, check=False).stdout
