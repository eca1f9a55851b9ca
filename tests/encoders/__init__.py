"""Tests of runs of encoders."""
