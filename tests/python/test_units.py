# SPDX-License-Identifier: LGPL-2.1-or-later
"""Sofa.Units, Sofa.SofaDeformable, SofaTypes and Sofa.Types: numbers with units and names."""
import unittest

import support  # noqa: F401  (without numpy: skipped)

import numpy as np
import Sofa
import Sofa.SofaDeformable
import SofaTypes
from Sofa.Types import RGBAColor
from Sofa.Units import Definitions
from Sofa.Units.Core import DimensionnedValue, PrimaryUnit, ScaledUnit
from Sofa.Units.Definitions import (DimensionLess, J, MPa, N, Pa, T, V, W, A, cm, dm, g, kg, km, kPa,
                                    m, mm, ms, s, t, µm)
from Sofa.Units.UnitSystem import MechanicalUnitSystem, UnitSystem


class Units(unittest.TestCase):
    def test_products(self):
        self.assertEqual(N, kg * m / s ** 2)
        self.assertEqual(J / m ** 3, Pa)
        self.assertEqual(V * A, W)
        self.assertEqual(T * A * m, N)
        self.assertEqual(km / m, ScaledUnit(DimensionLess, 1e3))
        self.assertEqual(m ** 0, DimensionLess)
        self.assertEqual(Pa.getKey(), {"num": {"kg": 1}, "denum": {"m": 1, "s": 2}})
        self.assertNotEqual(N, kg)
        self.assertNotEqual(mm, cm)
        self.assertEqual(hash(m * s), hash(s * m))
        self.assertEqual(str(kPa), "1000.0 * ( kg ) / ( m * s^2 )")
        self.assertEqual(str(s ** -1), "1.0 * 1/ ( s )")
        self.assertEqual(µm.ratio, 1e-6)
        for name, ratio in (("nN", 1e-9), ("MPa", 1e6), ("GHz", 1e9), ("dm", 0.1), ("mg", 1e-6)):
            self.assertAlmostEqual(getattr(Definitions, name).ratio / ratio, 1, 14, name)
        with self.assertRaises(TypeError):
            m / 2
        with self.assertRaises(ValueError):
            m ** 0.5

    def test_values(self):
        force = 3 * kg * (2 * m / s ** 2)
        self.assertEqual(force, 6 * N)
        self.assertEqual((1.5 * kg) / (1.5 * dm ** 3), 1000 * (kg / m ** 3))
        self.assertEqual(2 / (4 * s), 0.5 * s ** -1)
        self.assertEqual((2 * mm) ** 2, 4e-6 * m ** 2)
        self.assertEqual(m / (2 * s), 0.5 * (m / s))
        self.assertEqual(str(5 * km), "5000.0 * ( m ) ")
        self.assertIsInstance(force / s, DimensionnedValue)
        with self.assertRaises(TypeError):
            force == 6 * m

    def test_systems(self):
        unit = MechanicalUnitSystem(s, mm, g)
        self.assertAlmostEqual(unit(-9.81, N / kg), -9810, 9)
        self.assertAlmostEqual(unit(3 * kPa), 3000, 9)
        self.assertAlmostEqual(unit(1000, kg / m ** 3), 1e-3, 15)
        np.testing.assert_allclose(unit([0, 1], km), [0, 1e6])
        np.testing.assert_allclose(unit(np.array([10 * N, 1 * N])), [1e7, 1e6])
        np.testing.assert_allclose(unit(np.array([[1, 2]]), t), [[1e6, 2e6]])
        self.assertEqual(MechanicalUnitSystem()(2, MPa), 2e6)
        self.assertEqual(unit(250 * ms), 0.25)
        with self.assertRaisesRegex(RuntimeError, "none of A"):
            unit(1 * A)
        with self.assertRaisesRegex(ValueError, "two units of m"):
            UnitSystem(m, mm)
        with self.assertRaisesRegex(TypeError, "one primary unit"):
            UnitSystem(N)
        with self.assertRaisesRegex(ValueError, "no unit"):
            unit(3)
        self.assertEqual(UnitSystem(ScaledUnit(PrimaryUnit("bit"), 8))(16, PrimaryUnit("bit")), 2)

    def test_scene(self):
        """A beam in cm and g moves as the same one in m and kg does."""
        moved = []
        for length, mass in ((m, kg), (cm, g)):
            unit = MechanicalUnitSystem(s, length, mass)
            root = Sofa.Core.Node("root")
            root.gravity = unit([0, -9.81, 0], N / kg)
            root.dt = unit(10 * ms)
            root.addObject("EulerImplicitIntegrationScheme", rayleighStiffness=0.1)
            root.addObject("SparseLDLSolver", template="CompressedRowSparseMatrixMat3x3d")
            root.addObject("RegularGridTopology", name="grid", n=[3, 3, 5], min=[0, 0, 0],
                           max=unit([0.1, 0.1, 0.4], m))
            state = root.addObject("MechanicalObject", name="state")
            root.addObject("UniformMass", totalMass=unit(4 * kg))
            tetra = root.addChild("tetra")
            tetra.addObject("TetrahedronSetTopologyContainer", name="topology")
            tetra.addObject("TetrahedronSetTopologyModifier")
            tetra.addObject("Hexa2TetraTopologicalMapping", input="@grid", output="@topology")
            lame = Sofa.SofaDeformable.toLameParameters3D(unit(0.1, MPa), 0.45)
            tetra.addObject("TetrahedronHyperelasticityFEMForceField", topology="@topology",
                            ParameterSet=lame, materialName="StVenantKirchhoff")
            root.addObject("FixedProjectiveConstraint", indices=list(range(9)))
            Sofa.Simulation.init(root)
            for _ in range(10):
                Sofa.Simulation.animate(root)
            moved.append(np.array(state.position.value) * length.ratio)
        self.assertLess(moved[0][-1, 1], 0.095)  # it bends
        np.testing.assert_allclose(moved[1], moved[0], atol=1e-9)

    def test_parameters(self):
        young, poisson = 3e3, 0.3
        mu, lam = Sofa.SofaDeformable.toLameParameters3D(young, poisson)
        # uniaxial stress: sigma = E eps
        strain = np.diag([1, -poisson, -poisson])
        stress = 2 * mu * strain + lam * np.trace(strain) * np.eye(3)
        np.testing.assert_allclose(stress, np.diag([young, 0, 0]), atol=1e-9)
        mu, lam = Sofa.SofaDeformable.toLameParameters2D(young, poisson)
        strain = np.diag([1, -poisson])
        np.testing.assert_allclose(2 * mu * strain + lam * np.trace(strain) * np.eye(2),
                                   np.diag([young, 0]), atol=1e-9)


