"""Texts that no rule had seen when they were read first; what they taught is in the rules, so they are fresh no more.

The ordinary ones come from places that :mod:`benchmarks.zoo.ordinary` does not use; the made ones are of kinds that
:mod:`benchmarks.zoo.made` does not have. Whoever changes a rule then writes new ones, see
:mod:`benchmarks.zoo.found`.
"""

from __future__ import annotations

import random
import re
import subprocess
import sysconfig
import textwrap
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from benchmarks.zoo.first_fresh_made import fresh_made
from benchmarks.zoo.ordinary import manual, opened, paragraphs, translated
from benchmarks.zoo.specimen import LONG, SHORT, Specimen, a_folder, by_script, lines_of

_PACKAGES = Path(sysconfig.get_path("purelib"))
_DOCUMENTS = Path("/usr/share/doc")
_CATALOGUES = ("coreutils", "bash", "git", "shadow", "gettext-tools", "findutils", "tar", "wget", "libc", "sed", "grep")
_MACHINE_READABLE = re.compile(r"^Format(-Specification)?:", re.M)
"""Begins a list of copyrights that says itself that it is one of records."""


def first_fresh() -> Iterator[Specimen]:
    """Yield all of them."""
    draw = random.Random(28)
    for one in (*map(by_script, _ordinary(draw)), *fresh_made()):
        yield replace(one, part="first fresh")


def _ordinary(draw: random.Random) -> Iterator[Specimen]:
    yield from _papers(draw)
    yield from _user_manual(draw)
    yield from _modules(draw)
    yield from _messages(draw)
    yield from _glosses()
    yield from _pages(draw)
    yield from _sections(draw)
    folder = _PACKAGES / "sklearn/datasets/descr"
    yield from a_folder("descriptions of data", (path.read_text("utf-8") for path in sorted(folder.glob("*.rst"))))


def _papers(draw: random.Random) -> Iterator[Specimen]:
    """What programs say of their copyright, and their questions, news and plans."""
    rights = [path for path in sorted(_DOCUMENTS.glob("*/copyright")) if path.stat().st_size > 2 * SHORT]
    texts = {path.stat().st_size: path for path in rights if not _MACHINE_READABLE.search(opened(path)[:2000])}
    chosen = draw.sample(sorted(texts.values()), min(12, len(texts)))
    names = ("FAQ*", "NEWS.gz", "TODO*", "HACKING*", "INSTALL*", "CONTRIBUTING*", "THANKS*")
    found = {path.stat().st_size: path for name in names for path in sorted(_DOCUMENTS.glob(f"*/{name}"))}
    others = [path for size, path in found.items() if size > SHORT and path.is_file()]
    for path in (*chosen, *draw.sample(sorted(others), min(16, len(others)))):
        text = opened(path)[:LONG]
        if len(text) > SHORT:
            yield Specimen(f"paper {path.parent.name} {path.stem}", {"paper.txt": text}, {"layout": "files"})


def _user_manual(draw: random.Random) -> Iterator[Specimen]:
    """Chapters of the manual of an editor."""
    chapters = sorted(Path("/usr/share/vim").glob("vim*/doc/usr_*.txt"))
    for path in draw.sample(chapters, min(8, len(chapters))):
        yield Specimen(f"chapter {path.stem}", {"chapter.txt": opened(path)[:LONG]}, {"layout": "files"})


def _modules(draw: random.Random) -> Iterator[Specimen]:
    """What the authors of Perl's modules say of them."""
    pods = [path for root in ("perl", "perl5") for path in sorted(Path("/usr/share", root).rglob("*.pod"))]
    for path in draw.sample(pods, min(10, len(pods))):
        try:
            done = subprocess.run(["pod2text", "-u", str(path)], capture_output=True, timeout=20, check=False)
        except (OSError, subprocess.TimeoutExpired):
            return
        text = done.stdout.decode("utf-8", "replace")[:LONG]
        if len(text) > SHORT:
            yield Specimen(f"module {path.parent.name} {path.stem}", {"module.txt": text}, {"layout": "files"})


def _messages(draw: random.Random) -> Iterator[Specimen]:
    """Sentences of other programs than the zoo's, in many languages, each a line or in paragraphs."""
    root = Path("/usr/share/locale")
    languages = sorted(path.parent.parent.name for path in root.glob("*/LC_MESSAGES/coreutils.mo"))
    for number, language in enumerate(draw.sample(languages, min(24, len(languages)))):
        texts = [text for name in _CATALOGUES for text in translated(root / language / "LC_MESSAGES" / f"{name}.mo")]
        texts = [text for text in texts if len(text) > 50 and not re.search(r"[%_<{\\|`]|https?:|--", text)]
        if number % 2:
            yield from lines_of(f"messages in {language}", texts)
        else:
            parts = ("\n\n".join(textwrap.fill(text, 66) for text in texts[i : i + 12]) for i in range(0, 480, 12))
            yield from a_folder(f"messages in {language}, files", (part for part in parts if part))


def _glosses() -> Iterator[Specimen]:
    """The glosses of a dictionary, a line each."""
    for path in sorted(Path("/usr/share/wordnet").glob("data.*")):
        lines = path.read_text("utf-8", "replace").splitlines()[40:2000]
        yield from lines_of(f"glosses {path.suffix}", [line.partition(" | ")[2] for line in lines])


def _pages(draw: random.Random) -> Iterator[Specimen]:
    """Pages in HTML of other books than the zoo's."""
    for root in sorted(Path.home().glob(".rustup/toolchains/*/share/doc/rust/html"))[:1]:
        for name in ("rust-by-example", "unstable-book", "clippy", "error_codes", "std"):
            pages = [page for page in sorted((root / name).rglob("*.html")) if 6_000 < page.stat().st_size < 60_000]
            chosen = draw.sample(pages, min(12, len(pages)))
            texts = [page.read_text("utf-8") for page in chosen]
            if len(texts) > 4:
                files = {f"{n:02}.html": text for n, text in enumerate(texts)}
                yield Specimen(f"book {name}, HTML", files)
                yield from a_folder(f"book {name}, text", map(paragraphs, texts))


def _sections(draw: random.Random) -> Iterator[Specimen]:
    """Sections of the manual that the zoo does not use, several pages each."""
    for section in ("man2", "man3", "man4", "man6"):
        for folder in (Path("/usr/share/man"), *sorted(Path("/usr/share/man").glob("[a-z][a-z]"))):
            pages = sorted(path for path in (folder / section).glob("*.gz") if path.stat().st_size > 1_500)
            texts = [manual(path)[:12_000] for path in draw.sample(pages, min(6, len(pages)))]
            yield from a_folder(f"{section} of {folder.name}", texts)
