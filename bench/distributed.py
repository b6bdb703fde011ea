#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A beam of linear tetrahedra on several processes: the equilibrium under its weight, fixed at one end, by conjugate
gradients with smoothed aggregation to |b - A x| = 1e-8 |b|; and steps of its motion.

usage: distributed.py [--program build/bin/runcsofa] [--parts iterations,strong,weak,memory,steps] [--json FILE]
                      [--iterations 10k,100k,1M] [--strong 1M] [--memory 1M]

The beam has n x n x L cubes of six tetrahedra and is read from a binary Gmsh file. Of each process: processor time and
the largest memory that it had; of the first: bytes that it sent, those of PETSc included, those inside hypre (triple
products of coarse matrices) not. One process is the program without mpirun. `seconds` is the time on the clock between start and end: of use on an idle machine alone."""
import argparse
import array
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import time

CELLS = {"1k": 4, "10k": 7, "100k": 16, "1M": 35, "4M": 55}
SOLVER = '<PETScLinearSolver name="linear" printLog="1" ksp="cg" pc="gamg" tolerance="1e-8" iterations="2000"/>'
STATIC = '<StaticSolver newton_iterations="1" relative_residual_tolerance_threshold="1e-6"/>'
EULER = '<EulerImplicitSolver rayleighStiffness="0.01"/>'
SCENE = """<Node name="root" dt="0.01" gravity="0 -9.81 0">
  <RequiredPlugin pluginName="Sofa.Component SofaPETSc"/>
  <DefaultAnimationLoop/>
  <DefaultVisualManagerLoop/>
  <Node name="beam">
    %s
    %s
    <MeshGmshLoader name="mesh" filename="%s"/>
    <TetrahedronSetTopologyContainer name="tetrahedra" src="@mesh"/>
    <MechanicalObject name="state" src="@mesh"/>
    <UniformMass totalMass="60"/>
    <TetrahedronFEMForceField method="small" youngModulus="1e6" poissonRatio="0.3"/>
    <BoxROI name="end" box="-1 -1 -0.0001 2 2 0.0001"/>
    <FixedProjectiveConstraint indices="@end.indices"/>
  </Node>
