# SPDX-License-Identifier: LGPL-2.1-or-later
"""Controllers, engines and mappings whose functions are in Python, and matrices."""
import importlib.util
import math
import subprocess
import sys
import unittest

import support  # noqa: F401  (without numpy: skipped)

import csofa
import numpy as np
import Sofa

SOLVER = """<EulerImplicitSolver/><CGLinearSolver iterations='25' tolerance='1e-12'
  threshold='1e-12'/>"""
SPRING = f"""<Node name='root' dt='0.1' gravity='0 0 0'><DefaultAnimationLoop/><Node name='body'>
  {SOLVER}<MechanicalObject name='state' position='0 0 0  1 0 0'/>
  <UniformMass name='mass' totalMass='2'/><FixedProjectiveConstraint indices='0'/>
  <SpringForceField name='spring' spring='0 1 100 0 1'/></Node></Node>"""
PENDULUM = """<Node name='root' dt='0.001' gravity='0 -10 0'><DefaultAnimationLoop/>
  <Node name='angle'><EulerImplicitSolver/>
  <SparseLDLSolver template='CompressedRowSparseMatrixd'/>
  <MechanicalObject name='state' template='Vec1d' position='0.1'/>
  <Node name='bob'><MechanicalObject name='state' template='Vec3d' position='0 0 0'/>
  <UniformMass totalMass='2'/>{}</Node></Node></Node>"""
QUARTER = 0.4967 * (1 + 0.01 / 16)  # of the period 2 pi sqrt(l / g), amplitude 0.1
SCIPY = importlib.util.find_spec("scipy") is not None


def dense(matrix):
    """Of a scipy matrix, or of (start, columns, values)."""
    if hasattr(matrix, "toarray"):
        return matrix.toarray()
    start, columns, values = matrix
    n = len(start) - 1
    out = np.zeros((n, n))
    np.add.at(out, (np.repeat(np.arange(n), np.diff(start)), columns), values)
    return out


