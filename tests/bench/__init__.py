"""`make bench`: our speed as ratios, both sides of each measured in turn in the same run."""
