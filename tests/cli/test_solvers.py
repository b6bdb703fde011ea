# SPDX-License-Identifier: LGPL-2.1-or-later
"""Systems that cannot be solved: status 3, object and time named, the last good state written."""
from cli import *

SCENE = """<Node name="root" dt="0.01" gravity="0 -9.81 0">
  <RequiredPlugin pluginName="Sofa.Component"/>
  <DefaultAnimationLoop/>
  <DefaultVisualManagerLoop/>
  <Node name="body">
    %s
    <RegularGridTopology name="grid" n="3 3 3" min="0 0 0" max="1 1 1"/>
    <MechanicalObject name="state"/>
    <UniformMass name="mass" totalMass="1"/>
    %s
  </Node>
</Node>
"""
EULER, STATIC = '<EulerImplicitSolver name="ode"/>', '<StaticSolver name="ode"/>'
FEM = '<HexahedronFEMForceField name="fem" youngModulus="%s" poissonRatio="0.3"/>'
# compressed springs buckle
BUCKLE = ('<SpringForceField name="spring" spring="0 1 1e6 0 5  1 2 1e6 0 5"/>'
          '<ConstantForceField name="push" indices="1" forces="0 1e4 0"/>')
# a pressure that turns with an open surface
FOLLOW = FEM % "1e4" + '<SurfacePressureForceField pressure="1000"/>'
CG = '<CGLinearSolver name="ls" iterations="%s" tolerance="1e-12" threshold="0"/>'


def solver(name):
    return '<%s name="ls"/>' % name


def steps(name):
    return [line.split()[1] for line in open(path(name)) if line.startswith("step")]


def fails(name, ode, linear, forces, words, object_path="/body/ls"):
    scene = write(name + ".scn", SCENE % (ode + linear, forces))
    r = run("-n", 5, "--states", name + ".states", "--states-at", "all", scene)
    check(name + ": status", r.status == 3, r)
    check(name + ": message", all(w in r.err for w in (object_path + ":", "time 0", words)), r)
    check(name + ": line", "%s.scn:6: error:" % name in r.err, r)
    check(name + ": state", "the state is that of the step before" in r.err, r)
    check(name + ": last good state", steps(name + ".states") == ["0"], r)


for name in ("SparseLDLSolver", "EigenSimplicialLDLT", "EigenSimplicialLLT", "EigenSparseLU",
             "EigenSparseQR", "CholeskySolver", "CholmodSupernodalLLT", "AsyncSparseLDLSolver"):
    if name in NEED_GPL_PARTS:
        r = run("-n", 1, write("refused.scn", SCENE % (STATIC + solver(name), "")))
        check(name + " is refused", r.status == 1 and "CSOFA_GPL is off" in r.err
              and "SparseLDLSolver" in r.err, r)
        continue
    fails("floating-" + name, STATIC, solver(name), FEM % "1e4", "matrix is")
for name in ("EigenSimplicialLLT", "CholeskySolver", "CholmodSupernodalLLT"):
    fails("indefinite-" + name, EULER, solver(name), BUCKLE, "not positive definite")
r = run("-n", 1, write("enough.scn", SCENE % (EULER + CG % 100, BUCKLE)))
check("indefinite, but solved", r.status == 0 and r.err == "", r)
for name in ("SparseLDLSolver", "EigenSimplicialLDLT", "CholeskySolver", "CholmodSupernodalLLT"):
    fails("asymmetric-" + name, EULER, solver(name), FOLLOW, "not symmetric: entry (0, 1)")
for name in ("SparseLDLSolver",) + (("EigenSparseLU",) if HAS_GPL_PARTS else ()):
    scene = write("fine.scn", SCENE % (EULER + solver(name), FOLLOW if name[0] == "E" else BUCKLE))
    r = run("-n", 2, scene)
    check(name + " solves it", r.status == 0 and r.err == "", r)
