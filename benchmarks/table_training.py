"""What the runs of a trained run set are like: seconds, stability, and WordSim-353 as a check of quality.

Usage:
    gpustab train sotu -o RUNSET --technique sgns,cbow,fasttext,lsa,ppmi_svd,glove --runs 4 --jobs 2
    python -m benchmarks.table_training RUNSET
"""

from __future__ import annotations

import sys
from pathlib import Path

import torch
from gensim.models import KeyedVectors
from gensim.test.utils import datapath

from benchmarks.setting import ROOT, environment, keep
from gpustab import load_groups
from gpustab.formats.registry import read_space
from gpustab.runs.runset import open_runset
from gpustab.studies.stability.options import StabilityOptions
from gpustab.studies.stability.study import stability


def wordsim(space) -> tuple[float, float]:
    """Spearman correlation with WordSim-353 and the share of pairs left out."""
    vectors = KeyedVectors(space.dimension)
    vectors.add_vectors([space.vocabulary.text(i) for i in range(len(space.vocabulary))], space.vectors.numpy())
    _, spearman, missing = vectors.evaluate_word_pairs(datapath("wordsim353.tsv"), case_insensitive=True)
    return float(spearman[0]), missing / 100


def main() -> None:
    folder = Path(sys.argv[1])
    result = stability(load_groups(folder), StabilityOptions(neighbours=(10,)))
    rows = []
    for group, measured in zip(open_runset(folder), result.groups, strict=True):
        spaces = [read_space(file) for file in group.sources]
        rho, missing = wordsim(spaces[0])
        rows.append(
            {
                "group": group.name,
                "runs": len(spaces),
                "seconds_per_run": round(sum(s.metadata["seconds"] for s in spaces) / len(spaces), 1),
                "words": measured["vocabulary"]["joint"],
                "reduced_pip": measured["pip"]["reduced"]["mean"],
                "se": measured["pip"]["reduced"]["se"],
                "chance": measured["scale"]["chance_reduced_pip"],
                "mean_cosine": measured["scale"]["mean_cosine"],
                "p@10": measured["neighbours"]["10"]["p"],
                "wordsim_rho": rho,
                "wordsim_missing": missing,
            }
        )
    header = list(rows[0])
    print("| " + " | ".join(header) + " |\n|" + "---|" * len(header))
    for row in rows:
        cells = [f"{value:.3g}" if isinstance(value, float) else str(value) for value in row.values()]
        print("| " + " | ".join(cells) + " |")
    for contrast in result.contrasts:
        print(contrast["groups"], "extrinsic", contrast["value"], "signed square", contrast["signed_square"])
    content = {
        "environment": environment(torch.device("cpu")),
        "rows": rows,
        "contrasts": result.contrasts,
        "notes": result.notes,
    }
    keep(content, ROOT / "benchmarks/results/training-sotu.json")


if __name__ == "__main__":
    main()
