# SPDX-License-Identifier: LGPL-2.1-or-later
"""A cantilever beam made from Python: the scene of the other examples."""
import csofa
import numpy as np


def make(modulus=5000.0, n=(3, 3, 9), solver="EulerImplicitSolver", context=None):
    """A beam of 1 m x 1 m x 4 m along z, clamped at z = 0; gravity bends it. modulus: Pa."""
    scene = csofa.new_scene(context)
    scene.dt = 0.02
    root = scene.root
    root.gravity = [0, -9.81, 0]
    root.add("DefaultAnimationLoop")
    beam = root.add(csofa.Node, "beam")
    if solver == "StaticSolver":
        beam.add("NewtonRaphsonSolver", name="newton", maxNbIterationsNewton=50,
                 maxNbIterationsLineSearch=1, warnWhenLineSearchFails=False,
                 absoluteResidualStoppingThreshold=1e-5)
        beam.add(solver, name="scheme", newtonSolver="@newton")
    else:
        beam.add(solver, name="scheme")
    beam.add("SparseLDLSolver", template="CompressedRowSparseMatrixMat3x3d")
    beam.add("RegularGridTopology", name="grid", n=n, min=[0, 0, 0], max=[1, 1, 4])
    beam.add("MechanicalObject", name="state")
    beam.add("UniformMass", name="mass", totalMass=1.0)
    beam.add("HexahedronFEMForceField", name="fem", youngModulus=modulus, poissonRatio=0.3,
             method="large")
    beam.add("BoxROI", name="wall", box=[-0.1, -0.1, -0.01, 1.1, 1.1, 0.01])
    beam.add("FixedProjectiveConstraint", indices="@wall.indices")
    return scene


def sag(scene):
    """Mean displacement of the free end in y, m."""
    state = scene["/beam/state"]
    x, x0 = state.position, state.rest_position
    end = x0[:, 2] > x0[:, 2].max() - 1e-9
    return float(np.mean(x[end, 1] - x0[end, 1]))
