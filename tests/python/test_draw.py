# SPDX-License-Identifier: LGPL-2.1-or-later
"""draw(visual) of controllers: its pixels in pictures of runcsofa, what reaches the library, and
errors in it."""
import ctypes
import glob
import os
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import support  # noqa: F401

import csofa
import numpy as np
import Sofa
from csofa import _draw
from Sofa.Types import RGBAColor

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "pictures"))
from png import read_png  # noqa: E402

RUN = os.path.abspath(os.environ["CSOFA_RUN"])

# seen from z = 10 with a field of view of 45 degrees: 8.28 units are 240 pixels high
SCENE = """
import Sofa
from Sofa.Types import RGBAColor

class Pen(Sofa.Core.Controller):
    def __init__(self, *args, **kwargs):
        Sofa.Core.Controller.__init__(self, *args, **kwargs)
        self.state = kwargs["state"]

    def draw(self, visual):
        tool = visual.getDrawTool()
        BODY

def createScene(root):
    root.dt = 0.1
    root.addObject("DefaultAnimationLoop")
    root.addObject("BackgroundSetting", color="0 0 0 1")
    state = root.addObject("MechanicalObject", name="state", position=[[-3.0, 3, 0], [3.0, 3, 0]])
    root.addChild("below").addObject(Pen(name="pen", state=state))
"""

SHAPES = """tool.drawPoints(self.state.position, 20, RGBAColor("cyan"))
        tool.drawLines([[-3, 0, 0], [3, 0, 0]], 9, RGBAColor("green"))
        visual.drawTool.drawTriangles([[-3, -3.5, 0], [-1, -3.5, 0], [-2, -1, 0]], (1, 1, 0))
        tool.drawSpheres([[2, -2, 0]], 1.0, RGBAColor("blue"))
        tool.drawOverlayText([2, 2], 40, "MM", RGBAColor("white"))"""


