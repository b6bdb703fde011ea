#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Measures all solvers and writes docs/solvers.md and docs/pictures/energy.svg: `./dev solvers`.

usage: solvers.py [--build build] [--docs docs] [--integrators FILE.json] [--linear FILE.json]

Without the files, csofa_integrators and csofa_solvers of the build are run: some minutes."""
import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))

HEAD = """# Solvers, measured

This page is written by `./dev solvers`. Version {version}, {machine}, one thread; times are processor times, the best of
several measurements. They compare solvers, not machines.

## Time integration

- **Order**: -log2 of the factor by which the error decreases when the step is halved, and the error of the coarser of the two runs.
  The error is that of position and velocity after 0.5 s, for a mass that moves in a plane between two springs. The velocities of
  VariationalSymplecticSolver belong to the middle of a step, so its error is that of the position only.
- **Energy** of a free body relative to its initial energy: 27 points joined by springs, rotating and stretching, undamped, {energy_steps} steps
  of {dt} s. The phase of the fastest mode advances by 1.1 rad per step.
- **Cost**: ms per step of a cantilever of 1 024 corotational hexahedra, 1 377 points, SparseLDLSolver. Formulas with Newton
  iterations run until the correction of all velocities is below 1e-11 m/s, or that of the positions below 1e-12 of their norm. The
  other formulas linearise once.

"""

LINEAR = """
## Linear solvers

The solvers are measured on the matrices of implicit Euler steps of four scenes, after each of several steps. *First*: the first
solution, symbolic analysis included. *Assemble*: the matrix, or the data that products need. *Factor*: the additional cost of a new
matrix over a known one. *Solve*: one right-hand side. All times are in ms. *Residual*: |P (b - A x)| / |b|, computed by products of
the components, not by the matrix. Iterative solvers stop at 1e-9 in their own measure. AsyncSparseLDLSolver solves with the factor of a
matrix that is two assemblies old (`handOver`); its residual shows how much these matrices differ.
"""


def run(program):
    done = subprocess.run([program], stdout=subprocess.PIPE, text=True)
    if not done.stdout:
        sys.exit("solvers.py: %s: status %d" % (program, done.returncode))
    return json.loads(done.stdout)


def load(path, program):
    if not path:
        return run(program)
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def machine():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            return next(line.split(":")[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        return "unknown processor"


def percent(ratio):
    return "%.*f %%" % (2 if abs(ratio - 1) < 0.01 or ratio < 0.01 else 1, 100 * ratio)


def behaviour(energy):
    """In words: what became of the energy."""
    low, high, parts = energy["low"], energy["high"], energy["parts"]
    if len(high) < parts or high[-1] > 10:
        return "grows without bound: unstable at this step"
    drift = (low[-1] + high[-1]) / 2 - (low[0] + high[0]) / 2
    if abs(drift) < 0.5 * max(high[0] - low[0], 1e-3) and low[0] > 0.8:
        return "bounded: %s to %s" % (percent(min(low)), percent(max(high)))
    return "%s to %s" % ("falls" if drift < 0 else "rises", percent((low[-1] + high[-1]) / 2))


def integrators(data):
    lines = ["| solver | | order | error (steps) | energy of the free body | ms a step |",
             "|---|---|---:|---|---|---:|"]
    rest = []
    for row in data["solvers"]:
        if "order" not in row:
            rest.append("`%s`" % row["name"])
            continue
        lines.append("| `%s` | %s | %.2f | %.1e (%d) | %s | %.3g |" % (
            row["name"], row["options"], row["order"], row["errors"][0], row["steps"],
            behaviour(row["energy"]), row["step_us"] / 1e3))
    return "\n".join(lines) + "\n\nThese solvers do not integrate in time: %s.\n" % ", ".join(rest)


ENERGY = """
![Energy of a free body over {steps} steps: constant with VariationalSymplecticSolver, lost with EulerImplicitSolver](pictures/energy.svg)

The same body over {steps} steps. VariationalSymplecticSolver keeps between {low} and {high} of the energy, and its linear and
angular momentum to the tolerance of its Newton iterations; EulerImplicitSolver keeps {euler}.

