#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Meshes of second order that gmsh makes, through csofa, into VTK and back into gmsh: the nodes between corners stay between
their corners, and files that csofa writes have the elements that it read. Needs Debian's gmsh and python3-vtk9, else prints
skipped and ends with status 77.

usage: check_gmsh.py PROGRAM"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

try:
    from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridReader
except ImportError:
    # Debian's package is for Debian's interpreter
    if sys.executable != "/usr/bin/python3" and os.path.exists("/usr/bin/python3"):
        os.execv("/usr/bin/python3", ["/usr/bin/python3"] + sys.argv)
    print("skipped: there is no python3-vtk9")
    sys.exit(77)
if not shutil.which("gmsh"):
    print("skipped: there is no gmsh")
    sys.exit(77)

PROGRAM = os.path.abspath(sys.argv[1])
TUBE = """SetFactory("OpenCASCADE");
Box(1) = {0,0,0,1,1,1};
Cylinder(2) = {0,0,-1, 0,0,3, 0.4};
BooleanDifference{ Volume{1}; Delete; }{ Volume{2}; Delete; }
Mesh.CharacteristicLengthMax = 0.5;
"""
DISK = """SetFactory("OpenCASCADE");
Disk(1) = {0,0,0,1};
Mesh.CharacteristicLengthMax = 0.6;
Extrude {0,0,1} { Surface{1}; Layers{2}; Recombine; }
"""
QUADS = "Mesh.RecombineAll = 1;\nMesh.RecombinationAlgorithm = 3;\n"
INCOMPLETE = "Mesh.SecondOrderIncomplete = 1;\n"
# name: geometry, element, field of the loader, type of VTK and of Gmsh, nodes, volume
KINDS = {"tetrahedra": (TUBE, "Tetrahedron10", "tetrahedra10", 24, 11, 10),
         "hexahedra27": (DISK + QUADS, "Hexahedron27", "hexahedra27", 29, 12, 27),
         "hexahedra20": (DISK + QUADS + INCOMPLETE, "Hexahedron20", "hexahedra20", 25, 17, 20),
         "prisms": (DISK + INCOMPLETE, "Prism15", "prisms15", 26, 18, 15)}
SCENE = """<Node name="root" gravity="0 0 0"><RequiredPlugin pluginName="Sofa.Component SofaCaribou"/>
<DefaultAnimationLoop/><DefaultVisualManagerLoop/>
<%s name="loader" filename="%s"/><MechanicalObject name="state" position="@loader.position"/>
<CaribouTopology name="solid" template="%s" indices="@loader.%s"/>
<VTKExporter filename="%s.vtu" overwrite="1" elements="@solid" edges="0" exportAtBegin="1"/>
<MeshExporter filename="%s" format="gmsh" elements="@solid" exportAtBegin="1"/></Node>
"""


class Gmsh(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory(prefix="csofa-gmsh-")
        self.folder = self.temporary.name

    def tearDown(self):
        self.temporary.cleanup()

    def path(self, name):
        return os.path.join(self.folder, name)

    def gmsh(self, text, name, version):
        with open(self.path("mesh.geo"), "w", encoding="ascii") as file:
            file.write(text + "Mesh.ElementOrder = 2;\n")
        subprocess.run(["gmsh", "-3", "-v", "1", "-format", version, "-o", name, "mesh.geo"],
                       cwd=self.folder, check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)

    def export(self, loader, name, kind, out):
        scene = self.path("scene.scn")
        with open(scene, "w", encoding="utf-8") as file:
            file.write(SCENE % (loader, self.path(name), kind[1], kind[2], out, out))
        subprocess.run([PROGRAM, "-n", "0", "--hideProgressBar", scene], cwd=self.folder, check=True,
                       stdout=subprocess.DEVNULL)
        found = [f for f in os.listdir(self.folder) if f.startswith(out) and f.endswith(".vtu")]
        reader = vtkXMLUnstructuredGridReader()
        reader.SetFileName(self.path(found[0]))
        reader.Update()
        return reader.GetOutput()

    def middles_are_between(self, grid, kind):
        """Edges, and the faces of hexahedra of 27 nodes, as VTK knows them."""
        self.assertGreater(grid.GetNumberOfCells(), 5)
        for c in range(grid.GetNumberOfCells()):
            cell = grid.GetCell(c)
            self.assertEqual(cell.GetCellType(), kind[3])
            parts = [cell.GetEdge(k) for k in range(cell.GetNumberOfEdges())]
            if kind[5] == 27:
                parts += [cell.GetFace(k) for k in range(cell.GetNumberOfFaces())]
            for part in parts:
                points = [part.GetPoints().GetPoint(k) for k in range(part.GetNumberOfPoints())]
                n = 2 if len(points) == 3 else 4
                size = max(abs(a - b) for a, b in zip(points[0], points[1])) + 1e-9
                for k in range(3):
                    mean = sum(p[k] for p in points[:n]) / n
                    self.assertLess(abs(points[-1][k] - mean), 0.25 * size, "cell %d" % c)

    def cells(self, grid):
        """The nodes of all cells by their places."""
        out = []
        for c in range(grid.GetNumberOfCells()):
            ids = grid.GetCell(c).GetPointIds()
            out.append([grid.GetPoint(ids.GetId(k)) for k in range(ids.GetNumberOfIds())])
        return out

    def same(self, a, b):
        self.assertEqual(len(a), len(b))
        for cell, other in zip(a, b):
            for p, q in zip(cell, other):
                for x, y in zip(p, q):
                    self.assertAlmostEqual(x, y, 9)

    def test_round_trips(self):
        for name, kind in KINDS.items():
            for version in ("msh2", "msh4"):
                with self.subTest(name=name, version=version):
                    for old in os.listdir(self.folder):
                        os.remove(self.path(old))
                    self.gmsh(kind[0], "mesh.msh", version)
                    first = self.export("MeshGmshLoader", "mesh.msh", kind, "first")
                    self.middles_are_between(first, kind)
                    written = self.cells(first)
                    vtu = [f for f in os.listdir(self.folder) if f.startswith("first") and f.endswith("vtu")][0]
                    self.same(written, self.cells(self.export("MeshVTKLoader", vtu, kind, "second")))
                    msh = [f for f in os.listdir(self.folder) if f.startswith("first") and f.endswith("gmsh")][0]
                    os.rename(self.path(msh), self.path("again.msh"))
                    self.same(written, self.cells(self.export("MeshGmshLoader", "again.msh", kind, "third")))
                    self.read_by_gmsh(kind, len(written))

    def read_by_gmsh(self, kind, n):
        """gmsh reads the file that csofa wrote, and saves the same elements."""
        subprocess.run(["gmsh", "-v", "1", "-save_all", "-save", "-format", "msh2", "-o", "saved.msh", "again.msh"],
                       cwd=self.folder, check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        with open(self.path("saved.msh"), encoding="ascii") as file:
            text = re.search(r"\$Elements\n\d+\n(.*?)\$EndElements", file.read(), re.S).group(1)
        lines = [line.split() for line in text.splitlines()]
        self.assertEqual([int(line[1]) for line in lines], [kind[4]] * n)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
