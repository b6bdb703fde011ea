# SPDX-License-Identifier: LGPL-2.1-or-later
"""What solvers made in a step, timers, springs that come and go, nodes with several parents."""
import importlib.util
import unittest

import support  # noqa: F401  (without numpy: skipped)

import csofa
import numpy as np
import Sofa
from SofaRuntime import Timer

SCIPY = importlib.util.find_spec("scipy") is not None


def body(root, solver="SparseLDLSolver", **options):
    """Two points under gravity, held by springs."""
    root.dt = 0.1
    root.gravity = [0, -9.8, 0]
    node = root.addChild("body")
    node.addObject("EulerImplicitSolver", rayleighMass=0.1)
    options.setdefault("template", "CompressedRowSparseMatrixMat3x3d")
    node.addObject("MatrixLinearSystem", name="system", template=options["template"])
    node.addObject(solver, name="solver", **options)
    node.addObject("MechanicalObject", name="state", position=[[0.0, 0, 0], [1.0, 0, 0]])
    node.addObject("UniformMass", totalMass=4.0)
    node.addObject("RestShapeSpringsForceField", stiffness=[30.0])
    return node


class Solved(unittest.TestCase):
    @unittest.skipUnless(SCIPY, "no scipy")
    def test_system(self):
        root = Sofa.Core.Node("root")
        node = body(root)
        with self.assertRaisesRegex(csofa.Error, "no assembled matrix"):
            Sofa.Simulation.init(root)
            node.system.A()
        Sofa.Simulation.animate(root)
        for matrix in (node.system.A(), node.solver.A(), node.system.get_system_matrix()):
            expected = (2 * (1 + 0.1 * 0.1) + 0.1 * 0.1 * 30) * np.eye(6)
            np.testing.assert_allclose(matrix.toarray(), expected, atol=1e-12)
        b, x = node.system.get_rhs_vector(), node.solver.x()
        np.testing.assert_allclose(b, [0, -1.96, 0] * 2, atol=1e-12)
        np.testing.assert_allclose(node.system.A() @ x, b, atol=1e-12)

    def test_multipliers(self):
        """A weight on a string: the force of the string holds it."""
        root = Sofa.Core.Node("root")
        root.dt = 0.01
        root.gravity = [0, -10, 0]
        root.addObject("FreeMotionAnimationLoop")
        solver = root.addObject("BlockGaussSeidelConstraintSolver", tolerance=1e-12,
                                maxIterations=100)
        node = root.addChild("weight")
        node.addObject("EulerImplicitSolver")
        node.addObject("SparseLDLSolver", template="CompressedRowSparseMatrixMat3x3d")
        state = node.addObject("MechanicalObject", name="state", position=[[0.0, 0, 0]])
        node.addObject("UniformMass", totalMass=2.0)
        node.addObject("FixedLagrangianConstraint", indices=[0])
        node.addObject("LinearSolverConstraintCorrection")
        Sofa.Simulation.init(root)
        np.testing.assert_array_equal(state.getData("lambda").value, [[0, 0, 0]])
        Sofa.Simulation.animate(root)
        np.testing.assert_allclose(state.getData("lambda").value, [[0, 0.2, 0]], atol=1e-12)
        np.testing.assert_allclose(np.sort(solver.lambda_force()), [0, 0, 0.2], atol=1e-12)
        np.testing.assert_allclose(solver.W(), 0.01 / 2 * np.eye(3), atol=1e-14)
        if SCIPY:
            np.testing.assert_allclose(abs(state.constraint.value.toarray()), np.eye(3))
        with self.assertRaisesRegex(csofa.Error, "not a constraint solver"):
            state.W()

    def test_timer(self):
        root = Sofa.Core.Node("root")
        node = root.addChild("body")
        node.addObject("NewtonRaphsonSolver", maxNbIterationsNewton=3)
        node.addObject("StaticSolver")
        node.addObject("CGLinearSolver", iterations=10, tolerance=1e-9, threshold=1e-9)
        node.addObject("MechanicalObject", name="state", position=[[0.0, 0, 0]])
        node.addObject("UniformMass", totalMass=4.0)
        node.addObject("RestShapeSpringsForceField", stiffness=[30.0])
        Sofa.Simulation.init(root)
        Timer.setEnabled("timer", True)
        Timer.begin("timer")
        Sofa.Simulation.animate(root)
        records = Timer.getRecords("timer")
        Timer.end("timer")
        Timer.setEnabled("timer", False)
        solve = records["solve"]
        self.assertGreaterEqual(solve["total_time"], solve["StaticSolver"]["total_time"])
        newton = solve["Mechanical (body)"]["StaticSolver::Solve"]
        self.assertEqual(newton["nb_iterations"], len(newton["NewtonStep"]))
        self.assertGreaterEqual(newton["NewtonStep"][0]["MBKSolve"]["CG iterations"], 1)

    def test_timer_of_a_controller(self):
        """It begins its own timer in each step, as long as nobody times "Animate"."""
        told = []

        class Watch(Sofa.Core.Controller):
            def onAnimateBeginEvent(self, event):
                told.append(Timer.isEnabled("Animate"))
                Timer.setEnabled("own", True)
                Timer.begin("own")

            def onAnimateEndEvent(self, event):
                place = Timer.getRecords("own")["solve"]["Mechanical (body)"]
                told.append(place["StaticSolver::Solve"]["nb_iterations"])
                Timer.end("own")

        root = Sofa.Core.Node("root")
        root.addObject(Watch())
        node = root.addChild("body")
        node.addObject("StaticEquilibriumIntegrationScheme", maxNbIterationsNewton=3,
                       residueThreshold=0)
        node.addObject("CGLinearSolver", iterations=10, tolerance=1e-9, threshold=1e-9)
        node.addObject("MechanicalObject", name="state", position=[[0.0, 0, 0]])
        node.addObject("UniformMass", totalMass=4.0)
        node.addObject("RestShapeSpringsForceField", stiffness=[30.0])
        Sofa.Simulation.init(root)
        try:
            Sofa.Simulation.animateNSteps(root, 3)
        finally:
            Timer.setEnabled("own", False)
        self.assertFalse(Timer.isEnabled("own"))
        self.assertEqual(told[0::2], [False] * 3)
        self.assertEqual(told[1::2], [1, 0, 0])  # it hangs in equilibrium after the first step


