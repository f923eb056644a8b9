"""Compute the statistics of a graded class from plain numbers: no file, no clock, no words."""
