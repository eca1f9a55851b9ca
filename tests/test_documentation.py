"""What the README and the documentation show runs as it is printed, and leads where it says."""

import re
import shlex
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from typer.main import get_command

from gpustab.cli import app
from gpustab.cli.app import COMMANDS, STUDIES
from gpustab.formats.writers import write_word2vec_text
from gpustab.studies.shared.claims import NOISY_RUNS
from gpustab.studies.shared.wording import word
from tests.generators import spaces
from tests.studies.test_claims_page import MOST_WORDS

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = {path: path.read_text(encoding="utf-8") for path in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]}


OTHERS = {"--address", "--head", "--nthreads", "--nworkers"}
"""Options of dask and ray, which the pages start clusters with."""


def blocks(*kinds):
    """Return the code blocks of these kinds, each with the name of its page."""
    return [
        pytest.param(block, id=f"{path.relative_to(ROOT)}: {block.splitlines()[0]}")
        for path, text in PAGES.items()
        for block in re.findall(rf"```(?:{'|'.join(kinds)})\n(.*?)```", text, flags=re.DOTALL)
    ]


@pytest.mark.parametrize("block", blocks("python"))
def test_the_python_blocks_run(block, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for number, space in enumerate(spaces(3, 40, 6), 1):
        write_word2vec_text(space, tmp_path / f"run{number}.txt")
    lines = [" ".join(f"w{(i * j) % 50}" for i in range(30)) for j in range(50)]
    (tmp_path / "speeches.txt").write_text("\n".join(lines))
    exec(compile(block, "README.md", "exec"), {})


def commands(block):
    """Return the calls of gpustab in a block for the shell, as the words after it."""
    lines = block.replace("\\\n", " ").splitlines()
    calls = [re.search(r"(?:^\$ |^|/|\\)gpustab (.*)", line) for line in lines]
    return [shlex.split(call[1], comments=True) for call in calls if call and not call[1].startswith("-")]


def named(words):
    """Return the command that is called, with what is left of the words."""
    command, rest = get_command(app), list(words)
    while hasattr(command, "commands"):
        command = command.commands[rest.pop(0)]
    return command, rest


@pytest.mark.parametrize("block", blocks("sh", "console", "powershell"))
def test_commands_are_called_by_options_that_they_have(block):
    for words in commands(block):
        command, rest = named(words)
        known = {opt for param in command.params for opt in [*param.opts, *param.secondary_opts]}
        assert {word.partition("=")[0] for word in rest if word.startswith("-")} <= known, words


def test_the_reference_of_commands_is_whole():
    from docs.commands import _commands

    page = _commands()
    assert "...\n*" not in page  # no description is cut
    for name, (_, text) in {**COMMANDS, **STUDIES}.items():
        assert f"* `{name}`: {text}\n" in page
    parts = re.split(r"^#+ `(gpustab(?: .+)?)`$", page, flags=re.MULTILINE)[1:]
    sections = dict(zip(parts[::2], parts[1::2], strict=True))
    for words, command in every_command():
        (section,) = (text for title, text in sections.items() if title == f"gpustab {words}")
        for param in command.params:
            spelled = [*param.opts, *param.secondary_opts] if param.param_type_name == "option" else []
            assert all(re.search(rf"[`, /]{re.escape(opt)}[`, /]", section) for opt in spelled), (words, spelled)


def every_command():
    for name, command in get_command(app).commands.items():
        yield name, command
        yield from ((f"{name} {below}", one) for below, one in getattr(command, "commands", {}).items())


def test_options_named_in_the_text_exist():
    commands = [c for top in get_command(app).commands.values() for c in (top, *getattr(top, "commands", {}).values())]
    known = {opt for c in commands for param in c.params for opt in [*param.opts, *param.secondary_opts]}
    # Of torchrun, ray, dask, pip, and of benchmarks.placebos.
    others = {
        "--help",
        "--found",
        "--before",
        "--batch",
        "--nproc-per-node",
        "--head",
        "--address",
        "--nthreads",
        "--nworkers",
        "--no-deps",
    }
    used = {opt for text in PAGES.values() for opt in re.findall(r"(?<![\w-])--[a-z][a-z-]+", text)}
    assert len(used) > 15
    assert used <= known | others


def prose(text):
    """Yield the sentences of a page: no code, no table, no heading; a link is what it shows, code is one word."""
    text = re.sub(r"^ *```.*?^ *```|<!--.*?-->", "\n\n", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"!?\[(.*?)\]\([^)]*\)", r"\1", text, flags=re.DOTALL)
    text = re.sub(r"^(?:[|#]|:::| {4}).*$", "\n", re.sub(r"`[^`]*`", "CODE", text), flags=re.MULTILINE)
    for part in re.split(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )", text):
        yield from re.split(r"(?<=[.!?]) (?=[^a-z0-9])|(?<=[.!?][)*]) (?=[^a-z0-9])", " ".join(part.split()))


@pytest.mark.parametrize("path", [*PAGES, ROOT / "CONTRIBUTING.md"], ids=lambda path: str(path.relative_to(ROOT)))
def test_sentences_are_short(path):
    long = [one for one in prose(path.read_text(encoding="utf-8")) if len(one.split()) > MOST_WORDS]
    assert long == []


def test_the_count_of_words_reads_prose_alone():
    words = "word " * 20
    text = f"# {words}{words}\n\nOne {words}\n{words}end.\n\n| {words}{words} |\n\n```sh\n{words}{words}\n```\n"
    assert [len(one.split()) for one in prose(text) if len(one.split()) > MOST_WORDS] == [42]
    assert len(list(prose(f"See [{words}](a.md). `{words}` {words}ends.\n\n- {words}\n- {words}"))) == 4


def test_linked_files_exist():
    for name in re.findall(r"`((?:kernels|benchmarks|docs)/[\w./]+|\w+\.(?:md|cff))`", README):
        assert (ROOT / name).exists(), name
    for path, text in PAGES.items():
        for target in re.findall(r"\]\(([^)#:]+)(?:#[\w-]*)?\)", text):
            assert (path.parent / target).exists(), (path, target)


NAMES_ONLY = {"canonical", "alternate", "prev", "next", "author", "license"}
"""Relations of links that name a page; a browser fetches what any other relation names, or connects to it."""


def loaded_by_css(text):
    """Return what a style loads: by ``url(...)``, or by ``@import`` with or without it."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    return [
        next(filter(None, found))
        for found in re.findall(r"""url\(\s*["']?([^"')\s]+)|@import\s*["']([^"']+)""", text, flags=re.IGNORECASE)
    ]


def loaded(text):
    """Return the addresses that a page makes a browser fetch, in any order of attributes; links to click are none."""
    found = []

    class Page(HTMLParser):
        style = False

        def handle_starttag(self, tag, attrs):
            self.style = tag == "style"
            known = {name: value or "" for name, value in attrs}
            fetched = ["src", "poster", *(["data"] if tag == "object" else ())]
            if tag == "link" and not set(known.get("rel", "").lower().split()) <= NAMES_ONLY:
                fetched.append("href")
            elif tag in ("image", "use", "base"):
                fetched += ["href", "xlink:href"]
            found.extend(known[name] for name in fetched if name in known)
            found.extend(one.split()[0] for one in known.get("srcset", "").split(",") if one.strip())
            found.extend(loaded_by_css(known.get("style", "")))

        def handle_endtag(self, tag):
            self.style = False

        def handle_data(self, data):
            if self.style:
                found.extend(loaded_by_css(data))

    Page(convert_charrefs=True).feed(text)
    return found


def remote(addresses):
    return [one for one in addresses if re.match(r"\s*(?:https?:)?//", one, flags=re.IGNORECASE)]


@pytest.mark.parametrize(
    "text",
    [
        '<script src="https://x/a.js"></script>',
        "<script async src=//x/a.js></script>",
        '<link rel="stylesheet" href="https://x/a.css">',
        '<link href="https://x/a.css" rel="stylesheet">',
        '<link href="https://x" rel="preconnect" crossorigin>',
        '<link rel=dns-prefetch href="//x">',
        "<style>@import 'https://x/a.css';</style>",
        "<style>@IMPORT url(//x/a.css);</style>",
        "<p style=\"background: url( 'https://x/a.png' )\">",
        '<img srcset="a.png 1x, https://x/b.png 2x">',
        '<svg><image xlink:href="https://x/a.png"/></svg>',
        '<video poster="HTTPS://x/a.png">',
    ],
)
def test_a_page_that_loads_from_the_network_is_seen(text):
    assert len(remote(loaded(text))) == 1


def test_links_to_click_and_local_files_load_nothing_from_the_network():
    page = """<a href="https://x">x</a><link rel="canonical" href="https://x"><link rel="stylesheet" href="a.css">
    <style>/* @import "https://x"; */ p { background: url(a.png) }</style><code>url(https://x)</code>"""
    assert remote(loaded(page)) == []
    assert loaded(page) == ["a.css", "a.png"]


def test_the_documentation_builds_without_a_warning(tmp_path):
    """Strict: a link or an anchor that leads nowhere fails it."""
    pytest.importorskip("mkdocs")
    config = ROOT / "docs/mkdocs.yml"
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "-q", "-f", config, "-d", tmp_path / "site"],
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "site/reference/commands.html").read_text(encoding="utf-8")
    assert "gpustab stability" in page
    for html in (tmp_path / "site").rglob("*.html"):  # the site, its search too, loads nothing from the network
        assert remote(loaded(html.read_text(encoding="utf-8"))) == [], html
    for css in (tmp_path / "site").rglob("*.css"):
        assert remote(loaded_by_css(css.read_text(encoding="utf-8"))) == [], css
    assert (tmp_path / "site/javascripts/iframe-worker.js").is_file()
    assert 'src="../javascripts/iframe-worker.js"' in page
    assert ":class:" not in (tmp_path / "site/reference/library.html").read_text(encoding="utf-8")
    shutil.rmtree(tmp_path / "site")


def test_the_readme_asks_for_as_many_runs_as_the_commands_do():
    assert f"Three runs are few; take {word(int(NOISY_RUNS))}." in README