class Names(unittest.TestCase):
    def test_vectors(self):
        v = SofaTypes.Vec3d(1, 2, 2)
        self.assertEqual((v.x, v.y, v.z, v.norm(), v.norm2()), (1, 2, 2, 3, 9))
        v.y = 5
        np.testing.assert_array_equal(v + SofaTypes.Vec3d([1, 0, 0]), [2, 5, 2])
        self.assertEqual(v.dot(SofaTypes.Vec3d(0, 1, 0)), 5)
        self.assertEqual(SofaTypes.Vec2f().tolist(), [0, 0])
        self.assertEqual(SofaTypes.Vec6d(range(6))[5], 5)
        self.assertAlmostEqual(SofaTypes.Vec3d(0, 3, 4).normalized().z, 0.8)
        self.assertFalse(hasattr(SofaTypes.Vec2d, "z"))
        with self.assertRaises(ValueError):
            SofaTypes.Vec3d(1, 2)

    def test_colors(self):
        self.assertEqual(RGBAColor("red"), [1, 0, 0, 1])
        self.assertEqual(RGBAColor("#ff0080"), [1, 0, 128 / 255, 1])
        self.assertEqual(RGBAColor(0.5, 0, 0), [0.5, 0, 0, 1])
        with self.assertRaisesRegex(ValueError, "no color 'reddish'"):
            RGBAColor("reddish")
        root = Sofa.Core.Node("root")
        for name in Sofa.Types._COLORS:  # the same as in scenes
            state = root.addObject("MechanicalObject", name=name, showColor=name)
            np.testing.assert_allclose(state.showColor.value, RGBAColor(name), err_msg=name)

    def test_modules(self):
        import Sofa.SofaBaseTopology
        import Sofa.SofaLinearSystem  # noqa: F401
        from Sofa import SofaConstraintSolver, SofaLinearSolver  # noqa: F401
        with self.assertRaises(ImportError):
            from Sofa import SofaNothing  # noqa: F401


if __name__ == "__main__":
    unittest.main()
