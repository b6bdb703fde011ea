# SPDX-License-Identifier: LGPL-2.1-or-later
"""Files that a run writes: complete under their name, or reported, removed and status 1.

Every component that writes a file has a row; sources that write without one fail the test."""
import os
import re
import resource
import shutil
import signal
import subprocess

from cli import FALL, FOLDER, RUN, check, finish, path, run, started, write

SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")

SCENE = """<Node name="root" dt="0.01" gravity="0 -9.81 0">
  <RequiredPlugin pluginName="Sofa.Component"/>
  <DefaultAnimationLoop/>
  <DefaultVisualManagerLoop/>
  <Node name="block">
    %s
    <RegularGridTopology name="grid" n="3 3 3" min="0 0 0" max="1 1 1"/>
    <MechanicalObject name="state"/>
    <UniformMass totalMass="1"/>
    <HexahedronFEMForceField method="small" youngModulus="1000" poissonRatio="0.3"/>
    <FixedProjectiveConstraint indices="0 1 2"/>
    %s
  </Node>
</Node>
"""
SOLVERS = "<EulerImplicitSolver/><SparseLDLSolver/>"

# component: (ODE solver, what is added, names of its files)
EVERY = 'exportEveryNumberOfSteps="2"'
COMPONENTS = {
    "WriteState": (SOLVERS, '<WriteState filename="out"/>', ["out"]),
    "WriteState, compressed": (SOLVERS, '<WriteState filename="out.gz"/>', ["out.gz"]),
    "WriteTopology": (SOLVERS, '<WriteTopology filename="out" writeContainers="1"'
                      '/>', ["out"]),
    "CSVRecorder": (SOLVERS, '<CSVRecorder filename="out.csv"/>', ["out.csv"]),
    "InputEventReader": (SOLVERS, '<InputEventReader filename="%s" writeEvents="1" '
                         'outputFilename="out"/>', ["out"]),
    "FileMessageHandlerComponent": (SOLVERS, '<FileMessageHandlerComponent filename="out"/>'
                                    '<WriteState/>', ["out"]),
    "VariationalSymplecticSolver": (
        '<VariationalSymplecticSolver saveEnergyInFile="1" computeHamiltonian="1" '
        'file="out.csv"/><SparseLDLSolver/>', "", ["out.csv"]),
    "PrecomputedLinearSolver": ("<EulerImplicitSolver/><PrecomputedLinearSolver/>", "", [r".*\.inverse"]),
    "VTKExporter": (SOLVERS, '<VTKExporter filename="out" hexas="1" %s/>' % EVERY,
                    [r"out_\d+\.vtu", r"out\.pvd"]),
    "VTKExporter, legacy": (SOLVERS, '<VTKExporter filename="out" XMLformat="0" hexas="1" %s/>'
                            % EVERY, [r"out_\d+\.vtk"]),
    "MeshExporter": (SOLVERS, '<MeshExporter filename="out" format="ALL" %s/>' % EVERY,
                     [r"out\d+\..*"]),
    "STLExporter": (SOLVERS, '<STLExporter filename="out" %s/>' % EVERY, [r"out\d+\.stl"]),
    "BlenderExporter": (SOLVERS, '<BlenderExporter path="." baseName="out" step="1"/>', [r"out.*"]),
    "GlobalSystemMatrixExporter": (SOLVERS, '<GlobalSystemMatrixExporter filename="out" %s '
                                   'format="txt"/>' % EVERY, [r"out\d+\.txt"]),
    "GlobalSystemMatrixImage": (SOLVERS, '<GlobalSystemMatrixImage filename="out" %s/>' % EVERY,
                                [r"out\d+\.png"]),
    "VisualModelOBJExporter": (
        SOLVERS, '<Node name="skin"><OglModel name="skin" position="0 0 0 1 0 0 0 1 0" '
        'triangles="0 1 2"/><VisualModelOBJExporter filename="out" %s/></Node>' % EVERY,
        [r"out\d*\.(obj|mtl)"]),
    "ClusteringEngine": (SOLVERS, '<ClusteringEngine position="@state.rest_position" number="4" '
                         'radius="0.8" useTopo="0" outFile="out"/>', ["out"]),
    "Distances": (SOLVERS, '<Node name="far"><MechanicalObject name="targets" position="0 0 0"/><UniformMass totalMass="1"/>'
                  '<Distances hexaContainerPath="../grid" targetPath="targets" filename="out"/></Node>',
                  ["out.*"]),
    "GearSpringForceField": (SOLVERS, """<Node name="frames">
      <MechanicalObject template="Rigid3d" position="0 0 0 0 0 0 1  1 0 0 0 0 0 1"/>
      <UniformMass totalMass="1"/>
      <GearSpringForceField spring="BEGIN_SPRING 0 1 0 1 AXIS 0 0 KS_R 10 20 RATIO 3 END_SPRING" filename="out"/></Node>""", ["out"]),
    "JointSpringForceField": (SOLVERS, """<Node name="frames">
      <MechanicalObject template="Rigid3d" position="0 0 0 0 0 0 1  1 0 0 0 0 0 1"/>
      <UniformMass totalMass="1"/>
      <JointSpringForceField spring="BEGIN_SPRING 0 1 FREE_AXIS 0 0 0 1 1 1 KS_T 1 1 KS_R 1 1 END_SPRING"
       outfile="out"/></Node>""", ["out"]),
}
# sources without a component of their own: the rows that reach them
SHARED = {"exporter.c": "STLExporter", "recorder.h": "WriteState", "spring_log.h": "JointSpringForceField",
          "precomputed.c": "PrecomputedLinearSolver", "matrix_writer.c": "GlobalSystemMatrixExporter",
          "VTKExporter.c": "VTKExporter"}


