# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every output of a run says where it comes from: version, scene, files, arithmetic, quirks, settings."""
import json
import re
import shutil

from cli import *

MESH = """# two triangles
v 0 0 0
v 1 0 0
v 0 1 0
v 1 1 %s
f 1 2 3
f 2 4 3
"""
SCENE = """<Node name="root" dt="0.01" gravity="0 -1 0">
  <RequiredPlugin pluginName="Sofa.Component"/>
  <DefaultAnimationLoop/>
  <DefaultVisualManagerLoop/>
  <Node name="a">
    <EulerImplicitSolver/>
    <CGLinearSolver iterations="30" tolerance="1e-12" threshold="1e-20"/>
    <MeshOBJLoader name="mesh" filename="mesh.obj"/>
    <MeshTopology src="@mesh"/>
    <MechanicalObject name="state"/>
    <UniformMass name="mass" totalMass="1"/>
    <CSVRecorder filename="table.csv"/>
    <WriteState filename="motion.state"/>
    <VTKExporter name="vtk" filename="surface" exportEveryNumberOfSteps="2" triangles="1" edges="0"/>
    <VTKExporter filename="old" XMLformat="0" exportAtEnd="1" triangles="1" edges="0"/>
    <MeshExporter filename="mesh_out" format="4" exportAtEnd="1"/>
    <VisualModelOBJExporter filename="seen" exportAtEnd="1"/>
    <Node><OglModel src="@../mesh"/><IdentityMapping/></Node>
  </Node>
</Node>
"""
LINE = r"csofa [0-9.]+; scene scene\.scn [0-9a-f]{16}; 1 file [0-9a-f]{16}; arithmetic (fused|plain); quirks \S+"
BESIDE = ["out.states", "table.csv", "motion.state", "record.csv", "steps.csv", "old_00000.vtk"]
INSIDE = ["surface.pvd", "surface_00000.vtu", "seen.obj"]


def read(name):
    with open(path(name), "rb") as file:
        return file.read().decode("utf-8", "replace")


def outputs(folder, *options):
    """The line of every output of a run, by name."""
    shutil.rmtree(path(folder), ignore_errors=True)
    r = run("-n", 4, "--out", path(folder), "--record", "kineticEnergy", "--states", "out.states",
            "--convergence", "steps.csv", *options, scene)
    check("runs in " + folder, r.status == 0, r)
    lines = {}
    for name in sorted(os.listdir(path(folder))):
        if name.endswith(".provenance"):
            lines[name[:-len(".provenance")]] = read(folder + "/" + name).strip()
            continue
        found = re.search("(# |<!-- |Comment\0)?(%s[^\n\0>]*)" % LINE, read(folder + "/" + name))
        if found:
            lines[name] = found.group(2).replace(" --", "").strip()
    files = {name for name in os.listdir(path(folder)) if not name.endswith(".provenance")}
    check("every output of %s has its line: %s" % (folder, sorted(files - set(lines))), files == set(lines))
    return lines


write("mesh.obj", MESH % "0")
scene = write("scene.scn", SCENE)
plain = outputs("plain")

for name in BESIDE + INSIDE:
    check("the line of " + name, name in plain)
check("one run, one line: %s" % set(plain.values()), len(set(plain.values())) == 1)
for name in BESIDE:
    check(name + " keeps its content", "; scene" not in read("plain/" + name))
check("comment of XML", re.match(r'<\?xml [^\n]*\n<!-- csofa .* -->\n<VTKFile', read("plain/surface.pvd")))
line = plain["out.states"]

# what has no effect on numbers is not in it: whole folders are equal
check("threads", set(outputs("threads", "--threads", "2").values()) == {line})
for name in set(os.listdir(path("plain"))) - {"steps.csv"}:  # it has seconds of the processor
    check("same bytes: " + name, read("plain/" + name) == read("threads/" + name))

# what has an effect is
for folder, words, *options in (("settings", "; set /a/mass.totalMass=3", "--set", "/a/mass.totalMass=3"),
                                ("plain-isa", "arithmetic plain", "--isa", "baseline"),
                                ("quirks", "quirks all", "--quirks"),
                                ("words", "quirks newmark-damping", "--quirks=newmark-damping"),
                                ("going", "; keep-going", "--keep-going")):
    found = set(outputs(folder, *options).values())
    check("%s: %s" % (folder, found), len(found) == 1 and words in found.pop())
