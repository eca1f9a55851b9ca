import pytest
import torch

from gpustab import Space, Vocabulary
from gpustab.formats.binary.safetensors import write_safetensors
from gpustab.formats.writers import write_word2vec_text
from tests.generators import noisy_copies

ODD = [b"ab\xff", b"two words", "naïve".encode(), b"\x1b[31m"]


@pytest.fixture
def sources(tmp_path):
    """Four runs, two of them text, in other orders, each without some words; words that are no text; a zero vector."""
    paths = []
    words = [b"w%d" % i for i in range(40)] + ODD
    for r, vectors in enumerate(noisy_copies(4, len(words), 6).float() * 3):
        order = torch.randperm(len(words), generator=torch.Generator().manual_seed(r))[: len(words) - 2 * r].tolist()
        if r == 2:
            vectors[order[3]] = 0
        counts = torch.tensor([100 - i for i in order])
        own = Vocabulary(words[i] for i in order)
        if r < 2:
            paths.append(tmp_path / f"r{r}.txt")
            write_word2vec_text(Space(own, vectors[order]), paths[-1])
        else:
            paths.append(tmp_path / f"r{r}.safetensors")
            space = Space(own, vectors[order], counts, f"r{r}", {"seed": r, "seconds": 1.5}, torch.tensor([r, 0, 7]))
            write_safetensors(space, paths[-1])
    return paths
