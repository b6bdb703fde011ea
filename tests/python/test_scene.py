# SPDX-License-Identifier: LGPL-2.1-or-later
"""csofa: load, step, read, change, errors, messages, life of memory."""
import gc
import os
import tempfile
import unittest

from support import FALL

import csofa
import numpy as np


SMALL = """<Node name='root' dt='0.01'><DefaultAnimationLoop/><EulerImplicitSolver/><SparseLDLSolver/>
  <RegularGridTopology n='3 3 3' min='0 0 0' max='1 1 1'/><MechanicalObject name='state'/>
  <UniformMass totalMass='1'/><FixedProjectiveConstraint indices='0 1 2 3 4 5 6 7 8'/>
  <TetrahedronFEMForceField name='fem' method='small' youngModulus='500' poissonRatio='0.3'/></Node>"""


class Scenes(unittest.TestCase):
    def test_steps_and_reads(self):
        scene = csofa.load_text(FALL)
        scene.step(4)
        x = scene["/body/state"].position
        self.assertEqual(x.shape, (2, 3))
        # h^2 g n (n + 1) / 2
        np.testing.assert_allclose(x, [[0, -0.98, 0], [1, -0.98, 0]], atol=1e-12)
        self.assertEqual((type(x + 1), type(x.mean()), type(x.sum(axis=0))),
                         (np.ndarray, np.float64, np.ndarray))
        self.assertAlmostEqual(scene.time, 0.4)
        self.assertEqual(scene.steps, 4)
        self.assertAlmostEqual(scene.energies()[0], 3.92 ** 2)
        scene.run_until(1)
        self.assertEqual(scene.steps, 10)
        scene.reset()
        self.assertEqual(scene.steps, 0)
        np.testing.assert_array_equal(x, [[0, 0, 0], [1, 0, 0]])

    def test_kinds_of_values(self):
        scene = csofa.load_text(FALL)
        solver = scene["/body"].objects[1]
        self.assertEqual(scene.root.body.mass.totalMass, 2.0)
        self.assertIs(type(solver.iterations), int)
        self.assertIs(type(scene.root.body.ode.printLog), bool)
        self.assertEqual(scene.root.body.name, "body")
        np.testing.assert_array_equal(scene.root.gravity, [0, -9.8, 0])
        self.assertEqual(scene.root.body.state.text("position"), "0 0 0 1 0 0")
        self.assertIn("rayleighMass", scene.root.body.ode.fields())
        self.assertEqual(scene.root.body.mass.unit("totalMass"), "kg")
        self.assertEqual([o.getClassName() for o in scene][:2],
                         ["DefaultAnimationLoop", "EulerImplicitSolver"])

    def test_vectors_of_one_number(self):
        scene = csofa.load_text("<Node name='root'><DefaultAnimationLoop/><MechanicalObject "
                                "name='state' template='Vec1d' position='1 2'/></Node>")
        self.assertEqual(scene["/state"].position.shape, (2, 1))
        scene.init()
        with scene["/state"].velocity.writeable() as v:
            v[1][0] = 3
        np.testing.assert_array_equal(scene["/state"].velocity, [[0], [3]])

    def test_sets(self):
        scene = csofa.load_text(FALL)
        state = scene["/body/state"]
        scene.root.gravity = [0, 0, 0]
        state.velocity = np.array([[1, 0, 0], [2, 0, 0]])
        scene.step()
        np.testing.assert_allclose(state.position[:, 0], [0.1, 1.2], atol=1e-12)
        with state.velocity.writeable() as v:
            v[:] = 0
            v[0, 1] = 3
        scene.step()
        np.testing.assert_allclose(state.position, [[0.1, 0.3, 0], [1.2, 0, 0]], atol=1e-12)
        state.add_force(1, [0, 0, 20])
        scene.step()
        self.assertAlmostEqual(state.velocity[1, 2], 2)
        scene.root.body.ode.rayleighMass = 0.5
        self.assertEqual(scene.root.body.ode.rayleighMass, 0.5)

    def test_kept_stiffness_follows_a_view(self):
        """The matrix of method small is kept; a stiffness written through a view of the field changes it."""
        ends = []
        for change in ("view", "field", None):
            scene = csofa.load_text(SMALL)
            fem = scene["/fem"]
            scene.step(2)
            if change == "view":
                with fem.youngModulus.writeable() as e:
                    e[:] = 20000
            elif change:
                fem.youngModulus = [20000]
            scene.step(2)
            ends.append(scene["/state"].position.copy())
        np.testing.assert_array_equal(ends[0], ends[1])
        self.assertGreater(np.abs(ends[0] - ends[2]).max(), 1e-5)

    def test_builds(self):
        scene = csofa.new_scene()
        scene.dt = 0.1
        scene.root.add("DefaultAnimationLoop")
        body = scene.root.add(csofa.Node, "body")
        body.add("EulerImplicitSolver")
        body.add("CGLinearSolver", iterations=25, tolerance=1e-12, threshold=1e-12)
        state = body.add("MechanicalObject", name="state", position=np.array([[0, 0, 0.5]]))
        body.add("UniformMass", totalMass=1)
        scene.step()
        z0 = state.position[0].copy()
        copy = csofa.load_text(scene.xml())
        copy.step()
        np.testing.assert_array_equal(copy["/body/state"].position[0], z0)
        # added to a running scene
        other = scene.root.add(csofa.Node, "other")
        other.add("MechanicalObject", name="state", position=[1, 2, 3])
        scene.step()
        np.testing.assert_array_equal(scene["/other/state"].position, [[1, 2, 3]])
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "saved.scn")
            scene.save(path)
            self.assertEqual(csofa.load(path)["/other/state"].getClassName(), "MechanicalObject")


