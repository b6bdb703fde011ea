#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Contacts: ms a step and phase, beside the number of pairs.

usage: contact.py --program build/bin/runcsofa [--threads N] [--steps N] [--case NAME] [--peer PEER]
                  [--fcl]

Cases with penalty contacts: pressed sheets of 1k, 10k and 100k triangles each (a moving one on a fixed one), a cloth of
10k triangles in folds that touches itself, 500 rigid balls and 500 rigid boxes that fall into a heap. Cases with
Lagrange multipliers: a block of 10 944 tetrahedra on a floor, each of the 500 points of its underside a contact, with
friction (1500 rows), without (500 rows), and with friction but without the matrix W.

PEER is the program runSofa of another build, its folder, or a command line with {steps} and {scene}:
  --peer /path/to/runSofa   --peer "runSofa -g batch -n {steps} {scene}"
It runs the same files. Its time is the difference of a long and a short run, without what the program needs to start;
the ratio is its time by ours.

--fcl: also the collision library FCL, where it is installed (libfcl-dev), on the same meshes: ms a step to fit its trees,
ms to find the triangles that intersect, and their number."""
import argparse
import json
import math
import os
import re
import shlex
import subprocess
import tempfile
import time

PIPELINE = """<DefaultAnimationLoop/><CollisionPipeline depth="10"/><BruteForceBroadPhase/>
<BVHNarrowPhase name="narrow"%s/><NewProximityIntersection alarmDistance="%g" contactDistance="%g"/>
<CollisionResponse response="PenalityContactForceField"/>
"""
PLUGINS = "".join('<RequiredPlugin pluginName="Sofa.Component.%s"/>\n' % name for name in (
    "AnimationLoop", "Collision.Detection.Algorithm", "Collision.Detection.Intersection", "Collision.Geometry",
    "Collision.Response.Contact", "Constraint.Lagrangian.Correction", "Constraint.Lagrangian.Solver",
    "LinearSolver.Direct", "LinearSolver.Iterative", "Mapping.NonLinear", "Mass",
    "ODESolver.Backward", "SolidMechanics.FEM.Elastic", "SolidMechanics.Spring", "StateContainer", "Topology.Container.Constant"))
SOLVER = """<EulerImplicitSolver/><CGLinearSolver iterations="20" tolerance="1e-6" threshold="1e-12"/>
"""
PHASES = ["bounding trees", "broad phase", "narrow phase", "response"]
BOX = [(-1, -1, -1), (1, -1, -1), (1, 1, -1), (-1, 1, -1), (-1, -1, 1), (1, -1, 1), (1, 1, 1), (-1, 1, 1)]
BOX_TRIANGLES = "0 2 1 0 3 2 4 5 6 4 6 7 0 1 5 0 5 4 2 3 7 2 7 6 1 2 6 1 6 5 3 0 4 3 4 7"


def sheet_mesh(n, place):
    points = [place(i / (n - 1), k / (n - 1)) for k in range(n) for i in range(n)]
    corners = [k * n + i for k in range(n - 1) for i in range(n - 1)]
    return points, [t for a in corners for t in ((a, a + 1, a + n), (a + 1, a + n + 1, a + n))]


def sheet(n, place):
    points, triangles = sheet_mesh(n, place)
    return '<MeshTopology position="%s" triangles="%s"/><MechanicalObject/>\n' % (
        " ".join("%.9g %.9g %.9g" % p for p in points), " ".join("%d %d %d" % t for t in triangles))


def scene(body, reach, log):
    return ('<Node name="root" dt="0.002" gravity="0 -9.81 0">\n' + PLUGINS +
            PIPELINE % (' printLog="1"' if log else "", 2 * reach, reach) + body + "</Node>\n")


def low_place(u, v):
    return u, 0.05 * math.sin(9 * u) * math.sin(8 * v), v


def high_place(gap):
    return lambda u, v: (0.02 + 0.96 * u, 0.05 * math.sin(9 * u) * math.sin(8 * v) + gap, 0.03 + 0.94 * v)


def pressed(n, log):
    low, high = sheet(n, low_place), sheet(n, high_place(0.06 / n))
    return scene('<Node name="low">' + low + '<TriangleCollisionModel simulated="0" moving="0"/></Node>\n'
                 '<Node name="high">' + SOLVER + high + '<UniformMass totalMass="1"/><MeshSpringForceField '
                 'stiffness="500" damping="1"/><TriangleCollisionModel/></Node>\n', 0.1 / n, log)


def folded(n, log):
    def place(u, v):
        fold = int(8 * u * 0.999999)
        along = 8 * u - fold
        return (0.2 * (along if fold % 2 == 0 else 1 - along), 0.006 * 8 * u + 0.0005 * math.sin(40 * v), v)
    return scene('<Node name="cloth">' + SOLVER + sheet(n, place) + '<UniformMass totalMass="1"/><MeshSpringForceField '
                 'stiffness="500" damping="1"/><TriangleCollisionModel selfCollision="1"/></Node>\n', 0.002, log)


def floor_place(u, v):
    return 12 * u - 6, 0.3 * (u - 0.5) ** 2, 12 * v - 6


def body_place(i, n, step):
    side = math.ceil((2 * n) ** (1 / 3))
    return (step * (i % side - side / 2) + 0.01 * (i % 7), 0.1 + step + step * (i // side ** 2),
            step * (i // side % side - side / 2) + 0.01 * (i % 5))


def heap(n, log):
    text = '<Node name="floor">' + sheet(9, floor_place) + (
        '<TriangleCollisionModel simulated="0" moving="0" contactStiffness="100"/></Node>\n')
    points = " ".join("%g %g %g" % tuple(0.2 * c for c in p) for p in BOX)
    for i in range(2 * n):
        body = ('<SphereCollisionModel template="Rigid3" radius="0.2" contactStiffness="100"/>' if i % 2 else
                '<Node><MeshTopology position="%s" triangles="%s"/><MechanicalObject/><RigidMapping/>'
                '<TriangleCollisionModel contactStiffness="100"/></Node>' % (points, BOX_TRIANGLES))
        text += ('<Node name="b%d">%s<MechanicalObject template="Rigid3" position="%g %g %g 0 0 0 1"/>'
                 '<UniformMass totalMass="1"/>%s</Node>\n' % ((i, SOLVER) + body_place(i, n, 0.5) + (body,)))
    return scene(text, 0.02, log)


CONSTRAINED_PHASES = ["CollisionPipeline", "factorise", "compliance", "multipliers", "correction"]
FRICTION = """<FreeMotionAnimationLoop/><%s tolerance="1e-7" maxIterations="1000"/>
<CollisionPipeline depth="10"/><BruteForceBroadPhase/><BVHNarrowPhase name="narrow"%s/>
<LocalMinDistance alarmDistance="0.02" contactDistance="0.005" angleCone="0.1"/>
<CollisionResponse response="FrictionContactConstraint" responseParams="mu=%g"/>
"""
# the corners of the six tetrahedra of a cell: the steps along x, y, z to each from the one before
PATHS = ("xyz", "xzy", "yxz", "yzx", "zxy", "zyx")
AXES = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}


def tetrahedra(n):
    """Those of a grid of n points along each axis, x fastest; all of positive volume."""
    number = lambda p: p[0] + n[0] * (p[1] + n[1] * p[2])
    found = []
    for cell in [(i, j, k) for k in range(n[2] - 1) for j in range(n[1] - 1) for i in range(n[0] - 1)]:
        for path in PATHS:
            corner, corners = cell, [number(cell)]
            for axis in path:
                corner = tuple(a + b for a, b in zip(corner, AXES[axis]))
                corners.append(number(corner))
            if path in ("xzy", "yxz", "zyx"):
                corners[2:] = corners[:1:-1]
            found.append(corners)
    return found


def block(log, solver="BlockGaussSeidelConstraintSolver", mu=0.4, n=(25, 5, 20)):
    """A soft block on a floor under an inclined gravity: each point of its underside is a contact."""
    points = " ".join("%.9g %.9g %.9g" % (0.1 * i, 0.1 * j + 0.005, 0.1 * k)
                      for k in range(n[2]) for j in range(n[1]) for i in range(n[0]))
    cells = " ".join("%d %d %d %d" % tuple(t) for t in tetrahedra(n))
    floor = ('<Node name="floor"><MeshTopology position="-5 0 -5 -5 0 9 9 0 9 9 0 -5" triangles="0 1 2 0 2 3"/><MechanicalObject/>'
             '<TriangleCollisionModel simulated="0" moving="0"/></Node>\n')
    body = ('<Node name="block"><EulerImplicitSolver/><SparseLDLSolver template="CompressedRowSparseMatrixMat3x3d"/>'
            '<MeshTopology position="%s" tetrahedra="%s"/><MechanicalObject/><UniformMass totalMass="200"/>'
            '<TetrahedronFEMForceField method="large" youngModulus="1e5" poissonRatio="0.3"/>'
            '<LinearSolverConstraintCorrection/><PointCollisionModel/></Node>\n' % (points, cells))
    return ('<Node name="root" dt="0.01" gravity="3 -9.81 0">\n' + PLUGINS +
            FRICTION % (solver, ' printLog="1"' if log else "", mu) +
            floor + body + "</Node>\n")


CASES = {
    "pressed 1k": lambda log: pressed(24, log),
    "pressed 10k": lambda log: pressed(71, log),
    "pressed 100k": lambda log: pressed(224, log),
    "folded 10k": lambda log: folded(71, log),
    "heap 1000": lambda log: heap(500, log),
    "block 10k": block,
    "smooth 10k": lambda log: block(log, mu=0),
    "unbuilt 10k": lambda log: block(log, "UnbuiltGaussSeidelConstraintSolver"),
}
CONSTRAINED = ("block 10k", "smooth 10k", "unbuilt 10k")


def pressed_meshes(n):
    """The sheets without the gap: FCL finds triangles that intersect, not those that are close."""
    return [sheet_mesh(n, low_place), sheet_mesh(n, high_place(0))]


def heap_meshes(n):
    """Boxes alone, so close that some overlap."""
    numbers = [int(k) for k in BOX_TRIANGLES.split()]
    triangles = [tuple(numbers[k:k + 3]) for k in range(0, len(numbers), 3)]
    meshes = [sheet_mesh(9, floor_place)]
    for i in range(2 * n):
        place = body_place(i, n, 0.42)
        meshes.append(([tuple(0.2 * c + x for c, x in zip(p, place)) for p in BOX], triangles))
    return meshes


# a mesh is not tested with itself: no folds
FCL_MESHES = {
    "pressed 1k": lambda: pressed_meshes(24),
    "pressed 10k": lambda: pressed_meshes(71),
    "pressed 100k": lambda: pressed_meshes(224),
    "heap 1000": lambda: heap_meshes(500),
}


def run(command, folder):
    begin = time.monotonic()
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit("%s ended with status %d:\n%s" % (shlex.join(command), done.returncode, done.stderr[-2000:]))
    return time.monotonic() - begin, done.stdout


def measure(args, name, folder):
    """ms a step of each phase and of the step; pairs of the last step."""
    path = os.path.join(folder, "contact.scn")
    with open(path, "w", encoding="utf-8") as file:
        file.write(CASES[name](True))
    log = run([args.program, "-g", "batch", "-n", str(args.steps), path], folder)[1]
    pairs = re.findall(r"(\d+) pairs of models, (\d+) pairs of elements, (\d+) detections", log)[-1]
    with open(path, "w", encoding="utf-8") as file:
        file.write(CASES[name](False))
    for steps in (1, 1 + args.steps):
        run([args.program, "-g", "batch", "-n", str(steps), "--threads", str(args.threads),
             "--computationTimeSampling", str(steps), "--computationTimeOutputType", "json", path], folder)
    ms = {}
    for row in timer_rows(folder, 1 + args.steps):
        ms[row["name"]] = ms.get(row["name"], 0) + 1e3 * row["seconds"] / args.steps
    for row in timer_rows(folder, 1):
        ms[row["name"]] = ms.get(row["name"], 0) - 1e3 * row["seconds"] / args.steps
    return ms, pairs


def constraint_part(ms):
    return sum(ms.get(phase, 0) for phase in ("compliance", "multipliers", "correction"))


def peer_command(peer):
    """The command line of a peer, given as such, as a program or as a folder with one."""
    if "{scene}" in peer:
        return peer
    for path in (peer, os.path.join(peer, "runSofa"), os.path.join(peer, "bin", "runSofa")):
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return shlex.quote(os.path.abspath(path)) + " -g batch -n {steps} {scene}"
    raise SystemExit("contact.py: '%s' is neither a program nor a folder with a runSofa" % peer)


def timer_rows(folder, steps):
    with open(os.path.join(folder, "contact_%06d.json" % steps), encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def measure_peer(args, name, folder):
    path = os.path.join(folder, "contact.scn")
    with open(path, "w", encoding="utf-8") as file:
        file.write(CASES[name](False))
    times = []
    for steps in (1, args.steps + 1):
        command = [word.format(steps=steps, scene=path) for word in shlex.split(args.peer)]
        times.append(run(command, folder)[0])
    return 1e3 * (times[1] - times[0]) / args.steps


def print_header(phases, args):
    print("%-13s %9s %9s %9s" % ("case", "models", "elements", "found") +
          "".join("%18s" % p for p in phases + ["step"]) +
          ("%14s" % "part/factor" if "factorise" in phases else "") +
          ("%12s %7s" % ("peer ms", "ratio") if args.peer else ""))


def print_case(args, name, phases):
    with tempfile.TemporaryDirectory() as folder:
        ms, pairs = measure(args, name, folder)
        line = "%-13s %9s %9s %9s" % ((name,) + pairs) + "".join("%18.3f" % ms.get(c, 0) for c in phases + ["step"])
        if "factorise" in phases:
            line += "%14.2f" % (constraint_part(ms) / ms["factorise"])
        if args.peer:
            peer = measure_peer(args, name, folder)
            line += "%12.1f %7.2f" % (peer, peer / ms["step"])
        print(line, flush=True)


def build_fcl(folder):
    """The program contact_fcl.cpp, or None where FCL is not installed."""
    packages = ["pkg-config", "--cflags", "--libs", "fcl", "eigen3"]
    flags = subprocess.run(packages, capture_output=True, text=True)
    if flags.returncode:
        print("FCL is not installed (libfcl-dev)")
        return None
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "contact_fcl.cpp")
    program = os.path.join(folder, "contact_fcl")
    run(["c++", "-O2", source, "-o", program] + flags.stdout.split() + ["-std=c++17"], folder)
    return program


def measure_fcl(program, name, steps, folder):
    path = os.path.join(folder, "meshes.txt")
    with open(path, "w", encoding="utf-8") as file:
        for points, triangles in FCL_MESHES[name]():
            file.write("mesh %d %d\n" % (len(points), len(triangles)))
            file.writelines("%.9g %.9g %.9g\n" % p for p in points)
            file.writelines("%d %d %d\n" % t for t in triangles)
    return run([program, str(steps), path], folder)[1].split()


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--program", required=True)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--case", choices=CASES)
    parser.add_argument("--peer")
    parser.add_argument("--fcl", action="store_true")
    args = parser.parse_args()
    args.program = os.path.abspath(args.program)
    if args.peer:
        args.peer = peer_command(args.peer)
    wanted = [args.case] if args.case else list(CASES)
    for phases, names in ((PHASES, [n for n in wanted if n not in CONSTRAINED]),
                          (CONSTRAINED_PHASES, [n for n in wanted if n in CONSTRAINED])):
        if names:
            print_header(phases, args)
        for name in names:
            print_case(args, name, phases)
    if not args.peer:
        print("no peer: --peer /path/to/runSofa compares with SOFA on the same files")
    if args.fcl:
        report_fcl(wanted, args.steps)


def report_fcl(names, steps):
    with tempfile.TemporaryDirectory() as folder:
        program = build_fcl(folder)
        for name in names if program else []:
            if name in FCL_MESHES:
                print("%-13s FCL: fit %s ms, find %s ms, %s pairs intersect" % (
                    (name,) + tuple(measure_fcl(program, name, steps, folder))), flush=True)


if __name__ == "__main__":
    main()
