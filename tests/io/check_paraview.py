#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the exporters write opens in VTK, the library under ParaView, and what VTK writes opens in
MeshVTKLoader; also after a run that was killed. Needs Debian's python3-vtk9, else prints skipped
and ends with status 77."""
import glob
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree as ElementTree

try:
    from vtkmodules.vtkCommonCore import vtkPoints
    from vtkmodules.vtkCommonDataModel import vtkUnstructuredGrid
    from vtkmodules.vtkIOGeometry import vtkOBJReader, vtkSTLReader
    from vtkmodules.vtkIOLegacy import vtkUnstructuredGridReader, vtkUnstructuredGridWriter
    from vtkmodules.vtkIOXML import (vtkXMLUnstructuredGridReader, vtkXMLUnstructuredGridWriter)
except ImportError:
    # Debian's package is for Debian's interpreter
    if sys.executable != "/usr/bin/python3" and os.path.exists("/usr/bin/python3"):
        os.execv("/usr/bin/python3", ["/usr/bin/python3"] + sys.argv)
    print("skipped: there is no python3-vtk9")
    sys.exit(77)

PROGRAM, SCENES = (os.path.abspath(path) for path in sys.argv[1:3])
LOADED = """<Node name="root" gravity="0 0 0"><RequiredPlugin pluginName="Sofa.Component"/>
<DefaultAnimationLoop/><DefaultVisualManagerLoop/>
<MeshVTKLoader name="loader" filename="%s"/><MechanicalObject name="state" src="@loader"/>
<TetrahedronSetTopologyContainer name="mesh" src="@loader"/>
<MeshExporter filename="back" format="vtk" exportAtBegin="1" edges="0" triangles="0"/></Node>
"""


def read(reader, path):
    """The output of a VTK reader, which must not have complained."""
    complaints = []
    reader.AddObserver("ErrorEvent", lambda *_: complaints.append(path))
    reader.SetFileName(path)
    reader.Update()
    assert not complaints, "VTK cannot read " + path
    return reader.GetOutput()


def sizes(data):
    return data.GetNumberOfPoints(), data.GetNumberOfCells()


KINDS = """<Node name="root" dt="0.01" gravity="0 0 0">
<RequiredPlugin pluginName="Sofa.Component"/><DefaultAnimationLoop/><DefaultVisualManagerLoop/>
<MeshTopology name="mesh" position="0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1 0.5 0.5 2 2 0 0
 2 1 0 2 0 1" edges="0 1 1 2" triangles="0 1 2 0 2 3" quads="4 5 6 7" tetrahedra="0 1 3 4"
 hexahedra="0 1 2 3 4 5 6 7" prisms="1 9 2 5 11 6" pyramids="4 5 6 7 8"/>
<MechanicalObject name="state" rest_position="@mesh.position" position="0 0 0 1.1 0 0 1.1 1 0 0 1 0
 0 0 1 1.1 0 1 1.1 1 1 0 1 1 0.5 0.5 2 2 0 0 2 1 0 2 0 1"/>
<HexahedronFEMForceField name="fem" youngModulus="1000" poissonRatio="0.3"/>
<VTKExporter filename="x" exportEveryNumberOfSteps="1" edges="1" triangles="1" quads="1" tetras="1"
 hexas="1"/>
<VTKExporter filename="a" encoding="ascii" exportEveryNumberOfSteps="1" edges="1" triangles="1"
 quads="1" tetras="1" hexas="1"/>
<VTKExporter filename="l" XMLformat="0" exportEveryNumberOfSteps="1" edges="1" triangles="1"
 quads="1" tetras="1" hexas="1"/>
<VTKExporter filename="s" exportEveryNumberOfSteps="1" edges="0" hexas="1"
 cellsDataFields="fem.elementStress"/>
