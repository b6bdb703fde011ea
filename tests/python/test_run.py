# SPDX-License-Identifier: LGPL-2.1-or-later
"""runcsofa scene.py: the plugin SofaPython3 runs the interpreter in the program."""
import glob
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

from support import FALL

RUN = os.path.abspath(os.environ["CSOFA_RUN"])

SCENE = """
import Sofa

class Push(Sofa.Core.Controller):
    def __init__(self, *args, **kwargs):
        Sofa.Core.Controller.__init__(self, *args, **kwargs)
        self.state = kwargs["state"]
    def init(self):
        print("init", len(self.state.position.value))
    def onAnimateBeginEvent(self, event):
        self.state.add_force(0, [2.0, 0, 0])
    def onAnimateEndEvent(self, event):
        print("end %.1f %.12g" % (event["dt"], self.state.position.value[0, 0]))

def createScene(root):
    root.dt = 0.1
    root.gravity = [0, 0, 0]
    root.addObject("DefaultAnimationLoop")
    body = root.addChild("body")
    body.addObject("EulerImplicitSolver", rayleighStiffness=0, rayleighMass=0)
    body.addObject("CGLinearSolver", iterations=25, tolerance=1e-12, threshold=1e-12)
    state = body.addObject("MechanicalObject", name="state", position=[[0.0, 0, 0]])
    body.addObject("UniformMass", totalMass=2.0)
    root.addObject(Push(name="push", state=state))
"""


def run(text, *options, suffix=".py", steps=2, **environment):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "scene" + suffix)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        done = subprocess.run([RUN, "-g", "batch", "-n", str(steps), *options, path],
                              capture_output=True, text=True, cwd=folder, timeout=300,
                              env={**os.environ, **environment}, check=False)
        return done.returncode, done.stdout, done.stderr


