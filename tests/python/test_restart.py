# SPDX-License-Identifier: LGPL-2.1-or-later
"""scene.save_state and restore_state: the same bits in another scene, and in the same one."""
import os
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


if __name__ == "__main__":
    unittest.main()
