# SPDX-License-Identifier: LGPL-2.1-or-later
"""The names of SofaPython3: nodes, data, controllers, scenes that are Python files."""
import gc
import os
import tempfile
import unittest

from support import FALL

import csofa
import numpy as np
import Sofa
import SofaRuntime
from Sofa.constants import Key

SCRIPT = """
import Sofa
from helper_of_scene import HEIGHT

class Lift(Sofa.Core.Controller):
    def __init__(self, *args, **kwargs):
        Sofa.Core.Controller.__init__(self, *args, **kwargs)
        self.state, self.log = kwargs["state"], []
    def onAnimateBeginEvent(self, event):
        self.log.append(("begin", event["dt"]))
        with self.state.position.writeable() as x:
            x[0, 1] = HEIGHT
    def onAnimateEndEvent(self, event):
        self.log.append(("end", self.getContext().time.value))

def createScene(root):
    root.dt = 0.1
    root.gravity = [0, 0, 0]
    root.addObject("DefaultAnimationLoop")
    body = root.addChild("body")
    body.addObject("EulerImplicitSolver", rayleighStiffness=0.1)
    body.addObject("CGLinearSolver", iterations=25, tolerance=1e-9, threshold=1e-9)
    state = body.addObject("MechanicalObject", name="state", position=[[0.0, 0, 0], [1.0, 0, 0]])
    body.addObject("UniformMass", totalMass=1.0)
    root.addObject(Lift(name="lift", state=state))
    return root
"""


class Context(unittest.TestCase):
    def test_getters(self):
        root = Sofa.Core.Node("root")
        child = root.addChild("child")
        state = child.addObject("MechanicalObject", position=[[0.0, 0, 0]])
        root.setDt(0.25)
        root.setGravity([0, 0, -1.0])
        root.setAnimate(True)
        Sofa.Simulation.initRoot(root)
        Sofa.Simulation.animate(root, 0.25)
        self.assertEqual((root.getTime(), root.getDt(), root.getAnimate()), (0.25, 0.25, True))
        self.assertEqual(list(root.getGravity()), [0, 0, -1])
        self.assertEqual(child.getRootContext(), root)
        self.assertEqual(child.getState(), state)
        self.assertTrue(child.isActive())
        child.setActive(False)
        self.assertFalse(child.isActive())

    def test_names_of_modules(self):
        root = Sofa.Core.Node("root")
        for name in ("Sofa.Component.IntegrationScheme", "Sofa.Component.IntegrationScheme.Backward",
                     "Sofa.Component.IntegrationSchemes.Backward",
                     "Sofa.Component.IntegrationScheme.Forward"):
            root.addObject("RequiredPlugin", pluginName=[name])

    def test_arguments(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "scene.py")
            with open(path, "w", encoding="utf-8") as file:
                file.write("import sys\ndef createScene(root):\n"
                           "    root.addChild('_'.join(sys.argv[1:]))\n")
            scene = csofa.load(path, arguments=["a", "b"])
            self.assertEqual(scene.root.children[0].name, "a_b")
            with open(path[:-2] + "scn", "w", encoding="utf-8") as file:
                file.write(FALL)
            with self.assertRaisesRegex(ValueError, "takes no arguments"):
                csofa.load(path[:-2] + "scn", arguments=["a"])

    def test_no_masses_in_python(self):
        with self.assertRaisesRegex(csofa.Error, "masses are not written in Python"):
            Sofa.Core.Node("root").addObject(Sofa.Core.MassVec3d(name="mass"))


class Counter(Sofa.Core.Controller):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.addData("gain", type="float", value=2.0)
        self.calls = []

    def init(self):
        self.calls.append("init")

    def onAnimateBeginEvent(self, event):
        self.calls.append("begin")

    def onKeypressedEvent(self, event):
        self.calls.append(event["key"])

    def onEvent(self, event):
        self.calls.append(event["type"])


def small_scene():
    root = Sofa.Core.Node("root")
    root.dt = 0.01
    root.addObject("DefaultAnimationLoop")
    body = root.addChild("body")
    state = body.addObject("MechanicalObject", template="Rigid3d", position="0 0 0   0 0 0 1")
    return root, body, state