class Run(unittest.TestCase):
    def setUp(self):
        # the interpreter that the tests run with may have no library, then another one is found
        if not glob.glob("/usr/lib/*/libpython3*.so.1.0") and not glob.glob("/usr/lib*/libpython3*"):
            self.skipTest("no libpython")

    def test_steps_with_events(self):
        status, out, err = run(SCENE)
        self.assertEqual(status, 0, err)
        self.assertEqual([line for line in out.splitlines() if line.startswith(("init", "end"))],
                         ["init 1", "end 0.1 0.01", "end 0.1 0.03"])

    def test_refuses(self):
        for text, expected in (
                ("def createScene(root):\n    root.addObject('UniformMas')\n",
                 "scene.py:2: ValueError: (program): <UniformMas> was not created"),
                ("def createScene(root):\n    1 / 0\n", "scene.py:2: ZeroDivisionError"),
                ("def createScene(root)\n", "SyntaxError"),
                ("import sys\nsys.exit(1)\n", "SystemExit"),
                ("x = 1\n", "there is no function createScene(root)")):
            status, _out, err = run(text)
            self.assertNotEqual(status, 0, text)
            self.assertIn(expected, err)

    def test_a_controller_that_fails_ends_the_run(self):
        status, out, err = run(SCENE.replace("self.state.add_force(0, [2.0, 0, 0])", "1 / 0"))
        self.assertNotEqual(status, 0)
        self.assertIn("ZeroDivisionError", err)
        self.assertNotIn("end 0.1", out)

    def test_force_field(self):
        text = SCENE.replace("class Push", """class Pull(Sofa.Core.ForceFieldVec3d):
    def addForce(self, params, f, x, v):
        with f.writeableArray() as wa:
            wa[:] += FORCE

class Push""").replace("    root.addObject(Push", "    body.addObject(Pull(name='pull'))\n"
                       "    root.addObject(Push")
        status, out, err = run(text.replace("FORCE", "[2.0, 0, 0]"))
        self.assertEqual(status, 0, err)
        self.assertIn("end 0.1 0.06", out)
        status, _out, err = run(text.replace("FORCE", "1 / 0"))
        self.assertNotEqual(status, 0)
        self.assertIn("ZeroDivisionError", err)
        self.assertIn("/body/pull: the function of the application failed", err)

    def test_mapping_engine_and_matrix(self):
        """Functions and matrices in a scene that runcsofa steps."""
        status, out, err = run("""
import Sofa

class Half(Sofa.Core.Mapping_Vec3d_Vec3d):
    def apply(self, params, x_out, x_in):
        x_out[:] = x_in.value / 2
    def applyJ(self, params, v_out, v_in):
        v_out[:] = v_in.value / 2

class Place(Sofa.Core.DataEngine):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.addData("x", value=3.0, group="Input")
        self.addData("points", type="Vec3d::VecCoord", group="Output")
    def update(self):
        self.points.value = [[self.x.value, 0, 0]]

class Report(Sofa.Core.Controller):
    def onAnimateEndEvent(self, event):
        body = self.getContext().body
        scene = body._scene
        start, columns, values = scene._assemble(body, (1.0, 0.0, 0.0))
        print("end", round(body.half.state.position.value[0, 0], 6), sum(values))

def createScene(root):
    root.gravity = [0, 0, 0]
    root.addObject("DefaultAnimationLoop")
    place = root.addObject(Place(name="place"))
    body = root.addChild("body")
    body.addObject("EulerImplicitSolver")
    body.addObject("SparseLDLSolver", template="CompressedRowSparseMatrixMat3x3d")
    body.addObject("MechanicalObject", name="state", position=place.points)
    body.addObject("UniformMass", totalMass=2.0)
    half = body.addChild("half")
    half.addObject("MechanicalObject", name="state", position=[[0.0, 0, 0]])
    half.addObject("UniformMass", totalMass=4.0)
    half.addObject(Half(name="map"))
    root.addObject(Report(name="report"))
""")
        self.assertEqual(status, 0, err)
        # 2 kg and J^T 4 kg J = 1 kg in each direction
        self.assertEqual([line for line in out.splitlines() if line.startswith("end")],
                         ["end 1.5 9.0"] * 2)

    def test_the_same_events(self):
        """Steps by runcsofa and by Python send the same events, in the same places of a step."""
        text = """
import Sofa

class Watch(Sofa.Core.Controller):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.solver, self.state = kwargs["solver"], kwargs["state"]
    def init(self):
        print("event init")
    def onEvent(self, event):
        print("event", event["type"], "%.3f" % self.getContext().time.value,
              repr(self.state.velocity.value[-1].tolist()))
    def onBuildConstraintSystemEndEvent(self, event):
        print("event rows", self.solver.W().shape, len(self.state.constraint.value.indices))
    def onSolveConstraintSystemEndEvent(self, event):
        print("event multipliers", len(self.solver.lambda_force()))

def createScene(root):
    root.dt = 0.02
    root.addObject("FreeMotionAnimationLoop")
    solver = root.addObject("BlockGaussSeidelConstraintSolver", tolerance=1e-9, maxIterations=100)
    root.addObject("EulerImplicitSolver")
    root.addObject("EigenSimplicialLLT", template="CompressedRowSparseMatrixMat3x3d")
    root.addObject("GenericConstraintCorrection")
    root.addObject("MeshTopology", name="topology", position=[[0.0, 0, 0], [1, 0, 0], [2, 0, 0]],
                   edges=[[0, 1], [1, 2]])
    state = root.addObject("MechanicalObject", name="state")
    root.addObject("FixedProjectiveConstraint", indices=[0])
    root.addObject("UniformMass", totalMass=1.0)
    below = root.addChild("below")
    below.addObject("MechanicalObject", template="Vec1d", name="lengths")
    below.addObject("DistanceMapping", topology="@../topology")
    below.addObject("UniformLagrangianConstraint", template="Vec1d")
    root.addObject(Watch(name="watch", solver=solver, state=state))

if __name__ == "__main__":
    root = Sofa.Core.Node("root")
    createScene(root)
    Sofa.Simulation.initRoot(root)
    Sofa.Simulation.animate(root, 0)
    Sofa.Simulation.animate(root, 0)
"""
        if importlib.util.find_spec("scipy") is None:
            self.skipTest("no scipy")
        status, out, err = run(text)
        self.assertEqual(status, 0, err)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "scene.py")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            done = subprocess.run([sys.executable, path], capture_output=True, text=True,
                                  timeout=300, check=False)
        events = [[line for line in text.splitlines() if line.startswith("event")]
                  for text in (out, done.stdout)]
        self.assertEqual(events[0], events[1], done.stderr)
        self.assertEqual(len([line for line in events[0] if "event rows (2, 2)" in line]), 2)
        self.assertEqual(events[0].count("event multipliers 2"), 2)
        self.assertEqual(len([line for line in events[0] if "AnimateBegin" in line]), 2)

    def test_arguments(self):
        text = SCENE.replace("    root.dt = 0.1\n", "    import os, sys\n    root.dt = 0.1\n"
                             "    print('argv', os.path.basename(sys.argv[0]), sys.argv[1:])\n")
        text = text.replace('        print("init"', '        import sys\n'
                            '        print("then", sys.argv[1:])\n        print("init"')
        for options, expected in (([], "[]"), (["--argv", "a,2"], "['a', '2']"),
                                  (["--argv", "a", "--argv=b c,d"], "['a', 'b c', 'd']")):
            status, out, err = run(text, *options)
            self.assertEqual(status, 0, err)
            self.assertIn(f"argv scene.py {expected}\n", out)
            self.assertIn(f"then {expected}\n", out)
        status, _out, err = run(FALL, "--argv", "a,b", suffix=".scn")
        self.assertEqual(status, 1)
        self.assertIn("scene.scn: error: the scene takes no arguments ('a,b'): only a scene that "
                      "is a Python program does", err)

    def test_a_handled_error_is_no_error(self):
        text = SCENE.replace("    root.dt = 0.1\n", "    root.dt = 0.1\n    try:\n"
                             "        root.addObject('UniformMas')\n    except ValueError:\n"
                             "        print('handled')\n")
        status, out, err = run(text)
        self.assertEqual(status, 0, err)
        self.assertIn("handled", out)

    def test_sandbox(self):
        status, _out, err = run(SCENE, "--sandbox")
        self.assertNotEqual(status, 0)
        self.assertIn("it does not run in the sandbox", err)

    def test_without_python(self):
        status, _out, err = run(SCENE, CSOFA_PYTHON_LIBRARY="/nowhere/libpython.so")
        self.assertNotEqual(status, 0)
        self.assertIn("Python was not found", err)
        self.assertIn("libpython3.11", err)
        # XML scenes do not ask for it
        status, _out, err = run(FALL, suffix=".scn", CSOFA_PYTHON_LIBRARY="/nowhere/libpython.so")
        self.assertEqual(status, 0, err)
        status, _out, err = run(FALL.replace("<Node name='body'>", "<RequiredPlugin "
                                             "pluginName='SofaPython3'/><Node name='body'>", 1),
                                suffix=".scn", CSOFA_PYTHON_LIBRARY="/nowhere/libpython.so")
        self.assertEqual(status, 0, err)

    def test_xml_cannot_make_the_controller(self):
        status, _out, err = run("<Node name='root'><RequiredPlugin pluginName='SofaPython3'/>"
                                "<DefaultAnimationLoop/><PythonController/></Node>", suffix=".scn")
        self.assertNotEqual(status, 0)
        self.assertIn("made by scenes that are Python programs", err)


