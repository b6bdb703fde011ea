#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The tool of validation cases tells right values from wrong ones. usage: tool.py RUNCSOFA"""
import os
import subprocess
import sys
import tempfile

PROGRAM = os.path.abspath(sys.argv[1])
TOOL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "validation", "validate.py")
SCENE = """<?xml version="1.0"?>
<!-- VALIDATION
%s
-->
<Node name="root" dt="0.1" gravity="0 -10 0">
  <RequiredPlugin pluginName="Sofa.Component"/>
  <DefaultAnimationLoop/>
  <EulerExplicitSolver name="ode" symplectic="1"/>
  <MechanicalObject name="state" position="0 0 0"/>
  <UniformMass name="mass" totalMass="1"/>
</Node>
"""
# a fall of 1 s from rest by symplectic Euler: y = -g (t^2 + h t) / 2, first order in h
GOOD = {"family": "Falls", "case": "one second", "source": "closed form", "quantity": "/state.position[0].y",
        "refine": "dt=0.1 | 0.05 | 0.025", "steps": "10 | 20 | 40", "exact": "-5", "tolerance": "3 %", "order": "1"}
sys.path.insert(0, os.path.dirname(TOOL))
import case as cases  # noqa: E402
import validate  # noqa: E402

failures = 0


def cell_of(values, **changes):
    """The cell of the order."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "fall.scn")
        with open(path, "w", encoding="utf-8") as file:
            file.write(SCENE % "\n".join("  %s: %s" % item for item in dict(GOOD, **changes).items()
                                         if item[1] is not None))
        return validate.order_cell(cases.Case(path), values)


def run(lines):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "fall.scn")
        with open(path, "w", encoding="utf-8") as file:
            file.write(SCENE % "\n".join("  %s: %s" % item for item in lines.items() if item[1] is not None))
        result = subprocess.run([sys.executable, "-B", TOOL, PROGRAM, path], stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, check=False, text=True)
        return result.returncode, result.stdout


def check(what, status, words, **changes):
    global failures
    found = run(dict(GOOD, **changes))
    if found[0] != status or not all(word in found[1] for word in words):
        failures += 1
        print("wrong: %s: %s" % (what, found))


check("three levels", 0, ["ok", "-5.5, -5.25, -5.125"])
check("a tolerance", 1, ["is not -5 within 0.05"], tolerance="1 %")
check("an absolute tolerance", 0, ["ok"], tolerance="0.2")
check("several settings of a level", 0, ["-5.5, -5.25, -5.125"],
      refine="dt=0.1; /mass.totalMass=1 | dt=0.05; /mass.totalMass=2 | 0.025; 3")
check("an order", 1, ["order 1.00, expected 2"], order="2")
check("an order that rounding hides", 1, ["order unknown, expected 1"], quantity="/mass.totalMass", exact="1")
check("an offset and a factor", 0, ["ok", "4.5"], minus="-1", factor="-1", exact="4", tolerance="4 %")
check("the largest of all steps", 0, ["ok"], take="max", exact="0", tolerance="0", order=None)
check("between steps", 0, ["ok"], take="at /state.velocity[0].y = -5", exact="-1.25", tolerance="6 %")
# a throw turns round at its top, once: y = 2.5 t - 5 t (t + h)
check("where a quantity turns round", 0, ["ok"], take="turn 1", exact="0.2", tolerance="1e-9", order=None,
      refine=None, steps="10", set="/state.velocity=0 2.5 0")
check("no such turn", 1, ["turns round"], take="turn 2", exact="0.2", tolerance="1e-9", order=None,
      refine=None, steps="10", set="/state.velocity=0 2.5 0")
check("a published value", 0, ["ok"], exact=None, order=None, published="-5")
check("both values", 1, ["either 'published' or 'exact'"], published="-5")
check("an unknown line", 1, ["not a line of a validation case"], orders="2")
check("levels of different numbers", 1, ["one part per level"], steps="10 | 20")
check("a scene that does not run", 1, ["ends with status"], quantity="/state.positions[0].y")
PUBLISHED = {"exact": None, "order": None, "published": "-5"}
for what, found, expected in (
        ("an order of errors", cell_of([-5.4, -5.2, -5.1]), "1.0"),
        ("an order of differences", cell_of([-5.8, -5.2, -5.05], **PUBLISHED), "(2.0)"),
        ("differences of two signs", cell_of([-5.8, -5.2, -5.3], **PUBLISHED), ""),
        ("levels of several ratios", cell_of([-5.8, -5.2, -5.05], size="1 | 0.5 | 0.4", **PUBLISHED), ""),
        ("rounding", cell_of([-5, -5.00000000001, -5]), "exact")):
    failures += found != expected
    if found != expected:
        print("wrong: %s: '%s', expected '%s'" % (what, found, expected))
sys.exit(1 if failures else 0)
