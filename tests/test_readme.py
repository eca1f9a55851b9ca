"""What the README shows runs as it is printed."""

import re
from pathlib import Path

import pytest
from typer.main import get_command

from gpustab.cli import app
from gpustab.formats.text.write import write_word2vec_text
from tests.generators import spaces

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.split("\n")[0])
def test_the_python_blocks_run(block, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for number, space in enumerate(spaces(3, 40, 6), 1):
        write_word2vec_text(space, tmp_path / f"run{number}.txt")
    lines = [" ".join(f"w{(i * j) % 50}" for i in range(30)) for j in range(50)]
    (tmp_path / "speeches.txt").write_text("\n".join(lines))
    exec(compile(block, "README.md", "exec"), {})


def test_commands_and_options_exist():
    command = get_command(app)
    used = set(re.findall(r"gpustab ([a-z]+)", README)) - {"and"}
    named = {name for name in used if f"`gpustab {name}" in README or f"\ngpustab {name}" in README}
    assert named
    assert named <= set(command.commands)
    commands = [c for top in command.commands.values() for c in (top, *getattr(top, "commands", {}).values())]
    known = {o for c in commands for p in c.params for o in [*p.opts, *p.secondary_opts]}
    options = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", README))
    assert len(options) > 15
    assert options <= known | {"--help"}


def test_linked_files_exist():
    for name in re.findall(r"`((?:kernels|benchmarks)/[\w./]+|\w+\.(?:md|cff))`", README):
        assert (Path(__file__).parents[1] / name).exists(), name