CLOTH = """<Node name='root' dt='0.1' gravity='0 0 0'><DefaultAnimationLoop/>
  <EulerImplicitSolver/><CGLinearSolver iterations='25' tolerance='1e-9' threshold='1e-9'/>
  <TriangleSetTopologyContainer name='mesh' position='0 0 0  1 0 0  1 1 0  0 1 0'
      triangles='0 1 2  0 2 3'/>
  <TriangleSetTopologyModifier name='modifier'/><MechanicalObject name='state'/>
  <UniformMass totalMass='1'/></Node>"""


class Changes(unittest.TestCase):
    def test_elements(self):
        scene = csofa.load_text(CLOTH)
        scene.step()
        mesh, state = scene["/mesh"], scene["/state"]
        scene["/modifier"].remove_elements("triangle", [1])
        self.assertEqual((len(mesh.triangles), len(state.position)), (1, 3))
        mesh.add_elements("point", 1)
        self.assertEqual(len(state.position), 4)
        mesh.add_elements("triangle", [[0, 2, 3]])
        self.assertEqual(mesh.triangles.tolist(), [[0, 1, 2], [0, 2, 3]])
        scene.step()
        for kind, ids in (("triangle", [2]), ("triangle", [0, 0]), ("point", [9]), ("lump", [0])):
            with self.assertRaises(csofa.Error):
                mesh.remove_elements(kind, ids)
        with self.assertRaises(csofa.Error):
            mesh.add_elements("triangle", [[0, 1, 7]])
        with self.assertRaises(csofa.Error):
            state.add_elements("point", 1)
        x = state.position
        with self.assertRaises(BufferError):
            mesh.remove_elements("triangle", [0])
        del x
        self.assertEqual(len(mesh.triangles), 2)