for linear in (CG, CG.replace("CGLinearSolver", "PCGLinearSolver").replace(' threshold="0"', ""),
               CG.replace("CGLinearSolver", "MinResLinearSolver").replace(' threshold="0"', "")):
    fails("zero-iterations", EULER, linear % 0, FEM % "1e4", "field 'iterations': 0")
    scene = write("zero.scn", SCENE % (EULER + (linear % 100).replace("1e-12", "0"), FEM % "1e4"))
    r = run("-n", 5, scene)
    check("zero tolerance", r.status == 0 and r.err == "", r)

# --strict: what does not converge ends the run
PULLED = FEM % "1e6" + '<ConstantForceField indices="1" forces="0 1e4 0"/>'
scene = write("strict.scn", SCENE % (EULER + CG % 2, PULLED))
r = run("-n", 3, scene)
check("unconverged", r.status == 0 and r.err.count("/body/ls: not converged in step 1 (t = 0 s): "
      "|b - A x|/|b| is ") == 1 and "/body/ls: 3 of 3 solves of this run did not converge" in r.err, r)
r = run("-n", 3, "--strict", scene)
check("unconverged, --strict", r.status == 3 and "error: /body/ls: not converged in step 1" in r.err, r)

# a force that overflows: every solver says so
for linear in (solver("SparseLDLSolver"),
               solver("EigenSparseLU" if HAS_GPL_PARTS else "CholeskySolver"), CG % 100):
    force = '<ConstantForceField name="push" indices="0" forces="1e308 1e308 1e308"/>' * 4
    fails("overflow", EULER, linear, FEM % "1e4" + force, "right-hand side is not finite")

# motion beyond any scale of the scene: SOFA's treatment of a damped spring, which diverges
scene = write("runaway.scn", SCENE.replace('totalMass="1"', 'totalMass="0.27"')
              % (EULER + CG % 200, '<SpringForceField name="spring" spring="0 1 100 5 0.4"/>'))
for more, status in ((["--quirks=spring-damping-matrix"], 3), ([], 0),
                     (["--quirks=spring-damping-matrix,runaway-states"], 0)):
    r = run("-n", 30, "--states", "runaway.states", *more, scene)
    check("runaway %s: status" % more, r.status == status, r)
    if status == 3:
        check("runaway: message", all(w in r.err + r.out for w in (
            "/body/state: position of point", "beyond any scale of the scene", "runawayFactor",
            "the state is that of the step before", "/body/spring: has the largest force",
            "/body/state: point 0 moves most", "the state after step 15 is in runaway.last-good")), r)
        good, last = path("runaway.last-good.state"), steps("runaway.states")[-1]
        r = run("--restore", good, "-n", last, *more, "--states", "good.states", scene)
        check("restored", r.status == 0 and steps("good.states") == [last], r)
        lines = [[line for line in open(path(name)) if line[0] in "xv"][-2:]
                 for name in ("good.states", "runaway.states")]
        check("the same state", lines[0] == lines[1], lines)

# ---- every ODE solver ----
LDL = solver("SparseLDLSolver")
NEWTON = '<NewtonRaphsonSolver name="newton" maxNbIterationsNewton="20"/>'
EXPLICIT = ["EulerExplicitSolver", "CentralDifferenceSolver", "RungeKutta2Solver",
            "RungeKutta4Solver"]
IMPLICIT = {"EulerImplicitSolver": "", "NewmarkImplicitSolver": "",
            "VariationalSymplecticSolver": "", "BDFOdeSolver": NEWTON, "StaticSolver": NEWTON}
CARIBOU = ["BackwardEulerODESolver", "StaticODESolver", "LegacyStaticODESolver"]
PLUGINS = {"CSOFA_PLUGIN_PATH": os.path.join(LIB, "plugins")}
LDLT = '<LDLTSolver name="ls"/>'
# what names the culprit: the states of explicit solvers, systems, or Newton's residual
CULPRIT = {"EulerImplicitSolver": "/body/ls: the right-hand side is not finite at dof",
           "NewmarkImplicitSolver": "/body/ls: the right-hand side is not finite at dof"}
