#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What loading a scene warns of.

1. Each row of warnings/warnings.tsv: `-n 0` ends with status 0 and gives exactly one warning with the
   path and the text of the row; two steps end with the row's status.
2. Every class of finite elements, from the list of the program, reports an inverted and a flat
   element at rest.
3. Scenes without a fault give no warning: tests scene/... check it for the example scenes."""
import os
import re
import subprocess
import sys
import tempfile

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "warnings")
PROGRAM = os.path.abspath(sys.argv[1])
failures = 0


def run(scene, steps, *options):
    with tempfile.TemporaryDirectory(prefix="csofa-warnings-") as work:
        done = subprocess.run([PROGRAM, "-g", "batch", "--hideProgressBar", "-n", str(steps), *options,
                               scene], cwd=work, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=120)
    return done.returncode, done.stdout


def fail(text, output=""):
    global failures
    failures += 1
    print("FAILED: %s\n%s" % (text, output))


# ---- the table ----

def check_row(scene, status, path, text):
    scene = os.path.join(FOLDER, scene)
    loaded, output = run(scene, 0)
    found = [line for line in output.splitlines() if ": warning: " in line]
    expected = ": warning: %s: %s" % (path, text)
    if loaded != 0 or len(found) != 1 or expected not in found[0]:
        fail("%s: status %d, expected one warning '%s'" % (scene, loaded, expected), output)
    if ":0: " in output or not re.search(r"\.scn:\d+: warning", output):
        fail("%s: a message without a line" % scene, output)
    if "warning" in run(scene, 0, "--noscenecheck")[1] and "writes" not in text \
            and not any(words in text for words in ("linear solver in", "DataFields", "no area")):
        fail("%s: --noscenecheck warns all the same" % scene)
    if status == "-":
        return
    done, output = run(scene, 2)
    if done != int(status):
        fail("%s: two steps end with status %d, expected %s" % (scene, done, status), output)


def table():
    with open(os.path.join(FOLDER, "warnings.tsv")) as file:
        rows = [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]
    for row in rows:
        check_row(*row)
    named = {row[0] for row in rows}
    for name in os.listdir(FOLDER):
        if name.endswith(".scn") and name not in named:
            fail("%s is not in the table" % name)
    return len(rows)


# ---- every class of elements ----

# kind: points of a good element, its vertices, the vertices of the inverted one, the points of the flat one
HEXA = "0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1"
ELEMENTS = {
    "tetrahedra": ("0 0 0 1 0 0 0 1 0 0 0 1", "0 1 2 3", "0 2 1 3", "0 0 0 1 0 0 0 1 0 1 1 0"),
    "hexahedra": (HEXA, "0 1 2 3 4 5 6 7", "4 5 6 7 0 1 2 3", " ".join(HEXA.split()[:12] * 2)),
    "prisms": ("0 0 0 1 0 0 0 1 0 0 0 1 1 0 1 0 1 1", "0 1 2 3 4 5", "3 4 5 0 1 2",
               "0 0 0 1 0 0 0 1 0 0 0 0 1 0 0 0 1 0"),
    "pyramids": ("0 0 0 1 0 0 1 1 0 0 1 0 0.5 0.5 1", "0 1 2 3 4", "0 3 2 1 4",
                 "0 0 0 1 0 0 1 1 0 0 1 0 0.5 0.5 0"),
    "triangles": ("0 0 0 1 0 0 0 1 0", "0 1 2", None, "0 0 0 1 0 0 2 0 0"),
    "quads": ("0 0 0 1 0 0 1 1 0 0 1 0", "0 1 2 3", "0 1 3 2", "0 0 0 1 0 0 2 0 0 3 0 0"),
}
# class: kind, attributes
LINEAR = 'youngModulus="1000" poissonRatio="0.3"'
NEO = 'materialName="NeoHookean" ParameterSet="100 1000"'
CLASSES = {
    "BeamFEMForceField": ("beams", LINEAR),
    "CorotationalFEMForceField": ("all", LINEAR),
    "LinearSmallStrainFEMForceField": ("all", LINEAR),
    "FastTetrahedralCorotationalForceField": ("tetrahedra", LINEAR),
    "HexahedralFEMForceField": ("hexahedra", LINEAR),
    "HexahedralFEMForceFieldAndMass": ("hexahedra", LINEAR),
    "HexahedronFEMForceField": ("hexahedra", LINEAR),
    "HexahedronFEMForceFieldAndMass": ("hexahedra", LINEAR),
    "ParallelHexahedronFEMForceField": ("hexahedra", LINEAR),
    "ParallelTetrahedronFEMForceField": ("tetrahedra", LINEAR),
    "QuadBendingFEMForceField": ("quads", LINEAR),
    "ShellQuadFEMForceField": ("quads", LINEAR + ' thickness="0.1"'),
    "ShellTriangleFEMForceField": ("triangles", LINEAR + ' thickness="0.1"'),
    "TetrahedralCorotationalFEMForceField": ("tetrahedra", LINEAR),
    "TetrahedronFEMForceField": ("tetrahedra", LINEAR),
    "TriangleFEMForceField": ("triangles", LINEAR),
    "TriangularAnisotropicFEMForceField": ("triangles", LINEAR + ' transverseYoungModulus="1000"'),
    "TriangularFEMForceField": ("triangles", LINEAR),
    "TriangularFEMForceFieldOptim": ("triangles", LINEAR),
    "StandardTetrahedralFEMForceField": ("tetrahedra", NEO),
    "TetrahedronHyperelasticityFEMForceField": ("tetrahedra", NEO),
    "TetrahedralTensorMassForceField": ("tetrahedra", LINEAR),
    "TriangularTensorMassForceField": ("triangles", LINEAR),
}
# their elements are made by the component, by a grid or a material, or are not in the state's space
WITHOUT = {"TetrahedronDiffusionFEMForceField", "PlasticMaterial", "HexahedronCompositeFEMForceFieldAndMass",
           "NonUniformHexahedralFEMForceFieldAndMass", "NonUniformHexahedronFEMForceFieldAndMass"}
MODULES = re.compile(r"Sofa\.Component\.SolidMechanics\.(FEM|TensorMass)|MultiThreading")
REPORT = re.compile(r"inverted|flat|degenerate|no area|no volume|length", re.I)


def listed():
    """Classes of the modules of finite elements."""
    text = subprocess.run([PROGRAM, "--list"], stdout=subprocess.PIPE, text=True).stdout
    names, module = set(), ""
    for line in text.splitlines():
        if not line.startswith(" "):
            module = line
        elif MODULES.search(module):
            names.add(line.split()[0])
    return {name for name in names if re.search("FEM|TensorMass|Corotational|Material", name)
            and "Mapping" not in name}


def scene_of(klass, attributes, kind, points, vertices):
    shell = klass.startswith("Shell")
    template = "Rigid3d" if kind == "edges" or shell else "Vec3d"
    places = points.split()
    frames = " ".join(" ".join(places[i:i + 3]) + " 0 0 0 1" for i in range(0, len(places), 3)) if shell else points
    return """<Node name="root" gravity="0 0 0"><DefaultAnimationLoop/><DefaultVisualManagerLoop/>
