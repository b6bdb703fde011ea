# SPDX-License-Identifier: LGPL-2.1-or-later
"""--convergence: CSV and JSON of all solvers of a run; steps that fail."""
import csv
import json
import math

from cli import *

PLUGINS = {"CSOFA_PLUGIN_PATH": os.path.join(LIB, "plugins")}
NAMES = ("kind step time solver iteration residual relative_residual correction "
         "relative_correction linear_iterations nanoseconds reason").split()

# a spring that only turns is stiffened by what it holds: Newton needs some iterations
SWING = """<Node name="root" gravity="0 -10 0" dt="%s">
  <RequiredPlugin pluginName="Sofa.Component SofaCaribou"/>
  <DefaultAnimationLoop/>
  <DefaultVisualManagerLoop/>
  <Node name="a">%s
    <MeshTopology position="0 0 0 1 0 0" edges="0 1"/>
    <MechanicalObject name="state"/>
    <UniformMass vertexMass="2"/>
    <MeshSpringForceField stiffness="100" damping="0"/>
    <FixedProjectiveConstraint indices="0"/>
  </Node>
  <Node name="b">
    <EulerImplicitSolver/>
    <CGLinearSolver name="cg" iterations="100" tolerance="1e-12" threshold="1e-20"/>
    <MechanicalObject position="0 0 0  1 1 1"/>
    <UniformMass totalMass="2"/>
    <RestShapeSpringsForceField stiffness="50"/>
  </Node>
</Node>
"""
NEWTON = """
    <BackwardEulerODESolver name="newton, &quot;quoted&quot;" newton_iterations="20"
      correction_tolerance_threshold="-1" residual_tolerance_threshold="1e-10"/>
    <LDLTSolver name="ldlt"/>"""
scene = write("swing.scn", SWING % ("0.1", NEWTON))

r = run("-n", 3, "--convergence", "c.csv", "--states", "with", scene, env=PLUGINS)
check("csv", r.status == 0, r)
rows = list(csv.DictReader(open(path("c.csv"))))
check("columns", list(rows[0]) == NAMES)
r = run("-n", 3, "--convergence", "c.json", scene, env=PLUGINS)
check("json", r.status == 0, r)
objects = json.load(open(path("c.json")))
check("names", all(list(o) == NAMES for o in objects))
check("as many", len(objects) == len(rows))


def same(row, o):
    for name in NAMES:
        if name != "nanoseconds" and row[name] != ("" if o[name] is None else str(o[name])):
            try:
                if float(row[name]) != o[name]:
                    return False
            except ValueError:
                return False
    return True


check("same rows", all(same(a, b) for a, b in zip(rows, objects)))
r = run("-n", 3, "--states", "without", scene, env=PLUGINS)
check("the run is the same", open(path("with")).read() == open(path("without")).read())

newton = [o for o in objects if o["kind"] == "newton"]
check("solver", {o["solver"] for o in newton} == {'/a/newton, "quoted"'})
check("steps", sorted({(o["step"], round(o["time"], 9)) for o in newton})
      == [(1, 0), (2, 0.1), (3, 0.2)])
for step in 1, 2, 3:
    of = [o for o in newton if o["step"] == step]
    check("iterations", [o["iteration"] for o in of] == list(range(len(of))) and len(of) > 2)
    check("reason", [o["reason"] != "" for o in of] == [False] * (len(of) - 1) + [True]
          and of[-1]["reason"] == "ConvergedResidualInitialRatio")
    total = 0
    for o in of[1:]:
        total += o["correction"]
        check("ratios", math.isclose(o["relative_residual"], o["residual"] / of[0]["residual"])
              and math.isclose(o["relative_correction"], o["correction"] / total)
              and o["nanoseconds"] > 0)
    check("converged", of[-1]["relative_residual"] < 1e-10)
