"""SPlisHSPlasH on the dam break, without a screen. Run by the Python that `benchmarks.peers.splishsplash()` returns.

Tank 40 × 30 × 20 cm, column 12 × 20 × 20 cm (their y is up). After some warm-up steps, batches of steps are timed; the
best batch counts, because anything else on the machine only ever slows it down. The last line is one JSON object.

    python splishsplash_scene.py --method dfsph --radius 0.004 --threads 2 --warm-up 50 --steps 20 --batches 5
"""

import argparse
import json
import os
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

TANK = (0.4, 0.3, 0.2)
COLUMN = (0.12, 0.2, 0.2)
METHODS = {"wcsph": 0, "dfsph": 4}
BOUNDARIES = {"akinci": 0, "koschier": 1, "bender": 2}


def scene(arguments: argparse.Namespace, unit_box: Path) -> dict[str, Any]:
    """Scene description in SPlisHSPlasH's own format."""
    radius, implicit = arguments.radius, arguments.method == "dfsph"
    configuration = {
        "particleRadius": radius,
        "simulationMethod": METHODS[arguments.method],
        "boundaryHandlingMethod": BOUNDARIES[arguments.boundary],
        "gravitation": [0.0, -9.81, 0.0],
        "numberOfStepsPerRenderUpdate": 1,
        "enableZSort": True,
        # Steps by their own CFL rule; the explicit method needs the smaller factor to stay stable.
        "cflMethod": 1,
        "cflFactor": 0.5 if implicit else 0.1,
        "cflMinTimeStepSize": 1.0e-6,
        "cflMaxTimeStepSize": 1.0e-3 if implicit else 1.0e-4,
        "timeStepSize": 2.0e-4 if implicit else 2.0e-5,
        "DFSPH": {"maxIterations": 100, "maxError": arguments.error, "maxIterationsV": 100, "maxErrorV": 0.1},
        "WCSPH": {"stiffness": 50000.0, "exponent": 7},
    }
    tank = {
        "geometryFile": str(unit_box),
        "translation": [0.5 * edge for edge in TANK],
        "rotationAxis": [1, 0, 0],
        "rotationAngle": 0,
        # Boundary particles sit on this box: one radius outside the walls that the fluid sees.
        "scale": [edge + 2.0 * radius for edge in TANK],
        "isDynamic": False,
        "isWall": True,
        "mapInvert": True,
        "mapThickness": 0.0,
        "mapResolution": [40, 30, 20],
        "samplingMode": 1,
    }
    fluid = {"id": "Fluid", "density0": 1000, "viscosityMethod": 1, "Standard viscosity": {"viscosity": 0.01}}
    return {
        "Configuration": configuration,
        "Materials": [fluid],
        "RigidBodies": [tank],
        "FluidBlocks": [{"denseMode": 0, "start": [0.0, 0.0, 0.0], "end": list(COLUMN)}],
    }


class Stopwatch:
    """Called after every step; ends the process when it has measured enough."""

    def __init__(self, library: Any, arguments: argparse.Namespace, answer: int) -> None:
        self.library = library
        self.arguments = arguments
        self.answer = answer
        """File descriptor for the result: the library itself writes to standard output."""
        self.step = 0
        self.wall: list[float] = []
        self.simulated: list[float] = []
        self.iterations: list[tuple[int, int]] = []
        self.mark = (0.0, 0.0)

    def __call__(self) -> None:
        self.step += 1
        measured = self.step - self.arguments.warm_up
        if measured < 0:
            return
        if measured > 0:
            self._note_iterations()
        if measured % self.arguments.steps:
            return
        now = (time.perf_counter(), self.library.TimeManager.getCurrent().getTime())
        if measured > 0:
            self.wall.append((now[0] - self.mark[0]) / self.arguments.steps)
            self.simulated.append((now[1] - self.mark[1]) / self.arguments.steps)
            if len(self.wall) == self.arguments.batches:
                self._finish()
        self.mark = (time.perf_counter(), now[1])

    def _note_iterations(self) -> None:
        if self.arguments.method == "dfsph":
            solver = self.library.Simulation.getCurrent().getTimeStep()
            kind = self.library.TimeStepDFSPH
            counts = (solver.getValueUInt(kind.SOLVER_ITERATIONS), solver.getValueUInt(kind.SOLVER_ITERATIONS_V))
            self.iterations.append(counts)

    def _finish(self) -> None:
        simulation = self.library.Simulation.getCurrent()
        particles = simulation.getFluidModel(0).numActiveParticles()
        walls = 0
        if self.arguments.boundary == "akinci":
            models = (simulation.getBoundaryModel(index) for index in range(simulation.numberOfBoundaryModels()))
            walls = sum(model.numberOfParticles() for model in models)
        best = min(range(len(self.wall)), key=self.wall.__getitem__)
        count = max(len(self.iterations), 1)
        result = {
            "peer": "SPlisHSPlasH",
            "method": self.arguments.method,
            "boundary": self.arguments.boundary,
            "threads": self.arguments.threads,
            "radius": self.arguments.radius,
            "particles": particles,
            "wall_particles": walls,
            "s_per_step": self.wall[best],
            "s_per_step_median": sorted(self.wall)[len(self.wall) // 2],
            "particle_steps_per_s": particles / self.wall[best],
            "mean_dt": sum(self.simulated) / len(self.simulated),
            "simulated_per_wall_second": self.simulated[best] / self.wall[best],
            "iterations_pressure": sum(pair[0] for pair in self.iterations) / count,
            "iterations_divergence": sum(pair[1] for pair in self.iterations) / count,
            "time": self.library.TimeManager.getCurrent().getTime(),
            "steps": self.step,
            "peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        }
        os.write(self.answer, (json.dumps(result) + "\n").encode())
        os._exit(0)  # the library has no way to leave its loop, and crashes when torn down without a window


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--method", choices=sorted(METHODS), default="dfsph")
    parser.add_argument("--boundary", choices=sorted(BOUNDARIES), default="akinci")
    parser.add_argument("--radius", type=float, default=0.002, help="particle radius [m]; the spacing is twice as much")
    parser.add_argument("--error", type=float, default=0.05, help="DFSPH: allowed mean density error [%%]")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--warm-up", type=int, default=50, help="steps before the first measured one")
    parser.add_argument("--steps", type=int, default=20, help="steps in a batch")
    parser.add_argument("--batches", type=int, default=5)
    return parser.parse_args()


def main() -> None:
    arguments = parsed()
    os.environ["OMP_NUM_THREADS"] = str(arguments.threads)
    answer = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    import pysplishsplash as library

    with tempfile.TemporaryDirectory() as folder:
        description = Path(folder) / "scene.json"
        unit_box = Path(sys.executable).parent / "data" / "models" / "UnitBox.obj"
        description.write_text(json.dumps(scene(arguments, unit_box)), encoding="utf-8")
        base = library.Exec.SimulatorBase()
        base.init(sceneFile=str(description), useGui=False, initialPause=False, useCache=False, outputDir=folder, stopAt=1.0e9)
        base.initSimulation()
    base.setTimeStepCB(Stopwatch(library, arguments, answer))
    base.runSimulation()


if __name__ == "__main__":
    main()
