#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Times the reading of a Gmsh file of a million tetrahedra, text and binary.

usage: mesh_files.py [--program RUNCSOFA] [--cells N]
Each file is read by MeshGmshLoader in a scene of its own; the time is that of the program's phase
`load`, the best of three: of the reading alone, then with createSubelements."""
import argparse
import array
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
LIMITS = {"text": 2.0, "binary": 1.0}  # s
SCENE = """<Node name="root">
  <DefaultAnimationLoop/>
  <MeshGmshLoader name="loader" filename="%s" createSubelements="%d"/>
</Node>
"""
# corners of the six tetrahedra of a cell, as bits x + 2 y + 4 z
TETRAHEDRA = [(0, 5, 1, 7), (0, 1, 3, 7), (0, 3, 2, 7), (0, 2, 6, 7), (0, 6, 4, 7), (0, 4, 5, 7)]


def mesh(n):
    """Coordinates (flat) and node numbers from 1 of the tetrahedra of n x n x n cells."""
    points, elements, w = array.array("d"), array.array("q"), n + 1
    for z in range(w):
        for y in range(w):
            for x in range(w):
                points.extend((x / n, y / n, z / n))
    corner = [(k & 1) + w * (k >> 1 & 1) + w * w * (k >> 2) for k in range(8)]
    steps = [corner[k] for tetra in TETRAHEDRA for k in tetra]
    for z in range(n):
        for y in range(n):
            first = 1 + w * (y + w * z)
            for x in range(first, first + n):
                elements.extend([x + step for step in steps])
    return points, elements


def write_text(path, points, elements):
    with open(path, "w", encoding="ascii") as file:
        file.write("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%d\n" % (len(points) // 3))
        file.writelines("%d %.16g %.16g %.16g\n" % (i // 3 + 1, *points[i:i + 3])
                        for i in range(0, len(points), 3))
        file.write("$EndNodes\n$Elements\n%d\n" % (len(elements) // 4))
        file.writelines("%d 4 2 0 1 %d %d %d %d\n" % (i // 4 + 1, *elements[i:i + 4])
                        for i in range(0, len(elements), 4))
        file.write("$EndElements\n")


def write_binary(path, points, elements):
    n, m = len(points) // 3, len(elements) // 4
    tags, numbers = array.array("q", range(1, n + 1)), array.array("q")
    for i in range(m):
        numbers.append(i + 1)
        numbers.extend(elements[4 * i:4 * i + 4])
    with open(path, "wb") as file:
        file.write(b"$MeshFormat\n4.1 1 8\n" + array.array("i", [1]).tobytes())
        file.write(b"\n$EndMeshFormat\n$Nodes\n" + array.array("q", [1, n, 1, n]).tobytes())
        file.write(array.array("i", [3, 1, 0]).tobytes() + array.array("q", [n]).tobytes())
        file.write(tags.tobytes() + points.tobytes())
        file.write(b"\n$EndNodes\n$Elements\n" + array.array("q", [1, m, 1, m]).tobytes())
        file.write(array.array("i", [3, 1, 4]).tobytes() + array.array("q", [m]).tobytes())
        file.write(numbers.tobytes() + b"\n$EndElements\n")


def load_seconds(program, folder, name, subelements):
    scene = os.path.join(folder, name + ".scn")
    with open(scene, "w", encoding="utf-8") as file:
        file.write(SCENE % (os.path.join(folder, name + ".msh"), subelements))
    best = None
    for _ in range(3):
        subprocess.run([program, "-g", "batch", "-n", "1", "--hideProgressBar",
                        "--computationTimeAtBegin", "--computationTimeOutputType", "json", scene],
                       cwd=folder, check=True, stdout=subprocess.DEVNULL)
        with open(os.path.join(folder, name + "_000000.json"), encoding="utf-8") as file:
            rows = [json.loads(line) for line in file]
        seconds = sum(row["seconds"] for row in rows if row["level"] == 0)
        best = seconds if best is None else min(best, seconds)
    return best


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--program",
                        default=os.path.join(os.path.dirname(HERE), "build", "bin", "runcsofa"))
    parser.add_argument("--cells", type=int, default=56, help="along an edge; 56: 1 053 696")
    args = parser.parse_args()
    program = os.path.abspath(args.program)
    points, elements = mesh(args.cells)
    within = True
    print("%d tetrahedra, %d points" % (len(elements) // 4, len(points) // 3))
    with tempfile.TemporaryDirectory() as folder:
        for name, write in (("text", write_text), ("binary", write_binary)):
            path = os.path.join(folder, name + ".msh")
            write(path, points, elements)
            seconds = load_seconds(program, folder, name, False)
            good = seconds <= LIMITS[name]
            within &= good
            print("  %-6s %7.1f MB  %6.3f s, limit %g s: %s; with all faces and edges %.3f s" % (
                name, os.path.getsize(path) / 1e6, seconds, LIMITS[name],
                "within" if good else "EXCEEDED", load_seconds(program, folder, name, True)))
    return 0 if within else 1


if __name__ == "__main__":
    sys.exit(main())
