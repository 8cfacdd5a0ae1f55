"""Reports of runs and plans."""