# from t = 0.02 on, several forces of 1e308 N
LATE = "".join('<LinearForceField name="late%d" points="3" times="0 0.015 0.02 9" '
               'forces="0 0 0  0 0 0  1e308 0 0  1e308 0 0"/>' % i for i in range(4))
FIXED = '<FixedProjectiveConstraint name="fixed" indices="0 2 6 8"/>'

PLAIN, SCENE = SCENE, SCENE.replace('"Sofa.Component"', '"Sofa.Component SofaCaribou"')
listed, module = set(), ""
for line in run("--list", "-l", "SofaCaribou", env=PLUGINS).out.splitlines():
    module = module if line.startswith("  ") else line
    if line.startswith("  ") and (module.startswith("Sofa.Component.ODESolver.") or
                                  line.split()[0].endswith("ODESolver")):
        listed.add(line.split()[0])
check("every ODE solver is tried here", listed == set(EXPLICIT) | set(IMPLICIT) | set(CARIBOU) |
      {"NewtonRaphsonSolver", "DampVelocitySolver"})
for name in EXPLICIT + list(IMPLICIT) + CARIBOU:
    linear = LDLT if name in CARIBOU else LDL if name in IMPLICIT else ""
    ode = '<%s name="ode"%s/>' % (name, ' newton_iterations="20"' if name in CARIBOU else "")
    ode += IMPLICIT.get(name, "") + linear
    scene = write("late.scn", SCENE % (ode, FEM % "1e4" + FIXED + LATE))
    r = run("-n", 9, "--states", "late.states", "--states-at", "all", scene, env=PLUGINS)
    check(name + " late: status", r.status == 3, r)
    # equilibria have the loads of the end of their step
    at = 2 if "Static" in name else 3
    culprit = CULPRIT.get(name, "/body/state: position of point " if name in EXPLICIT
                          else "/body/ode: Newton diverged in step %d (t = %g s)" % (at, (at - 1) / 100))
    check(name + " late: culprit", culprit in r.err, r)
    check(name + " late: step", "step %d (t = %g s) failed: value not finite; the state is that of "
          "the step before" % (at, (at - 1) / 100) in r.err, r)
    check(name + " late: states", steps("late.states") == ["0", "1", "2"][:at], r)
    check(name + " late: finite", not any(w in open(path("late.states")).read()
                                          for w in ("nan", "inf")))
    for dt in ("0", "-0.01"):
        scene = write("dt.scn", (SCENE % (ode, FEM % "1e4")).replace('dt="0.01"', 'dt="%s"' % dt))
        r = run("-n", 3, "--states", "dt.states", scene, env=PLUGINS)
        check("%s dt %s" % (name, dt), r.status == 3 and steps("dt.states") == ["0"] and
              "dt.scn:1: error: /: step 1: dt = %s s, expected > 0" % dt in r.err, r)
    # without a linear solver each step fails; SOFA leaves such a solver out
    if linear:
        scene = write("missing.scn", SCENE % (ode.replace(linear, ""), FEM % "1e4"))
        r = run("-n", 1, "--states", "missing.states", scene, env=PLUGINS)
        check(name + " missing", r.status == 3 and steps("missing.states") == ["0"] and
              "missing.scn:6: warning: /body/ode: no linear solver in the node" in r.err and "missing.scn:6: error: /body/ode: step 1: there is no linear solver" in r.err and
              "step 1 (t = 0 s) failed" in r.err, r)
    if name in IMPLICIT:
        r = run("-n", 1, "--keep-going", scene, env=PLUGINS)
        check(name + " missing, --keep-going", r.status == 0 and "no linear solver" in r.err, r)
