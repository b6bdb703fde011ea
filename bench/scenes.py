#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes the scenes that are measured: a beam fixed at one end that swings under its weight.

usage: scenes.py BEAM SOLVER [FILE]     e.g. scenes.py 10k cg-free beam.scn
The scenes use what SOFA has, too, so that both programs run the same file."""
import sys

# cells of the grid; each cell is six tetrahedra
BEAMS = {
    "1k": (4, 4, 11),       # 1 056 tetrahedra, 300 points
    "10k": (8, 8, 27),      # 10 368 tetrahedra, 2 268 points: the reference
    "100k": (18, 18, 51),   # 99 144 tetrahedra, 18 772 points
}

# tolerance and threshold are out of reach, so that conjugate gradients make all iterations
_CG = '<CGLinearSolver%s iterations="100" tolerance="1e-30" threshold="1e-60" printLog="{log}"/>'
SOLVERS = {
    "cg-free": _CG % "",
    "cg-assembled": _CG % ' template="CompressedRowSparseMatrixMat3x3d"',
    "direct": '<SparseLDLSolver template="CompressedRowSparseMatrixMat3x3d"/>',
}
ITERATIONS = 100

_SCENE = """<Node name="root" dt="0.01" gravity="0 -9.81 0">
  <RequiredPlugin pluginName="Sofa.Component.Constraint.Projective"/>
  <RequiredPlugin pluginName="Sofa.Component.Engine.Select"/>
  <RequiredPlugin pluginName="Sofa.Component.LinearSolver.Direct"/>
  <RequiredPlugin pluginName="Sofa.Component.LinearSolver.Iterative"/>
  <RequiredPlugin pluginName="Sofa.Component.Mass"/>
  <RequiredPlugin pluginName="Sofa.Component.ODESolver.Backward"/>
  <RequiredPlugin pluginName="Sofa.Component.SolidMechanics.FEM.Elastic"/>
  <RequiredPlugin pluginName="Sofa.Component.StateContainer"/>
  <RequiredPlugin pluginName="Sofa.Component.Topology.Container.Grid"/>
  <DefaultAnimationLoop/>
  <Node name="beam">
    <EulerImplicitSolver/>
    {solver}
    <RegularGridTopology name="grid" n="{n}" min="0 0 0" max="{size}"/>
    <MechanicalObject name="state"/>
    <UniformMass totalMass="{mass:g}"/>
    <TetrahedronFEMForceField method="large" youngModulus="2e6" poissonRatio="0.3"/>
    <BoxROI name="end" box="-1 -1 -0.001 2 2 0.001"/>
    <FixedProjectiveConstraint indices="@end.indices"/>
  </Node>
</Node>
"""

# section 0.8 m x 0.8 m, 1000 kg/m^3; the length keeps the cells cubes
SECTION, DENSITY = 0.8, 1000.0


def n_tetrahedra(beam):
    nx, ny, nz = BEAMS[beam]
    return 6 * nx * ny * nz


def n_points(beam):
    nx, ny, nz = BEAMS[beam]
    return (nx + 1) * (ny + 1) * (nz + 1)


def scene(beam, solver, log=False):
    """Text of the scene of a beam (key of BEAMS) with a solver (key of SOLVERS). log: conjugate
    gradients tell how many iterations they made."""
    nx, ny, nz = BEAMS[beam]
    length = SECTION * nz / nx
    text = SOLVERS[solver].format(log=int(log))
    return _SCENE.format(solver=text, n="%d %d %d" % (nx + 1, ny + 1, nz + 1),
                         size="%g %g %g" % (SECTION, SECTION * ny / nx, length),
                         mass=DENSITY * SECTION * SECTION * ny / nx * length)


def main():
    if len(sys.argv) not in (3, 4) or sys.argv[1] not in BEAMS or sys.argv[2] not in SOLVERS:
        sys.exit("%s\nBEAM: %s; SOLVER: %s" % (__doc__, " ".join(BEAMS), " ".join(SOLVERS)))
    text = scene(sys.argv[1], sys.argv[2])
    if len(sys.argv) == 3:
        sys.stdout.write(text)
        return
    with open(sys.argv[3], "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    main()
