#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""runcsofa --distributed on 1 to 4 processes: the motion of one process, the same bits in every run, the same
tables and files, and an end with message and status, in time, whatever happens to one of the processes.

usage: distributed.py RUNCSOFA MPIRUN TEST_PROCESSES [SHARED [FAIL_IO]]
TEST_PROCESSES: a program; test_parts is beside it.
SHARED: the folder with reference/own/scenes; without it these scenes are left out.
FAIL_IO: the library of fail_io.c; without it no disk fails."""
import csv
import gzip
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

import meshes

PROGRAM, MPIRUN, MESSAGES = os.path.abspath(sys.argv[1]), sys.argv[2], os.path.abspath(sys.argv[3])
SHARED = os.path.abspath(sys.argv[4]) if len(sys.argv) > 4 else ""
FAIL_IO = os.path.abspath(sys.argv[5]) if len(sys.argv) > 5 else ""
OWN = os.path.join(SHARED, "reference/own/scenes")
# seconds; a run takes one or two on a machine that does nothing else. Processes of MPI spin while they wait: on a busy
# one they take much longer, and are not hung
LIMIT = 400
STEPS = 3
ENVIRONMENT = {k: v for k, v in os.environ.items() if not k.startswith(("CSOFA_", "OMPI_"))}
ENVIRONMENT.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_mpi_yield_when_idle="1",
                   OMPI_MCA_btl_base_warn_component_unused="0",
                   # after a failure mpirun waits so many seconds for the other processes, also when they have ended
                   OMPI_MCA_odls_base_sigkill_timeout="0",
                   # hwloc would look for ten displays of localhost, which waits for a name server without /etc/hosts
                   HWLOC_COMPONENTS="-gl")
NUMBER = re.compile(r"^-?[0-9.]+(e[-+]?[0-9]+)?$")
failures = 0

MUMPS = ('<PETScLinearSolver name="linear" ksp="preonly" pc="cholesky" '
         'options="-pc_factor_mat_solver_type mumps"/>')
LU = ('<PETScLinearSolver name="linear" ksp="preonly" pc="lu" symmetric="0" '
      'options="-pc_factor_mat_solver_type mumps"/>')
SUPERLU = MUMPS.replace("cholesky", "lu").replace("mumps", "superlu_dist")
GAMG = '<PETScLinearSolver name="linear" ksp="cg" pc="gamg" tolerance="1e-13"/>'
HYPRE = '<PETScLinearSolver name="linear" ksp="cg" pc="hypre" tolerance="1e-13"/>'
JACOBI = '<PETScLinearSolver name="linear" ksp="cg" pc="jacobi" tolerance="1e-13"/>'
BLOCKS = '<PETScLinearSolver name="linear" ksp="cg" pc="pbjacobi" matrix="baij" tolerance="1e-13"/>'
UPPER = ('<PETScLinearSolver name="linear" ksp="cg" pc="bjacobi" matrix="sbaij" options="-sub_pc_type icc" '
         'tolerance="1e-13"/>')
CG = '<CGLinearSolver name="linear" iterations="1000" tolerance="1e-14" threshold="1e-30"/>'
DIRECT = '<SparseLDLSolver name="linear"/>'

GRID = """<RegularGridTopology name="grid" n="3 3 9" min="0 0 0" max="0.2 0.2 1"/>
<MechanicalObject name="state"/><UniformMass totalMass="40"/>
<BoxROI name="clamp" box="-0.01 -0.01 -0.01  0.21 0.21 0.01"/>
<FixedProjectiveConstraint indices="@clamp.indices"/>
"""
HEXAHEDRA = '<HexahedronFEMForceField method="large" youngModulus="2e6" poissonRatio="0.3"/>'
# the ode solver, the body
SCENES = {
    "Euler": ('<EulerImplicitSolver rayleighStiffness="0.01" rayleighMass="0.1"/>', GRID + HEXAHEDRA),
    "Newmark": ("<NewmarkImplicitSolver/>", GRID + HEXAHEDRA),
    "static": ('<StaticSolver newton_iterations="20"/>', GRID + HEXAHEDRA),
    "variational": ('<VariationalSymplecticSolver newtonError="1e-12" steps="10"/>', GRID + HEXAHEDRA),
    "mapped": ('<EulerImplicitSolver rayleighStiffness="0.01"/>', GRID + HEXAHEDRA + """
<Node name="points"><MechanicalObject name="state" position="0.1 0.1 0.95  0.05 0.1 0.5"/>
<BarycentricMapping/><ConstantForceField indices="0" forces="30 0 0"/></Node>"""),
    "made of others": ('<EulerImplicitSolver rayleighStiffness="0.01"/>', GRID + """
<Node name="tetrahedra"><TetrahedronSetTopologyContainer name="cut"/><TetrahedronSetTopologyModifier/>
<Hexa2TetraTopologicalMapping input="@../grid" output="@cut"/>
<TetrahedronFEMForceField method="large" youngModulus="2e6" poissonRatio="0.3"/>
<Node name="skin"><TriangleSetTopologyContainer name="skin"/><TriangleSetTopologyModifier/>
<Tetra2TriangleTopologicalMapping input="@../cut" output="@skin"/><SurfacePressureForceField pressure="1e4"/>
<TrianglePressureForceField pressure="2e3 0 5e2" triangleList="0 40 71"/></Node></Node>
<Node name="some"><MechanicalObject name="state"/><SubsetMapping indices="80 3 40"/>
<RestShapeSpringsForceField stiffness="500"/></Node>"""),
    "tetrahedra": ('<EulerImplicitSolver rayleighStiffness="0.01"/>', """
