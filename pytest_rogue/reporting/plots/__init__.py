"""Plots of runs: what is counted (`episodes`), which charts there are (`charts`), and how they are drawn."""