linear = [o for o in objects if o["kind"] == "linear"]
check("linear solves", len([o for o in linear if o["solver"] == "/a/ldlt"])
      == len([o for o in newton if o["iteration"]])
      and len([o for o in linear if o["solver"] == "/b/cg"]) == 3)
cg = [o for o in objects if o["kind"] == "linear-iteration"]
check("iterations of cg", cg and all(o["solver"] == "/b/cg" for o in cg)
      and cg[0]["relative_residual"] == 1)

# every iterative method; solves of a preconditioner are not rows of their own
for name, solver in [
        ("pcg", '<PCGLinearSolver name="it" preconditioner="@p" tolerance="1e-16"/>'
                '<IncompleteCholeskyPreconditioner name="p"/>'),
        ("minres", '<MinResLinearSolver name="it" tolerance="1e-9"/>'),
        ("caribou", '<ConjugateGradientSolver name="it"/>')]:
    a, b = SWING.split('<CGLinearSolver name="cg"')
    text = a + solver + b.split("/>", 1)[1]
    r = run("-n", 2, "--convergence", "it.json", write("it.scn", text % ("0.1", NEWTON)),
            env=PLUGINS)
    check(name, r.status == 0, r)
    of = [o for o in json.load(open(path("it.json"))) if o["solver"].startswith("/b/")]
    check(name + ": solver", {o["solver"] for o in of} == {"/b/it"}, r)
    for step in 1, 2:
        rows = [o for o in of if o["step"] == step]
        check(name + ": rows", [o["kind"] for o in rows] == ["linear-iteration"] *
              (len(rows) - 1) + ["linear"] and len(rows) == rows[-1]["linear_iterations"] + 2
              and math.isclose(rows[-1]["residual"], rows[-2]["residual"], abs_tol=1e-12), r)

# the console says the same
r = run("-n", 1, write("log.scn", (SWING % ("0.1", NEWTON)).replace(
    "<BackwardEuler", '<BackwardEuler').replace('newton_iterations=', 'printLog="1" newton_iterations=')),
    env=PLUGINS)
check("printLog", r.status == 0 and "Newton 0: |R|" in r.out + r.err and "[CONVERGED]" in r.out + r.err, r)

# files that cannot be
r = run("-n", 1, "--convergence", "c.txt", scene, env=PLUGINS)
check("extension", r.status == 2 and ".csv or .json" in r.err, r)
r = run("-n", 1, "--convergence", "/no/such/folder/x.csv", scene, env=PLUGINS)
check("no folder", r.status == 1 and "cannot write the convergence" in r.err, r)

r = run("-n", 1, write("bad.scn", SWING % ("0.1", NEWTON.replace('"20"', '"0"'))), env=PLUGINS)
check("no iterations", r.status == 1 and "'newton_iterations': 0, expected >= 1" in r.err, r)

# steps that fail name the object and the step, keep the last good state and have status 3
for name, dt, solvers, words in [
        ("no linear solver", "0.1", NEWTON.replace('<LDLTSolver name="ldlt"/>', ""),
         "linear solver"),
        ("dt 0", "0", NEWTON, "dt = 0"), ("dt negative", "-1", NEWTON, "dt = -1"),
        ("conjugate gradients", "0.1", NEWTON.replace(
            '<LDLTSolver name="ldlt"/>', '<ConjugateGradientSolver name="c" '
            'maximum_number_of_iterations="1"  residual_tolerance_threshold="1e-9"/>'),
         "'c' did not converge in 1 iterations"),
        ("not finite", "1e200", NEWTON, "not finite")]:
    bad = write("bad.scn", SWING % (dt, solvers))
    r = run("-n", 2, "--states", "bad.states", "--convergence", "bad.json", bad, env=PLUGINS)
    check(name, r.status == 3 and words in r.err and "step 1" in r.err, r)
    check(name + ": the state is the last good one",
          "x 0 0 0 1 0 0" in open(path("bad.states")).read().split("v ")[0].replace("\n", " "), r)
    json.load(open(path("bad.json")))

finish()
