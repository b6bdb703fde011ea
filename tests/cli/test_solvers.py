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
    fails("floating-" + name, STATIC, solver(name), FEM % "1e4", "matrix is")
for name in ("EigenSimplicialLLT", "CholeskySolver", "CholmodSupernodalLLT"):
    fails("indefinite-" + name, EULER, solver(name), BUCKLE, "not positive definite")
r = run("-n", 1, write("enough.scn", SCENE % (EULER + CG % 100, BUCKLE)))
check("indefinite, but solved", r.status == 0 and r.err == "", r)
for name in ("SparseLDLSolver", "EigenSimplicialLDLT", "CholeskySolver", "CholmodSupernodalLLT"):
    fails("asymmetric-" + name, EULER, solver(name), FOLLOW, "not symmetric: entry (0, 1)")
for name in ("SparseLDLSolver", "EigenSparseLU"):
    scene = write("fine.scn", SCENE % (EULER + solver(name), FOLLOW if name[0] == "E" else BUCKLE))
    r = run("-n", 2, scene)
    check(name + " solves it", r.status == 0 and r.err == "", r)
for linear in (CG, CG.replace("CGLinearSolver", "PCGLinearSolver").replace(' threshold="0"', ""),
               CG.replace("CGLinearSolver", "MinResLinearSolver").replace(' threshold="0"', "")):
    fails("zero-iterations", EULER, linear % 0, FEM % "1e4", "field 'iterations': 0")
    scene = write("zero.scn", SCENE % (EULER + (linear % 100).replace("1e-12", "0"), FEM % "1e4"))
    r = run("-n", 5, scene)
    check("zero tolerance", r.status == 0 and r.err == "", r)

# a force that overflows: every solver says so
for linear in (solver("SparseLDLSolver"), solver("EigenSparseLU"), CG % 100):
    force = '<ConstantForceField name="push" indices="0" forces="1e308 1e308 1e308"/>' * 4
    fails("overflow", EULER, linear, FEM % "1e4" + force, "right-hand side is not finite")

# without a linear solver the scene is not run at all
scene = write("missing.scn", SCENE % (EULER, FEM % "1e4"))
r = run("-n", 1, scene)
check("missing", r.status == 1 and "missing.scn:6: error: /body/ode: no linear solver" in r.err, r)

# --keep-going: told once, then as SOFA
scene = write("going.scn", SCENE % (EULER + solver("SparseLDLSolver"), FOLLOW))
r = run("-n", 5, "--keep-going", scene)
check("--keep-going", r.status == 0 and r.err.count("not symmetric") == 1, r)

finish()
