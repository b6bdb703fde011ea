# SPDX-License-Identifier: LGPL-2.1-or-later
"""Programs that read outputs of engines while they build a scene, and write entries of data."""
import unittest

import support  # noqa: F401  (without numpy: skipped)

import csofa
import numpy as np
import Sofa

csofa.on_message(None)


def stiff_part(root):
    """A beam whose points with z over 1.5 belong to a rigid body."""
    body = root.addChild("body")
    body.addObject("EulerImplicitSolver", rayleighStiffness=0.1)
    body.addObject("SparseLDLSolver", template="CompressedRowSparseMatrix")
    beam = body.addChild("beam")
    grid = beam.addObject("RegularGridTopology", name="grid", n=[2, 2, 4], min=[0, 0, 0],
                          max=[1, 1, 3])
    grid.init()
    beam.addObject("MechanicalObject", name="all", template="Vec3")
    box = beam.addObject("BoxROI", name="stiff", box=[[-1, -1, 1.5], [2, 2, 4]],
                         position=grid.position)
    inside, outside = box.indices.value, box.indicesOut.value
    pairs = np.zeros((len(grid.position.value), 2), int)
    pairs[inside] = np.column_stack([np.ones(len(inside), int), np.arange(len(inside))])
    pairs[outside] = np.column_stack([np.zeros(len(outside), int), np.arange(len(outside))])
    frame = beam.addChild("frame")
    frame.addObject("MechanicalObject", name="frame", template="Rigid3",
                    position=[[0, 0, 2.5, 0, 0, 0, 1]])
    held = frame.addChild("held")
    held.addObject("MechanicalObject", name="held", template="Vec3", position=box.pointsInROI)
    held.addObject("RigidMapping", globalToLocalCoords=True)
    free = beam.addChild("free")
    free.addObject("MechanicalObject", name="free", template="Vec3", position=box.pointsOutROI)
    free.addObject("FixedProjectiveConstraint", indices=[0, 1, 2, 3])
    beam.addChild("joined").addObject(
        "SubsetMultiMapping", template="Vec3,Vec3", input="@../free/free @../frame/held/held",
        output="@../all", indexPairs=pairs)
    physics = beam.addChild("physics")
    physics.addObject("UniformMass", totalMass=1)
    physics.addObject("HexahedronFEMForceField", youngModulus=400, poissonRatio=0.3,
                      topology=grid.getLinkPath())
    return inside


class BeforeInit(unittest.TestCase):
    def test_selected_points(self):
        root = Sofa.Core.Node("root")
        root.dt = 0.02
        root.gravity = [0, -9.81, 0]
        root.addObject("DefaultAnimationLoop")
        inside = stiff_part(root)
        np.testing.assert_array_equal(inside, np.arange(8, 16))
        Sofa.Simulation.initRoot(root)
        x = root.body.beam.all.position
        rest = np.array(x.value)
        for _ in range(20):
            Sofa.Simulation.animate(root, root.dt.value)
        now = np.array(x.value)
        self.assertLess(now[15, 1], rest[15, 1] - 0.05)  # it bends
        for i in inside:  # the part stays as it is
            np.testing.assert_allclose(np.linalg.norm(now[i] - now[inside], axis=1),
                                       np.linalg.norm(rest[i] - rest[inside], axis=1), atol=1e-9)

    def test_init_of_one_object(self):
        """It does not initialise a scene that is not complete yet."""
        root = Sofa.Core.Node("root")
        box = root.addObject("BoxROI", box=[0.5, -1, -1, 2, 1, 1], position="@later.position")
        box.init()
        root.addObject("MechanicalObject", name="later", position=[[0.0, 0, 0], [1.0, 0, 0]])
        Sofa.Simulation.initRoot(root)
        np.testing.assert_array_equal(box.indices.value, [1])

    def test_writes_entries(self):
        root = Sofa.Core.Node("root")
        turn = root.addObject("TransformEngine", name="turn", input_position=[[1.0, 0, 0]],
                              rotation=[0, 0, 0])
        state = root.addObject("MechanicalObject", position=turn.output_position.getLinkPath())
        np.testing.assert_allclose(turn.output_position.value, [[1, 0, 0]])
        Sofa.Simulation.initRoot(root)
        turn.rotation[2] += 90
        np.testing.assert_array_equal(turn.rotation.value, [0, 0, 90])
        Sofa.Simulation.animate(root, 0.1)
        np.testing.assert_allclose(state.position.value, [[0, 1, 0]], atol=1e-12)


if __name__ == "__main__":
    unittest.main()
