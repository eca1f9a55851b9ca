"""How stable are these runs? Rettenmeier 2020, chapters 2.2-2.3; conventions and corrections in the README."""