class Matrices(unittest.TestCase):
    def test_spring(self):
        scene = csofa.load_text(SPRING)
        k = dense(scene.matrix("/body"))
        line = 100 * np.array([[-1.0, 1], [1, -1]])
        np.testing.assert_allclose(k[::3, ::3], line, atol=1e-12)
        np.testing.assert_allclose(dense(scene.matrix(scene["/body/state"], m=1, k=0)), np.eye(6))
        np.testing.assert_allclose(dense(scene.matrix("/body", m=3, k=0.5)),
                                   3 * np.eye(6) + 0.5 * k, atol=1e-12)
        fixed = dense(scene.matrix("/body", project=True))
        np.testing.assert_allclose(fixed[:3], np.eye(6)[:3])
        self.assertEqual(scene.matrix_row("/body/state"), 0)
        with self.assertRaises(csofa.NotFoundError):
            scene.matrix(scene.root)
        with self.assertRaises(csofa.NotFoundError):
            scene.matrix("/nowhere")

    def test_modes(self):
        scene = csofa.load_text(SPRING)
        mode = scene.modes(3)[2]
        m, k = dense(scene.matrix("/body", m=1, k=0)), dense(scene.matrix("/body", k=-1))
        fixed = dense(scene.matrix("/body", m=0, k=0, project=True)).diagonal() > 0
        left = (k - mode.value * m) @ mode.shape
        np.testing.assert_allclose(left[~fixed], 0, atol=1e-9)
        self.assertAlmostEqual(mode.shape @ m @ mode.shape, 1)
        self.assertAlmostEqual(mode.value, (2 * np.pi * mode.frequency) ** 2)
        self.assertAlmostEqual(mode.mass[0], 1)
        self.assertEqual([m.rigid for m in scene.modes(3)], [True, True, False])
        for n in (0, 4):
            with self.assertRaises(csofa.Error):
                scene.modes(n)
        with self.assertRaises(csofa.Error):
            scene.buckling(1)

    def test_copies(self):
        scene = csofa.load_text(SPRING)
        before = scene.matrix("/body", m=1, k=0)
        scene["/body/mass"].totalMass = 4.0
        self.assertEqual(dense(before)[0, 0], 1)
        self.assertEqual(dense(scene.matrix("/body", m=1, k=0))[0, 0], 2)

    @unittest.skipUnless(SCIPY, "no scipy")
    def test_scipy(self):
        from scipy.sparse import csr_matrix
        self.assertIsInstance(csofa.load_text(SPRING).matrix("/body"), csr_matrix)

    def test_without_scipy(self):
        program = ("import sys; sys.modules['scipy'] = None; import csofa\n"
                   f"start, columns, values = csofa.load_text('''{SPRING}''').matrix('/body')\n"
                   "print(len(start), len(columns) == len(values) == start[-1])")
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        self.assertEqual(done.stdout, "7 True\n", done.stderr)

    def test_of_components(self):
        two = SPRING[:-len("</Node>")] + SPRING[SPRING.index("<Node name='body'>"):].replace(
            "'body'", "'other'").replace("totalMass='2'", "totalMass='6'")
        root = Sofa.Core.root_of(csofa.load_text(
            f"<Node name='root' gravity='0 0 0'>{SOLVER}"
            + two[two.index("<Node name='body'>"):].replace(SOLVER, "")
            .replace("<SpringForceField name='spring' spring='0 1 100 0 1'/>",
                     "<RestShapeSpringsForceField name='rest' stiffness='7'/>", 1)))
        np.testing.assert_allclose(dense(root.body.mass.assembleMMatrix()), np.eye(6))
        np.testing.assert_allclose(dense(root.other.mass.assembleMMatrix()), 3 * np.eye(6))
        with self.assertRaisesRegex(csofa.Error, "not supported yet"):
            root.other.spring.assembleKMatrix()  # between points of two states
        with self.assertRaisesRegex(csofa.Error, "spring adds to the same rows"):
            root.body.rest.assembleKMatrix()
        root.other.spring.remove()
        np.testing.assert_allclose(dense(root.body.rest.assembleKMatrix()), -7 * np.eye(6))
        below = root.body.addChild("below")
        below.addObject("EulerImplicitSolver")
        below.addObject("CGLinearSolver", iterations=9, tolerance=1e-9, threshold=1e-9)
        below.addObject("MechanicalObject", name="state", position=[[0.0, 0, 0]])
        below.addObject("UniformMass", totalMass=5.0)  # of another state
        np.testing.assert_allclose(dense(root.body.mass.assembleMMatrix()), np.eye(6))
        root.body.addObject("UniformMass", name="second", totalMass=1.0)
        with self.assertRaisesRegex(csofa.Error, "second adds to the same rows"):
            root.body.mass.assembleMMatrix()
        with self.assertRaisesRegex(csofa.Error, "is not a Mass"):
            root.body.rest.assembleMMatrix()