class Scripts(unittest.TestCase):
    def test_create_scene(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "scene.py")
            with open(path, "w", encoding="utf-8") as file:
                file.write(SCRIPT)
            with open(os.path.join(folder, "helper_of_scene.py"), "w", encoding="utf-8") as file:
                file.write("HEIGHT = 0.5\n")
            scene = csofa.load(path)
            scene.step(2)
        np.testing.assert_allclose(scene["/body/state"].position, [[0, 0.5, 0], [1, 0, 0]],
                                   atol=1e-12)
        log = scene._controllers[0].log
        self.assertEqual(log[0], ("begin", 0.1))
        self.assertEqual([kind for kind, _ in log], ["begin", "end"] * 2)
        self.assertAlmostEqual(log[3][1], 0.2)

    def test_without_create_scene(self):
        with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
            with self.assertRaisesRegex(csofa.Error, "createScene"):
                csofa.load(file.name)
        with self.assertRaisesRegex(csofa.Error, "no such scene"):
            csofa.load("missing.py")


class Data(unittest.TestCase):
    def test_data(self):
        root, body, state = small_scene()
        self.assertEqual(state.getName(), "MechanicalObject")
        self.assertEqual(root.dt.value, 0.01)
        self.assertEqual(root.body.MechanicalObject.position.value.shape, (1, 7))
        self.assertEqual(state.position.getLinkPath(), "@/body/MechanicalObject.position")
        state.showColor = [1.0, 0.0, 0.0, 1.0]
        with state.position.writeableArray() as x:
            x[0, 0] = 3
        self.assertEqual(state.findData("position").value[0, 0], 3)
        self.assertIsNone(state.findData("nothing"))
        state.position.value = [[4, 0, 0, 0, 0, 0, 1]]
        self.assertEqual(state.position.toList()[0][0], 4)
        with self.assertRaises(AttributeError):
            state.nothing
        state.mine = 5
        del state
        self.assertEqual(root.body.MechanicalObject.mine, 5)
        with self.assertRaises(ValueError):
            body.addObject("NoSuchComponent")
        linked = body.addObject("MechanicalObject", name="linked", template="Rigid3d",
                                position=root.body.MechanicalObject.position)
        Sofa.Simulation.init(root)
        self.assertEqual(linked.position.value[0, 0], 4)

    def test_nodes(self):
        root, body, _state = small_scene()
        self.assertIn("body", root.children)
        self.assertEqual(root.children["body"], body)
        self.assertEqual(body.parents[0], root)
        self.assertEqual(body.getRoot(), root)
        self.assertEqual(root.add(lambda node, name: node.addChild(name), "made").getPathName(),
                         "/made")
        root.removeChild("made")
        self.assertEqual(len(root.children), 1)

    def test_moves_a_graph(self):
        with tempfile.NamedTemporaryFile("w", suffix=".scn") as file:
            file.write(FALL.replace("name='root'", "name='falling'"))
            file.flush()
            loaded = Sofa.Simulation.load(file.name)
        state = loaded.body.state
        root, _body, _state = small_scene()
        root.gravity = [0, -9.8, 0]
        root.dt = 0.1
        root.addChild(loaded)
        self.assertEqual(state.getPathName(), "/falling/body/state")
        Sofa.Simulation.init(root)
        Sofa.Simulation.animateNSteps(root, 4, root.dt.value)
        np.testing.assert_allclose(state.position.value[:, 1], -0.98, atol=1e-12)


class Weight(Sofa.Core.Node):
    """A node that makes what is in it."""

    def __init__(self, mass, **kwargs):
        Sofa.Core.Node.__init__(self, name=kwargs["name"])
        self.addObject("MechanicalObject", name="state", position=[[0.0, 0, 0]])
        self.below = self.addChild("below")
        self.mass = self.addObject("UniformMass", name="weight", totalMass=mass)
        self.made_with = mass

    def double(self):
        self.weight.totalMass.value = 2 * self.made_with


