"""How often sentences are wrong on placebos made of real text, where the truth is known.

Runs are trained once on the 293 news of `lee`: pools, from which sets of R are drawn. A placebo is made so that a claim
is false (one group split in two, vectors dealt out to other words, documents dealt out to two periods), or so that it
is true and by how much; studies are asked as a user would, and every verdict that they give is recorded by its claim.
"""
