"""The exchange between kinds, on particles alone."""

import numpy as np
import pytest

from solvers.meet.matter import Matter
from solvers.meet.meeting import Meeting, Party

SPACING = 0.1
GRAVITY = np.array((0.0, 0.0, -9.81))


def _block(low, high, velocity, density, seed=0, dtype=np.float64):
    """A box filled with particles, slightly shaken."""
    axes = [np.arange(a + 0.5 * SPACING, b, SPACING) for a, b in zip(low, high, strict=True)]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    points = points + 0.1 * SPACING * np.random.default_rng(seed).uniform(-1.0, 1.0, points.shape)
    count = len(points)
    return Matter(
        np.ascontiguousarray(points.T, dtype), np.repeat(np.array(velocity, dtype)[:, None], count, axis=1),
        np.full(count, density * SPACING**3), np.full(count, SPACING**3), SPACING,
    )  # fmt: skip


def _law(friction=0.0, stick=0.0, kinds=2):
    law = np.zeros((kinds, kinds, 2))
    law[..., 0], law[..., 1] = friction, stick
    return law


def _momentum(*matters):
    return sum((matter.velocity * matter.mass).sum(axis=1) for matter in matters)


def _energy(*matters):
    return sum(0.5 * (matter.mass * (matter.velocity**2).sum(axis=0)).sum() for matter in matters)


def _pair(upper_velocity, gap=0.0, **more):
    low = _block((0, 0, 0), (1, 1, 0.5), (0, 0, 0), 1000.0, 1, **more)
    return low, _block((0, 0, 0.5 + gap), (1, 1, 1.0 + gap), upper_velocity, 300.0, 2, **more)


@pytest.mark.parametrize("friction,stick", [(0.0, 0.0), (0.4, 0.0), (0.0, 1.0)])
def test_momentum_is_kept_and_energy_lost(friction, stick):
    """Two blocks that collide obliquely: momentum to rounding, kinetic energy falls."""
    below, above = _pair((1.0, 0.5, -2.0))
    momentum, energy = _momentum(below, above), _energy(below, above)
    assert Meeting(_law(friction, stick), GRAVITY).exchange([Party(0, below), Party(1, above)], 1.0e-3)
    assert np.abs(_momentum(below, above) - momentum).max() < 1.0e-12 * np.abs(momentum).max()
    assert _energy(below, above) < 0.999 * energy


def test_separation_is_free():
    """Kinds that move apart are left alone."""
    below, above = _pair((0.3, 0.0, 0.5))
    before = above.velocity.copy()
    Meeting(_law(0.5), GRAVITY).exchange([Party(0, below), Party(1, above)], 1.0e-3)
    assert np.array_equal(above.velocity, before) and not below.velocity.any()


def test_sticking_kinds_do_not_separate():
    """The same with sticking: they pull each other."""
    below, above = _pair((0.3, 0.0, 0.5))
    Meeting(_law(stick=1.0), GRAVITY).exchange([Party(0, below), Party(1, above)], 1.0e-3)
    assert below.velocity[2].max() > 0.05 and below.velocity[0].max() > 0.02


def test_a_gap_is_no_contact():
    """Half a cell of air between them: nothing happens."""
    below, above = _pair((0.0, 0.0, -1.0), gap=SPACING)
    Meeting(_law(), GRAVITY).exchange([Party(0, below), Party(1, above)], 1.0e-3)
    assert not below.velocity.any()


def test_far_apart_costs_nothing():
    """Kinds far from each other do not even make a grid."""
    below, above = _pair((0.0, 0.0, -1.0), gap=5.0)
    meeting = Meeting(_law(), GRAVITY)
    assert not meeting.exchange([Party(0, below), Party(1, above)], 1.0e-3) and meeting.record.exchanges == 0


def test_friction_is_bounded_by_coulomb():
    """Sliding while pressed: the tangential impulse is µ times the normal one, and none without friction."""
    for friction in (0.0, 0.3):
        below, above = _pair((2.0, 0.0, -1.0))
        Meeting(_law(friction), GRAVITY).exchange([Party(0, below), Party(1, above)], 1.0e-3)
        pushed = (below.velocity * below.mass).sum(axis=1)
        # the rest is the roughness of shaken particles
        assert pushed[2] < 0.0 and pushed[0] == pytest.approx(-friction * pushed[2], abs=0.02 * abs(pushed[2]))


def test_three_kinds_at_one_place():
    """Several pairs at the same nodes: momentum is kept."""
    parties = [_block((0, 0, 0), (1, 1, 0.5), (0, 0, 1), 1000.0), _block((0, 0, 0.5), (0.5, 1, 1), (0.5, 0, -1), 200.0)]
    parties.append(_block((0.5, 0, 0.5), (1, 1, 1), (-1, 0, -2), 2000.0))
    momentum = _momentum(*parties)
    Meeting(_law(0.3, kinds=3), GRAVITY).exchange([Party(index, matter) for index, matter in enumerate(parties)], 1.0e-3)
    assert np.abs(_momentum(*parties) - momentum).max() < 1.0e-12 * np.abs(momentum).max()
    assert all(np.ptp(matter.velocity, axis=1).max() > 0.05 for matter in parties)


def test_overlap_is_undone():
    """Two kinds in the same place at rest are driven apart, slowly."""
    below, above = _pair((0.0, 0.0, 0.0), gap=-SPACING)
    meeting = Meeting(_law(), GRAVITY)
    meeting.exchange([Party(0, below), Party(1, above)], 1.0e-3)
    assert above.velocity[2].max() > 1.0e-3 and below.velocity[2].min() < -1.0e-3
    assert np.abs(above.velocity).max() < 1.0 and meeting.record.work > 0.0