class Prefabs(unittest.TestCase):
    def test_class_of_nodes(self):
        root = Sofa.Core.Node("root")
        root.gravity = [0, -10, 0]
        root.dt = 0.1
        root.addChild("world")
        made = Weight(3.0, name="first")
        added = root.world.addChild(made)
        self.assertIs(added, made)
        self.assertEqual(made.getPathName(), "/world/first")
        self.assertEqual(made.below.getPathName(), "/world/first/below")
        self.assertEqual(made.mass.getOwner(), made)
        del made, added
        gc.collect()
        first = root.world.first  # it stays what it is
        self.assertIsInstance(first, Weight)
        first.double()
        self.assertEqual(first.weight.totalMass.value, 6)
        self.assertEqual(root.world.addChild(Weight(1.0, name="second")).made_with, 1)
        self.assertEqual([child.getName() for child in root.world.children], ["first", "second"])
        root.world.addObject("EulerExplicitSolver")
        Sofa.Simulation.init(root)
        Sofa.Simulation.animate(root)
        self.assertAlmostEqual(root.world.second.state.position.value[0, 1], -0.1, 12)
        self.assertEqual(Sofa.Core.Node(name="other", dt=0.5).dt.value, 0.5)
        with self.assertRaises(TypeError):
            Sofa.Core.Node("one", "two")

    def test_place_of_an_object(self):
        root = Sofa.Core.Node("root")
        state = root.addObject("MechanicalObject", name="state")
        controller = root.addObject(Sofa.Core.Controller(name="c"))
        for thing in (state, controller):
            self.assertEqual(thing.getOwner(), root)
            self.assertEqual(thing.getInstanciationSourceFilePos(), -1)
            thing.setInstanciationSourceFileName("a.py")
            thing.setInstanciationSourceFilePos(7)
        self.assertEqual(root.state.getInstanciationSourceFileName(), "a.py")
        self.assertEqual(root.c.getInstanciationSourceFilePos(), 7)


class Spring(Sofa.Core.ForceFieldVec3d):
    """f = -k (x - x0) - c v"""

    def __init__(self, k, c=0.0, **kwargs):
        super().__init__(**kwargs)
        self.addData("k", value=k)
        self.c, self.calls = c, 0

    def init(self):
        self.x0 = self.mstate.rest_position.array().copy()

    def addForce(self, params, f, x, v):
        self.calls += 1
        with f.writeableArray() as wa:
            wa[:] -= self.k.value * (x.value - self.x0) + self.c * v.value

    def addDForce(self, params, df, dx):
        with df.writeableArray() as wa:
            wa[:] -= (params["kFactor"] * self.k.value + params["bFactor"] * self.c) * dx.value


class AssembledSpring(Spring):
    def addKToMatrix(self, params, n, d):
        return [(i, i, -self.k.value) for i in range(n * d)]


def hanging(solver, field=None):
    """Two points under gravity, held by springs."""
    root = Sofa.Core.Node("root")
    root.dt = 0.05
    root.gravity = [0, -9.8, 0]
    root.addObject("DefaultAnimationLoop")
    body = root.addChild("body")
    body.addObject("EulerImplicitSolver")
    body.addObject(solver[0], **solver[1])
    body.addObject("MechanicalObject", name="state", position=[[0, 0, 0], [1, 0, 0]])
    body.addObject("UniformMass", totalMass=2.0)
    if field is None:
        body.addObject("RestShapeSpringsForceField", stiffness=[30.0])
    else:
        body.addObject(field)
    Sofa.Simulation.init(root)
    Sofa.Simulation.animateNSteps(root, 20)
    return root.body.state.position.value.copy()