<MeshGmshLoader name="mesh" filename="beam.msh"/>
<TetrahedronSetTopologyContainer name="tetras" src="@mesh"/><MechanicalObject name="state" src="@tetras"/>
<MeshMatrixMass massDensity="1000"/><BoxROI name="clamp" box="-0.01 -0.01 -0.01  0.21 0.21 0.01"/>
<FixedProjectiveConstraint indices="@clamp.indices"/>
<TetrahedronFEMForceField name="fem" method="large" youngModulus="2e6" poissonRatio="0.3"/>
<ConstantForceField indices="80 26 44" forces="5 3 1"/>
<RestShapeSpringsForceField points="80 44 17 40 41" stiffness="300"/>
<StiffSpringForceField spring="0 80 900 3 1  8 72 500 1 0.9"/>"""),
    "second order": ('<EulerImplicitSolver rayleighStiffness="0.01"/>', """<RequiredPlugin pluginName="SofaCaribou"/>
<MeshGmshLoader name="mesh" filename="second.msh"/><MechanicalObject name="state" src="@mesh"/>
<BoxROI name="clamp" box="-0.01 -0.01 -0.01  0.21 0.21 0.01" position="@mesh.position"/>
<FixedProjectiveConstraint indices="@clamp.indices"/>
<CaribouTopology name="solid" template="Tetrahedron10" indices="@mesh.tetrahedra10"/>
<NeoHookeanMaterial young_modulus="2e6" poisson_ratio="0.3"/>
<HyperelasticForcefield topology="@solid"/><CaribouMass topology="@solid" density="1000"/>"""),
    # own rows of the second and third process are not beside each other
    "two bodies": ('<EulerImplicitSolver rayleighStiffness="0.01"/>', """<Node name="left">%s</Node>
<Node name="right">%s</Node>""" % (GRID + HEXAHEDRA, GRID.replace("3 3 9", "3 4 7").replace("0.2 0.2 1", "0.3 0.3 1") + HEXAHEDRA)),
    "frame": ('<EulerImplicitSolver rayleighStiffness="0.01"/>', """
<MechanicalObject name="state" position="0 0 0 1 0 0 2 0 0 3 0 0"/><UniformMass totalMass="1"/>
<StiffSpringForceField spring="0 1 900 2 0.9 1 2 900 2 0.9 2 3 900 2 0.9"/>
<FixedProjectiveConstraint indices="0"/><Node name="frame"><MechanicalObject name="state" template="Rigid3d"
position="0 1 0 0 0 0 1"/><UniformMass totalMass="2"/>
<RestShapeSpringsForceField stiffness="100" angularStiffness="10"/></Node>"""),
}


def scene(name, solver):
    ode, body = SCENES[name]
    return """<Node name="root" dt="0.01" gravity="0 -9.81 0">
