"""One element of foam in steady simple shear over four decades, against the closed form."""

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import Line, plot, print_table

TITLE = "Foam: flow curve of one element, τ = σ_Y/√3 + (η/√2)(γ̇/√2)^m"

STRENGTH, VISCOSITY = 30.0, 20.0


def law(rate: np.ndarray | float, exponent: float) -> Any:
    """Shear stress [Pa] at a shear rate [1/s]."""
    return STRENGTH / np.sqrt(3) + VISCOSITY / np.sqrt(2) * (rate / np.sqrt(2)) ** exponent


def sheared(rates: np.ndarray, exponent: float, steps: int) -> np.ndarray:
    """τ₁₂ [Pa] of elements sheared at the given rates, each stiff enough that its elastic strain is small."""
    from solvers.mpm.foam_law import foam_law
    from solvers.mpm.points import FoamPoints

    found = []
    room = np.zeros((1, 64), np.float32)
    for rate in rates:
        shear = 400.0 * law(rate, exponent)
        dt = np.float32(0.05 * law(rate, exponent) / shear / rate)
        one, six, nine = np.zeros(16, np.float32), np.zeros((6, 16), np.float32), np.zeros((9, 16), np.float32)
        elastic = six.copy()
        elastic[:3] = 1.0
        nine[3] = rate
        points = FoamPoints(elastic, one + 1, nine, six, one.copy(), one.copy(), one.copy(), one + 100, np.zeros(16, np.int32))
        table = np.array([[shear, 10 * shear, np.sqrt(2 / 3) * STRENGTH, VISCOSITY, exponent, 100, 1e30, 1e30]], np.float32)
        for _ in range(steps):
            foam_law(points, table, 8, dt, room)
        found.append(float(points.stress[3, 0]))
    return np.array(found)


def run(quick: bool, out: Path) -> dict[str, Any]:
    exponents = (0.1, 0.22, 0.5, 1.0, 1.7, 3.0)
    rates = np.geomspace(0.01, 100.0, 9 if quick else 25)
    rows, lines, dots, worst = [], [], [], 0.0
    for exponent in exponents:
        found = sheared(rates, exponent, 1000 if quick else 3000)
        error = np.abs(found / law(rates, exponent) - 1.0)
        worst = max(worst, float(error.max()))
        rows.append([f"m = {exponent:g}", float(found[0]), float(found[-1]), float(error.max())])
        lines.append(Line(f"m = {exponent:g}", rates, law(rates, exponent)))
        dots.append(found)
    lines.append(Line("one element", np.tile(rates, len(exponents)), np.concatenate(dots), dots=True))
    print_table(["Exponent", "τ at 0.01 /s [Pa]", "τ at 100 /s [Pa]", "largest error"], rows, TITLE)
    plot(out / "flow_curve.png", lines, title="Flow curve: lines are the law, dots one element", x="shear rate [1/s]",
         y="shear stress [Pa]", log=True, decorate=lambda axes: axes.set_ylim(10, 1e5))  # fmt: skip
    return {"error_max": worst}
