#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What Python costs: 100 variants of a beam of 500 points, 10 steps each, from Python and in C
(bench/sweep.c), in turn. Prints the sums of each variant's best processor time and their ratio;
status 1 when it is over 1.1 or the results differ.

usage: python_sweep.py [--build build] [--repeat 5]"""
import argparse
import os
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
VARIANTS, STEPS, LAST = 100, 10, 499
MOST = 1.1
SCENE = """<Node name="root" dt="0.02" gravity="0 -9.81 0">
  <DefaultAnimationLoop/>
  <Node name="beam">
    <EulerImplicitSolver/>
    <CGLinearSolver iterations="25" tolerance="1e-9" threshold="1e-9"/>
    <RegularGridTopology name="grid" n="5 5 20" min="0 0 0" max="1 1 4"/>
    <MechanicalObject name="state"/>
    <UniformMass totalMass="1"/>
    <HexahedronFEMForceField name="fem" youngModulus="1000" poissonRatio="0.3"/>
    <FixedProjectiveConstraint indices="0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20"/>
  </Node>
</Node>
"""


def python_sweep(csofa, path):
    """Processor time of each variant in s, and the sum of the last positions of a point."""
    csofa.on_message(None)
    context = csofa.Context()
    with open(path, encoding="utf-8") as file:
        xml = file.read()
    times, total = [], 0.0
    for i in range(VARIANTS):
        start = time.process_time()
        with csofa.load_text(xml, context=context) as scene:
            scene["/beam/fem"].youngModulus = 1000 + 100 * i
            scene.step(STEPS)
            total += scene["/beam/state"].position[LAST, 1]
        times.append(time.process_time() - start)
    return times, total


def c_sweep(program, path):
    """The same of the program in C."""
    out = subprocess.run([program, path], check=True, capture_output=True, text=True).stdout.split()
    numbers = [float(text) for text in out]
    return numbers[:-1], numbers[-1]


def best(runs):
    """The sum of each variant's best time: other programs disturb few of all variants."""
    return sum(min(times) for times in zip(*(run[0] for run in runs)))


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--build", default="build")
    arguments.add_argument("--repeat", type=int, default=5)
    options = arguments.parse_args()
    build = os.path.abspath(options.build)
    os.environ.setdefault("CSOFA_LIBRARY", os.path.join(build, "lib", "libcsofa.so.0"))
    sys.path.insert(0, os.path.join(HERE, "..", "python"))
    import csofa
    python, c = [], []
    with tempfile.NamedTemporaryFile("w", suffix=".scn", encoding="utf-8") as file:
        file.write(SCENE)
        file.flush()
        for _ in range(options.repeat):
            python.append(python_sweep(csofa, file.name))
            c.append(c_sweep(os.path.join(build, "bin", "csofa_sweep"), file.name))
    same = len({total for _, total in python + c}) == 1
    ratio = best(python) / best(c)
    print(f"Python {best(python):.3f} s, C {best(c):.3f} s: ratio {ratio:.3f}"
          f"{'' if same else '; RESULTS DIFFER'}")
    return 0 if same and ratio <= MOST else 1


if __name__ == "__main__":
    sys.exit(main())
