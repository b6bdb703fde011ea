#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs the VTKExporter scene and reads its files as VTK defines them: series and times, arrays of
the binary and the ASCII form, the legacy form; then interrupts a long run at any moment and expects
a series that is complete."""
import base64
import os
import re
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree as ElementTree
import zlib

PROGRAM, SCENE = (os.path.abspath(path) for path in sys.argv[1:3])
AGAIN = """<Node name="root" gravity="0 0 0"><RequiredPlugin pluginName="Sofa.Component"/>
<DefaultAnimationLoop/><DefaultVisualManagerLoop/>
<%s name="loader" filename="%s" createSubelements="0"/>
<MeshTopology name="mesh" src="@loader"/><MechanicalObject name="state" src="@loader"/>
<MeshExporter name="all" format="%s" exportAtBegin="1"/></Node>
"""
CODES = {"Float64": "d", "Int64": "q", "UInt8": "B"}


def decode(text, code):
    """base64 of the header (blocks, block size, last size, packed sizes), then of the blocks."""
    text = "".join(text.split())
    n = struct.unpack("<Q", base64.b64decode(text[:12])[:8])[0]
    length = 4 * ((8 * (3 + n) + 2) // 3)
    header = struct.unpack("<%dQ" % (3 + n), base64.b64decode(text[:length]))
    packed, out, at = base64.b64decode(text[length:]), b"", 0
    for k, size in enumerate(header[3:]):
        block = zlib.decompress(packed[at:at + size])
        assert len(block) == (header[2] if k == n - 1 and header[2] else header[1])
        out += block
        at += size
    return list(struct.unpack("<%d%s" % (len(out) // struct.calcsize(code), code), out))


def read_vtu(path):
    root = ElementTree.parse(path).getroot()
    assert root.get("type") == "UnstructuredGrid" and root.get("header_type") == "UInt64"
    piece = root.find("UnstructuredGrid/Piece")
    arrays = {}
    for array in piece.iter("DataArray"):
        code = CODES[array.get("type")]
        if array.get("format") == "ascii":
            convert = float if code == "d" else int
            values = [convert(word) for word in (array.text or "").split()]
        else:
            values = decode(array.text, code)
        arrays[array.get("Name")] = values
    arrays["n"] = int(piece.get("NumberOfPoints")), int(piece.get("NumberOfCells"))
    return arrays


def read_series(path):
    root = ElementTree.parse(path).getroot()
    assert root.get("type") == "Collection"
    return [(float(item.get("timestep")), item.get("file")) for item in root.iter("DataSet")]


class Vtk(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory(prefix="csofa-vtk-")
        self.folder = self.temporary.name

    def tearDown(self):
        self.temporary.cleanup()

    def path(self, name):
        return os.path.join(self.folder, name)

    def run_scene(self, steps):
        subprocess.run([PROGRAM, "-g", "batch", "-n", str(steps), "--hideProgressBar", SCENE],
                       cwd=self.folder, check=True, stdout=subprocess.DEVNULL)

    def test_series_and_arrays(self):
        self.run_scene(20)
        series = read_series(self.path("block.pvd"))
        for (at, _), expected in zip(series, [0, 0.05, 0.1, 0.15, 0.2]):
            self.assertAlmostEqual(at, expected, 12)
        self.assertEqual(len(series), 5)
        for k, (at, name) in enumerate(series):
            grid = read_vtu(self.path(name))
            self.assertEqual(grid["n"], (12, 2))
            self.assertEqual(grid["types"], [12, 12])
            self.assertEqual(grid["offsets"], [8, 16])
            self.assertEqual(sorted(set(grid["connectivity"])), list(range(12)))
            steps = 5 * k
            for i in range(12):
                self.assertAlmostEqual(grid["speed"][3 * i + 1], 3 - 9.81 * 0.01 * steps, 9)
                fall = 0.03 * steps - 9.81e-4 * steps * (steps + 1) / 2
                rest = grid["rest_position"][3 * i + 1]
                self.assertAlmostEqual(grid["Points"][3 * i + 1], rest + fall, 9)
            readable = read_vtu(self.path(name.replace("block", "readable")))
            self.assertEqual(grid, readable)

    def test_results_of_elements(self):
        folder = os.path.dirname(os.path.dirname(SCENE))
        subprocess.run([PROGRAM, "-g", "batch", "-n", "1", "--hideProgressBar",
                        os.path.join(folder, "fem", "element_results.scn")],
                       cwd=self.folder, check=True, stdout=subprocess.DEVNULL)
        grid = read_vtu(self.path("bar_00000.vtu"))
        pulled = [100, 0, 0, 0, 0, 0]
        for name, n in (("stress", 20), ("meanStress", 20), ("elementStress", 4)):
            self.assertEqual(len(grid[name]), 6 * n)
            for k, value in enumerate(grid[name]):
                self.assertAlmostEqual(value, pulled[k % 6], 6)
        self.assertEqual(len(grid["principalStressPerElement"]), 12)
        for k in range(4):
            self.assertAlmostEqual(grid["vonMisesPerElement"][k], 100, 6)
            self.assertAlmostEqual(grid["energyPerElement"][k], 0.05, 9)
            self.assertAlmostEqual(grid["principalStressPerElement"][3 * k], 100, 6)
            self.assertAlmostEqual(grid["elementStrain"][6 * k], 1e-3, 9)

    def test_legacy(self):
        self.run_scene(20)
        with open(self.path("legacy.vtk")) as file:
            text = file.read()
        self.assertTrue(text.startswith("# vtk DataFile Version 3.0\n"))
        self.assertIn("\nASCII\nDATASET UNSTRUCTURED_GRID\n\nPOINTS 12 double\n", text)
        n, size = map(int, re.search(r"\nCELLS (\d+) (\d+)\n", text).groups())
        cells = text[text.index("\nCELLS"):text.index("\nCELL_TYPES")].split()[3:]
        self.assertEqual(len(cells), size)
        types = text[text.index("\nCELL_TYPES"):text.index("\nPOINT_DATA")].split()[2:]
        self.assertEqual(len(types), n)
        self.assertEqual(set(types), {"3", "12"})
        self.assertIn("\nPOINT_DATA 12\nFIELD FieldData 1\nvelocity 3 12 double\n", text)

    def run_file(self, scene, steps):
        subprocess.run([PROGRAM, "-n", str(steps), "--hideProgressBar", scene], cwd=self.folder,
                       check=True, stdout=subprocess.DEVNULL)

    def test_meshes_come_back(self):
        """What MeshExporter writes gives the same file again after loading it."""
        self.run_file(os.path.join(os.path.dirname(SCENE), "MeshExporter.scn"), 5)
        for loader, extension, form in (("MeshGmshLoader", "gmsh", "gmsh"),
                                        ("MeshVTKLoader", "vtu", "vtkxml"),
                                        ("MeshVTKLoader", "vtk", "vtk")):
            name = self.path("all_1200003." + extension)
            with open(self.path("again.scn"), "w", encoding="utf-8") as file:
                file.write(AGAIN % (loader, name, form))
            self.run_file(self.path("again.scn"), 0)
            with open(name, encoding="utf-8") as one, \
                    open(self.path("all." + extension), encoding="utf-8") as two:
                # but for what says which scene wrote it
                self.assertEqual(*(re.sub("<!-- csofa .*-->\n", "", text.read()) for text in (one, two)),
                                 extension)

    def test_point_cache_of_blender(self):
        self.run_file(os.path.join(os.path.dirname(SCENE), "BlenderExporter.scn"), 6)
        for number, steps in ((1, 0), (2, 3)):
            with open(self.path("points_%06d_00.bphys" % number), "rb") as file:
                data = file.read()
            self.assertEqual(struct.unpack("<8s3I", data[:20]), (b"BPHYSICS", 0, 2, 6))
            values = struct.unpack("<12f", data[20:])
            # the last point first: position, velocity
            self.assertEqual((values[0], values[6]), (1, 0))
            self.assertAlmostEqual(values[1], -9.81e-4 * steps * (steps + 1) / 2, 6)
            self.assertAlmostEqual(values[4], -9.81 * 0.01 * steps, 6)
        self.assertFalse(os.path.exists(self.path("points_000003_00.bphys")))

    def test_end_of_an_interrupted_run(self):
        scene = os.path.join(os.path.dirname(SCENE), "STLExporter.scn")
        process = subprocess.Popen([PROGRAM, "-n", "100000", "--hideProgressBar", scene],
                                   cwd=self.folder, stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + 20
        while not os.path.exists(self.path("cube_text00001.stl")) and time.monotonic() < deadline:
            time.sleep(0.005)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(), 0)
        self.assertEqual(os.path.getsize(self.path("cube_end.stl")), 84 + 50 * 12)

    def test_interrupted_run(self):
        for wait in (0.05, 0.11, 0.23):
            process = subprocess.Popen(
                [PROGRAM, "-g", "batch", "-n", "1000000", "--hideProgressBar", SCENE],
                cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            series = self.path("block.pvd")
            deadline = time.monotonic() + 20
            while not os.path.exists(series) and time.monotonic() < deadline:
                time.sleep(0.005)
            time.sleep(wait)
            process.send_signal(signal.SIGKILL)
            process.wait()
            entries = read_series(series)
            self.assertTrue(entries)
            for _, name in entries[:3] + entries[-3:]:
                self.assertEqual(read_vtu(self.path(name))["n"], (12, 2))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