class Functions(unittest.TestCase):
    """The objects of the library, without the names of SofaPython3."""

    def test_controller(self):
        scene, events = csofa.new_scene(), []
        scene.dt = 0.1
        scene.root.add("DefaultAnimationLoop")
        control = scene.root.add("ApplicationController", name="control", data="gain:real")

        def hear(event, key, dt):
            events.append(event)
            if event == "keyPressed":
                raise KeyError(chr(key))
            if event == "animateBegin":
                self.assertAlmostEqual(dt, 0.1)
                control.gain += 0.5

        control.gain = 2.0
        control.set_controller(hear)
        scene.step(3)
        self.assertEqual(control.gain, 3.5)
        self.assertEqual((events.count("animateBegin"), events.count("animateEnd")), (3, 3))
        with self.assertRaisesRegex(KeyError, "K"):
            scene.send_key("K")
        with self.assertRaises(csofa.Error):
            scene.root.add("DefaultVisualManagerLoop").set_controller(hear)

    def test_saved(self):
        scene = csofa.new_scene()
        control = scene.root.add("ApplicationController", name="control", data="gain:real n:ints")
        control.gain = 2.5
        control.set("n", [1, 2])
        engine = scene.root.add("ApplicationEngine", name="engine", data="from:vec3s:in")
        engine.set("from", [[1.0, 2, 3]])
        again = csofa.load_text(scene.xml())
        self.assertEqual((again["/control"].gain, list(again["/control"].n)), (2.5, [1, 2]))
        np.testing.assert_array_equal(again["/engine"].get("from"), [[1, 2, 3]])
        with self.assertRaisesRegex(csofa.Error, "no attribute 'gian'; did you mean 'gain'"):
            csofa.load_text(scene.xml().replace("gain=", "gian="))

    def test_engine(self):
        scene = csofa.load_text(f"""<Node name='root' gravity='0 0 0'><DefaultAnimationLoop/>
          <ApplicationEngine name='engine' data='from:vec3s:in to:vec3s:out'/>
          <Node name='body'>{SOLVER}<MechanicalObject name='state' position='@/engine.to'/>
          <UniformMass totalMass='1'/></Node></Node>""")
        engine = scene["/engine"]
        engine.set("from", [[1.0, 2, 3], [4, 5, 6]])
        engine.set_engine(lambda: engine.set("to", 2 * engine.get("from")))
        scene.init()
        np.testing.assert_array_equal(scene["/body/state"].position, [[2, 4, 6], [8, 10, 12]])

    def test_mapping(self):
        class Arm:
            def apply(self, params, x_out, x_in):
                a = x_in[0, 0]
                x_out[0] = [math.sin(a), -math.cos(a), 0]

            def jacobian(self, params, x_in):
                a = x_in[0, 0]
                return [(0, 0, math.cos(a)), (1, 0, math.sin(a))]

        scene = csofa.load_text(PENDULUM.format(
            "<ApplicationMapping name='map' template='Vec1d,Vec3d' points='1'/>"))
        scene["/angle/bob/map"].set_mapping(Arm(), scene["/angle/state"],
                                            scene["/angle/bob/state"])
        scene.run_until(QUARTER)
        self.assertLess(abs(scene["/angle/state"].position[0]), 1e-3)


class Arm(Sofa.Core.Mapping_Vec1d_Vec3d):
    """From an angle to a point."""

    def apply(self, params, x_out, x_in):
        self.a = x_in.value[0, 0]
        with x_out.writeableArray() as x:
            x[0] = [math.sin(self.a), -math.cos(self.a), 0]


class ArmJ(Arm):
    def applyJ(self, params, v_out, v_in):
        with v_out.writeableArray() as v:
            v[0] = np.array([math.cos(self.a), math.sin(self.a), 0]) * v_in.value[0, 0]


class ArmJT(Arm):
    def applyJT(self, params, f_in, f_out):
        with f_in.writeableArray() as f:
            f[0, 0] += f_out.value[0] @ [math.cos(self.a), math.sin(self.a), 0]


class ArmJacobian(Arm):
    def jacobian(self, params, x_in):
        a = x_in.value[0, 0]
        return [(0, 0, math.cos(a)), (1, 0, math.sin(a))]