<Node name="body"><EulerImplicitSolver/><CGLinearSolver iterations="25" tolerance="1e-9" threshold="1e-9"/>
<MeshTopology name="mesh" position="%s" %s="%s"/>
<MechanicalObject name="state" template="%s" position="%s"/>
<%s name="fem" topology="@mesh" %s/></Node></Node>""" % (
        points if kind != "edges" else "0 0 0 1 0 0", kind, vertices, template, frames, klass, attributes)


def report_of(text):
    with tempfile.NamedTemporaryFile("w", suffix=".scn") as file:
        file.write(text)
        file.flush()
        output = run(file.name, 0)[1]
    lines = [line for line in output.splitlines() if re.search(": (warning|error): ", line)]
    return [line for line in lines if "/body/" in line], output


def check_class(klass, kind, attributes):
    points, vertices, inverted, flat = ELEMENTS[kind]
    cases = {"good": (points, vertices), "flat": (flat, vertices)}
    if inverted:
        cases["inverted"] = (points, inverted)
    for name, (places, order) in cases.items():
        own = attributes
        if klass in ("CorotationalFEMForceField", "LinearSmallStrainFEMForceField"):
            words = {"tetrahedra": "Tetrahedron", "hexahedra": "Hexahedron", "prisms": "Prism",
                     "pyramids": "Pyramid", "triangles": "Triangle", "quads": "Quad"}
            own += ' template="Vec3d,%s"' % words[kind]
        lines, output = report_of(scene_of(klass, own, kind, places, order))
        reports = [line for line in lines if REPORT.search(line)]
        if name == "good" and lines:
            fail("%s: a good element of %s is reported" % (klass, kind), output)
        if name != "good" and len(reports) != 1:
            fail("%s: expected one report of the %s element of %s" % (klass, name, kind), output)


def check_beam(klass, attributes):
    one = "0 0 0 0 0 0 1"
    for name, places in (("good", one + " 1 0 0 0 0 0 1"), ("flat", one + " " + one)):
        lines, output = report_of(scene_of(klass, attributes, "edges", places, "0 1"))
        reports = [line for line in lines if REPORT.search(line)]
        if len(reports) != (name != "good"):
            fail("%s: expected %d reports of the %s beam" % (klass, name != "good", name), output)


def classes():
    names = listed()
    unknown = names - set(CLASSES) - WITHOUT
    if unknown or not names:
        fail("classes of elements without a case here: %s" % ", ".join(sorted(unknown)))
    for klass, (kind, attributes) in CLASSES.items():
        if kind == "beams":
            check_beam(klass, attributes)
            continue
        for one in ELEMENTS if kind == "all" else [kind]:
            check_class(klass, one, attributes)
    return len(CLASSES)


print("%d rows, %d classes, " % (table(), classes()), end="")
print("%d failures" % failures)
sys.exit(1 if failures else 0)