for dt in ("nan", "inf", "1e400", "fast"):
    scene = write("dt.scn", (PLAIN % (EULER + LDL, FEM % "1e4")).replace('"0.01"', '"%s"' % dt))
    r = run("-n", 3, scene)
    check("dt " + dt, r.status == 1 and "dt.scn:1: error: /: field 'dt': cannot read" in r.err, r)

# explicit steps that are too large: the state grows beyond its scene, or without a limit until it
# overflows, the last finite one stays
for name in EXPLICIT:
    scene = write("far.scn", (PLAIN % ('<%s name="ode"/>' % name, FEM % "1e8"))
                  .replace("0.01", "0.05"))
    r = run("-n", 2000, scene)
    check(name + " runs away", r.status == 3 and "beyond any scale of the scene" in r.err, r)
    scene = write("blow.scn", (PLAIN % ('<%s name="ode" runawayFactor="0"/>' % name, FEM % "1e8"))
                  .replace("0.01", "0.05"))
    r = run("-n", 2000, "--states", "blow.states", "--states-at", "all", scene)
    at = steps("blow.states")
    check(name + " blows up", r.status == 3 and len(at) > 3 and
          "step %d (t = " % (int(at[-1]) + 1) in r.err and "/body/state: " in r.err, r)

# Newton: no iterations at all, no convergence, divergence within the iterations
for name in ("BDFOdeSolver", "StaticSolver"):
    ode = '<%s name="ode"/>%s%s' % (name, NEWTON, LDL)
    scene = write("none.scn", PLAIN % (ode.replace('"20"', '"0"'), FEM % "1e4"))
    r = run("-n", 1, "--states", "none.states", scene)
    check(name + " without iterations", r.status == 1 and
          "none.scn:6: error: /body/newton: field 'maxNbIterationsNewton': 0, expected >= 1"
          in r.err, r)
    r = run("-n", 1, "--keep-going", scene)
    check(name + " without iterations, --keep-going", r.status == 0 and "expected >= 1" in r.err, r)
    short = ode.replace('"20"', '"1" relativeSuccessiveStoppingThreshold="0" '
                        'relativeInitialStoppingThreshold="0" absoluteResidualStoppingThreshold="1e-30"')
    scene = write("short.scn", PLAIN % (short, FIXED + FEM % "1e4"))
    r = run("-n", 2, scene)
    check(name + " not converged", r.status == 0 and r.err.count("not converged after 1 iterations "
          "at t = 0 s: |R| from") == 1 and "/body/newton: " in r.err, r)
old = PLAIN % ('<StaticSolver newton_iterations="0"/>' + LDL, FEM % "1e4")
r = run("-n", 1, write("old.scn", old))
check("old attribute without iterations", r.status == 1 and "old.scn:6: error: " in r.err and
      "'maxNbIterationsNewton': 0, expected >= 1" in r.err, r)


def refused(ode, linear, field, value, limit):
    plugin = linear == "LDLTSolver"
    scene = write("none.scn", (SCENE if plugin else PLAIN) % (
        '<%s name="ode" %s="%s"/>' % (ode, field, value) + solver(linear), FEM % "1e4"))
    r = run("-n", 1, scene, env=PLUGINS if plugin else None)
    message = "none.scn:6: error: /body/ode: field '%s': %s, expected >= %s" % (field, value, limit)
    check("%s %s" % (ode, field), r.status == 1 and message in r.err, r)


refused("VariationalSymplecticSolver", "SparseLDLSolver", "steps", 0, 1)
refused("VariationalSymplecticSolver", "SparseLDLSolver", "newtonError", -1, 0)
for name in ("StaticODESolver", "BackwardEulerODESolver", "LegacyStaticODESolver"):
    refused(name, "LDLTSolver", "newton_iterations", 0, 1)

# --keep-going: told once, then as SOFA
scene = write("going.scn", PLAIN % (EULER + solver("SparseLDLSolver"), FOLLOW))
r = run("-n", 5, "--keep-going", scene)
check("--keep-going", r.status == 0 and r.err.count("not symmetric") == 1, r)

finish()