def limited(size):
    """Files of the program end after so many bytes, as on a full disk."""
    def set_limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    return set_limit


def fresh(name):
    folder = os.path.join(FOLDER.name, name)
    shutil.rmtree(folder, ignore_errors=True)
    os.mkdir(folder)
    return folder


def files(folder):
    return sorted(name for name in os.listdir(folder) if not name.endswith(".provenance"))


def go(folder, *arguments, size=None, **more):
    return run(*arguments, cwd=folder, preexec_fn=limited(size) if size is not None else None, **more)


# ---- every source that writes has a row ----
written = set()
for top in "components", "plugins":
    for base, _, names in os.walk(os.path.join(SOURCES, top)):
        for name in names:
            if name.endswith((".c", ".h")):
                text = open(os.path.join(base, name)).read()
                if "numerics/io/output_file.h" in text:
                    written.add(name)
                check("no other way to write in " + name,
                      not re.search(r'\b(fopen|creat|freopen|gzopen(?!\([^;]*, "rb"\)))\s*\(', text))
for name in written:
    check("a row for " + name, SHARED.get(name, name[:-2]) in COMPONENTS)

# ---- components ----
device = write("device", "\0" * 24)
for name, (solvers, added, expected) in COMPONENTS.items():
    scene = write("scene.scn", SCENE % (solvers, added.replace("%s", device)))
    folder = fresh("good")
    r = go(folder, "-n", 4, "--keep-going", scene)
    found = files(folder)
    check(name + ": its files", r.status == 0 and found and
          all(any(re.fullmatch(e, f) for e in expected) for f in found) and
          all(any(re.fullmatch(e, f) for f in found) for e in expected), (found, r.err))
    for keep_going in [[], ["--keep-going"]]:
        folder = fresh("full")
        r = go(folder, "-n", 4, *keep_going, scene, size=1)
        # 3: it ended the step
        check(name + ": a full disk", r.status in (1, 3) and "cannot write '" in r.err and
              "File too large" in r.err, (r.status, r.err))
        check(name + ": no part is left", files(folder) == [], files(folder))

# ---- options ----
fall = write("fall.scn", FALL % "")
OPTIONS = {"--states": "out.states", "--states, compressed": "out.states.gz",
           "--convergence": "out.csv", "--convergence, JSON": "out.json"}
pictures = "no pictures can be made" not in run("-n", 1, "--screenshot", path("try.png"), fall).err
if pictures:
    OPTIONS["--screenshot"] = "out.png"
    OPTIONS["--video"] = "out.mp4"
for option, name in OPTIONS.items():
    words = [option.split(",")[0], name, "--size", "64x48"]
    folder = fresh("good")
    r = go(folder, "-n", 4, *words, fall)
    series = "ffmpeg" in r.err
    check(option + ": its file", r.status == 0 and (files(folder) == [name] or series), r)
    folder = fresh("full")
    r = go(folder, "-n", 4, *words, fall, size=8)
    check(option + ": a full disk", r.status == 1 and (name in r.err or series), r)
    check(option + ": no part is left", files(folder) == [], files(folder))
    # a link of the name is replaced, not followed
    folder = fresh("link")
    victim = write("victim", "precious")
    os.symlink(victim, os.path.join(folder, name))
    os.symlink(victim, os.path.join(folder, name + ".part"))
    r = go(folder, "-n", 4, *words, fall)
    check(option + ": a link", r.status == 0 and open(victim).read() == "precious" and
          (series or not os.path.islink(os.path.join(folder, name))), r)
