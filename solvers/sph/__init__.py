"""Smoothed particle hydrodynamics: neighbours, kernels and the two water schemes."""
