#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The pieces that two processes write open in VTK, the library under ParaView, and in ParaView itself where there is
pvpython: together they have the points, cells and fields of the file of one process. Needs Debian's python3-vtk9, else
prints skipped and ends with status 77.

usage: check_pieces.py RUNCSOFA MPIRUN TEST_PROCESSES"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

try:
    from vtkmodules.vtkIOXML import vtkXMLPUnstructuredGridReader, vtkXMLUnstructuredGridReader
except ImportError:
    # Debian's package is for Debian's interpreter
    if sys.executable != "/usr/bin/python3" and os.path.exists("/usr/bin/python3"):
        os.execv("/usr/bin/python3", ["/usr/bin/python3"] + sys.argv)
    print("skipped: there is no python3-vtk9")
    sys.exit(77)

sys.dont_write_bytecode = True
import distributed
import meshes
from distributed import check, run

# what ParaView sees of a series: at each time the points, the cells, names of fields and the sum of one
PARAVIEW = """
import json, sys
from paraview import servermanager, simple
series = simple.OpenDataFile(sys.argv[1])
found = []
for time in series.TimestepValues:
    series.UpdatePipeline(time)
    data = servermanager.Fetch(simple.CleantoGrid(Input=series))
    field = data.GetCellData().GetArray("vonMisesPerElement")
    found.append([time, data.GetNumberOfPoints(), data.GetNumberOfCells(),
                  sum(field.GetValue(i) for i in range(field.GetNumberOfTuples()))])
print(json.dumps(found))
"""


def read(reader, path):
    """The output of a VTK reader, which must not have complained."""
    complaints = []
    for event in ("ErrorEvent", "WarningEvent"):
        reader.AddObserver(event, lambda *_: complaints.append(path))
    reader.SetFileName(path)
    reader.Update()
    check("VTK reads " + path, not complaints)
    return reader.GetOutput()


def rows(array):
    return [array.GetTuple(i) for i in range(array.GetNumberOfTuples())]


def place(x):
    return tuple(round(v, 6) + 0.0 for v in x)


def points(data):
    """The velocity of each place: copies of a point have one place, and must have one velocity."""
    found = {}
    for i, v in enumerate(rows(data.GetPointData().GetArray("velocity"))):
        x = place(data.GetPoint(i))
        check("velocities of copies", distributed.farthest(found.setdefault(x, v), v) < 1e-9, "%s %s" % (found[x], v))
    return found


def cells(data):
    """The stress of each cell, by the places of its corners."""
    found = {}
    for i, stress in enumerate(rows(data.GetCellData().GetArray("vonMisesPerElement"))):
        ids = data.GetCell(i).GetPointIds()
        found[tuple(sorted(place(data.GetPoint(ids.GetId(k))) for k in range(ids.GetNumberOfIds())))] = stress
    return found


def same(what, one, many):
    check(what + ": how many", len(one) == len(many), "%d %d" % (len(one), len(many)))
    check(what + ": where", one.keys() == many.keys())
    if one.keys() == many.keys():
        scale = max(abs(v) for values in one.values() for v in values)
        worst = max(distributed.farthest(one[k], many[k]) for k in one)
        check("%s: %g apart" % (what, worst), worst <= 1e-6 * scale)  # the file has 32 bits


def series(path):
    return [float(data.get("timestep")) for data in xml.etree.ElementTree.parse(path).getroot().iter("DataSet")]


def paraview(program, path):
    out = subprocess.run([program, "-c", "import sys\nsys.argv = ['', %r]\n%s" % (os.path.abspath(path), PARAVIEW)],
                         capture_output=True, text=True, timeout=300)
    check("ParaView opens " + path, out.returncode == 0, out.stdout + out.stderr)
    return json.loads(out.stdout.splitlines()[-1]) if out.returncode == 0 else []


def compare():
    for folder, n in (("one", 0), ("many", 2)):
        path = distributed.write("scene.scn", distributed.recorded(distributed.MUMPS if n else distributed.DIRECT))
        options = ["-n", "3", "--out", folder, path]
        r = run(distributed.command(n, *options) if n else
                [distributed.PROGRAM, "-g", "batch", "--hideProgressBar", *options])
        check("outputs of %d" % n, r.status == 0, r.text)
        if r.status != 0:
            return
    check("times", series("one/v.pvd") == series("many/v.pvd"))
    for name in ("v_00000", "v_00001"):
        one = read(vtkXMLUnstructuredGridReader(), "one/%s.vtu" % name)
        many = read(vtkXMLPUnstructuredGridReader(), "many/%s.pvtu" % name)
        check("cells of " + name, one.GetNumberOfCells() == many.GetNumberOfCells() == 192)
        same("points of " + name, points(one), points(many))
        same("cells of " + name, cells(one), cells(many))
    program = shutil.which("pvpython")
    if program:
        one, many = paraview(program, "one/v.pvd"), paraview(program, "many/v.pvd")
        check("ParaView sees two times", len(one) == len(many) == 2, many)
        for a, b in zip(one, many):
            check("ParaView sees the same", a[:3] == b[:3] and a[1] == 81 and abs(a[3] - b[3]) <= 1e-6 * abs(a[3]),
                  "%s %s" % (a, b))


def main():
    with tempfile.TemporaryDirectory(prefix="csofa-pieces-") as folder:
        os.chdir(folder)
        meshes.write_beam()
        compare()
        os.chdir("/")
    print("%d failures" % distributed.failures)
    return 1 if distributed.failures else 0


if __name__ == "__main__":
    sys.exit(main())
