"""Ordinary texts: what packages and documentation ship on this machine.

Nothing is fetched. What is not installed is passed over, so that another machine has another zoo; where there is more
than enough of a kind, a seed draws.
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
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

from benchmarks.zoo.composed import composed
from benchmarks.zoo.specimen import LONG, SHORT, Specimen, a_folder, by_script, lines_of
from benchmarks.zoo.writer import news, speeches

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
_STANZA = re.compile(r"(?:^|\n\n)[A-Z]\w+: .*\n(?:[A-Z]\w+:|\s)")
"""A paragraph of a record: a field and its value, and another field."""
_COUNTRIES = ("iso_3166-1", "iso_639-2")


def ordinary() -> Iterator[Specimen]:
    """Yield all ordinary texts; those that are none, as :mod:`benchmarks.zoo` says, with the doubt they must raise."""
    yield from map(by_script, _ordinary(random.Random(0)))


def _ordinary(draw: random.Random) -> Iterator[Specimen]:
    yield from _corpora()
    yield from _catalogues(draw)
    yield from _manuals(draw)
    yield from _licences()
    yield from _books()
    yield from _docstrings(draw)
    yield from _readmes()
    yield from composed()


def _corpora() -> Iterator[Specimen]:
    addresses, lee = speeches(), news()
    presidents = dict.fromkeys(president for president, _, _ in addresses)
    for president in presidents:
        yield from a_folder(f"sotu {president}", (text for one, _, text in addresses if one == president))
    for decade in sorted({year[:3] for _, year, _ in addresses}):
        own = [text[:6000] for _, year, text in addresses if year.startswith(decade)]
        yield from lines_of(f"sotu {decade}0s, a line each", own)
    if addresses:
        wrapped = ["\n\n".join(textwrap.fill(part, 70) for part in text.split("\n")) for _, _, text in addresses[::40]]
        yield Specimen("sotu, one wrapped book", {"book.txt": "\n\n\n".join(wrapped)[:80_000]}, {"layout": "files"})
        yield Specimen(
            "sotu, wrapped paragraphs", {"book.txt": "\n\n".join(wrapped)[:80_000]}, {"layout": "paragraphs"}
        )
    for start in range(0, len(lee), 60):
        yield from lines_of(f"news {start}", lee[start : start + 60])
        yield from a_folder(f"news {start}, files", lee[start : start + 60])
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
            labelled = sum(line.startswith("__label__") for line in lines) > len(lines) / 2
            yield from lines_of(name, lines, "" if labelled else "lines")


def _catalogues(draw: random.Random) -> Iterator[Specimen]:
    """Sentences of translated programs, a language each; and the names of countries and languages."""
    root = Path("/usr/share/locale")
    languages = sorted(path.name for path in root.glob("*") if (path / "LC_MESSAGES").is_dir()) if root.is_dir() else []
    languages = draw.sample(languages, min(len(languages), 90))
    for language in languages[:70]:
        sentences = [
            text for name in _CATALOGUES for text in translated(root / language / "LC_MESSAGES" / f"{name}.mo")
        ]
        sentences = [text for text in sentences if len(text) > 40 and not re.search(r"[%_<{\\|]|https?:|--", text)]
        yield from lines_of(f"messages in {language}", sentences)
    for language in languages[70:]:
        folder = root / language / "LC_MESSAGES"
        texts = [text for name in _COUNTRIES for text in translated(folder / f"{name}.mo") if len(text) < 60]
        if len(texts) > 300:
            yield _prose_of_names(f"names in {language}", texts)


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


def translated(path: Path) -> list[str]:
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
        texts = [text for path in chosen if (text := manual(path))]
        language = "en" if folder == root else folder.name
        yield from a_folder(f"manuals in {language}", (text[:15_000] for text in texts))


def manual(path: Path) -> str:
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
        if path.is_file() and path.stat().st_size > SHORT:
            sizes.setdefault(path.stat().st_size, path)  # many are the same
    for path in list(sizes.values())[:25]:
        text = path.read_text("utf-8", "replace")[:LONG]
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
            yield from a_folder(f"book {name}, text", map(paragraphs, texts))


def paragraphs(page: str) -> str:
    main = page.partition("<main>")[2].partition("</main>")[0]
    found = re.findall(r"<(?:p|li|h\d)\b[^>]*>(.*?)</(?:p|li|h\d)>", main, re.S)
    return "\n\n".join(html.unescape(re.sub(r"<[^>]*>", "", part)) for part in found)


def _docstrings(draw: random.Random) -> Iterator[Specimen]:
    """Yield what the authors of packages say of their functions, without examples and fields: a package each."""
    library = Path(sysconfig.get_path("stdlib"))
    roots = [
        path
        for path in (*_PACKAGES.iterdir(), *library.iterdir())
        if path.is_dir() and (path / "__init__.py").is_file()
    ]
    for root in draw.sample(sorted(roots), len(roots))[:60]:
        texts = list[str]()
        for path in sorted(root.rglob("*.py"))[:25]:
            if path.stat().st_size < 60_000 and sum(map(len, texts)) < LONG // 2:
                texts += _docs_of(path)
        prose = [
            text
            for text in texts
            if len(text) > 200 and not re.search(r">>>|::|\.\. |:\w+:`|^:\w+|    |@\w+|=+\n|--+\n", text, re.M)
        ]
        yield from a_folder(f"docstrings {root.name}", prose)


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
        if "text/markdown" in head and len(body) > SHORT:
            bodies[path.parent.name.partition("-")[0] + ".md"] = body[:20_000]
    names = list(bodies)
    for start in range(0, len(names) - 5, 6):
        yield Specimen(f"readmes {start}", {name: bodies[name] for name in names[start : start + 6]})
    news = sorted(Path("/usr/share/doc").glob("*/README*"))
    texts = [(path, opened(path)) for path in news if path.is_file() and not path.is_symlink()]
    plain = [(path, text) for path, text in texts if len(text) > SHORT and path.suffix not in (".html", ".md")]
    for path, text in plain[:25]:
        specimen = Specimen(f"readme {path.parent.name}", {"README.txt": text[:LONG]}, {"layout": "files"})
        fields = len(_STANZA.findall(text)) > len(re.split(r"\n\s*\n", text)) / 2
        yield replace(specimen, raises=("heads", "names"), words=("records",)) if fields else specimen


def opened(path: Path) -> str:
    raw = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return raw.decode("utf-8", "replace")
