#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compares the pattern analysis strategies and the linear solvers of SofaCaribou's Newton solvers on a
beam that falls under its weight: BackwardEulerODESolver, St. Venant-Kirchhoff tetrahedra.

usage: newton.py [--program build/bin/runcsofa] [--beam 10k] [--steps 10] [--threads 1] [--json FILE]

Times come from the program's own record (--convergence): per Newton iteration, with the residual,
the assembly and the linear solve in it, and per linear solve. The first step is left out, as every
strategy analyses the matrix there. All rows end in the same positions."""
import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile

import scenes

HERE = os.path.dirname(os.path.abspath(__file__))
STRATEGIES = ["NEVER", "BEGINNING_OF_THE_SIMULATION", "BEGINNING_OF_THE_TIME_STEP", "ALWAYS"]
_CG = ('<ConjugateGradientSolver maximum_number_of_iterations="5000" residual_tolerance_threshold="1e-10" '
       'preconditioning_method="%s"/>')
SOLVERS = {"LLT": "<LLTSolver/>", "LDLT": "<LDLTSolver/>", "LU": '<LUSolver symmetric="1"/>',
           "CG": _CG % "None", "CG Diagonal": _CG % "Diagonal",
           "CG IncompleteCholesky": _CG % "IncompleteCholesky"}
CASES = [("LDLT", s) for s in STRATEGIES] + [(s, "NEVER") for s in SOLVERS if s != "LDLT"]

_SCENE = """<Node name="root" dt="0.02" gravity="0 -9.81 0">
  <RequiredPlugin pluginName="Sofa.Component SofaCaribou"/>
  <DefaultAnimationLoop/>
  <DefaultVisualManagerLoop/>
  <Node name="beam">
    <BackwardEulerODESolver name="ode" newton_iterations="10" pattern_analysis_strategy="{strategy}"
      correction_tolerance_threshold="-1" residual_tolerance_threshold="1e-6"/>
    {solver}
    <RegularGridTopology name="grid" n="{n}" min="0 0 0" max="{size}"/>
    <MechanicalObject name="state"/>
    <UniformMass totalMass="{mass:g}"/>
    <BoxROI name="end" box="-1 -1 -0.001 2 2 0.001"/>
    <FixedProjectiveConstraint indices="@end.indices"/>
    <Node name="elements">
      <TetrahedronSetTopologyContainer name="tetrahedra"/>
      <TetrahedronSetTopologyModifier/>
      <Hexa2TetraTopologicalMapping input="@../grid" output="@tetrahedra"/>
      <TetrahedronHyperelasticityFEMForceField materialName="StVenantKirchhoff" ParameterSet="8e5 1.2e6"/>
    </Node>
  </Node>
</Node>
"""


def scene(beam, strategy, solver):
    cells = scenes.BEAMS[beam]
    side = scenes.SECTION / cells[0]
    size = [side * c for c in cells]
    return _SCENE.format(strategy=strategy, solver=SOLVERS[solver],
                         n=" ".join(str(c + 1) for c in cells),
                         size=" ".join("%.17g" % s for s in size),
                         mass=scenes.DENSITY * size[0] * size[1] * size[2])


def measure(options, solver, strategy, folder):
    """-> figures of the steps from the second on"""
    path, record = os.path.join(folder, "beam.scn"), os.path.join(folder, "beam.csv")
    with open(path, "w") as out:
        out.write(scene(options.beam, strategy, solver))
    command = [options.program, "-n", str(options.steps + 1), "--hideProgressBar", "--threads",
               str(options.threads), "--convergence", record, path]
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if run.returncode:
        sys.exit("%s\nfailed with status %d:\n%s" % (" ".join(command), run.returncode, run.stdout))
    with open(record) as file:
        rows = [row for row in csv.DictReader(file) if int(row["step"]) > 1]
    newton = [r for r in rows if r["kind"] == "newton" and int(r["iteration"]) > 0]
    linear = [r for r in rows if r["kind"] == "linear"]
    ms = sum(int(r["nanoseconds"]) for r in newton) * 1e-6
    solve = sum(int(r["nanoseconds"]) for r in linear) * 1e-6
    return {"solver": solver, "strategy": strategy, "newtons": len(newton) / options.steps,
            "linear_iterations": sum(int(r["linear_iterations"]) for r in linear) / len(linear),
            "ms_step": ms / options.steps, "ms_newton": ms / len(newton),
            "ms_solve": solve / len(linear)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--program", default=os.path.join(os.path.dirname(HERE), "build", "bin", "runcsofa"))
    parser.add_argument("--beam", default="10k", choices=sorted(scenes.BEAMS))
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--json")
    options = parser.parse_args()
    results = []
    print("%d tetrahedra, %d steps, %d threads" % (scenes.n_tetrahedra(options.beam), options.steps,
                                                   options.threads))
    print("%-22s %-28s %8s %9s %9s %9s %9s" % ("linear solver", "pattern_analysis_strategy", "newtons",
                                               "linear it", "ms/step", "ms/newton", "ms/solve"))
    with tempfile.TemporaryDirectory(prefix="csofa-newton-") as folder:
        for solver, strategy in CASES:
            r = measure(options, solver, strategy, folder)
            results.append(r)
            print("%-22s %-28s %8.1f %9.1f %9.1f %9.1f %9.1f" % (
                solver, strategy, r["newtons"], r["linear_iterations"], r["ms_step"], r["ms_newton"],
                r["ms_solve"]), flush=True)
    if options.json:
        with open(options.json, "w") as out:
            json.dump(results, out, indent=1)


if __name__ == "__main__":
    main()
