# SPDX-License-Identifier: LGPL-2.1-or-later
"""scene.save_state and restore_state: the same bits in another scene, and in the same one."""
import glob
import os
import subprocess
import tempfile
import unittest

import support
import csofa

SCENE = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))),
                     "scenes", "collision", "stack.scn")


def positions(scene):
    found, nodes = [], [scene.root]
    while nodes:
        node = nodes.pop(0)
        found += [o.position.tobytes() for o in node.objects if o.getClassName() == "MechanicalObject"]
        nodes += node.children
    return found


class Restart(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = os.path.join(self.folder.name, "run.state")

    def test_same_bits(self):
        with csofa.load(SCENE) as scene:
            scene.step(12)
            scene.save_state(self.path)
            scene.step(10)
            end = positions(scene)
            scene.restore_state(self.path)  # goes back
            self.assertEqual(scene.steps, 12)
            scene.step(10)
            self.assertEqual(positions(scene), end)
        with csofa.load(SCENE) as scene:
            scene.restore_state(self.path)
            self.assertEqual(scene.steps, 12)
            scene.step(10)
            self.assertEqual(positions(scene), end)

    def test_refused(self):
        with csofa.load(SCENE) as scene:
            scene.save_state(self.path)
        with open(self.path, "r+b") as file:
            file.truncate(os.path.getsize(self.path) // 2)
        with csofa.load(SCENE) as scene:
            with self.assertRaisesRegex(Exception, "the file is cut"):
                scene.restore_state(self.path)
            scene.step(1)


CONTROLLED = """
import Sofa

class Drive(Sofa.Core.Controller):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.state, self.pull, self.seen = kwargs["state"], 1.0, []
    def onAnimateBeginEvent(self, event):
        self.pull = self.pull / 3 + 0.1
        self.seen.append(self.pull)
        self.state.add_force(0, [self.pull, 0, 0])
    def onAnimateEndEvent(self, event):
        print("end", len(self.seen), self.state.position.value[0, 0].hex())
    def saveState(self):
        return {"pull": self.pull, "seen": self.seen}
    def restoreState(self, value):
        self.pull, self.seen = value["pull"], value["seen"]

class Count(Sofa.Core.Controller):
    n = 0
    def onAnimateEndEvent(self, event):
        self.n += 1
        print("count", self.n)
    def saveState(self):
        return bytes([0, 255, self.n])
    def restoreState(self, value):
        assert value[:2] == bytes([0, 255]), value
        self.n = value[2]

class Forgets(Sofa.Core.Controller):
    pass

def createScene(root):
    root.dt = 0.1
    root.gravity = [0, 0, 0]
    root.addObject("DefaultAnimationLoop")
    body = root.addChild("body")
    body.addObject("EulerImplicitSolver")
    body.addObject("CGLinearSolver", iterations=25, tolerance=1e-12, threshold=1e-12)
    state = body.addObject("MechanicalObject", name="state", position=[[0.0, 0, 0]])
    body.addObject("UniformMass", totalMass=2.0)
    body.addObject(Drive(name="drive", state=state))
    root.addObject(Count(name="count"))
"""


class PythonObjects(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def write(self, text):
        path = os.path.join(self.folder.name, "scene.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def run_program(self, text, *options):
        path = self.write(text)
        done = subprocess.run([os.path.abspath(os.environ["CSOFA_RUN"]), "-g", "batch", *options,
                               path], capture_output=True, text=True, cwd=self.folder.name,
                              timeout=300, check=False)
        lines = [line for line in done.stdout.splitlines() if line.startswith(("end", "count"))]
        return done.returncode, lines, done.stdout + done.stderr

    def test_in_python(self):
        path = os.path.join(self.folder.name, "run.state")
        scene = csofa.load(self.write(CONTROLLED))
        scene.step(3)
        scene.save_state(path)
        scene.step(4)
        end = positions(scene)
        scene.restore_state(path)  # goes back
        self.assertEqual([len(c.seen) for c in scene._controllers if hasattr(c, "seen")], [3])
        scene.step(4)
        self.assertEqual(positions(scene), end)
        again = csofa.load(self.write(CONTROLLED))
        again.restore_state(path)
        again.step(4)
        self.assertEqual(positions(again), end)
        self.assertEqual([c.n for c in again._controllers if c.getName() == "count"], [7])
        again._controllers[0].seen = {1, 2}  # a set is no value of JSON
        with self.assertRaisesRegex(TypeError, "drive.*saveState returned"):
            again.save_state(path)

    def test_other_objects(self):
        path = os.path.join(self.folder.name, "run.state")
        scene = csofa.load(self.write(CONTROLLED))
        scene.step(1)
        scene.save_state(path)
        other = csofa.load(self.write(CONTROLLED.replace('name="count"', 'name="other"')))
        with self.assertRaisesRegex(ValueError, "/count.*/other"):
            other.restore_state(path)
        half = CONTROLLED.replace("def restoreState(self, value):\n        assert", "def other("
                                  "self, value):\n        assert")
        with self.assertRaisesRegex(TypeError, "Count has one of saveState and restoreState"):
            csofa.load(self.write(half))

    def test_in_runcsofa(self):
        if not glob.glob("/usr/lib/*/libpython3*.so.1.0") and not glob.glob("/usr/lib*/libpython3*"):
            self.skipTest("no libpython")
        status, whole, text = self.run_program(CONTROLLED, "-n", "7")
        self.assertEqual((status, len(whole)), (0, 14), text)
        status, first, text = self.run_program(CONTROLLED, "-n", "3", "--save-state", "run.state")
        self.assertEqual(status, 0, text)
        self.assertNotIn("no attributes of these objects", text)
        status, rest, text = self.run_program(CONTROLLED, "-n", "7", "--restore", "run.state")
        self.assertEqual(status, 0, text)
        self.assertEqual(first + rest, whole)
        forgets = CONTROLLED + '    body.addObject(Forgets(name="forgets"))\n'
        status, _lines, text = self.run_program(forgets, "-n", "1", "--save-state", "run.state")
        self.assertEqual(status, 0, text)
        self.assertIn("no attributes of these objects written in Python: /body/forgets;", text)


if __name__ == "__main__":
    unittest.main()