class ForceFields(unittest.TestCase):
    CG = ("CGLinearSolver", {"iterations": 50, "tolerance": 1e-14, "threshold": 1e-14})
    DIRECT = ("SparseLDLSolver", {"template": "CompressedRowSparseMatrixMat3x3d"})

    def test_as_in_c(self):
        expected = hanging(self.DIRECT)
        self.assertLess(expected[0, 1], -0.1)
        for solver in (self.CG, self.DIRECT):
            for kind in (Spring, AssembledSpring):
                field = kind(30.0, name="spring")
                x = hanging(solver, field)
                np.testing.assert_allclose(x, expected, atol=1e-10, err_msg=f"{solver} {kind}")
                self.assertGreaterEqual(field.calls, 20)

    def test_of_velocities(self):
        one, two = (hanging(solver, Spring(30.0, c=2.0)) for solver in (self.CG, self.DIRECT))
        np.testing.assert_allclose(one, two, atol=1e-10)
        self.assertGreater(np.abs(one - hanging(self.DIRECT)).max(), 1e-3)

    def test_exceptions(self):
        class Wrong(Spring):
            def addForce(self, params, f, x, v):
                raise ZeroDivisionError("in a step")

        class Outside(Spring):
            def addKToMatrix(self, params, n, d):
                return [(n * d, 0, 1.0)]

        with self.assertRaisesRegex(ZeroDivisionError, "in a step"):
            hanging(self.CG, Wrong(1.0))
        with self.assertRaisesRegex(csofa.Error, "outside of the matrix"):
            hanging(self.DIRECT, Outside(1.0))
        with self.assertRaisesRegex(ValueError, "no mechanical state"):
            Sofa.Core.Node("root").addObject(Spring(1.0))


class Lenient(unittest.TestCase):
    def test_leading_number(self):
        root, body, _state = small_scene()
        with self.assertLogs("csofa", "WARNING") as log:
            solver = body.addObject("CGLinearSolver", iterations=9, tolerance="10-3",
                                    threshold=1e-9)
        self.assertIn("'10-3' is not a number; 10 is taken", log.output[-1])
        self.assertEqual(solver.tolerance.value, 10)
        for wrong in ("ten", "-"):
            with self.assertRaisesRegex(ValueError, "expected a number"):
                body.addObject("CGLinearSolver", name="other", tolerance=wrong)
        self.assertEqual(len(body.objects), 2)


class Components(unittest.TestCase):
    def test_controller(self):
        root, _body, _state = small_scene()
        counter = root.addObject(Counter(name="counter", other=1))
        self.assertEqual((counter.name.value, counter.gain.value), ("counter", 2.0))
        self.assertEqual(root.counter.getPathName(), "/counter")
        Sofa.Simulation.init(root)
        Sofa.Simulation.animate(root, root.dt.value)
        root._scene.send_key(Key.A)
        self.assertEqual(counter.calls, ["init", "SimulationInitDoneEvent", "begin",
                                         "CollisionBeginEvent", "CollisionEndEvent",
                                         "IntegrateBeginEvent", "IntegrateEndEvent",
                                         "AnimateEndEvent", "UpdateMappingEndEvent", "A"])
        counter.listening = False
        Sofa.Simulation.animate(root, 0)
        self.assertEqual(len(counter.calls), 10)
        with self.assertRaises(ValueError):
            root.addObject(counter)

    def test_engine(self):
        class Triple(Sofa.Core.DataEngine):
            def __init__(self, *args, **kwargs):
                super().__init__(*args, **kwargs)
                self.updates = 0
                self.addData("x", value=2, group="Input")
                self.addData("y", value=0, group="Output")

            def update(self):
                self.updates += 1
                self.y = 3 * self.x.value

        root, _body, _state = small_scene()
        engine = root.addObject(Triple(name="engine"))
        self.assertEqual((engine.y.value, engine.y.value, engine.updates), (6, 6, 1))
        engine.x = 5
        self.assertEqual((engine.y.value, engine.updates), (15, 2))

    def test_messages(self):
        class Handler(Sofa.Helper.MessageHandler):
            def __init__(self):
                self.seen = []

            def process(self, message):
                self.seen.append((message["type"], message["message"]))

        with Handler() as handler:
            Sofa.Helper.msg_info("me", "hello")
            Sofa.Helper.msg_warning("careful")
            self.assertFalse(SofaRuntime.importPlugin("NoSuchPlugin"))
        self.assertEqual(handler.seen[:2], [("Info", "hello"), ("Warning", "careful")])
        self.assertIn("NoSuchPlugin", handler.seen[2][1])

    def test_plugins(self):
        self.assertTrue(SofaRuntime.importPlugin("Sofa.Component.StateContainer"))
        with self.assertLogs("csofa", "WARNING"):
            self.assertFalse(SofaRuntime.importPlugin("NoSuchPlugin"))


if __name__ == "__main__":
    unittest.main()