class Mappings(unittest.TestCase):
    @staticmethod
    def swing(kind, **states):
        scene = csofa.load_text(PENDULUM.format(""))
        root = Sofa.Core.root_of(scene)
        states = {name: getattr(root.angle, path).linkpath if path == "state"
                  else root.angle.bob.state for name, path in states.items()}
        root.angle.bob.addObject(kind(name="map", **states))
        scene.run_until(QUARTER)
        return scene

    def test_pendulum(self):
        expected = self.swing(ArmJacobian)
        x = expected["/angle/state"].position[0]
        self.assertLess(abs(x), 1e-3)
        self.assertAlmostEqual(expected["/angle/bob/state"].position[0, 0], math.sin(x), places=12)
        for kind in (ArmJ, ArmJT):
            other = self.swing(kind, input="state", output="bob")
            self.assertAlmostEqual(other["/angle/state"].position[0], x, places=12,
                                   msg=kind.__name__)

    def test_mistakes(self):
        class Wrong(Arm):
            def applyJ(self, params, v_out, v_in):
                raise ZeroDivisionError("in a mapping")

        class Outside(Arm):
            def jacobian(self, params, x_in):
                return [(3, 0, 1.0)]

        with self.assertRaisesRegex(ValueError, "none of jacobian"):
            self.swing(Arm)
        with self.assertRaisesRegex(ZeroDivisionError, "in a mapping"):
            self.swing(Wrong)
        with self.assertRaisesRegex(csofa.Error, "outside"):
            self.swing(Outside)
        with self.assertRaisesRegex(ValueError, "no mechanical state"):
            Sofa.Core.Node("root").addObject(ArmJ(name="map"))


class Shift(Sofa.Core.DataEngine):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.addData("points", value=[[1.0, 0, 0], [0, 2, 0]], group="Input")
        self.addData("by", type="float", value=kwargs.get("by", 1.0), group="Input")
        self.addData("moved", type="Vec3d::VecCoord", group="Output")
        self.calls = 0

    def init(self):
        self.calls = 100

    def update(self):
        self.calls += 1
        self.moved.value = self.points.value + self.by.value


class Engines(unittest.TestCase):
    def test_linked(self):
        root = Sofa.Core.Node("root")
        shift = root.addObject(Shift(name="shift", by=3.0))
        body = root.addChild("body")
        state = body.addObject("MechanicalObject", name="state", position=shift.moved)
        text = body.addObject("MechanicalObject", name="text", position="@/shift.moved")
        Sofa.Simulation.init(root)
        for made in (state, text):
            np.testing.assert_array_equal(made.position.value, [[4, 3, 3], [3, 5, 3]])
        self.assertEqual(shift.moved.getLinkPath(), "@/shift.moved")
        self.assertIs(shift.linkpath.target(), shift)

    def test_update(self):
        root = Sofa.Core.Node("root")
        shift = root.addObject(Shift(name="shift"))
        self.assertEqual(shift.moved.value[0, 0], 2)
        self.assertEqual(shift.moved.value[0, 0], 2)
        self.assertEqual(shift.calls, 1)
        Sofa.Simulation.init(root)
        self.assertEqual((shift.moved.value[0, 0], shift.calls), (2, 101))
        for by in (5, 6):
            calls = shift.calls
            shift.by = by
            self.assertEqual(shift.moved.value[0, 0], 1 + by)
            self.assertEqual(shift.moved.value[0, 0], 1 + by)
            self.assertEqual(shift.calls, calls + 1)

    def test_takes_from_components(self):
        root = Sofa.Core.Node("root")
        source = root.addChild("source").addObject("MechanicalObject", name="state",
                                                   position=[[7.0, 0, 0]])
        shift = root.addObject(Shift(name="shift"))
        shift.points.setParent(source.position)
        Sofa.Simulation.init(root)
        np.testing.assert_array_equal(shift.moved.value, [[8, 1, 1]])

    def test_exception(self):
        class Wrong(Shift):
            def update(self):
                raise ZeroDivisionError("in an engine")

        root = Sofa.Core.Node("root")
        root.addObject(Wrong(name="wrong"))
        with self.assertRaisesRegex(ZeroDivisionError, "in an engine"):
            Sofa.Simulation.init(root)

    def test_moves(self):
        """An engine that moves with its node to another scene stays connected."""
        other, root = Sofa.Core.Node("other"), Sofa.Core.Node("root")
        shift = other.addObject(Shift(name="shift"))
        other.addObject("MechanicalObject", name="state", position=shift.moved)
        root.addChild(other)
        Sofa.Simulation.init(root)
        np.testing.assert_array_equal(root.other.getObject("state").position.value[0], [2, 1, 1])


if __name__ == "__main__":
    unittest.main()