def picture(body, every=False):
    """Status, pixels of the last picture and messages."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "scene.py"), "w", encoding="utf-8") as file:
            file.write(SCENE.replace("BODY", body))
        done = subprocess.run(
            [RUN, "-g", "batch", "--hideProgressBar", "-n", "3", "--screenshot", "a.png", "--size",
             "320x240", "--camera", "0 0 10  0 0 0  0 1 0  45",
             *(["--screenshot-every", "1"] if every else []), "scene.py"],
            cwd=folder, env={**os.environ, "LIBGL_ALWAYS_SOFTWARE": "1"}, capture_output=True,
            text=True, timeout=300, check=False)
        files = sorted(glob.glob(os.path.join(folder, "*.png")))
        pixels = read_png(files[-1]) if files else None
        return done.returncode, pixels, done.stdout + done.stderr


class Pictures(unittest.TestCase):
    def setUp(self):
        if not glob.glob("/usr/lib/*/libpython3*.so.1.0") and not glob.glob("/usr/lib*/libpython3*"):
            self.skipTest("no libpython")

    def take(self, body, every=False):
        status, pixels, text = picture(body, every)
        if "no pictures can be made" in text:
            self.skipTest("no pictures can be made")
        self.assertEqual(status, 0, text)
        return pixels, text

    def at(self, pixels, x, y):
        """Which of red, green and blue a place of the world z = 0 has."""
        scale = 240 / (20 * np.tan(np.pi / 8))
        rgb = pixels[round(120 - scale * y)][round(160 + scale * x)]
        return "".join(name for name, value in zip("rgb", rgb) if value > 100)

    def test_shapes(self):
        pixels, text = self.take(SHAPES)
        self.assertNotIn("draw()", text)
        places = {(-3, 3): "gb", (3, 3): "gb", (-2, 0): "g", (1, 0): "g", (-2, -2.5): "rg",
                  (2, -2): "b", (2.8, -2): "b", (0, 2): "", (0, -3): ""}
        found = {place: self.at(pixels, *place) for place in places}
        self.assertEqual(found, places)
        white = [(x, y) for y in range(60) for x in range(120) if min(pixels[y][x]) > 200]
        self.assertGreater(len(white), 100)
        pixels, _ = self.take("pass")
        # a scene that shows nothing shows its points, in red
        self.assertEqual({self.at(pixels, x, y) for x, y in places if y < 3}, {""})
        self.assertEqual(self.at(pixels, 3, 3), "r")

    def test_moves_with_the_scene(self):
        pixels, _ = self.take("""t = self.getContext().time.value
        tool.drawSpheres([[10 * t - 3, 0, 0]], 0.4, RGBAColor("red"))""")
        self.assertEqual((self.at(pixels, 0, 0), self.at(pixels, -3, 0)), ("r", ""))

    def test_an_error_is_told_once(self):
        pixels, text = self.take("""tool.drawSpheres([[0, 0, 0]], 1.0, RGBAColor("red"))
        self.nothing.here""", every=True)
        self.assertEqual(text.count("draw() failed"), 1, text)
        self.assertRegex(text, r"/below/pen: draw\(\) failed: \S*scene.py:13: AttributeError: ")
        self.assertEqual(self.at(pixels, 0, 0), "")  # of the last picture


class Recorder:
    """Functions of the library, with the numbers that they got."""

    def __init__(self):
        self.calls = []

    def __getattr__(self, name):
        def call(_drawing, *arguments):
            self.calls.append((name, arguments))
        return call


def numbers(address, n):
    return list((ctypes.c_double * n).from_address(address))


class Tool(unittest.TestCase):
    def test_arguments(self):
        recorder, seen = Recorder(), []

        def check(name, *expected):
            got_name, got = recorder.calls.pop()
            self.assertEqual(got_name, "csofa_draw_" + name)
            values = [list(g) if isinstance(g, ctypes.Array) else g for g in got]
            self.assertEqual([v for v in values if v not in seen], list(expected))

        with mock.patch.object(_draw, "lib", recorder):
            tool = _draw.VisualParams(1).getDrawTool()
            tool.draw3DText([1, 2, 3], 0.5, "é")
            seen = [recorder.calls[-1][1][0]]
            check("text", 0.5, "é".encode(), None)
            tool.drawText([1, 2, 3], 0.5, "a", RGBAColor(0, 0.5, 1))
            seen = [recorder.calls[-1][1][0]]
            check("text", 0.5, b"a", [0, 0.5, 1, 1])
            tool.drawText(10, 20, 12, "older")
            seen = [recorder.calls[-1][1][0]]
            check("overlay_text", 12, b"older", None)
            tool.drawLines([], 1)
            seen = [recorder.calls[-1][1][1]]
            check("lines", 0, 1, None)

    def test_frames(self):
        recorder = []

        class Library:
            @staticmethod
            def csofa_draw_frames(_drawing, n, frames, size):
                recorder.append((n, numbers(frames, 7 * n), numbers(size, 3)))

        with mock.patch.object(_draw, "lib", Library):
            tool = _draw.DrawTool(1)
            tool.drawFrames([[1, 2, 3]], [[0, 0, 0, 1]], [0.1, 0.2, 0.3])
            root = Sofa.Core.Node("root")
            state = root.addObject("MechanicalObject", template="Rigid3",
                                   position=[[1.0, 2, 3, 0, 0, 0, 1]])
            tool.drawFrames(state.position, [0.1, 0.2, 0.3])
        self.assertEqual(recorder, [(1, [1, 2, 3, 0, 0, 0, 1], [0.1, 0.2, 0.3])] * 2)

    def test_wrong_arguments(self):
        tool = _draw.DrawTool(1)
        for call, expected in (
                (lambda: tool.drawPoints([1, 2, 3], 1), r"points are an array of shape \(3,\)"),
                (lambda: tool.drawPoints([[1, 2, 3, 4]], 1), r"expected \(n, 3\)"),
                (lambda: tool.drawLines([[1, 2, 3]], 1), "1 points: expected a multiple of 2"),
                (lambda: tool.drawSpheres([[1, 2, 3]], 1, [1, 0]), "a color of 2 numbers"),
                (lambda: tool.drawFrames([[1, 2, 3]], [], [1, 1, 1]), "1 points with 0 orient"),
                (lambda: tool.drawFrames([[1, 2, 3]], [1, 1, 1]), "frames are an array of shape"),
                (lambda: tool.drawOverlayText([1, 2, 3], 1, "a"), "expected 2 numbers")):
            with self.assertRaisesRegex(ValueError, expected):
                call()
        with self.assertRaisesRegex(ValueError, "during draw"):
            _draw.DrawTool(None).drawPoints([[0, 0, 0]], 1)

    def test_of_application_controllers(self):
        scene = csofa.new_scene()
        pen = scene.root.add("ApplicationController", name="pen")
        pen.set_draw(lambda visual: None)
        with self.assertRaises(csofa.Error):
            scene.root.add("DefaultAnimationLoop", name="loop").set_draw(lambda visual: None)


if __name__ == "__main__":
    unittest.main()
