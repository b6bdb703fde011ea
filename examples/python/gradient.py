# SPDX-License-Identifier: LGPL-2.1-or-later
"""The derivative of a number of a static solution by Young's modulus, from one solution with the
transposed matrix. Forces F(x, E) = 0 hold at the solution x(E) of a number g(x), hence
    dg/dE = -lambda . dF/dE  where  K^T lambda = dg/dx, K = dF/dx."""
import csofa
import numpy as np
from scipy.sparse.linalg import spsolve

POISSON, MASS, LENGTH = 0.3, 1.0, 4
CUBE = [[0, 1, 2, 6], [0, 2, 3, 6], [0, 3, 7, 6], [0, 7, 4, 6], [0, 4, 5, 6], [0, 5, 1, 6]]


def mesh():
    """A beam of cubes of 1 m along z, each of six tetrahedra."""
    layer = [[0, 0], [1, 0], [1, 1], [0, 1]]
    points = [[x, y, z] for z in range(LENGTH + 1) for x, y in layer]
    return np.array(points, float), np.concatenate([np.array(CUBE) + 4 * i for i in range(LENGTH)])


def make(modulus, context, static=True):
    """The beam of St. Venant-Kirchhoff's material, clamped at z = 0; modulus: Pa."""
    points, tetrahedra = mesh()
    scene = csofa.new_scene(context)
    scene.dt = 0.001
    scene.root.gravity = [0, -9.81, 0]
    scene.root.add("DefaultAnimationLoop")
    beam = scene.root.add(csofa.Node, "beam")
    if static:
        beam.add("NewtonRaphsonSolver", name="newton", maxNbIterationsNewton=50,
                 maxNbIterationsLineSearch=1, warnWhenLineSearchFails=False,
                 absoluteResidualStoppingThreshold=1e-10, relativeSuccessiveStoppingThreshold=0,
                 relativeInitialStoppingThreshold=0, absoluteEstimateDifferenceThreshold=0,
                 relativeEstimateDifferenceThreshold=0)
        beam.add("StaticSolver", newtonSolver="@newton")
        beam.add("SparseLDLSolver", template="CompressedRowSparseMatrixMat3x3d")
    else:
        beam.add("EulerExplicitSolver")
    beam.add("MeshTopology", position=points, tetrahedra=tetrahedra)
    beam.add("MechanicalObject", name="state")
    beam.add("UniformMass", totalMass=MASS)
    mu = modulus / (2 * (1 + POISSON))
    beam.add("TetrahedronHyperelasticityFEMForceField", materialName="StVenantKirchhoff",
             ParameterSet=[mu, 2 * mu * POISSON / (1 - 2 * POISSON)])
    beam.add("FixedProjectiveConstraint", indices=[0, 1, 2, 3])
    return scene


def solve(modulus, context):
    scene = make(modulus, context)
    scene.step()
    return scene


def height(x):
    """Mean y of the free end, m."""
    return float(np.mean(x[-4:, 1]))


def height_gradient(x):
    gradient = np.zeros_like(x)
    gradient[-4:, 1] = 1 / 4
    return gradient


def forces(modulus, x, context):
    """The forces at positions x, N: what a step of an explicit scheme makes of them."""
    scene = make(modulus, context, static=False)
    scene.init()
    scene["/beam/state"].position = x
    scene.step()
    return scene["/beam/state"].velocity * (MASS / len(x) / scene.dt)


def gradient(modulus, context):
    """The height, and its derivative by the modulus, m/Pa."""
    scene = solve(modulus, context)
    x = np.array(scene["/beam/state"].position)
    matrix = scene.matrix("/beam/state", project=True)
    adjoint = spsolve(matrix.T.tocsc(), height_gradient(x).ravel())
    h = 1e-4 * modulus
    by_modulus = (forces(modulus + h, x, context) - forces(modulus - h, x, context)) / (2 * h)
    return height(x), -float(adjoint @ np.ravel(by_modulus))


def main():
    context = csofa.Context()
    modulus, h = 5000.0, 1.0
    value, slope = gradient(modulus, context)
    ends = [height(solve(modulus + s, context)["/beam/state"].position) for s in (-h, h)]
    print(f"height {value:.6f} m; derivative {slope:.6e} m/Pa, by differences "
          f"{(ends[1] - ends[0]) / (2 * h):.6e} m/Pa")


if __name__ == "__main__":
    main()