<MeshExporter filename="m" exportEveryNumberOfSteps="1"/>
<STLExporter filename="t" exportEveryNumberOfSteps="1"/></Node>
"""


class ParaView(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory(prefix="csofa-paraview-")
        self.folder = self.temporary.name

    def tearDown(self):
        self.temporary.cleanup()

    def path(self, name):
        return os.path.join(self.folder, name)

    def run_scene(self, name, steps):
        scene = name if os.path.isabs(name) else os.path.join(SCENES, name + ".scn")
        subprocess.run([PROGRAM, "-n", str(steps), "--hideProgressBar", scene], cwd=self.folder,
                       check=True, stdout=subprocess.DEVNULL)

    def series(self, name):
        root = ElementTree.parse(self.path(name)).getroot()
        return [(float(item.get("timestep")), item.get("file")) for item in root.iter("DataSet")]

    def test_series_of_vtk_exporter(self):
        self.run_scene("VTKExporter", 20)
        series = self.series("block.pvd")
        self.assertEqual([round(at, 12) for at, _ in series], [0, 0.05, 0.1, 0.15, 0.2])
        for _, name in series:
            for kind in ("block", "readable"):
                grid = read(vtkXMLUnstructuredGridReader(),
                            self.path(name.replace("block", kind)))
                self.assertEqual(sizes(grid), (12, 2))
                speed = grid.GetPointData().GetArray("speed")
                self.assertEqual(speed.GetNumberOfTuples(), 12)
        legacy = read(vtkUnstructuredGridReader(), self.path("legacy.vtk"))
        self.assertEqual(sizes(legacy), (12, 33))

    def test_mesh_exporter(self):
        self.run_scene("MeshExporter", 5)
        for number in range(4):
            name = self.path("all_12%05d" % number)
            xml = read(vtkXMLUnstructuredGridReader(), name + ".vtu")
            legacy = read(vtkUnstructuredGridReader(), name + ".vtk")
            self.assertEqual(sizes(xml), sizes(legacy))
            types = [xml.GetCellType(i) for i in range(xml.GetNumberOfCells())]
            self.assertEqual(types.count(10), 12)
            fall = -9.81e-4 * sum(range(1, (0, 2, 4, 5)[number] + 1))
            self.assertAlmostEqual(xml.GetPoint(0)[1], fall, 12)
            self.assertEqual(xml.GetPoint(7), legacy.GetPoint(7))
            surface = read(vtkOBJReader(), name + ".obj")
            self.assertEqual(surface.GetNumberOfPoints(), 12)
        with open(self.path("all_1200003.face"), encoding="ascii") as file:
            self.assertEqual(file.readline().split(), ["20", "0"])
        self.assertFalse(os.path.exists(self.path("all_1200004.vtu")))

    def test_every_kind_of_element(self):
        scene = self.path("kinds.scn")
        with open(scene, "w", encoding="utf-8") as file:
            file.write(KINDS)
        process = subprocess.run([PROGRAM, "-n", "1", "--hideProgressBar", scene], cwd=self.folder,
                                 check=True, capture_output=True, text=True)
        self.assertIn("1 prisms and 1 pyramids of the topology are not written", process.stderr)
        wanted = {3: 2, 5: 2, 9: 1, 10: 1, 12: 1}
        for name in ("x_00000.vtu", "a_00000.vtu", "l_00000.vtk", "m00001.vtu", "m00001.vtk"):
            reader = vtkXMLUnstructuredGridReader if name.endswith("u") else vtkUnstructuredGridReader
            grid = read(reader(), self.path(name))
            types = [grid.GetCellType(i) for i in range(grid.GetNumberOfCells())]
            self.assertEqual({kind: types.count(kind) for kind in types}, wanted, name)
            self.assertEqual(grid.GetNumberOfPoints(), 12)
        stress = read(vtkXMLUnstructuredGridReader(), self.path("s_00000.vtu")).GetCellData()
        self.assertEqual(stress.GetArray("elementStress").GetNumberOfComponents(), 6)
        self.assertGreater(abs(stress.GetArray("elementStress").GetTuple(0)[0]), 50)
        self.assertEqual(sizes(read(vtkSTLReader(), self.path("t00001.stl")))[1], 4)

    def test_exporters_of_surfaces(self):
        self.run_scene("STLExporter", 5)
        self.run_scene("VisualModelOBJExporter", 5)
        binary = read(vtkSTLReader(), self.path("cube_end.stl"))
        text = read(vtkSTLReader(), self.path("cube_text00002.stl"))
        self.assertEqual(sizes(binary), (8, 12))
        self.assertEqual(sizes(text), (8, 12))
        models = read(vtkOBJReader(), self.path("models.obj"))
        self.assertEqual(models.GetNumberOfCells(), 12)
        low = -0.5 - 9.81e-4 * 15
        self.assertAlmostEqual(models.GetBounds()[2], low, 6)
        self.assertAlmostEqual(binary.GetBounds()[2], low, 6)

    def grid(self):
        points, grid = vtkPoints(), vtkUnstructuredGrid()
        points.SetDataTypeToDouble()
        for k in range(60):
            points.InsertNextPoint(k % 3, 0.1 * (k // 3 % 4), k / 7)
        grid.SetPoints(points)
        for k in range(40):
            grid.InsertNextCell(10, 4, [k, k + 1, k + 3, k + 12])
        return grid

    def reads_back(self, name, grid):
        scene = self.path("loaded.scn")
        with open(scene, "w", encoding="utf-8") as file:
            file.write(LOADED % self.path(name))
        self.run_scene(scene, 0)
        back = read(vtkUnstructuredGridReader(), self.path("back.vtk"))
        self.assertEqual(sizes(back), sizes(grid), name)
        for i in range(grid.GetNumberOfPoints()):
            self.assertEqual(back.GetPoint(i), grid.GetPoint(i), name)
        for i in range(grid.GetNumberOfCells()):
            a, b = back.GetCell(i).GetPointIds(), grid.GetCell(i).GetPointIds()
            self.assertEqual([a.GetId(k) for k in range(4)], [b.GetId(k) for k in range(4)])

    def test_loader_reads_xml_of_vtk(self):
        grid = self.grid()
        for mode in range(3):
            for compress in (False, True):
                for big_endian in (False, True):
                    for wide in (False, True):
                        for encode in (False, True):
                            writer = vtkXMLUnstructuredGridWriter()
                            writer.SetFileName(self.path("grid.vtu"))
                            writer.SetInputData(grid)
                            writer.SetDataMode(mode)
                            (writer.SetCompressorTypeToZLib if compress
                             else writer.SetCompressorTypeToNone)()
                            (writer.SetByteOrderToBigEndian if big_endian
                             else writer.SetByteOrderToLittleEndian)()
                            (writer.SetHeaderTypeToUInt64 if wide
                             else writer.SetHeaderTypeToUInt32)()
                            writer.SetEncodeAppendedData(encode)
                            writer.SetBlockSize(4096 // 8 * 8)
                            writer.Write()
                            self.reads_back("grid.vtu", grid)

    def test_loader_reads_legacy_of_vtk(self):
        grid = self.grid()
        for binary in (False, True):
            for version in (42, 51):
                writer = vtkUnstructuredGridWriter()
                writer.SetFileName(self.path("grid.vtk"))
                writer.SetInputData(grid)
                (writer.SetFileTypeToBinary if binary else writer.SetFileTypeToASCII)()
                if hasattr(writer, "SetFileVersion"):
                    writer.SetFileVersion(version)
                writer.Write()
                if binary:
                    self.reads_back("grid.vtk", grid)

    def test_killed_run_leaves_a_series(self):
        scene = os.path.join(SCENES, "VTKExporter.scn")
        for wait in (0.04, 0.13):
            process = subprocess.Popen([PROGRAM, "-n", "1000000", "--hideProgressBar", scene],
                                       cwd=self.folder, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
            deadline = time.monotonic() + 20
            while not glob.glob(self.path("block.pvd")) and time.monotonic() < deadline:
                time.sleep(0.005)
            time.sleep(wait)
            process.send_signal(signal.SIGKILL)
            process.wait()
            series = self.series("block.pvd")
            self.assertTrue(series)
            for _, name in series[:2] + series[-2:]:
                grid = read(vtkXMLUnstructuredGridReader(), self.path(name))
                self.assertEqual(sizes(grid), (12, 2))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
