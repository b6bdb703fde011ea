# SPDX-License-Identifier: LGPL-2.1-or-later
"""The names of SofaPython3: nodes, data, controllers, scenes that are Python files."""
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


class Components(unittest.TestCase):
    def test_controller(self):
        root, _body, _state = small_scene()
        counter = root.addObject(Counter(name="counter", other=1))
        self.assertEqual((counter.name.value, counter.gain.value), ("counter", 2.0))
        self.assertEqual(root.counter.getPathName(), "/counter")
        Sofa.Simulation.init(root)
        Sofa.Simulation.animate(root, root.dt.value)
        root._scene.send_key(Key.A)
        self.assertEqual(counter.calls, ["init", "begin", "AnimateEndEvent", "A"])
        counter.listening = False
        Sofa.Simulation.animate(root, 0)
        self.assertEqual(len(counter.calls), 4)
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