class Graph(unittest.TestCase):
    def test_springs(self):
        root = Sofa.Core.Node("root")
        root.gravity = [0, 0, 0]
        node = body(root)
        root.gravity = [0, 0, 0]
        springs = node.addObject("SpringForceField", spring="0 1 100 0 0.5")
        Sofa.Simulation.init(root)
        Sofa.Simulation.animate(root)
        self.assertGreater(node.state.velocity.value[0, 0], 0)
        springs.removeSpring(0)
        self.assertEqual(springs.getSprings(), [])
        Sofa.Simulation.reset(root)
        Sofa.Simulation.animate(root)
        self.assertEqual(node.state.velocity.value[0, 0], 0)
        springs.addSpring(0, 1, 100.0, 0.0, 2.0)
        self.assertEqual(springs.getSprings()[0].restLength, 2.0)
        Sofa.Simulation.animate(root)
        self.assertLess(node.state.velocity.value[0, 0], 0)

    def test_two_parents(self):
        root = Sofa.Core.Node("root")
        root.gravity = [0, -10, 0]
        root.dt = 0.1
        model = root.addChild("model").addChild("object")
        state = model.addObject("MechanicalObject", name="state", position=[[0.0, 0, 0]])
        model.addObject("UniformMass", totalMass=1.0)
        solver = root.addChild("simulation")
        solver.addObject("EulerImplicitSolver")
        solver.addObject("CGLinearSolver", iterations=9, tolerance=1e-9, threshold=1e-9)
        self.assertEqual(solver.addChild(root.model), root.model)
        self.assertEqual([p.getPathName() for p in root.model.parents], ["/", "/simulation"])
        Sofa.Simulation.init(root)
        Sofa.Simulation.animate(root)
        self.assertAlmostEqual(state.position.value[0, 1], -0.1)
        with self.assertRaisesRegex(csofa.Error, "cannot be its parent"):
            model.addChild(solver)
            root.model.addChild(solver)
        with self.assertRaisesRegex(csofa.Error, "several parents as XML"):
            root._scene.xml()


if __name__ == "__main__":
    unittest.main()
