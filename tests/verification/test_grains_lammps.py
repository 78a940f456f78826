"""Against LAMMPS: the same column of grains with the same law moves alike."""

import numpy as np
import pytest

from benchmarks.lammps_grains import STEP, advance, bulk, collapsing_column, our_engine
from benchmarks.peers import PeerMissing, peers_folder


def test_column_moves_as_in_lammps(tmp_path):
    """Centre of mass and kinetic energy of a small collapsing column follow LAMMPS (Hooke + history) within 2 %."""
    if not list(peers_folder().glob("lammps-*/.ready")):
        pytest.skip("LAMMPS is not installed; `python -m benchmarks grain_speed` installs it into an environment of its own")
    snapshot = collapsing_column(8_000, 5000)
    steps, every = 4000, 1000
    try:
        peer = bulk(snapshot, tmp_path, steps, every)
    except PeerMissing as missing:
        pytest.skip(f"LAMMPS does not run here: {missing}")
    engine, walls = our_engine(snapshot, wall_friction=0.0)
    kinetic, x, z = [], [], []
    for step in range(0, steps + 1, every):
        if step:
            advance(engine, walls, every)
        velocity, position = engine.state.live("velocity"), engine.state.live("position")
        kinetic.append(0.5 * (engine.mass() * (velocity**2).sum(axis=0)).sum())
        x.append(position[0].mean())
        z.append(position[2].mean())
    assert len(peer["step"]) == len(kinetic)
    way = max(abs(x[-1] - x[0]), abs(z[-1] - z[0]))
    assert way > 10.0 * STEP
    assert np.array(kinetic) == pytest.approx(peer["kinetic"], rel=0.02)
    assert np.abs(np.array(x) - peer["x"]).max() < 0.02 * way
    assert np.abs(np.array(z) - peer["z"]).max() < 0.02 * way
