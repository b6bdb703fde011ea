# SPDX-License-Identifier: LGPL-2.1-or-later
"""Sofa.SofaFEM: rules of integration and the mapping of elements; loads assembled when the scene has
been initialised."""
import glob
import itertools
import math
import os
import subprocess
import tempfile
import unittest

import support  # noqa: F401  (without numpy: skipped)

import csofa
import numpy as np
import Sofa
from Sofa import SofaFEM

ELEMENTS = {"Edge": 1, "Triangle": 2, "Quad": 2, "Tetrahedron": 3, "Hexahedron": 3}


def corners(element):
    """Of the reference element, in the order of the library."""
    t = ELEMENTS[element]
    if element in ("Triangle", "Tetrahedron"):
        return np.vstack([np.zeros((1, t)), np.eye(t)])
    quad = [[-1, -1], [1, -1], [1, 1], [-1, 1]]
    return np.array({"Edge": [[-1], [1]], "Quad": quad,
                     "Hexahedron": [[*q, z] for z in (-1, 1) for q in quad]}[element], dtype=float)


def integral(element, powers):
    """Of a monomial over the reference element."""
    if element in ("Triangle", "Tetrahedron"):
        return (math.prod(map(math.factorial, powers))
                / math.factorial(sum(powers) + ELEMENTS[element]))
    return math.prod(0 if p % 2 else 2 / (p + 1) for p in powers)


LOADED = """
import numpy as np
import Sofa
from Sofa import SofaFEM

class Load(Sofa.Core.Controller):
    '''Weight of a bar of area 2, with a density that grows along it.'''
    def __init__(self, node, **kwargs):
        Sofa.Core.Controller.__init__(self, **kwargs)
        self.node, self.told = node, 0

    def onSimulationInitDoneEvent(self, event):
        self.told += 1
        x = self.node.dofs.rest_position.array()
        cells = np.array(self.node.edges.edges.array())
        weights, shapes, gradients = SofaFEM.quadrature_data("Edge", 3, 3)
        _, measures = SofaFEM.element_mapping_batch("Edge", x, cells, gradients)
        density = np.einsum("qa,ea->eq", shapes, x[cells][:, :, 0])
        force = np.zeros_like(x)
        np.add.at(force, (cells, 0), np.einsum("q,eq,eq,qa->ea", weights, measures, 2 * density,
                                               shapes))
        self.node.addObject("ConstantForceField", name="source", indices=list(range(len(x))),
                            forces=force.tolist()).init()

    def onAnimateEndEvent(self, event):
        x = self.node.dofs.position.value[:, 0] - self.node.dofs.rest_position.value[:, 0]
        print("moved", self.told, *map(repr, map(float, x)))

def createScene(root):
    root.dt = 1
    root.gravity = [0, 0, 0]
    root.addObject("DefaultAnimationLoop")
    bar = root.addChild("bar")
    bar.addObject("StaticEquilibriumIntegrationScheme", maxNbIterationsNewton=3)
    bar.addObject("SparseLDLSolver", template="CompressedRowSparseMatrixMat3x3d")
    bar.addObject("EdgeSetTopologyContainer", name="edges",
                  position=[[0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0]],
                  edges=[[0, 1], [1, 2], [2, 3]])
    bar.addObject("MechanicalObject", name="dofs")
    bar.addObject("MeshSpringForceField", stiffness=100, damping=0)
    bar.addObject("FixedProjectiveConstraint", indices=[0])
    bar.addObject("PartialFixedProjectiveConstraint", indices=[1, 2, 3], fixedDirections=[0, 1, 1])
    bar.addObject(Load(bar, name="load"))
"""