class Interpreters(unittest.TestCase):
    """Modules are those of the library's installation, or of an active virtual environment."""
    setUp = Run.setUp

    def test_other_python_in_the_path(self):
        """Another installation of the same version comes first in PATH; it has no modules."""
        with tempfile.TemporaryDirectory() as other:
            version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
            for name in (f"lib/{version}", "bin", f"lib/{version}/lib-dynload"):
                os.makedirs(os.path.join(other, name))
            open(os.path.join(other, f"lib/{version}/os.py"), "w").close()
            for name in ("python3", "python", version):
                path = os.path.join(other, "bin", name)
                shutil.copy("/bin/true", path)
            path = os.path.join(other, "bin") + os.pathsep + os.environ["PATH"]
            status, out, err = run(SCENE, PATH=path)
            self.assertEqual(status, 0, err)
            self.assertIn("end 0.1 0.03", out)

    @unittest.skipUnless(sys.prefix == "/usr" and importlib.util.find_spec("venv"),
                         "no python of the system, or no venv")
    def test_virtual_environment(self):
        with tempfile.TemporaryDirectory() as folder:
            import venv
            venv.create(folder, system_site_packages=True, with_pip=False)
            packages, = glob.glob(os.path.join(folder, "lib", "python3*", "site-packages"))
            with open(os.path.join(packages, "of_the_environment.py"), "w") as file:
                file.write("NAME = 'found it'")
            text = "import of_the_environment\nprint(of_the_environment.NAME)\n" + SCENE
            status, out, err = run(text, VIRTUAL_ENV=folder)
            self.assertEqual(status, 0, err)
            self.assertIn("found it", out)
            self.assertIn("end 0.1 0.03", out)
            status, _out, err = run(text)
            self.assertNotEqual(status, 0)
            self.assertIn("No module named 'of_the_environment'", err)


if __name__ == "__main__":
    unittest.main()