<RequiredPlugin pluginName="Sofa.Component SofaPETSc"/>
<DefaultAnimationLoop/><DefaultVisualManagerLoop/>
<Node name="body">%s%s%s</Node></Node>""" % (ode, solver, body)


def write(name, text):
    with open(name, "w") as out:
        out.write(text)
    return name


def check(name, good, detail=""):
    global failures
    if not good:
        failures += 1
        print("FAILED: %s\n%s" % (name, detail), flush=True)


class Result:
    def __init__(self, status, text):
        self.status, self.text = status, text


def command(n, *arguments):
    return [MPIRUN, "-n", str(n), PROGRAM, "--distributed", "--hideProgressBar", *map(str, arguments)]


def run(arguments, **more):
    """Ends with status 'hangs' after LIMIT. more: of the environment."""
    with tempfile.TemporaryFile("w+") as out:
        child = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
                                 env={**ENVIRONMENT, **more})
        try:
            status = child.wait(LIMIT)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
            status = "hangs"
        out.seek(0)
        return Result(status, out.read())


def states(path):
    """The numbers of a file of states, and its lines without where it comes from."""
    with open(path) as file:
        lines = [line for line in file if not line.startswith("#")]
    return [float(w) for line in lines for w in line.split() if w[0] in "-0123456789."], lines


def motion(name, solver, n, file):
    r = run(command(n, "-n", STEPS, "--states", file, write("scene.scn", scene(name, solver))))
    check("%s on %d" % (name, n), r.status == 0 and "%d steps" % STEPS in r.text, "%s\n%s" % (r.status, r.text))
    return states(file) if r.status == 0 else ([], [])


def farthest(a, b):
    return max(abs(x - y) for x, y in zip(a, b)) if a and len(a) == len(b) else float("inf")


def apart(name, serial, other, limit=1e-9):
    distance = farthest(serial, other)
    check("%s: %g apart" % (name, distance), distance < limit)


def serial_run(name, text, *options):
    r = run([PROGRAM, "-g", "batch", "-n", str(STEPS), "--hideProgressBar", "--states", "one.states", *options,
             write("scene.scn", text)])
    check(name + " alone", r.status == 0, r.text)
    return states("one.states")[0] if r.status == 0 else []


def messages():
    for n in (1, 2, 3, 4):
        r = run([MPIRUN, "-n", str(n), MESSAGES])
        check("messages of %d processes" % n, r.status == 0 and "all tests passed" in r.text, r.text)


def parts():
    """Their sizes and borders; the same in every run."""
    program = os.path.join(os.path.dirname(MESSAGES), "test_parts")
    for n in (1, 2, 3, 4):
        results = [run([MPIRUN, "-n", str(n), program]) for _ in range(3)]
        for r in results:
            check("parts of %d" % n, r.status == 0 and "all tests passed" in r.text, r.text)
            check("the same parts of %d" % n, r.text == results[0].text, r.text + results[0].text)


def same_motion():
    for name in SCENES:
        # the tangent of a pressure is symmetric on a closed surface, though not on the part of a process
        lu = name == "frame"
        serial = serial_run(name, scene(name, LU if lu else DIRECT))
        solver = LU if lu else MUMPS
        for n in (1, 2, 3, 4) if name in ("Euler", "tetrahedra") else (3,):
            apart("%s on %d" % (name, n), serial, motion(name, solver, n, "n.states")[0])
        if name == "Euler":
            iterative(name, serial)
        if name == "tetrahedra":
            direct(name)


def direct(name):
    """The factors of two libraries end in the same bits, as neither they nor the order of messages count."""
    mumps = motion(name, MUMPS, 3, "n.states")[1]
    for solver in (SUPERLU, LU):
        other = motion(name, solver, 3, "again.states")[1]
        check("the bits of MUMPS with %s" % solver, mumps == other and mumps)
    upper = MUMPS.replace("ksp", 'matrix="sbaij" ksp')
    for solver, told in ((upper, True), (upper.replace("ksp", 'reproducible="0" ksp'), False)):
        r = run(command(2, "-n", 1, write("scene.scn", scene(name, solver))))
        check("other bits are told of: %s" % told, r.status == 0 and ("differ from run to run" in r.text) == told, r.text)


def multigrid():
    """Coarse matrices have rows of several processes, whose entries come from all of them in any order."""
    text = scene("Euler", GAMG).replace("3 3 9", "7 7 15")
    write("scene.scn", text)
    runs = [run(command(4, "-n", 1, "--states", "n%d.states" % k, "scene.scn")) for k in range(3)]
    check("multigrid", all(r.status == 0 for r in runs), runs[0].text)
    files = [states("n%d.states" % k)[1] for k in range(3) if runs[k].status == 0]
    check("the same bits of multigrid", len(files) == 3 and files[0] == files[1] == files[2])


def iterative(name, serial):
    for solver, n in ((GAMG, 4), (HYPRE, 3), (JACOBI, 2), (SUPERLU, 3), (CG, 2), (CG, 4), (BLOCKS, 3), (UPPER, 4)):
        first = motion(name, solver, n, "n.states")
        apart("%s on %d" % (solver, n), serial, first[0])
        again = motion(name, solver, n, "again.states")
        check("the same bits on %d with %s" % (n, solver), first[1] == again[1] and first[1])


# ---- the own scenes of the references: their meshes from files ----

LINEAR = re.compile(r"<(CGLinearSolver|SparseLDLSolver|SparseLUSolver|EigenSimplicialLDLT|EigenSimplicialLLT|EigenSparseLU|"
                    r"ShewchukPCGLinearSolver|PCGLinearSolver)\b[^>]*/>")
PRECONDITIONER = re.compile(r"<(SSORPreconditioner|JacobiPreconditioner|BlockJacobiPreconditioner|WarpPreconditioner)\b[^>]*/>")
MESH = re.compile(r'<(\w*Topology\w*) name="(\w+)" position="([^"]*)" (tetrahedra|hexahedra)="([^"]*)"\s*/>')


def from_file(match):
    meshes.write_gmsh(match.group(2) + ".msh", match.group(3), match.group(4), match.group(5))
    return '<MeshGmshLoader name="mesh_%s" filename="%s.msh"/><%s name="%s" src="@mesh_%s"/>' % (
        match.group(2), match.group(2), match.group(1), match.group(2), match.group(2))


def own_scene(name, solver):
    with open(os.path.join(OWN, name)) as file:
        text = MESH.sub(from_file, file.read())
    text = PRECONDITIONER.sub("", LINEAR.sub(solver, text))
    return text.replace('<DefaultAnimationLoop/>', '<RequiredPlugin pluginName="SofaPETSc"/><DefaultAnimationLoop/>', 1)


OWN_SCENES = """euler_both_tetra_large_cg.scn euler_firsttrap_hexa_polar_ldl.scn euler_firsttrap_tetra_large_cg.scn
euler_plain_tetra_large_cg.scn euler_rk_hexa_polar_ldl.scn euler_rk_tetra_large_cg.scn
euler_rm_hexa_polar_ldl.scn euler_vd_hexa_polar_ldl.scn explicit_plain.scn explicit_symplectic.scn
fixed_partial.scn hexa_large_cgassembled_uniform.scn hexa_polar_cgassembled_uniform.scn
hexa_small_cgassembled_uniform.scn hyper_mooneyrivlin.scn hyper_ogden.scn hyper_stableneohookean.scn
linear_cga_tetra_polar.scn linear_ldl_tetra_polar.scn linear_llt_tetra_polar.scn linear_lu_tetra_polar.scn
linear_movement.scn linear_pcg_tetra_polar.scn linear_velocity.scn load_constant.scn load_damping.scn
load_pressure.scn rk2.scn rk4.scn standard_mooneyrivlin.scn standard_neohookean.scn static_stvk.scn
tetra_large_ldl_meshmass.scn tetra_small_ldl_meshmass.scn variational_expl_tetra_small.scn
variational_explrm_tetra_small.scn variational_impl_hexa_large.scn variational_impl_tetra_large.scn
variational_implh_hexa_large.scn""".split()


def own_scenes():
    """Each on two to four processes, in turn."""
    for i, name in enumerate(OWN_SCENES if os.path.isdir(OWN) else []):
        n = 2 + i % 3
        serial = serial_run(name, own_scene(name, DIRECT))
        r = run(command(n, "-n", STEPS, "--states", "n.states", write("scene.scn", own_scene(name, MUMPS))))
        check("%s on %d" % (name, n), r.status == 0 and "points on %d processes" % n in r.text, r.text)
        apart("%s on %d" % (name, n), serial, states("n.states")[0] if r.status == 0 else [])


SOFA = os.path.join(SHARED, "reference/sofa")
# Those of SOFA's examples whose meshes are divided as they are; the others are refused by name, or have none to divide
SOFA_SCENES = """Benchmark/Performance/MatrixAssembly/MatrixAssembly_matrixfreeCG.scn
Component/LinearSolver/Iterative/CGLinearSolver.scn Component/LinearSolver/Iterative/FEMBAR_CGLinearSolver.scn
Component/ODESolver/Backward/EulerImplicitSolver.scn
Component/ODESolver/Backward/VariationalSymplecticSolver.scn Component/ODESolver/Forward/EulerSymplecticSolver_diagonal.scn
Component/SolidMechanics/FEM/TetrahedronFEMForceField_plasticity.scn
Component/Topology/Container/Constant/MeshTopology.scn Component/SceneUtility/Gravity.scn
Component/SolidMechanics/Spring/RegularGridSpringForceField.scn Demos/simpleBoundaryConditions.scn
Component/Mapping/Linear/BarycentricTetraMapping.scn""".split()


# by the tolerance of its solver, 1e-9 of |b|
LIMITS = {"Component/LinearSolver/Iterative/FEMBAR_CGLinearSolver.scn": 1e-7}


def sofa_scenes():
    """Unmodified, on two to four processes, in turn: as many iterations as on one give the same motion."""
    for i, name in enumerate(SOFA_SCENES if os.path.isdir(SOFA) else []):
        n = 2 + i % 3
        options = ["-n", STEPS, "--quirks", "--keep-going", "--data-path", "%s/share:%s/examples" % (SOFA, SOFA),
                   os.path.join(SOFA, "examples", name)]
        r = run([PROGRAM, "-g", "batch", "--hideProgressBar", "--states", "one.states", *map(str, options)])
        check(name + " alone", r.status == 0, r.text)
        serial = states("one.states")[0] if r.status == 0 else []
        r = run(command(n, "--states", "n.states", *options))
        check("%s on %d" % (name, n), r.status == 0 and "points on %d processes" % n in r.text, r.text)
        apart("%s on %d" % (name, n), serial, states("n.states")[0] if r.status == 0 else [], LIMITS.get(name, 1e-9))


# ---- two processes, few scenes: in builds with sanitizers, which end a process that loses memory with a status ----

def sanitized():
    tests = [run([MPIRUN, "-n", "2", os.path.join(os.path.dirname(MESSAGES), name)])
             for name in ("test_processes", "test_parts")]
    for r in tests:
        check("sanitized messages", r.status == 0 and "all tests passed" in r.text, r.text)
    motion("two bodies", GAMG, 2, "n.states")
    motion("Euler", CG, 2, "n.states")
    r = run(command(2, "-n", STEPS, "--out", "many", "--save-state", "whole.state", write("scene.scn", recorded(MUMPS))))
    check("sanitized outputs", r.status == 0, r.text)
    r = run(command(2, "-n", STEPS + 1, "--restore", "many/whole.state", "scene.scn"))
    check("sanitized restart", r.status == 0, r.text)
    refused("sanitized refusal", scene("Euler", DIRECT), "SparseLDLSolver", "scene.scn:")
    good = scene("Euler", MUMPS)
    r = by_rank(2, 5, [good, good[:-10]])
    check("sanitized failure", r.status == 1 and "rank1.scn" in r.text and "Sanitizer" not in r.text, r.text)


# ---- what is written ----

RECORDERS = """<CSVRecorder filename="t.csv" indices="80 3 40" columns="position velocity kineticEnergy potentialEnergy momentum"
 quantities="state.position:max state.velocity:norm state.position[44].z state.position:mean fem.vonMisesPerElement:max"/>
