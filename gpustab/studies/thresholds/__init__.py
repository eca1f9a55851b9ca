"""When is a similarity value meaningful? Distributions and thresholds of similarity (Elekes et al. 2018)."""
