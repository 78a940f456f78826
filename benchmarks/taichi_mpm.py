"""A von Mises block in Taichi's MLS-MPM: run by the Python of Taichi's own environment, not by ours.

usage: taichi_mpm.py LAW COUNT SPACING DENSITY SHEAR BULK YIELD WARM_UP BATCHES STEPS THREADS; prints one JSON line.
LAW: `svd` is the usual form, Hencky strain from the singular values of F; `b` is the foam paper's form on b̄ without any
decomposition (η = 0); `sand` is Drucker–Prager by the singular values, with YIELD as its friction coefficient α.
"""

import json
import os
import sys
import time

import numpy as np

law, count = sys.argv[1], int(sys.argv[2])
spacing, rho, shear, bulk, strength = map(float, sys.argv[3:8])
warm_up, batches, steps, threads = map(int, sys.argv[8:12])
os.environ["TI_LOG_LEVEL"] = "error"
import taichi as ti  # noqa: E402

ti.init(arch=ti.cpu, default_fp=ti.f32, cpu_max_num_threads=threads, fast_math=True, log_level=ti.ERROR, random_seed=1)

side = round(count ** (1.0 / 3.0))
cells = side // 2 + 24
h, inverse = 2.0 * spacing, 0.5 / spacing
volume = spacing**3
mass = rho * volume
dt = 0.4 * h / ((bulk + 4.0 / 3.0 * shear) / rho) ** 0.5
limit = (2.0 / 3.0) ** 0.5 * strength
n = side**3

x, v = ti.Vector.field(3, ti.f32, n), ti.Vector.field(3, ti.f32, n)
C, F, J = ti.Matrix.field(3, 3, ti.f32, n), ti.Matrix.field(3, 3, ti.f32, n), ti.field(ti.f32, n)
momentum, node_mass = ti.Vector.field(3, ti.f32, (cells,) * 3), ti.field(ti.f32, (cells,) * 3)

lattice = np.stack(np.meshgrid(*[np.arange(side)] * 3, indexing="ij"), -1).reshape(-1, 3) + 0.5
jitter = np.random.default_rng(0).uniform(-0.15, 0.15, lattice.shape)
x.from_numpy(((lattice + jitter) * spacing + np.array([12 * h, 12 * h, 4 * h])).astype(np.float32))
F.from_numpy(np.tile(np.eye(3, dtype=np.float32), (n, 1, 1)))
J.fill(1.0)


@ti.func
def stress_svd(p, moved):
    U, sigma, V = ti.svd(moved, ti.f32)
    e = ti.Vector([ti.log(ti.max(sigma[d, d], 0.05)) for d in ti.static(range(3))])
    mean = e.sum() / 3.0
    dev = e - mean
    size = dev.norm() + 1e-20
    over = size - limit / (2.0 * shear)
    if over > 0:
        e = e - over / size * dev
    S, tau = ti.Matrix.zero(ti.f32, 3, 3), ti.Matrix.zero(ti.f32, 3, 3)
    for d in ti.static(range(3)):
        S[d, d] = ti.exp(e[d])
        tau[d, d] = 2.0 * shear * (e[d] - mean) + 3.0 * bulk * mean
    F[p] = U @ S @ V.transpose()
    return U @ tau @ U.transpose()


@ti.func
def stress_sand(p, moved):
    U, sigma, V = ti.svd(moved, ti.f32)
    e = ti.Vector([ti.log(ti.max(sigma[d, d], 0.05)) for d in ti.static(range(3))])
    whole = e.sum()
    dev = e - whole / 3.0
    size = dev.norm() + 1e-20
    if whole >= 0.0:  # tension carries nothing
        e = ti.Vector.zero(ti.f32, 3)
    else:
        over = size + 1.5 * bulk / shear * whole * strength
        if over > 0:
            e = e - over / size * dev
    mean = e.sum() / 3.0
    S, tau = ti.Matrix.zero(ti.f32, 3, 3), ti.Matrix.zero(ti.f32, 3, 3)
    for d in ti.static(range(3)):
        S[d, d] = ti.exp(e[d])
        tau[d, d] = 2.0 * shear * (e[d] - mean) + 3.0 * bulk * mean
    F[p] = U @ S @ V.transpose()
    return U @ tau @ U.transpose()


@ti.func
def stress_b(p, f):
    eye = ti.Matrix.identity(ti.f32, 3)
    J[p] *= f.determinant()
    b = f @ F[p] @ f.transpose()
    b *= ti.pow(b.determinant(), -1.0 / 3.0)
    third = b.trace() / 3.0
    dev = b - third * eye
    s = shear * dev.norm()
    if s > limit:
        b = dev * (limit / s) + third * eye
        b *= ti.pow(b.determinant(), -1.0 / 3.0)
    F[p] = b
    return shear * (b - b.trace() / 3.0 * eye) + 0.5 * bulk * (J[p] * J[p] - 1.0) * eye


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
        step = ti.Matrix.identity(ti.f32, 3) + dt * C[p]
        tau = ti.Matrix.zero(ti.f32, 3, 3)
        if ti.static(law == "svd"):
            tau = stress_svd(p, step @ F[p])
        elif ti.static(law == "sand"):
            tau = stress_sand(p, step @ F[p])
        else:
            tau = stress_b(p, step)
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
            u[2] -= dt * 9.81
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
places = x.to_numpy()
assert np.isfinite(places).all()
print(json.dumps({"particles": n, "s_per_step": min(seconds), "top": float(places[:, 2].max() - 4 * h)}))