The tests also prove, step by step to 1e-12, that each formula follows its discrete theory on oscillators with every kind of
damping, in free fall and on modes of an elastic bar (`tests/unit/simulation/test_integrators_*.c`). BDFOdeSolver of order 3 and more is
unstable on undamped modes that are fast for the step: no linear multistep method of such an order is A-stable (Dahlquist, 1963).
"""


def energy_text(data):
    series = {row["name"]: row["energy"] for row in data["long"]}
    own, euler = series["VariationalSymplecticSolver"], series["EulerImplicitSolver"]
    return ENERGY.format(steps="{:,}".format(own["steps"]).replace(",", " "),
                         low=percent(min(own["low"])), high=percent(max(own["high"])), euler=percent(euler["low"][-1]))


def picture(data, path):
    """Through plot_csv.py: the middle of each part, of both solvers."""
    rows = data["long"]
    parts = rows[0]["energy"]["parts"]
    with tempfile.TemporaryDirectory() as folder:
        table = os.path.join(folder, "energy.csv")
        with open(table, "w", newline="", encoding="utf-8") as file:
            out = csv.writer(file)
            out.writerow(["time [s]"] + [r["name"] + " [energy / energy at the start]" for r in rows])
            out.writerow([0] + [1] * len(rows))
            for i in range(parts):
                energies = [r["energy"] for r in rows]
                out.writerow([data["dt"] * energies[0]["steps"] * (i + 1) / parts] +
                             ["%.5f" % ((e["low"][i] + e["high"][i]) / 2) for e in energies])
        subprocess.run([sys.executable, os.path.join(HERE, "plot_csv.py"), table, path, "--title",
                        "Energy of a free elastic body, steps of %g s" % data["dt"]], check=True)


def linear(data):
    out = []
    for matrix in data["matrices"]:
        out += ["", "**%s**: %s; %d rows, %d entries." % (
            matrix["name"].capitalize(), matrix["what"], matrix["rows"], matrix["entries"]), "",
                "| solver | first | assemble | factor | solve | iterations | residual |",
                "|---|---:|---:|---:|---:|---:|---:|"]
        for row in matrix["solvers"]:
            if "error" in row:
                out.append("| %s | %s | | | | | |" % (row["name"], row["error"].replace("|", "/")))
                continue
            out.append("| %s | %.1f | %.1f | %.1f | %.1f | %s | %.0e |" % (
                row["name"], row["first_ms"], row["build_ms"], row["factor_ms"], row["solve_ms"],
                row["iterations"] or "", row["residual"]))
    return "\n".join(out) + "\n"


def not_measured(data, program):
    """The linear solvers of the program that no row names."""
    listing = subprocess.run([program, "--list"], stdout=subprocess.PIPE, text=True, check=True).stdout
    words = {word for matrix in data["matrices"] for row in matrix["solvers"]
             for word in row["name"].replace("PCG", "PCGLinearSolver").replace(",", "").split()}
    words |= {word + "Preconditioner" for word in words}
    inside, left = False, []
    for line in listing.splitlines():
        if line and not line.startswith(" "):
            inside = line.startswith("Sofa.Component.LinearSolver.")
        elif inside and line.split():
            name = line.split()[0]
            if name not in words and not name.endswith(("System", "OrderingMethod")):
                left.append("`%s`" % name)
    note = ("\nDense solvers are measured only on the rope. PrecomputedLinearSolver keeps the inverse of the "
            "first step: its residual is large because the matrix has changed.\n")
    return note + ("\nNot measured: %s.\n" % ", ".join(left) if left else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build")
    parser.add_argument("--docs", default="docs")
    parser.add_argument("--integrators", help="output of csofa_integrators")
    parser.add_argument("--linear", help="output of csofa_solvers")
    args = parser.parse_args()
    program = lambda name: os.path.join(args.build, "bin", name)
    ode = load(args.integrators, program("csofa_integrators"))
    systems = load(args.linear, program("csofa_solvers"))
    os.makedirs(os.path.join(args.docs, "pictures"), exist_ok=True)
    picture(ode, os.path.join(args.docs, "pictures", "energy.svg"))
    text = HEAD.format(version=ode["version"], machine=machine(), dt=ode["dt"],
                       energy_steps="{:,}".format(ode["solvers"][0]["energy"]["steps"]).replace(",", " "))
    text += integrators(ode) + energy_text(ode) + LINEAR + linear(systems)
    text += not_measured(systems, program("runcsofa"))
    with open(os.path.join(args.docs, "solvers.md"), "w", encoding="utf-8") as file:
        file.write(text)
    print("%s is written" % os.path.join(args.docs, "solvers.md"))


if __name__ == "__main__":
    main()
