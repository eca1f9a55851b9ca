import numpy as np
import pytest


@pytest.fixture(scope="session")
def corpus(tmp_path_factory):
    """40 documents of 60 words with topics, one of them empty but for punctuation; one word in a single document."""
    rng = np.random.default_rng(0)
    lines = []
    for document in range(40):
        topic = document % 4
        words = rng.choice(30, size=60, p=np.r_[[0.02] * 20, [0.06] * 10]) + 10 * (topic == 3)
        lines.append(" ".join(f"{'abcd'[topic]}{chr(97 + w % 26)}{chr(97 + w // 26)}" for w in words))
    lines[7] = "..."
    lines[11] += " singular singular"
    path = tmp_path_factory.mktemp("corpus") / "documents.txt"
    path.write_text("\n".join(lines) + "\n")
    return path
