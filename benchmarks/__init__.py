"""The papers' tables and the peers, side by side. Never asserts time.

A benchmark is a module of this folder with `TITLE` and `run(quick, out) -> dict`: it prints a readable table, writes its
picture into the folder `out` and returns its figures. `python -m benchmarks` lists them.
"""