</Node>
"""
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_mpi_yield_when_idle="1", OMP_NUM_THREADS="1",
                   OMPI_MCA_btl_base_warn_component_unused="0")


def write_mesh(path, n, length):
    """n x n x length cubes of six tetrahedra; 0.25 m x 0.25 m, cubes as long as wide."""
    rows, size = n + 1, 0.25 / n
    with open(path, "wb") as out:
        out.write(b"$MeshFormat\n2.2 1 8\n" + struct.pack("<i", 1) + b"\n$EndMeshFormat\n$Nodes\n%d\n"
                  % (rows * rows * (length + 1)))
        point = 0
        for k in range(length + 1):
            layer = bytearray()
            for j in range(rows):
                for i in range(rows):
                    point += 1
                    layer += struct.pack("<i3d", point, i * size, j * size, k * size)
            out.write(layer)
        out.write(b"\n$EndNodes\n$Elements\n%d\n" % (6 * n * n * length))
        out.write(struct.pack("<3i", 4, 6 * n * n * length, 2))
        number = 0
        for k in range(length):
            cells = array.array("i")
            for j in range(n):
                for i in range(n):
                    a = 1 + i + rows * (j + rows * k)
                    up, along = rows, rows * rows
                    g = a + 1 + up + along
                    ring = (a + 1, a + 1 + up, a + up, a + up + along, a + along, a + 1 + along)
                    for s in range(6):
                        number += 1
                        cells.extend((number, 0, 0, a, ring[s], ring[(s + 1) % 6], g))
            out.write(cells.tobytes())
        out.write(b"\n$EndElements\n")


def child(report, arguments):
    """Of one process: what it used, in a file of its rank."""
    begin = os.spawnvp(os.P_NOWAIT, arguments[0], arguments)
    _, status, usage = os.wait4(begin, 0)
    with open("%s.%s" % (report, os.environ.get("OMPI_COMM_WORLD_RANK", "0")), "w") as out:
        json.dump({"bytes": usage.ru_maxrss * 1024, "seconds": usage.ru_utime + usage.ru_stime}, out)
    return os.waitstatus_to_exitcode(status)


def run(program, folder, n, steps, text):
    """Rows of the processes, what they said, seconds on the clock."""
    path, report = os.path.join(folder, "beam.scn"), os.path.join(folder, "usage")
    with open(path, "w") as out:
        out.write(text)
    start = [sys.executable, os.path.abspath(__file__), "--child", report, program, "--hideProgressBar", "-n", str(steps),
             "--record", "/beam/linear.bytesSent", "--record-file", os.path.join(folder, "bytes.csv")]
    start = ["mpirun", "-n", str(n)] + start + ["--distributed"] if n > 1 else start + ["-g", "batch"]
    begin = time.time()
    done = subprocess.run(start + [path], env=ENVIRONMENT, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True)
    seconds = time.time() - begin
    if done.returncode:
        return None, done.stdout, seconds
    return [json.load(open("%s.%d" % (report, k))) for k in range(n)], done.stdout, seconds


def sent(folder):
    with open(os.path.join(folder, "bytes.csv")) as file:
        values = [float(line.split(",")[-1]) for line in file if line[0].isdigit()]
    return values


def measure(options, part, cells, n, steps=1, ode=STATIC):
    width, length = cells
    folder, mesh = options.folder, "beam_%d_%d.msh" % cells
    if not os.path.exists(os.path.join(folder, mesh)):
        write_mesh(os.path.join(folder, mesh), width, length)
    text = SCENE % (ode, SOLVER, mesh)
    before, said, _ = run(options.program, folder, n, 0, text)
    row = {"part": part, "tetrahedra": 6 * width * width * length, "processes": n, "steps": steps}
    if before:
        after, said, row["seconds"] = run(options.program, folder, n, steps, text)
    if not before or not after:
        row["failed"] = said.strip()[-300:]
        return row
    bytes_sent = sent(folder)
    row["iterations"] = [int(k) for k in re.findall(r"(\d+) iterations, \|r\|", said)]
    row["largest_bytes"] = max(r["bytes"] for r in after)
    row["scene_bytes"] = max(r["bytes"] for r in before)
    row["all_bytes"] = sum(r["bytes"] for r in after)
    row["cpu"] = max(a["seconds"] - b["seconds"] for a, b in zip(after, before))
    row["all_cpu"] = sum(a["seconds"] - b["seconds"] for a, b in zip(after, before))
    row["sent_bytes"] = (bytes_sent[-1] - bytes_sent[0]) / steps if steps else 0
    row["sent_last_step"] = bytes_sent[-1] - bytes_sent[-2] if steps > 1 else bytes_sent[-1] - bytes_sent[0]
    return row


def show(row):
    head = "%-10s %9d tetrahedra %2d processes  " % (row["part"], row["tetrahedra"], row["processes"])
    if "failed" in row:
        return head + "failed: " + row["failed"].replace("\n", " | ")
    return head + "%3d iterations  %7.2f s of one, %7.2f s of all  %6.3f GB largest, %6.3f GB scene  %8.3f MB sent per step" % (
        row["iterations"][-1] if row["iterations"] else -1, row["cpu"], row["all_cpu"], row["largest_bytes"] / 1e9,
        row["scene_bytes"] / 1e9, row["sent_bytes"] / 1e6)


def cases(options):
    """(part, cells, processes, steps, ode)"""
    parts = options.parts.split(",")
    beam = lambda name: (CELLS[name], 4 * CELLS[name])
    if "iterations" in parts:
        for size in options.iterations.split(","):
            for n in (1, 2):
                yield "iterations", beam(size), n, 1, STATIC
    if "strong" in parts:
        for n in (1, 2):
            yield "strong", beam(options.strong), n, 1, STATIC
    if "weak" in parts:
        yield "weak", (16, 64), 1, 1, STATIC
        yield "weak", (16, 128), 2, 1, STATIC
    if "steps" in parts:
        for n in (1, 2, 4):
            yield "steps", beam("100k"), n, 5, EULER
    if "memory" in parts:
        for n in (1, 2, 4):
            yield "memory", beam(options.memory), n, 1, STATIC


def main():
    if sys.argv[1:2] == ["--child"]:
        return child(sys.argv[2], sys.argv[3:])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/bin/runcsofa")
    parser.add_argument("--parts", default="iterations,weak,strong,steps,memory")
    parser.add_argument("--iterations", default="10k,100k,1M")
    parser.add_argument("--strong", default="1M")
    parser.add_argument("--memory", default="1M")
    parser.add_argument("--json")
    options = parser.parse_args()
    options.program = os.path.abspath(options.program)
    rows = []
    with tempfile.TemporaryDirectory(prefix="csofa-distributed-") as options.folder:
        for part, cells, n, steps, ode in cases(options):
            rows.append(measure(options, part, cells, n, steps, ode))
            print(show(rows[-1]), flush=True)
    if options.json:
        with open(options.json, "w") as out:
            json.dump(rows, out, indent=1)
    return 1 if any("failed" in row for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
