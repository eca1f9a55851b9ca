"""What to cite, as BibTeX: the program and the papers whose measures it computes."""

from __future__ import annotations

from collections.abc import Iterable

BIBTEX = {
    "gpustab": """@software{gpustab,
  title = {gpustab: how stable are your word embeddings?},
  author = {{The gpustab developers}},
  version = {VERSION},
  year = {2026}
}""",
    "rettenmeier2020": """@mastersthesis{rettenmeier2020,
  title = {Word Embeddings: Stability and Semantic Change},
  author = {Rettenmeier, Lucas},
  school = {University of Heidelberg},
  year = {2020},
  note = {arXiv:2007.16006}
}""",
    "antoniak2018": """@article{antoniak2018,
  title = {Evaluating the Stability of Embedding-based Word Similarities},
  author = {Antoniak, Maria and Mimno, David},
  journal = {Transactions of the Association for Computational Linguistics},
  volume = {6},
  year = {2018},
  doi = {10.1162/tacl_a_00008}
}""",
    "giulianelli2020": """@inproceedings{giulianelli2020,
  title = {Analysing Lexical Semantic Change with Contextualised Word Representations},
  author = {Giulianelli, Mario and Del Tredici, Marco and Fern{\\'a}ndez, Raquel},
  booktitle = {Proceedings of the 58th Annual Meeting of the Association for Computational Linguistics},
  year = {2020},
  doi = {10.18653/v1/2020.acl-main.365}
}""",
    "kutuzov2020": """@inproceedings{kutuzov2020,
  title = {UiO-UvA at SemEval-2020 Task 1: Contextualised Embeddings for Lexical Semantic Change Detection},
  author = {Kutuzov, Andrey and Giulianelli, Mario},
  booktitle = {Proceedings of the Fourteenth Workshop on Semantic Evaluation},
  year = {2020},
  doi = {10.18653/v1/2020.semeval-1.14}
}""",
    "bloem2019": """@inproceedings{bloem2019,
  title = {Evaluating the Consistency of Word Embeddings from Small Data},
  author = {Bloem, Jelke and Fokkens, Antske and Herbelot, Aur{\\'e}lie},
  booktitle = {Proceedings of Recent Advances in Natural Language Processing (RANLP 2019)},
  pages = {132--141},
  year = {2019},
  doi = {10.26615/978-954-452-056-4_016}
}""",
    "elekes2018": """@article{elekes2018,
  title = {Toward meaningful notions of similarity in {NLP} embedding models},
  author = {Elekes, {\\'A}bel and Englhardt, Adrian and Sch{\\"a}ler, Martin and B{\\"o}hm, Klemens},
  journal = {International Journal on Digital Libraries},
  year = {2018},
  doi = {10.1007/s00799-018-0237-y}
}""",
    "white2015": """@misc{white2015,
  title = {A Method for the Evaluation of the Semantic Localization of Sentence Embeddings},
  author = {White, Lyndon},
  year = {2015},
  month = jul,
  note = {Manuscript}
}""",
    "kornblith2019": """@inproceedings{kornblith2019,
  title = {Similarity of Neural Network Representations Revisited},
  author = {Kornblith, Simon and Norouzi, Mohammad and Lee, Honglak and Hinton, Geoffrey},
  booktitle = {Proceedings of the 36th International Conference on Machine Learning},
  pages = {3519--3529},
  year = {2019}
}""",
    "nguyen2021": """@inproceedings{nguyen2021,
  title = {Do Wide and Deep Networks Learn the Same Things? {U}ncovering How Neural Network Representations Vary with
    Width and Depth},
  author = {Nguyen, Thao and Raghu, Maithra and Kornblith, Simon},
  booktitle = {International Conference on Learning Representations},
  year = {2021}
}""",
    "ding2021": """@inproceedings{ding2021,
  title = {Grounding Representation Similarity Through Statistical Testing},
  author = {Ding, Frances and Denain, Jean-Stanislas and Steinhardt, Jacob},
  booktitle = {Advances in Neural Information Processing Systems 34},
  year = {2021}
}""",
    "leszczynski2020": """@inproceedings{leszczynski2020,
  title = {Understanding the Downstream Instability of Word Embeddings},
  author = {Leszczynski, Megan and May, Avner and Zhang, Jian and Wu, Sen and Aberger, Christopher R. and
    R{\\'e}, Christopher},
  booktitle = {Proceedings of Machine Learning and Systems 2},
  pages = {262--290},
  year = {2020}
}""",
    "wendlandt2018": """@inproceedings{wendlandt2018,
  title = {Factors Influencing the Surprising Instability of Word Embeddings},
  author = {Wendlandt, Laura and Kummerfeld, Jonathan K. and Mihalcea, Rada},
  booktitle = {Proceedings of NAACL-HLT 2018, Volume 1 (Long Papers)},
  pages = {2092--2102},
  year = {2018}
}""",
    "hellrich2016": """@inproceedings{hellrich2016,
  title = {Bad Company -- Neighborhoods in Neural Embedding Spaces Considered Harmful},
  author = {Hellrich, Johannes and Hahn, Udo},
  booktitle = {Proceedings of COLING 2016},
  pages = {2785--2796},
  year = {2016}
}""",
    "caliskan2017": """@article{caliskan2017,
  title = {Semantics Derived Automatically from Language Corpora Contain Human-Like Biases},
  author = {Caliskan, Aylin and Bryson, Joanna J. and Narayanan, Arvind},
  journal = {Science},
  volume = {356},
  pages = {183--186},
  year = {2017}
}""",
    "pierrejean2018": """@inproceedings{pierrejean2018,
  title = {Predicting Word Embeddings Variability},
  author = {Pierrejean, B{\\'e}n{\\'e}dicte and Tanguy, Ludovic},
  booktitle = {Proceedings of the Seventh Joint Conference on Lexical and Computational Semantics (*SEM 2018)},
  year = {2018}
}""",
    "burdick2021": """@inproceedings{burdick2021,
  title = {Analyzing the Surprising Variability in Word Embedding Stability Across Languages},
  author = {Burdick, Laura and Kummerfeld, Jonathan K. and Mihalcea, Rada},
  booktitle = {Proceedings of EMNLP 2021},
  year = {2021}
}""",
}


def bibtex(keys: Iterable[str], version: str) -> str:
    """Return the entries of some keys, the program's first.

    >>> bibtex(["rettenmeier2020"], "0.1.0").count("@")
    2
    """
    wanted = dict.fromkeys(["gpustab", *keys])
    return "\n\n".join(BIBTEX[key] for key in wanted).replace("VERSION", version)
