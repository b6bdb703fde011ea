#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Scenes with many objects load in linear time: by instructions, the same for every further object.

usage: load_linear.py --program RUNCSOFA
Each kind of scene is loaded, initialised and ended at three sizes. Status 77: there is no valgrind."""
import argparse
import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench"))
import instructions  # noqa: E402

SIZES = [200, 800, 2400]  # objects; nodes have ten
LIMIT = 1.15  # of the instructions of a further object, from one size to the next
HEAD = '<Node name="root" dt="0.01"><DefaultAnimationLoop/>\n'


def nodes(n):
    """Nodes with ten objects each, with links between them."""
    node = ('<Node name="n%d"><RegularGridTopology name="g" n="2 2 2" min="0 0 0" max="1 1 1"/>'
            '<MechanicalObject name="m" position="@g.position"/><UniformMass totalMass="1"/>'
            '<TetrahedronFEMForceField topology="@g" youngModulus="1" poissonRatio="0.3"/>'
            '<BoxROI name="b" box="0 0 0 1 1 0.1" position="@m.rest_position"/>'
            '<FixedProjectiveConstraint indices="@b.indices"/>' + 3 * '<VisualStyle/>' + '</Node>\n')
    return HEAD + "<EulerImplicitSolver/><CGLinearSolver/>" + \
        "".join(node % i for i in range(n // 10)) + "</Node>\n"


def objects(n):
    """All objects in one node, where each looks for the state and the topology."""
    return HEAD + ('<MechanicalObject position="0 0 0 1 0 0 0 1 0 0 0 1"/>'
                   '<MeshTopology tetrahedra="0 1 2 3"/>\n') + \
        "".join('<TetrahedronFEMForceField name="f%d" youngModulus="1" poissonRatio="0.3"/>\n' % i
                for i in range(n)) + "</Node>\n"


def unnamed(n):
    """Objects that get names."""
    return HEAD + '<MechanicalObject position="0 0 0"/>\n' + \
        n * '<ConstantForceField indices="0" forces="0 0 1"/>\n' + "</Node>\n"


def deep(n):
    """Links from many objects to the one before."""
    first = '<MechanicalObject name="m0" position="0 0 0"/>\n'
    return HEAD + first + "".join(
        '<BoxROI name="b%d" box="0 0 0 1 1 1" position="@%s"/>\n' %
        (i, "b%d.pointsInROI" % (i - 1) if i % 10 else "m0.position") for i in range(n)) + "</Node>\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    program = os.path.abspath(parser.parse_args().program)
    if not shutil.which("valgrind"):
        print("there is no valgrind")
        return 77
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        for make in (nodes, objects, unnamed, deep):
            counts = []
            for n in SIZES:
                path = os.path.join(folder, "%s%d.scn" % (make.__name__, n))
                with open(path, "w", encoding="ascii") as file:
                    file.write(make(n))
                counts.append(instructions.instructions(program, path, 0, folder))
            each = [(counts[i + 1] - counts[i]) / (SIZES[i + 1] - SIZES[i]) for i in range(2)]
            good = each[1] <= LIMIT * each[0]
            bad += not good
            print("%-8s %8.0f, then %8.0f instructions for a further object%s" %
                  (make.__name__, each[0], each[1], "" if good else ": not linear"))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
