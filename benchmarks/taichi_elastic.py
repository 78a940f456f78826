"""A fixed-corotated block in Taichi's explicit MLS-MPM: run by the Python of Taichi's own environment, not by ours.

usage: taichi_elastic.py COUNT SPACING DENSITY MU LAMBDA COURANT WARM_UP BATCHES STEPS THREADS [ROOM [RING PERIODS]]

Prints one JSON line. ROOM: how many times as long as the block's own the grid is along x (1). RING: instead of falling on the
floor, the block floats free and starts with this speed [m/s] in its first mode along x; the amplitude of the mode is recorded
for PERIODS periods of a bar with ν = 0.
"""

import json
import os
import sys
import time

import numpy as np

count = int(sys.argv[1])
spacing, rho, mu, lam, courant = map(float, sys.argv[2:7])
warm_up, batches, steps, threads = map(int, sys.argv[7:11])
room = float(sys.argv[11]) if len(sys.argv) > 11 else 1.0
ring, periods = (float(sys.argv[12]), float(sys.argv[13])) if len(sys.argv) > 13 else (0.0, 0.0)
os.environ["TI_LOG_LEVEL"] = "error"
import taichi as ti  # noqa: E402

ti.init(arch=ti.cpu, default_fp=ti.f32, cpu_max_num_threads=threads, fast_math=True, log_level=ti.ERROR, random_seed=1)

side = round(count ** (1.0 / 3.0))
cells = side // 2 + 24
h, inverse = 2.0 * spacing, 0.5 / spacing
volume = spacing**3
mass = rho * volume
dt = courant * h / ((lam + 2.0 * mu) / rho) ** 0.5
n = side**3
gravity = 0.0 if ring else 9.81

x, v = ti.Vector.field(3, ti.f32, n), ti.Vector.field(3, ti.f32, n)
C, F = ti.Matrix.field(3, 3, ti.f32, n), ti.Matrix.field(3, 3, ti.f32, n)
shape = (round(cells * room), cells, cells)
momentum, node_mass = ti.Vector.field(3, ti.f32, shape), ti.field(ti.f32, shape)
lattice = np.stack(np.meshgrid(*[np.arange(side)] * 3, indexing="ij"), -1).reshape(-1, 3) + 0.5
low = np.array([12 * h, 12 * h, 12 * h if ring else 4 * h])
x.from_numpy((lattice * spacing + low).astype(np.float32))
mode = np.sin(np.pi * (lattice[:, 0] / side - 0.5))
start = np.zeros((n, 3), np.float32)
if ring:
    start[:, 0] = ring * mode
else:
    start[:, 2] = -1.0
v.from_numpy(start)
F.from_numpy(np.tile(np.eye(3, dtype=np.float32), (n, 1, 1)))


@ti.kernel
def clear():
    for node in ti.grouped(node_mass):
        node_mass[node] = 0.0
        momentum[node] = ti.Vector.zero(ti.f32, 3)


@ti.kernel
def scatter():
    for p in x:
        base = (x[p] * inverse - 0.5).cast(int)
        f = x[p] * inverse - base.cast(ti.f32)
        w = [0.5 * (1.5 - f) ** 2, 0.75 - (f - 1.0) ** 2, 0.5 * (f - 0.5) ** 2]
        F[p] = (ti.Matrix.identity(ti.f32, 3) + dt * C[p]) @ F[p]
        U, sigma, V = ti.svd(F[p], ti.f32)
        J = sigma[0, 0] * sigma[1, 1] * sigma[2, 2]
        R = U @ V.transpose()
        tau = 2.0 * mu * (F[p] - R) @ F[p].transpose() + ti.Matrix.identity(ti.f32, 3) * lam * J * (J - 1.0)
        A = (-dt * volume * 4.0 * inverse * inverse) * tau + mass * C[p]
        for i, j, k in ti.static(ti.ndrange(3, 3, 3)):
            offset = (ti.Vector([i, j, k]).cast(ti.f32) - f) * h
            weight = w[i][0] * w[j][1] * w[k][2]
            momentum[base + ti.Vector([i, j, k])] += weight * (mass * v[p] + A @ offset)
            node_mass[base + ti.Vector([i, j, k])] += weight * mass


@ti.kernel
def update():
    for i, j, k in node_mass:
        if node_mass[i, j, k] > 0:
            u = momentum[i, j, k] / node_mass[i, j, k]
            u[2] -= dt * gravity
            if k <= 4:
                u[2] = ti.max(u[2], 0.0)
            momentum[i, j, k] = u


@ti.kernel
def gather():
    for p in x:
        base = (x[p] * inverse - 0.5).cast(int)
        f = x[p] * inverse - base.cast(ti.f32)
        w = [0.5 * (1.5 - f) ** 2, 0.75 - (f - 1.0) ** 2, 0.5 * (f - 0.5) ** 2]
        velocity, affine = ti.Vector.zero(ti.f32, 3), ti.Matrix.zero(ti.f32, 3, 3)
        for i, j, k in ti.static(ti.ndrange(3, 3, 3)):
            offset = ti.Vector([i, j, k]).cast(ti.f32) - f
            u = momentum[base + ti.Vector([i, j, k])]
            weight = w[i][0] * w[j][1] * w[k][2]
            velocity += weight * u
            affine += 4.0 * inverse * weight * u.outer_product(offset)
        v[p], C[p] = velocity, affine
        x[p] += dt * velocity


def advance() -> None:
    clear()
    scatter()
    update()
    gather()


def fall() -> dict:
    """Seconds of computing for a step, and whether it was stable."""
    for _ in range(warm_up):
        advance()
    ti.sync()
    seconds = []
    for _ in range(batches):
        begin = time.perf_counter()
        for _ in range(steps):
            advance()
        ti.sync()
        seconds.append((time.perf_counter() - begin) / steps)
    places, speeds = x.to_numpy(), v.to_numpy()
    stable = bool(np.isfinite(places).all() and np.abs(speeds).max() < 10.0)
    return {"particles": n, "s_per_step": min(seconds), "dt": dt, "stable": stable, "nodes": int(np.prod(shape))}


def sound() -> dict:
    """Amplitude of the first mode over time, and seconds of computing for it."""
    advance()  # compiles
    x.from_numpy((lattice * spacing + low).astype(np.float32))
    v.from_numpy(start)
    F.from_numpy(np.tile(np.eye(3, dtype=np.float32), (n, 1, 1)))
    period = 2.0 * side * spacing / (2.0 * mu / rho) ** 0.5
    affine = np.zeros((n, 3, 3), np.float32)  # the gradient belongs to the mode as the velocity does
    affine[:, 0, 0] = ring * np.pi / (side * spacing) * np.cos(np.pi * (lattice[:, 0] / side - 0.5))
    C.from_numpy(affine)
    count = round(periods * period / dt)
    every = max(1, count // 160)
    times, series, spent = [0.0], [1.0], 0.0
    for step in range(0, count, every):
        ti.sync()
        begin = time.perf_counter()
        for _ in range(every):
            advance()
        ti.sync()
        spent += time.perf_counter() - begin
        times.append((step + every) * dt)
        series.append(float(v.to_numpy()[:, 0] @ mode / (ring * (mode @ mode))))
    return {"particles": n, "dt": dt, "time": times, "amplitude": series, "s_per_s": spent / times[-1]}


print(json.dumps(sound() if ring else fall()))
