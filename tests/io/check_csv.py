#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""CSVRecorder: the columns and their units, what physics says about them, what is refused, and a
table that can be read after the program was killed; plot_csv.py draws it."""
import csv
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree as ElementTree

PROGRAM, SCENE, PLOT = (os.path.abspath(path) for path in sys.argv[1:4])
BAD = """<Node name="root"><RequiredPlugin pluginName="Sofa.Component"/><DefaultAnimationLoop/>
<DefaultVisualManagerLoop/><MechanicalObject name="state" position="0 0 0"/>
<CSVRecorder name="table" %s/></Node>
"""


ALL = """<Node name="root" dt="0.01" gravity="0 -1 0"><DefaultAnimationLoop/><DefaultVisualManagerLoop/>
<Node name="points"><EulerExplicitSolver/><MechanicalObject position="0 0 0"/><UniformMass totalMass="1"/>
<CSVRecorder filename="points.csv" columns="%s"/></Node>
<Node name="frames"><EulerExplicitSolver/><MechanicalObject template="Rigid3d" position="0 0 0 0 0 0 1"/>
<UniformMass totalMass="1"/><CSVRecorder filename="frames.csv" columns="position velocity force"/></Node></Node>
"""

CG = """<Node name="root" dt="0.01" gravity="0 -1 0"><DefaultAnimationLoop/><DefaultVisualManagerLoop/>
<EulerImplicitSolver/><CGLinearSolver iterations="20" tolerance="1e-9" threshold="1e-9"/>
<MechanicalObject position="0 0 0 1 0 0"/><UniformMass totalMass="1"/>
<SpringForceField spring="0 1 10 0 0.8"/></Node>
"""


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    return rows[0], [[float(word) for word in row] for row in rows[1:]]


class Csv(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory(prefix="csofa-csv-")
        self.folder = self.temporary.name

    def tearDown(self):
        self.temporary.cleanup()

    def path(self, name):
        return os.path.join(self.folder, name)

    def run_scene(self, scene, steps, *options):
        return subprocess.run([PROGRAM, "-n", str(steps), "--hideProgressBar", *options, scene], text=True,
                              cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def test_columns_and_physics(self):
        self.assertEqual(self.run_scene(SCENE, 50).returncode, 0)
        names, rows = read(self.path("swing.csv"))
        self.assertEqual(names[:6], ["time [s]", "kinetic energy [J]", "potential energy [J]",
                                     "px [kg m/s]", "py [kg m/s]", "pz [kg m/s]"])
        self.assertEqual(names[6:8] + names[-1:], ["x[76] [m]", "y[76] [m]", "fz[80] [N]"])
        self.assertEqual(len(names), 6 + 3 * 2 * 3)
        for row, at in zip(rows, range(0, 51, 5)):
            self.assertAlmostEqual(row[0], 0.01 * at, 12)
        self.assertEqual(len(rows), 11)
        # fixed at one end: nothing moves at first, and damping takes energy away
        energy = [row[1] + row[2] for row in rows]
        self.assertEqual(rows[0][1], 0)
        self.assertLess(energy[-1], energy[0])
        names, rows = read(self.path("flight.csv"))
        self.assertEqual(len(rows), 6)
        for row in rows:
            # two masses of 1 kg: momentum (0, -1, 0), moment (0, 0, -2) whatever the spring does
            for value, expected in zip(row[1:7], (0, -1, 0, 0, 0, -2)):
                self.assertAlmostEqual(value, expected, 9)

    def test_quantities(self):
        """Numbers of any fields: the same as in the columns that name them, and as of --record."""
        done = self.run_scene(SCENE, 50, "--record-every", "5", "--record", "/beam/FEM.elementStress.2:max",
                              "--record", "/beam/state.position[80].y")
        self.assertEqual(done.returncode, 0, done.stderr)
        names, rows = read(self.path("extremes.csv"))
        self.assertEqual(names, ["time [s]", "FEM.elementStress.2:max [Pa]", "state.position[80].y [m]",
                                 "/beam/fixed.reactions.y:sum [N]"])
        self.assertEqual(len(rows), 11)
        _, others = read(self.path("record.csv"))
        swing_names, swing = read(self.path("swing.csv"))
        for row, other, whole in zip(rows, others, swing):
            self.assertEqual(row[1:3], other[2:4])
            self.assertEqual(row[2], whole[swing_names.index("y[80] [m]")])
        self.assertGreater(rows[-1][1], 100)  # bent: one side is pulled
        # what swings down pulls at the support with more than its weight on the way back up
        self.assertGreater(max(row[3] for row in rows), 32 * 9.81)

    def test_refused(self):
        for attributes, words in (('columns="positions"', "did you mean 'position'"),
                                  ('indices="3"', "point 3, the state has 1 points"),
                                  ('everyNumberOfSteps="0"', "expected >= 1"),
                                  ('quantities="state.positions"', "did you mean 'position'"),
                                  ('quantities="/stat.position"', "'/stat.position' cannot be recorded"),
                                  ('quantities="state.position:most"', "there is no such operation"),
                                  ('quantities="state"', "expected PATH.FIELD"),
                                  ('period="-1"', "expected >= 0"),
                                  ('filename="no/such/table.csv"', "there is no folder")):
            with open(self.path("bad.scn"), "w", encoding="utf-8") as file:
                file.write(BAD % attributes)
            result = self.run_scene("bad.scn", 1)
            self.assertEqual(result.returncode, 1, attributes)
            self.assertIn(words, result.stderr)

    def test_killed_run(self):
        process = subprocess.Popen([PROGRAM, "-n", "1000000", "--hideProgressBar", SCENE],
                                   cwd=self.folder, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            if os.path.exists(self.path("swing.csv.part")) and \
                    os.path.getsize(self.path("swing.csv.part")) > 4000:
                break
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
        process.wait()
        names, rows = read(self.path("swing.csv.part"))
        self.assertTrue(all(len(row) == len(names) for row in rows) and len(rows) > 3)

    def test_plot(self):
        self.run_scene(SCENE, 20)
        subprocess.run([sys.executable, PLOT, "swing.csv", "out.svg", "kinetic energy", "py", "y["],
                       cwd=self.folder, check=True)
        root = ElementTree.parse(self.path("out.svg")).getroot()
        lines = [item for item in root.iter() if item.tag.endswith("polyline")]
        self.assertEqual(len(lines), 4)
        result = subprocess.run([sys.executable, PLOT, "swing.csv", "out.svg", "wrong"],
                                cwd=self.folder, stderr=subprocess.PIPE, text=True)
        self.assertIn("there is no column 'wrong'", result.stderr)

    def plot(self, table, *words):
        """Labels of the curves, and the units."""
        done = subprocess.run([sys.executable, PLOT, table, "out.svg", *words], cwd=self.folder, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 0, done.stderr)
        texts = [item for item in ElementTree.parse(self.path("out.svg")).getroot().iter()
                 if item.tag.endswith("text")]
        return ([item.text for item in texts if item.get("fill")],
                [item.text for item in texts if item.get("font-weight")])

    def test_plot_names(self):
        """Every word of CSVRecorder chooses its columns; indices of points are no units."""
        words = ("position", "velocity", "force", "kineticEnergy", "potentialEnergy", "momentum",
                 "angularMomentum")
        with open(self.path("all.scn"), "w", encoding="utf-8") as file:
            file.write(ALL % " ".join(words))
        self.assertEqual(self.run_scene("all.scn", 5).returncode, 0)
        for table, expected in (("points.csv", {
                "position": (["x[0]", "y[0]", "z[0]"], ["m"]),
                "velocity": (["vx[0]", "vy[0]", "vz[0]"], ["m/s"]),
                "force": (["fx[0]", "fy[0]", "fz[0]"], ["N"]),
                "kineticEnergy": (["kinetic energy"], ["J"]),
                "potentialEnergy": (["potential energy"], ["J"]),
                "momentum": (["px", "py", "pz"], ["kg m/s"]),
                "angularMomentum": (["Lx", "Ly", "Lz"], ["kg m^2/s"]),
                "x[0]": (["x[0]"], ["m"])}), ("frames.csv", {
                    "position": (["x[0]", "y[0]", "z[0]", "qx[0]", "qy[0]", "qz[0]", "qw[0]"], ["m", "1"]),
                    "velocity": (["vx[0]", "vy[0]", "vz[0]", "wx[0]", "wy[0]", "wz[0]"], ["m/s", "1/s"]),
                    "force": (["fx[0]", "fy[0]", "fz[0]", "tx[0]", "ty[0]", "tz[0]"], ["N", "N m"])})):
            for word, found in expected.items():
                self.assertEqual(self.plot(table, word), found, word)
        self.assertEqual(self.plot("points.csv")[1], ["m", "m/s", "N", "J", "kg m/s", "kg m^2/s"])

    def test_plot_convergence(self):
        """Columns of text and empty entries are left out."""
        with open(self.path("cg.scn"), "w", encoding="utf-8") as file:
            file.write(CG)
        self.assertEqual(self.run_scene("cg.scn", 3, "--convergence", "c.csv").returncode, 0)
        self.assertEqual(self.plot("c.csv", "residual")[0], ["residual"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
