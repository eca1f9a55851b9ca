"""In which layers fine-tunings of one encoder differ."""