folder = fresh("timers")
words = ["--computationTimeSampling", 2, "--computationTimeOutputType", "json"]
r = go(folder, "-n", 2, *words, fall)
check("timers", r.status == 0 and files(folder) == ["fall_000002.json"], r)
r = go(fresh("timers"), "-n", 2, *words, fall, size=8)
check("timers: a full disk", r.status == 1 and "fall_000002.json" in r.err, r)
check("timers: no part is left", files(folder) == [], files(folder))

# ---- the end of a file shows that it is complete ----
folder = fresh("end")
go(folder, "-n", 2, "--states", "s", "--convergence", "c.json",
   write("scene.scn", SCENE % (SOLVERS, '<WriteState filename="w"/><WriteTopology filename="t"/>')))
for name, end in ("s", "\n# end\n"), ("w", "\n# end\n"), ("t", "\n# end\n"), ("c.json", "]\n"):
    check("the end of " + name, open(os.path.join(folder, name)).read().endswith(end))

# ---- a run that is killed leaves NAME.part; the next one removes it ----
folder = fresh("killed")
long = write("long.scn", FALL % '<CSVRecorder filename="r.csv"/>')
process = subprocess.Popen([RUN, "-n", "infinite", "--hideProgressBar", long], cwd=folder,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
part = os.path.join(folder, "r.csv.part")
started(process, part, 1000)
second = go(folder, "-n", 2, long)
check("a second run at the same time", second.status == 0 and
      files(folder) == ["r.csv", "r.csv.part"], (files(folder), second.err))
rows = open(os.path.join(folder, "r.csv")).read()
process.send_signal(signal.SIGKILL)
process.wait()
check("killed", files(folder) == ["r.csv", "r.csv.part"] and
      open(os.path.join(folder, "r.csv")).read() == rows, files(folder))
r = go(folder, "-n", 2, long)
check("the next run", r.status == 0 and files(folder) == ["r.csv"], files(folder))
process = subprocess.Popen([RUN, "-n", "infinite", "--hideProgressBar", long], cwd=folder,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
started(process, part, 1000)
process.send_signal(signal.SIGTERM)
check("SIGTERM completes the files", process.wait() == 0 and files(folder) == ["r.csv"],
      files(folder))

# ---- the file keeps its permissions; a FIFO is for options only ----
folder = fresh("mode")
target = os.path.join(folder, "s")
open(target, "w").close()
os.chmod(target, 0o640)
go(folder, "-n", 1, "--states", "s", fall)
check("permissions", os.stat(target).st_mode & 0o777 == 0o640)
os.mkfifo(os.path.join(folder, "fifo"))
for component in ('<FileMessageHandlerComponent filename="fifo"/>', '<WriteState filename="fifo"/>'):
    r = go(folder, "-n", 1, write("scene.scn", SCENE % (SOLVERS, component)))
    check("a FIFO of a scene", r.status == 1 and "not a regular file" in r.err, r)
reader = subprocess.Popen(["cat", os.path.join(folder, "fifo")], stdout=subprocess.PIPE, text=True)
r = go(folder, "-n", 1, "--states", "fifo", fall)
check("a FIFO of an option", r.status == 0 and reader.communicate()[0].endswith("# end\n"), r)
r = go(folder, "-n", 1, "--states", "/dev/stdout", fall)
check("/dev/stdout", r.status == 0 and "state /a/state" in r.out, r)

# ---- names that ffmpeg would take for options or addresses ----
if pictures and shutil.which("ffmpeg"):
    folder = fresh("video")
    r = go(folder, "-n", 2, "--video", "-y.mp4", "--size", "64x48", fall)
    check("--video -y.mp4", r.status == 0 and files(folder) == ["-y.mp4"], r)
    for address in "http://localhost/a.mp4", "tcp://localhost:9/a.mp4":
        r = go(folder, "-n", 2, "--video", address, "--size", "64x48", fall)
        check("--video " + address, r.status == 1 and "there is no folder" in r.err, r)

finish()