<CSVRecorder name="roi" filename="roi.csv" indices="@clamp.indices" columns="position reaction"/>
<VTKExporter filename="v" topology="@tetras" tetras="1" edges="0" exportEveryNumberOfSteps="2" exportAtBegin="1"
 pointsDataFields="state.velocity" cellsDataFields="fem.vonMisesPerElement"/>
<WriteState filename="w.txt" writeV="1"/>
<MeshExporter filename="m" exportEveryNumberOfSteps="2" format="ALL"/>
<STLExporter filename="s" exportEveryNumberOfSteps="2" binaryformat="0"/>
<Node name="shown"><OglModel position="0.1 0.1 0.95  0.05 0.1 0.5  0.1 0.15 0.7" triangles="0 1 2"/><BarycentricMapping/>
<VisualModelOBJExporter filename="o" exportAtEnd="1"/></Node>"""
WHOLE_FILES = ("m00001.vtk m00001.node m00001.ele m00001.face m00001.mesh m00001.gmsh m00001.obj "
               "s00001.stl o.obj").split()


def recorded(solver):
    text = scene("tetrahedra", solver).replace('name="fem"', 'name="fem" computeVonMisesStress="1"')
    return text.replace("</Node></Node>", RECORDERS + "</Node></Node>")


def table(path):
    with open(path) as file:
        rows = [row for row in csv.reader(line for line in file if not line.startswith("#"))]
    return rows[0], [[float(cell or "nan") for cell in row] for row in rows[1:]]


def same_tables(path):
    (names, rows), (other_names, other) = table("one/" + path), table("many/" + path)
    check("columns of " + path, names == other_names, "%s\n%s" % (names, other_names))
    check("lines of " + path, len(rows) == len(other) == STEPS + 1, len(other))
    for row, line in zip(rows, other):
        for name, a, b in zip(names, row, line):
            check("%s of %s" % (name, path), abs(a - b) < 1e-9 * max(1, abs(a)), "%r %r" % (a, b))


def numbers(path):
    with open(path) as file:
        return [float(w) for line in file if "=" in line for w in line.split("=", 1)[1].split()]


def words(path):
    """Numbers and the other words of a file, without remarks."""
    with open(path) as file:
        found = [word for line in file if line[:1] != "#" for word in line.split()]
    return [w for w in found if not NUMBER.match(w)], [float(w) for w in found if NUMBER.match(w)]


def same_files():
    """The first process writes those of the whole mesh."""
    for path in WHOLE_FILES:
        (text, a), (other_text, b) = words("one/" + path), words("many/" + path)
        check(path + ": words", text == other_text and len(a) > 9, "%s\n%s" % (text[:20], other_text[:20]))
        check(path + ": %g apart" % farthest(a, b), farthest(a, b) < 1e-6, "%d %d" % (len(a), len(b)))


def pieces(n):
    """The files of one instant name all pieces, which have the points and cells of the mesh."""
    series = xml.etree.ElementTree.parse("many/v.pvd").getroot()
    files = [data.get("file") for data in series.iter("DataSet")]
    check("the series", files == ["v_00000.pvtu", "v_00001.pvtu"], files)
    cells = points = 0
    for name in files[:1]:
        root = xml.etree.ElementTree.parse("many/" + name).getroot()
        sources = [piece.get("Source") for piece in root.iter("Piece")]
        check("pieces", sources == ["v_00000_p%d.vtu" % k for k in range(n)], sources)
        check("fields of the pieces", [a.get("Name") for a in root.iter("PDataArray")] ==
              ["velocity", "vonMisesPerElement", "Points"])
        for source in sources:
            piece = xml.etree.ElementTree.parse("many/" + source).getroot().find(".//Piece")
            points += int(piece.get("NumberOfPoints"))
            cells += int(piece.get("NumberOfCells"))
    check("cells of all pieces", cells == 6 * 2 * 2 * 8, cells)
    check("points of all pieces", points > 81, points)


def outputs():
    for folder, n in (("one", 0), ("many", 3)):
        path = write("scene.scn", recorded(MUMPS if n else DIRECT))
        options = ["-n", STEPS, "--out", folder, "--record", "/body/state.position[80].x", "--record",
                   "/body/state.velocity:maxnorm", "--record", "/body/fem.vonMisesPerElement:sum", path]
        arguments = command(n, *options) if n else [PROGRAM, "-g", "batch", "--hideProgressBar", *map(str, options)]
        r = run(arguments)
        check("outputs of %d" % n, r.status == 0, r.text)
        if r.status != 0:
            return
    for path in ("t.csv", "roi.csv", "record.csv"):
        same_tables(path)
    a, b = numbers("one/w.txt"), numbers("many/w.txt")
    check("WriteState", len(a) == len(b) and farthest(a, b) < 1e-6, "%d %d" % (len(a), len(b)))
    pieces(3)
    same_files()


FALLING = """<Node name="root" dt="0.01" gravity="0.3 -9.81 0.01"><RequiredPlugin pluginName="Sofa.Component"/>
<DefaultAnimationLoop/><Node name="body"><EulerExplicitSolver/><RegularGridTopology name="grid" n="6 3 4" min="0 0 0"
max="0.7 0.2 0.31"/><MechanicalObject name="state"/><UniformMass vertexMass="0.125"/>%s
<Node name="whole"><MechanicalObject name="state" position="0.1 0.1 0.1  0.3 0.1 0.2"/><UniformMass vertexMass="1"/>
</Node></Node></Node>"""
WRITERS = """<WriteState filename="w.txt" writeX0="1" writeV="1" writeF="1" period="0.02"/>
<WriteState filename="w.gz" writeV="1"/>"""
STATES = ["-n", STEPS, "--states", "a.states", "--states-at", "all"]


def content(path):
    """Without where it comes from."""
    with (gzip.open if path.endswith("gz") else open)(path, "rb") as file:
        lines = file.read().split(b"\n")
    return b"\n".join(line for line in lines if not line.startswith(b"# csofa 0"))


def same_bytes():
    """Points that know nothing of each other have the same motion on any number of processes: so have the files of
    states that all write at once. The first process writes those of a pipe. They are read by all."""
    path = write("scene.scn", FALLING % WRITERS)
    r = run([PROGRAM, "-g", "batch", "--hideProgressBar", "--out", "one", *map(str, STATES), path])
    check("states of one", r.status == 0, r.text)
    for n in (2, 4):
        r = run(command(n, "--out", "many", *STATES, path))
        check("states of %d" % n, r.status == 0, r.text)
        for name in ("a.states", "w.txt", "w.gz"):
            check("%s of %d: the same bytes" % (name, n), content("one/" + name) == content("many/" + name))
        check("no other files", not [f for f in os.listdir("many") if "part" in f or "cut" in f], os.listdir("many"))
    r = run(command(2, *["/dev/stdout" if w == "a.states" else w for w in STATES], path))
    lines = [line for line in r.text.split("\n") if line[:1] in ("x", "v")]
    check("states to a pipe", r.status == 0 and lines == [line.rstrip("\n") for line in states("one/a.states")[1] if line[:1] in ("x", "v")],
          r.text[:2000])
    reader = write("read.scn", FALLING.replace("<EulerExplicitSolver/>", "") %
                   '<ReadState filename="one/w.gz"/><CompareState printLog="1" filename="one/w.gz"/>')
    alone = run([PROGRAM, "-g", "batch", "--hideProgressBar", *map(str, STATES), "--out", "read", reader])
    together = run(command(3, *STATES, "--out", "read3", reader))
    check("states that are read", (alone.status, together.status) == (0, 0), alone.text + together.text)
    if (alone.status, together.status) == (0, 0):
        check("the states of one", content("read/a.states") == content("read3/a.states"))
        errors = lambda text: re.findall("mean error .*", text)
        check("the errors of one", errors(alone.text) == errors(together.text) and errors(alone.text), together.text)


def failing_disk():
    """One process cannot write or read: all end with its message, and there is no file of the name."""
    path = write("scene.scn", FALLING % WRITERS)
    for i, (file, rank, more) in enumerate((("a.states", 1, ()), ("w.txt", 2, ()), ("w.gz", 1, ("--keep-going",)),
                                            ("s.state", 2, ()))):
        r = run(command(3, *more, "--out", "disk%d" % i, *STATES, "--save-state", "s.state", path), LD_PRELOAD=FAIL_IO,
                FAIL_IO="pwrite %d 28 disk%d/%s" % (rank, i, file))
        check("a full disk: " + file, r.status in (1, 3) and file in r.text and "cannot write" in r.text and
              "No space left on device" in r.text and not os.path.exists("disk%d/%s" % (i, file)),
              "%s\n%s" % (r.status, r.text))
    run(command(3, "-n", 1, "--save-state", "good.state", path))
    for rank in (0, 2):
        r = run(command(3, "--restore", "good.state", path), LD_PRELOAD=FAIL_IO, FAIL_IO="pread %d 5 good.state" % rank)
        check("a state that cannot be read", r.status == 1 and "good.state" in r.text and "error:" in r.text and
              "Input/output error" in r.text, "%s\n%s" % (r.status, r.text))
    write_sliced()
    for mesh in SLICED:
        write("scene.scn", sliced_scene(mesh, CG))
        r = run(command(3, "-n", 1, "scene.scn"), LD_PRELOAD=FAIL_IO, FAIL_IO="pread 1 5 " + mesh)
        check("a mesh that cannot be read", r.status == 1 and mesh in r.text and "error:" in r.text and
              "Input/output error" in r.text, "%s\n%s" % (r.status, r.text))


def restart():
    """A run goes on from its saved state on another number of processes, and on one."""
    for name in ("Euler", "tetrahedra", "Newmark"):
        path = write("scene.scn", scene(name, MUMPS))
        whole = run(command(2, "-n", 4, "--states", "whole.states", "--states-at", "last", path))
        first = run(command(2, "-n", 2, "--save-state", "middle.state", path))
        check("before the restart of " + name, (whole.status, first.status) == (0, 0), whole.text + first.text)
        for n in (3, 2, 1, 0):
            arguments = ["-n", 4, "--restore", "middle.state", "--states", "rest.states", "--states-at", "last", path]
            rest = run(command(n, *arguments) if n else
                       [PROGRAM, "-g", "batch", "--hideProgressBar", *map(str, arguments)])
            check("restart of %s on %d" % (name, n), rest.status == 0, rest.text)
            if (whole.status, first.status, rest.status) == (0, 0, 0):
                apart("after a restart of %s on %d" % (name, n), states("whole.states")[0], states("rest.states")[0])


def first_writes():
    """One message of each, and files of the first process alone."""
    r = run(command(3, "-n", 2, "--convergence", "c.csv", "--set", "/body/linear.printLog=1",
                    write("scene.scn", scene("Euler", MUMPS))))
    check("messages", r.status == 0 and r.text.count("2 steps in") == 1 and r.text.count("iterations, |r|") == 2 and
          r.text.count("81 points on 3 processes") == 1, r.text)
    with open("c.csv") as file:
        rows = [line for line in file if line.startswith("linear,")]
    check("convergence", len(rows) == 2, rows)


def refused(name, text, *parts, options=()):
    r = run(command(2, "-n", 2, *options, write("scene.scn", text)))
    check(name, r.status not in (0, "hangs") and all(part in r.text for part in parts), "%s\n%s" % (r.status, r.text))


def refusals():
    refused("nothing is divided", scene("frame", DIRECT), "nothing that the processes could divide")
    refused("a solver of one process", scene("Euler", DIRECT), "SparseLDLSolver", "scene.scn:")
    both = scene("Euler", DIRECT).replace("</Node></Node>", '<BlenderExporter path="m"/></Node></Node>')
    refused("all in one message", both, "SparseLDLSolver", "BlenderExporter", "2 objects cannot work")
    refused("baij", scene("frame", JACOBI.replace("ksp", 'matrix="baij" ksp')),
            "'baij' is not supported yet on several processes that divide no mesh")
    membrane = scene("mapped", MUMPS).replace('position="0.1 0.1 0.95 ', 'position="0.1 0.1 0.1  0.1 0.1 0.95 ').replace(
        "<BarycentricMapping/>", '<BarycentricMapping/><MeshTopology triangles="0 1 2"/><TriangleFEMForceField/>')
    refused("forces between mapped points", membrane, "/body/points/state", "not supported yet in an assembled matrix")
    pushed = scene("made of others", MUMPS).replace('<SurfacePressureForceField pressure', '<SurfacePressureForceField '
                                                    'triangleIndices="0 1 2 3 4 5 6 7" pressure')
    refused("a surface that is not closed", pushed, "the matrix is not symmetric", 'symmetric="0"', "scene.scn:")
    r = run(command(2, "-n", 1, "--keep-going", "scene.scn"))
    check("corrections that do not converge", "warning" in r.text and "corrections by the factor do not converge" in r.text,
          r.text)
    legacy = recorded(MUMPS).replace('<VTKExporter', '<VTKExporter XMLformat="0"')
    refused("legacy files", legacy, "XMLformat")
    r = run(command(2, "--sweep", "/body/linear.tolerance=1:2:2", "scene.scn"))
    check("sweep", r.status != 0 and "--distributed is not supported with --sweep yet" in r.text, r.text)
    r = run(command(2, "-n", 2, "none.scn"))
    check("no scene", r.status == 1 and "none.scn" in r.text, r.text)


def by_rank(n, steps, scenes, options=""):
    """Each process runs the scene of its rank."""
    for rank, text in enumerate(scenes):
        write("rank%d.scn" % rank, text)
    script = 'exec "$0" --distributed --hideProgressBar %s -n %s rank$OMPI_COMM_WORLD_RANK.scn' % (options, steps)
    return run([MPIRUN, "-n", str(n), "sh", "-c", script, PROGRAM])


def one_fails():
    good = scene("Euler", MUMPS)
    for rank in (0, 2):
        for name, wrong in (("solver", good.replace("cholesky", "lu")), ("mesh", good.replace("3 3 9", "3 3 8"))):
            r = by_rank(3, 5, [wrong if k == rank else good for k in range(3)])
            check("another %s on %d" % (name, rank), r.status not in (0, "hangs") and "error:" in r.text,
                  "%s\n%s" % (r.status, r.text))
        r = by_rank(3, 5, [good[:-10] if k == rank else good for k in range(3)])
        check("a truncated file on %d" % rank, r.status == 1 and "rank%d.scn" % rank in r.text,
              "%s\n%s" % (r.status, r.text))
    # fails in a step of its own, while the others wait
    r = by_rank(3, 100000, [good, good.replace("<MechanicalObject", '<MechanicalObject velocity="nan 0 0"'), good])
    check("a step fails on one", r.status not in (0, "hangs") and "error:" in r.text, "%s\n%s" % (r.status, r.text))
    truncated_mesh()
    r = run(command(2, "-n", 3, "--states", "/dev/full", write("scene.scn", good)))
    check("disk full", r.status == 1 and "/dev/full" in r.text, "%s\n%s" % (r.status, r.text))


def left_out():
    """Objects that one process alone leaves out with --keep-going: before a mesh is divided, PETSc passes data, or none is
    passed. Those that all leave out are left out."""
    good = scene("tetrahedra", MUMPS)
    for name, text, wrong in (("mesh", "beam.msh", "none.msh"), ("solver", 'pc="cholesky"', 'pc="chol esky"'),
                              ("force", 'forces="5 3 1"', 'forces="a b c"')):
        bad = good.replace(text, wrong)
        for rank in (0, 1):
            r = by_rank(2, 3, [bad if k == rank else good for k in range(2)], "--keep-going")
            words = "process %d has 1 errors, process %d has 0" % (rank, 1 - rank)
            check("%s left out on %d" % (name, rank), r.status == 1 and words in r.text, "%s\n%s" % (r.status, r.text))
    r = by_rank(2, 3, [bad, bad], "--keep-going")
    check("left out on all", r.status == 0 and "3 steps" in r.text, "%s\n%s" % (r.status, r.text))


# ---- meshes that are read in slices ----

def arrays():
    """Values of cells go with their cells."""
    meshes.write_arrays("array.vtu")
    text = lambda solver: scene("tetrahedra", solver).replace("MeshGmshLoader", "MeshVTKLoader").replace(
        'filename="beam.msh"', 'filename="array.vtu" createSubelements="1"').replace(
        'youngModulus="2e6"', 'youngModulus="@mesh.E"')
    serial = serial_run("an array of cells", text(DIRECT))
    r = run(command(3, "-n", STEPS, "--states", "n.states", write("scene.scn", text(MUMPS))))
    check("an array of cells", r.status == 0 and "81 points on" in r.text, r.text)
    apart("an array of cells", serial, states("n.states")[0] if r.status == 0 else [])


SLICED = {"beam2.msh": "MeshGmshLoader", "tags.msh": "MeshGmshLoader", "raw.vtu": "MeshVTKLoader",
          "blocks.vtu": "MeshVTKLoader"}


def sliced_scene(mesh, solver):
    return scene("tetrahedra", solver).replace("MeshGmshLoader", SLICED[mesh.replace("other_", "")]).replace(
        'filename="beam.msh"', 'filename="%s" createSubelements="1"' % mesh)


def write_sliced():
    meshes.write_binary("beam2.msh")
    meshes.write_binary("tags.msh", lambda i: 7 + 3 * (i * 5 % 81))
    meshes.write_vtu("raw.vtu", False)
    meshes.write_vtu("blocks.vtu", True)


def slices():
    """The motion of the mesh that all read whole; files that are cut, others, or with a wrong number."""
    write_sliced()
    serial = serial_run("tetrahedra", scene("tetrahedra", DIRECT))
    for i, mesh in enumerate(SLICED):
        r = run(command(2 + i % 3, "-n", STEPS, "--states", "n.states", write("scene.scn", sliced_scene(mesh, MUMPS))))
        check("%s in slices" % mesh, r.status == 0 and "81 points on" in r.text, r.text)
        apart("%s in slices" % mesh, serial, states("n.states")[0] if r.status == 0 else [])
    for mesh in ("beam2.msh", "blocks.vtu"):
        with open(mesh, "rb") as file:
            whole = file.read()
        good, other = sliced_scene(mesh, MUMPS), sliced_scene("other_" + mesh, MUMPS)
        middle, end = len(whole) // 2, len(whole) * 9 // 10
        for name, data in (("cut", whole[:end]), ("other", whole[:middle] + b"?" + whole[middle + 1:])):
            with open("other_" + mesh, "wb") as out:
                out.write(data)
            for scenes in ([good, other, good], [other, other, other])[:2 if name == "cut" else 1]:
                r = by_rank(3, 5, scenes)
                check("%s %s" % (name, mesh), r.status == 1 and mesh in r.text and "error:" in r.text,
                      "%s\n%s" % (r.status, r.text))
    meshes.write_binary("other_beam2.msh", lambda i: 1 if i == 40 else i + 1)
    r = by_rank(3, 5, [sliced_scene("other_beam2.msh", MUMPS)] * 3)
    check("a number twice", r.status == 1 and "node 1 is given twice" in r.text, "%s\n%s" % (r.status, r.text))


def truncated_mesh():
    """On one process, which reads another file; on all."""
    good = scene("tetrahedra", MUMPS)
    with open("beam.msh") as file:
        text = file.read()
    write("cut.msh", text[:len(text) // 2])
    cut = good.replace("beam.msh", "cut.msh")
    for scenes in ([good, cut, good], [cut, cut, cut]):
        r = by_rank(3, 5, scenes)
        check("a truncated mesh", r.status == 1 and "cut.msh" in r.text, "%s\n%s" % (r.status, r.text))


def piece_that_cannot_be_written():
    """There is a folder of the name."""
    text = recorded(MUMPS)
    os.makedirs("full/v_00000_p1.vtu", exist_ok=True)
    r = run(command(3, "-n", STEPS, "--out", "full", write("scene.scn", text)))
    check("a piece that cannot be written", r.status not in (0, "hangs") and "v_00000_p1.vtu" in r.text,
          "%s\n%s" % (r.status, r.text))


def children(pid):
    with open("/proc/%d/task/%d/children" % (pid, pid)) as file:
        return [int(word) for word in file.read().split()]


def one_is_killed():
    path = write("scene.scn", scene("Euler", MUMPS))
    with tempfile.TemporaryFile("w+") as out:
        child = subprocess.Popen(command(3, "-n", 10000000, "--save-state", "killed.state", "--save-every", 5, path),
                                 stdout=out, stderr=subprocess.STDOUT, env=ENVIRONMENT)
        deadline = time.time() + LIMIT
        while not os.path.exists("killed.state") and time.time() < deadline:
            time.sleep(0.1)
        processes = children(child.pid)
        check("three processes", len(processes) == 3, processes)
        if processes:
            os.kill(processes[-1], signal.SIGKILL)
        try:
            status = child.wait(LIMIT)
        except subprocess.TimeoutExpired:
            child.kill()
            status = "hangs"
        out.seek(0)
        text = out.read()
    check("a killed process", status not in (0, "hangs") and "signal 9" in text, "%s\n%s" % (status, text))
    r = run([PROGRAM, "-g", "batch", "--hideProgressBar", "-n", "0", "--restore", "killed.state", path])
    check("the last saved state is whole", r.status == 0, r.text)


def parts_to_run():
    """Those of DISTRIBUTED_PARTS; without it all but those of DISTRIBUTED_OTHERS, which other tests run."""
    steps = (messages, parts, same_motion, multigrid, own_scenes, sofa_scenes, outputs, same_bytes, restart, first_writes,
             refusals, one_fails, left_out, slices, arrays, failing_disk, piece_that_cannot_be_written, one_is_killed)
    names = [part.__name__ for part in steps]
    chosen, others = (os.environ.get("DISTRIBUTED_" + word, "").split() for word in ("PARTS", "OTHERS"))
    for name in chosen + others:
        check("there is a part " + name, name in names + ["sanitized"])
    chosen = chosen or [name for name in names if name not in others]
    return [part for part in steps + (sanitized,) if part.__name__ in chosen and (FAIL_IO or part != failing_disk)]


def main():
    with tempfile.TemporaryDirectory(prefix="csofa-mpi-") as folder:
        os.chdir(folder)
        meshes.write_beam()
        meshes.write_second_order()
        for part in parts_to_run():
            begin = time.time()
            part()
            print("%s: %.1f s" % (part.__name__, time.time() - begin), flush=True)
        os.chdir("/")
    print("%d failures" % failures)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
