#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Contacts: ms a step and phase, beside the number of pairs.

usage: contact.py --program build/bin/runcsofa [--threads N] [--steps N] [--case NAME] [--peer "runSofa -g batch -n {steps} {scene}"]

Cases: pressed sheets of 1k, 10k and 100k triangles each (a moving one on a fixed one), a cloth of 10k triangles in
folds that touches itself, 500 rigid balls and 500 rigid boxes that fall into a heap. A peer's time is the difference of a
long and a short run."""
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
    "Collision.Detection.Algorithm", "Collision.Detection.Intersection", "Collision.Geometry",
    "Collision.Response.Contact", "LinearSolver.Iterative", "Mapping.NonLinear", "Mass",
    "ODESolver.Backward", "SolidMechanics.Spring", "StateContainer", "Topology.Container.Constant"))
SOLVER = """<EulerImplicitSolver/><CGLinearSolver iterations="20" tolerance="1e-6" threshold="1e-12"/>
"""
PHASES = ["bounding trees", "broad phase", "narrow phase", "response"]
BOX = [(-1, -1, -1), (1, -1, -1), (1, 1, -1), (-1, 1, -1), (-1, -1, 1), (1, -1, 1), (1, 1, 1), (-1, 1, 1)]
BOX_TRIANGLES = "0 2 1 0 3 2 4 5 6 4 6 7 0 1 5 0 5 4 2 3 7 2 7 6 1 2 6 1 6 5 3 0 4 3 4 7"


def sheet(n, place):
    points = " ".join("%.9g %.9g %.9g" % place(i / (n - 1), k / (n - 1)) for k in range(n) for i in range(n))
    corners = [k * n + i for k in range(n - 1) for i in range(n - 1)]
    triangles = " ".join("%d %d %d %d %d %d" % (a, a + 1, a + n, a + 1, a + n + 1, a + n) for a in corners)
    return '<MeshTopology position="%s" triangles="%s"/><MechanicalObject/>\n' % (points, triangles)


def scene(body, reach, log):
    return ('<Node name="root" dt="0.002" gravity="0 -9.81 0">\n' + PLUGINS +
            PIPELINE % (' printLog="1"' if log else "", 2 * reach, reach) + body + "</Node>\n")


def pressed(n, log):
    low = sheet(n, lambda u, v: (u, 0.05 * math.sin(9 * u) * math.sin(8 * v), v))
    high = sheet(n, lambda u, v: (0.02 + 0.96 * u, 0.05 * math.sin(9 * u) * math.sin(8 * v) + 0.06 / n, 0.03 + 0.94 * v))
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


def heap(n, log):
    text = '<Node name="floor">' + sheet(9, lambda u, v: (12 * u - 6, 0.3 * (u - 0.5) ** 2, 12 * v - 6)) + (
        '<TriangleCollisionModel simulated="0" moving="0" contactStiffness="100"/></Node>\n')
    points = " ".join("%g %g %g" % tuple(0.2 * c for c in p) for p in BOX)
    side = math.ceil((2 * n) ** (1 / 3))
    for i in range(2 * n):
        place = (0.5 * (i % side - side / 2) + 0.01 * (i % 7), 0.6 + 0.5 * (i // side ** 2),
                 0.5 * (i // side % side - side / 2) + 0.01 * (i % 5))
        body = ('<SphereCollisionModel template="Rigid3" radius="0.2" contactStiffness="100"/>' if i % 2 else
                '<Node><MeshTopology position="%s" triangles="%s"/><MechanicalObject/><RigidMapping/>'
                '<TriangleCollisionModel contactStiffness="100"/></Node>' % (points, BOX_TRIANGLES))
        text += ('<Node name="b%d">%s<MechanicalObject template="Rigid3" position="%g %g %g 0 0 0 1"/>'
                 '<UniformMass totalMass="1"/>%s</Node>\n' % ((i, SOLVER) + place + (body,)))
    return scene(text, 0.02, log)


CASES = {
    "pressed 1k": lambda log: pressed(24, log),
    "pressed 10k": lambda log: pressed(71, log),
    "pressed 100k": lambda log: pressed(224, log),
    "folded 10k": lambda log: folded(71, log),
    "heap 1000": lambda log: heap(500, log),
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
    run([args.program, "-g", "batch", "-n", str(args.steps), "--threads", str(args.threads),
         "--computationTimeSampling", str(args.steps), "--computationTimeOutputType", "json", path], folder)
    with open(os.path.join(folder, "contact_%06d.json" % args.steps), encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    ms = {}
    for row in rows:
        ms[row["name"]] = ms.get(row["name"], 0) + 1e3 * row["seconds"] / row["steps"]
    return ms, pairs


def measure_peer(args, name, folder):
    path = os.path.join(folder, "contact.scn")
    with open(path, "w", encoding="utf-8") as file:
        file.write(CASES[name](False))
    times = []
    for steps in (1, args.steps + 1):
        command = [word.format(steps=steps, scene=path) for word in shlex.split(args.peer)]
        times.append(run(command, folder)[0])
    return 1e3 * (times[1] - times[0]) / args.steps


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--program", required=True)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--case")
    parser.add_argument("--peer")
    args = parser.parse_args()
    args.program = os.path.abspath(args.program)
    columns = PHASES + ["step"]
    print("%-13s %9s %9s %9s" % ("case", "models", "elements", "found") + "".join("%16s" % c for c in columns) +
          ("%12s" % "peer ms" if args.peer else ""))
    for name in [args.case] if args.case else CASES:
        with tempfile.TemporaryDirectory() as folder:
            ms, pairs = measure(args, name, folder)
            line = "%-13s %9s %9s %9s" % ((name,) + pairs) + "".join("%16.3f" % ms.get(c, 0) for c in columns)
            print(line + ("%12.1f" % measure_peer(args, name, folder) if args.peer else ""), flush=True)


if __name__ == "__main__":
    main()
