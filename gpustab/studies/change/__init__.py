"""What changed between periods, and how much of it is noise (Rettenmeier 2020, chapter 4)."""
