#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Equilibrium of a beam of linear tetrahedra under its weight, fixed at one end, solved by PETSc and by
a Cholesky factor: iterations, processor time and memory by the size of the mesh.

usage: petsc.py [--program build/bin/runcsofa] [--tetrahedra 10k,100k,1M] [--solvers NAME,...] [--json FILE]

The beam has n x n x 4n cubes of six tetrahedra. Iterative solvers stop at |b - A x| = 1e-8 |b|. The
time is that of the process (user and system), less that of a run without a step, which reads the
scene and makes the mesh. The memory is the largest that the process had; "scene" is that of the run
without a step."""
import argparse
import json
import os
import re
import resource
import subprocess
import sys
import tempfile

CELLS = {"1k": 4, "10k": 7, "100k": 16, "1M": 35, "4M": 55}
_PETSC = '<PETScLinearSolver name="linear" printLog="1" ksp="cg" tolerance="1e-8" iterations="20000" %s/>'
SOLVERS = {
    "gamg": _PETSC % 'pc="gamg" options="-pc_gamg_threshold 0.01"',
    "hypre": _PETSC % 'pc="hypre" options="-pc_hypre_boomeramg_strong_threshold 0.5"',
    "icc": _PETSC % 'pc="icc" matrix="sbaij"',
    "jacobi": _PETSC % 'pc="pbjacobi"',
    "SparseLDL": '<SparseLDLSolver name="linear"/>',
}

_SCENE = """<Node name="root" dt="1" gravity="0 -9.81 0">
  <RequiredPlugin pluginName="Sofa.Component SofaPETSc"/>
  <DefaultAnimationLoop/>
  <DefaultVisualManagerLoop/>
  <Node name="beam">
    <StaticSolver newton_iterations="1" relative_residual_tolerance_threshold="1e-6"/>
    {solver}
    <RegularGridTopology name="grid" n="{n}" min="0 0 0" max="0.25 0.25 1"/>
    <MechanicalObject name="state"/>
    <UniformMass totalMass="60"/>
    <BoxROI name="end" box="-1 -1 -0.0001 2 2 0.0001"/>
    <FixedProjectiveConstraint indices="@end.indices"/>
    <Node name="elements">
      <TetrahedronSetTopologyContainer name="tetrahedra"/>
      <TetrahedronSetTopologyModifier/>
      <Hexa2TetraTopologicalMapping input="@../grid" output="@tetrahedra"/>
      <TetrahedronFEMForceField method="small" youngModulus="1e6" poissonRatio="0.3"/>
    </Node>
  </Node>
</Node>
"""


def run(program, path, steps):
    """What it said, seconds of processor time, bytes."""
    with tempfile.TemporaryFile("w+") as out:
        child = subprocess.Popen([program, "-g", "batch", "-n", str(steps), "--hideProgressBar", path],
                                 stdout=out, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(child.pid, 0)
        out.seek(0)
        text = out.read()
    if status:
        return text, None, usage.ru_maxrss * 1024
    return text, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def measure(program, folder, size, solver):
    n = CELLS[size]
    path = os.path.join(folder, "beam.scn")
    with open(path, "w") as out:
        out.write(_SCENE.format(n="%d %d %d" % (n + 1, n + 1, 4 * n + 1), solver=SOLVERS[solver]))
    _, before, scene = run(program, path, 0)
    text, seconds, memory = run(program, path, 1)
    row = {"tetrahedra": 24 * n ** 3, "solver": solver, "scene_bytes": scene, "bytes": memory}
    if seconds is None or "not converged" in text:
        row["failed"] = text.strip().splitlines()[-1] if text.strip() else "killed"
        return row
    row["seconds"] = seconds - before
    found = re.search(r"(\d+) iterations, \|r\|/\|b\| = (\S+),", text)
    if found:
        row["iterations"], row["residual"] = int(found.group(1)), float(found.group(2))
    return row


def show(row):
    if "failed" in row:
        return "%9d  %-10s failed: %s" % (row["tetrahedra"], row["solver"], row["failed"][:100])
    return "%9d  %-10s %10s %9.2f s %8.2f GB (scene %.2f GB)" % (
        row["tetrahedra"], row["solver"], row.get("iterations", ""), row["seconds"], row["bytes"] / 1e9,
        row["scene_bytes"] / 1e9)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/bin/runcsofa")
    parser.add_argument("--tetrahedra", default="10k,100k,1M")
    parser.add_argument("--solvers", default="gamg,hypre,icc,jacobi,SparseLDL")
    parser.add_argument("--memory", type=float, default=0, help="largest address space of a run, GB; 0: any")
    parser.add_argument("--json")
    options = parser.parse_args()
    if options.memory:
        limit = int(options.memory * 1e9)
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    rows = []
    print("tetrahedra  solver     iterations   processor   memory")
    with tempfile.TemporaryDirectory() as folder:
        for size in options.tetrahedra.split(","):
            for solver in options.solvers.split(","):
                rows.append(measure(options.program, folder, size, solver))
                print(show(rows[-1]), flush=True)
    if options.json:
        with open(options.json, "w") as out:
            json.dump(rows, out, indent=1)
    return 1 if all("failed" in row for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