class Integrals(unittest.TestCase):
    def test_rules_are_exact(self):
        for element, t in ELEMENTS.items():
            for degree in range(8):
                weights, shapes, gradients = SofaFEM.quadrature_data(element, 3, degree)
                self.assertGreater(weights.min(), 0)
                points = shapes @ corners(element)
                for powers in itertools.product(range(degree + 1), repeat=t):
                    if sum(powers) <= degree:
                        got = weights @ np.prod(points ** powers, axis=1)
                        self.assertAlmostEqual(got, integral(element, powers), 13,
                                               (element, degree, powers))
                # the derivatives of the position by the coordinates of the element
                np.testing.assert_allclose(
                    np.einsum("ad,qat->qdt", corners(element), gradients),
                    np.broadcast_to(np.eye(t), (len(weights), t, t)), atol=1e-14)
        for degree, points in ((1, 1), (2, 3)):
            self.assertEqual(len(SofaFEM.quadrature_data("Triangle", 2, degree)[0]), points)

    def test_mapping(self):
        """Of linear maps: measures are determinants, gradients of a linear function are constant."""
        rng = np.random.default_rng(3)
        for element, t in ELEMENTS.items():
            for dim in range(t, 4):
                linear, slope = rng.normal(size=(dim, t)), rng.normal(size=t)
                nodes = corners(element) @ linear.T + 3
                weights, _, gradients = SofaFEM.quadrature_data(element, dim, 2)
                physical, measures = SofaFEM.element_mapping(element, nodes, gradients)
                np.testing.assert_allclose(measures, math.sqrt(np.linalg.det(linear.T @ linear)),
                                           rtol=1e-12)
                # u = slope . xi: its gradient in the plane of the element
                found = np.einsum("qad,a->qd", physical, corners(element) @ slope)
                np.testing.assert_allclose(found @ linear, np.broadcast_to(slope, (len(weights), t)),
                                           atol=1e-12)

    def test_mesh(self):
        """The volume of a cube of hexahedra that are not boxes."""
        grid = np.array(list(itertools.product(range(3), repeat=3)), dtype=float)[:, ::-1]
        grid[13] += [0.2, -0.1, 0.15]  # the middle
        cells = [[o + i for i in (0, 1, 4, 3, 9, 10, 13, 12)] for o in (0, 1, 3, 4, 9, 10, 12, 13)]
        weights, _, gradients = SofaFEM.quadrature_data("Hexahedron", 3, 3)
        physical, measures = SofaFEM.element_mapping_batch("Hexahedron", grid, cells, gradients)
        self.assertEqual(physical.shape, (8, len(weights), 8, 3))
        self.assertAlmostEqual((measures @ weights).sum(), 8, 12)
        np.testing.assert_allclose(np.einsum("eqad,eac->eqdc", physical, grid[np.array(cells)]),
                                   np.broadcast_to(np.eye(3), (8, len(weights), 3, 3)), atol=1e-12)

    def test_refuses(self):
        _, _, gradients = SofaFEM.quadrature_data("Triangle", 2, 1)
        for call in (lambda: SofaFEM.quadrature_data("Prism", 3, 1),
                     lambda: SofaFEM.quadrature_data("Hexahedron", 2, 1),
                     lambda: SofaFEM.quadrature_data("Edge", 1, -1),
                     lambda: SofaFEM.element_mapping_batch("Triangle", np.eye(3), [[0, 1]], gradients),
                     lambda: SofaFEM.element_mapping_batch("Triangle", np.eye(3), [[0, 1, 3]],
                                                           gradients)):
            with self.assertRaises(ValueError):
                call()


class Loads(unittest.TestCase):
    """The event comes once; what it adds acts from the first step on, whoever steps."""

    def setUp(self):
        # each spring carries the weight beyond it: int 2 x N_a dx over the edges
        loads = [1 / 3, 2, 4, 8 / 3]
        self.expected = np.cumsum([0] + [sum(loads[i:]) / 100 for i in (1, 2, 3)])
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = os.path.join(self.folder.name, "loaded.py")
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(LOADED)

    def test_in_python(self):
        scene = csofa.load(self.path)
        scene.step(2)
        self.assertEqual(scene._controllers[0].told, 1)
        np.testing.assert_allclose(scene["/bar/dofs"].position[:, 0] - np.arange(4), self.expected,
                                   atol=1e-9)

    @unittest.skipUnless(glob.glob("/usr/lib/*/libpython3*.so.1.0"), "no libpython")
    def test_in_the_program(self):
        done = subprocess.run([os.environ["CSOFA_RUN"], "-g", "batch", "-n", "2", self.path],
                              capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = [line.split()[1:] for line in done.stdout.splitlines() if line.startswith("moved")]
        self.assertEqual(len(lines), 2)
        for told, *moved in lines:
            self.assertEqual(told, "1")
            np.testing.assert_allclose(list(map(float, moved)), self.expected, atol=1e-9)


if __name__ == "__main__":
    unittest.main()