write("mesh.obj", MESH % "1")
other = set(outputs("mesh").values()).pop()
check("another mesh", other.split("; ")[1] == line.split("; ")[1] and other.split("; ")[2] != line.split("; ")[2])
write("scene.scn", SCENE + "\n")
third = set(outputs("scene").values()).pop()
check("another scene", third.split("; ")[1] != other.split("; ")[1] and third.split("; ")[2] == other.split("; ")[2])

# ---- every class that writes, and every kind of file of the program ----

SCENES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scenes")
# fields of those that write at steps, and names of those that do not have them
writers = {c["name"] for c in json.loads(run("--doc-json").out)
           if any(f["name"] == "exportEveryNumberOfSteps" for f in c["fields"])}
writers |= {"WriteState", "WriteTopology", "CSVRecorder"}
writers -= {"GlobalSystemMatrixImage"}  # it shows the matrix, and writes nothing by itself
check("the exporters are found: %s" % writers, len(writers) >= 8)
ANY = r"csofa [0-9.]+; scene \S+ [0-9a-f]{16}; .*arithmetic (fused|plain); quirks none"


def has_line(folder, name):
    beside = folder + "/" + name + ".provenance"
    return re.search(ANY, read(beside if os.path.exists(path(beside)) else folder + "/" + name))


def below(folder):
    return [os.path.relpath(os.path.join(at, name), path(folder)) for at, _, names in os.walk(path(folder))
            for name in names if not name.endswith(".provenance")]


def without_line(folder):
    return [name for name in below(folder) if not has_line(folder, name)]


for writer in sorted(writers):
    found = [os.path.join(at, name) for at, _, names in os.walk(SCENES) for name in names
             if name == writer + ".scn"]
    check(writer + " has a scene", len(found) == 1)
    for example in found:
        r = run("-n", 3, "--out", path(writer), example)
        check("%s: every file has its line: %s" % (writer, without_line(writer)),
              r.status == 0 and below(writer) and not without_line(writer), r)

write("mesh.obj", MESH % "0")
write("scene.scn", SCENE)
r = run("-n", 4, "--out", path("program"), "--states", "a.states.gz", "--convergence", "a.json",
        "--save-state", "a.run", "--save-every", 2, "--check-tangent", "--check-report", "b.json",
        "--computationTimeSampling", 2, "--computationTimeOutputType", "json", scene)
made = set(below("program"))
check("files of the program: %s" % made, {"a.states.gz", "a.json", "a.run", "b.json", "scene_000002.json"} <= made, r)
# a saved state has the same facts in its header
check("every one has its line: %s" % without_line("program"), set(without_line("program")) <= {"a.run"}, r)
check("the header of a state", re.search(r"csofa.*0\.", read("program/a.run")[:200]), read("program/a.run")[:200])
r = run("--sweep", "dt=0.01,0.02", "-n", 2, "--record", "kineticEnergy", "--out", path("sweep"), "--set",
        "/a/mass.totalMass=2", scene)
results = read("sweep/results.csv.provenance")
check("the table of a sweep: " + results, re.search(LINE + "; sweep dt=0.01,0.02; set /a/mass.totalMass=2$", results.strip()), r)
write("scene.py", 'import sys\ndef createScene(root):\n    root.addObject("DefaultAnimationLoop")\n')
# the interpreter and its modules keep memory until the process ends
r = run("-n", 1, "--argv", "5", "--record", "/.time", "--out", path("python"), path("scene.py"),
        env={"ASAN_OPTIONS": "detect_leaks=0"})
if "Python was not found" not in r.err and "cannot import" not in r.err:
    check("a scene that is a program", r.status == 0 and
          re.search(r"scene scene\.py [0-9a-f]{16}; .*; argv 5$", read("python/record.csv.provenance").strip()), r)

# a value cannot end the comment, nor the line
write("scene.scn", SCENE)
tricky = outputs("tricky", "--set", "/a/vtk.filename=a --> b")
check("dashes: %s" % tricky["table.csv"], tricky["table.csv"].endswith("/a/vtk.filename=a -_> b"))

finish()
