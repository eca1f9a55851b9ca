"""Do different parts of one text give a term the same vector? Consistency from small data (Bloem et al. 2019)."""