class Errors(unittest.TestCase):
    def test_says_where(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "bad.scn")
            with open(path, "w", encoding="utf-8") as file:
                file.write("<Node name='root'>\n<UniformMas name='m'/>\n</Node>\n")
            with self.assertRaises(csofa.Error) as caught:
                csofa.load(path)
            self.assertEqual(caught.exception.line, 2)
            self.assertTrue(caught.exception.file.endswith("bad.scn"))
            self.assertIn("UniformMass", caught.exception.message)

    def test_refuses(self):
        scene = csofa.load_text(FALL)
        scene.init()
        state = scene["/body/state"]
        with self.assertRaisesRegex(AttributeError, "did you mean 'position'"):
            state.positio
        with self.assertRaisesRegex(AttributeError, "did you mean 'position'"):
            state.positio = 1
        with self.assertRaises(csofa.NotFoundError):
            scene["/nobody"]
        with self.assertRaises(csofa.Error) as caught:
            scene.root.body.ode.rayleighMass = -1
        self.assertEqual(caught.exception.object, "/body/ode")
        with self.assertRaises(ValueError):
            state.position[0] = 1
        with self.assertRaises(csofa.Error):
            csofa.Context(options="nonsense")
        self.assertIsNone(scene.find("/nobody"))
        self.assertEqual(scene.root.body.ode.rayleighMass, 0)

    def test_messages(self):
        seen = []
        before = csofa.on_message(seen.append)
        try:
            csofa.load_text("<Node name='root'><MechanicalObject/></Node>").init()
        finally:
            csofa.on_message(before)
        self.assertTrue(any(m.severity == csofa.WARNING for m in seen), [str(m) for m in seen])
        context, own = csofa.Context(), []
        remove = context.on_message(own.append)
        csofa.load_text("<Node name='root'><MechanicalObject/></Node>", context=context).init()
        self.assertTrue(own)
        remove()
        # an error that is raised is not logged, too
        with self.assertNoLogs("csofa", "ERROR"), self.assertRaises(csofa.Error):
            csofa.load("missing.scn")


class Memory(unittest.TestCase):
    def test_views_outlive_the_scene(self):
        scene = csofa.load_text(FALL)
        scene.step()
        x = scene["/body/state"].position
        part, copy = x[1], x.copy()
        scene.close()
        with self.assertRaises(ValueError):
            scene.step()
        del scene
        gc.collect()
        np.testing.assert_array_equal(x, copy)
        del x
        gc.collect()
        np.testing.assert_array_equal(part, copy[1])

    def test_memory_is_not_freed_below_a_view(self):
        scene = csofa.load_text(FALL)
        state = scene["/body/state"]
        x = state.position
        with self.assertRaises(BufferError):
            state.position = [0, 0, 0]
        with self.assertRaises(BufferError):
            scene.root.body.remove()
        self.assertTrue(x.valid)
        del x
        state.position = [0, 0, 0]
        self.assertEqual(len(state.position), 1)
        scene.root.body.remove()
        self.assertFalse(state.exists())
        with self.assertRaises(csofa.NotFoundError):
            state.get("position")
        self.assertEqual(repr(state)[:8], "<removed")
        scene.step()

    def test_any_order(self):
        for order in ((0, 1, 2), (2, 1, 0), (1, 0, 2), (1, 2, 0)):
            context = csofa.Context()
            scene = csofa.load_text(FALL, context=context)
            held = [context, scene, scene["/body/state"]]
            del context, scene
            for i in order:
                held[i] = None
                gc.collect()

    def test_fields_of_removed_objects(self):
        """A field is found once by the package: what it found is not used for another object."""
        scene = csofa.load_text(FALL)
        mass = scene["/body/mass"]
        self.assertEqual(mass.totalMass, 2)
        mass.remove()
        with self.assertRaisesRegex(csofa.Error, "does not exist any more"):
            mass.get("totalMass")
        with self.assertRaisesRegex(csofa.Error, "does not exist any more"):
            mass.set("totalMass", 3)
        again = scene["/body"].add("UniformMass", name="mass", totalMass=5)
        self.assertEqual(again.totalMass, 5)
        with self.assertRaisesRegex(csofa.Error, "does not exist any more"):
            mass.get("totalMass")

    def test_many(self):
        context = csofa.Context()
        for _ in range(50):
            scene = csofa.load_text(FALL, context=context)
            scene.step()
        self.assertEqual(scene.steps, 1)


if __name__ == "__main__":
    unittest.main()
