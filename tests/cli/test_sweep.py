# SPDX-License-Identifier: LGPL-2.1-or-later
"""Settings of the command line, the folder of outputs, recorded quantities, and sweeps."""
import csv
import math
import os
import shutil
import signal
import subprocess
import sys
import time

from cli import FALL, FOLDER, RUN, check, finish, path, run, write

SCENE = write("fall.scn", FALL % '<ConstantForceField name="push" forces="0 0 0" indices="0"/>')


def rows(name):
    with open(path(name), newline="") as file:
        return list(csv.DictReader(file))


# ---- settings ----

def fall(*arguments, steps=1):
    """Height of the second point after some steps."""
    result = run(SCENE, "-n", steps, "--record", "/a/state.position[1].y", "--record-every", 0, *arguments)
    if result.status:
        return result
    return float(rows("record.csv")[-1]["/a/state.position[1].y [m]"])


def near(value, expected):
    return isinstance(value, float) and abs(value - expected) < 1e-12


check("without settings", near(fall(), 2 - 0.1), fall())
check("a field of the root", near(fall("--set", "dt=0.2"), 2 - 0.4), fall("--set", "dt=0.2"))
check("a field of a node by its path", near(fall("--set", "/a.activated=0"), 2))
check("a field of an object", near(fall("--set", "a/state.velocity=0 0 0 0 3 0"), 2.3 - 0.1))
check("the last one counts", near(fall("--set", "dt=5", "--set", "dt=0.2"), 2 - 0.4))
check("a value of the scene is replaced", near(fall("--set", "/a/push.forces=0 40 0", "--set", "/a/push.indices=1"),
                                               2 - 0.1 + 0.4))

# a list that the first step fills: cells are empty until then
write("rod.scn", """<Node name="root" gravity="0 -10 0">
  <RequiredPlugin pluginName="Sofa.Component"/>
  <FreeMotionAnimationLoop/><NNCGConstraintSolver maxIterations="100" tolerance="1e-12"/>
  <MechanicalObject name="ground" position="0 0 0"/>
  <Node name="a">
    <EulerImplicitSolver/><CGLinearSolver iterations="9" tolerance="1e-15" threshold="1e-30"/>
    <MechanicalObject name="state" position="0 0 0"/><UniformMass totalMass="2"/><UncoupledConstraintCorrection defaultCompliance="0.5"/>
  </Node>
  <BilateralLagrangianConstraint name="joint" object1="@ground" object2="@a/state" first_point="0" second_point="0"/>
</Node>""")
result = run("rod.scn", "-n", 2, "--record", "/joint.forces[1]", "--record", "/joint.forces[7]", "--record", "/joint.forces:norm")
table = [list(row.values())[2:] for row in rows("record.csv")]
check("a list that is filled later", len(table) == 3 and table[0][:2] == ["", ""] and
      abs(abs(float(table[2][0])) - 20) < 1e-6 and table[2][1] == "" and abs(float(table[2][2]) - 20) < 1e-6, (table, result.err))
result = run("rod.scn", "-n", 1, "--record", "/joint.forces", "--record-file", "bad.csv")
check("a list of unknown length", result.status == 1 and "the list is empty now: name an entry" in result.err, result)

BAD = {
    "/a/stat.position=0 0 0": "there is no object or node '/a/stat'; did you mean '/a/state'?",
    "/a/state.positon=0 0 0": "has no field 'positon', which was to be set; did you mean 'position'?",
    "/a/state.position=0 zero 0": "the value of 'position' is not the scene's: it was set",
    "/a/state": "there is no '='",
    "/a/state=3": "there is no field behind the path",
    "=3": "there is no field before '='",
    "/a/state.name=other": "links and templates of other objects rely on it",
    "dtt=0.1": "has no field 'dtt', which was to be set; did you mean 'dt'?",
}
for text, message in BAD.items():
    result = run(SCENE, "-n", 1, "--set", text)
    check("refuses " + text, result.status == 1 and message in result.err, result)
    result = run(SCENE, "-n", 1, "--set", text, "--keep-going")
    check("refuses it with --keep-going: " + text, message in result.err, result)

# a loader reads the file that a setting names
write("line.obj", "v 0 0 0\nv 5 0 0\nf 1 2 1\n")
write("other.obj", "v 0 0 0\nv 7 0 0\nf 1 2 1\n")
write("load.scn", """<Node name="root">
  <MeshOBJLoader name="loader" filename="line.obj"/>
  <MechanicalObject name="state" src="@loader"/>
</Node>""")
run("load.scn", "-n", 0, "--record", "/state.position[1].x", "--set", "/loader.filename=other.obj", "--noscenecheck")
check("loaders read what was set", rows("record.csv")[-1]["/state.position[1].x [m]"] == "7", rows("record.csv"))

# ---- the folder of outputs ----

write("writes.scn", FALL % '<WriteState filename="written.txt"/><CSVRecorder filename="csv/table.csv"/>')
write("writes2.scn", FALL % '<WriteState filename="written.txt"/>')
os.makedirs(path("deep/er/csv"))
result = run("writes.scn", "-n", 2, "--out", "deep/er", "--states", "states.txt", "--record", "kineticEnergy")
made = sorted(name for name in os.listdir(path("deep/er")) + os.listdir(path("deep/er/csv"))
              if not name.endswith(".provenance"))
check("all outputs are in the folder", result.status == 0 and
      made == ["csv", "record.csv", "states.txt", "table.csv", "written.txt"], (made, result.err))
result = run("writes2.scn", "-n", 2, "--out", "new/folder", "--sandbox")
check("a new folder is made, and the sandbox is there", os.path.exists(path("new/folder/written.txt")), result)
write("file", "")
result = run(SCENE, "-n", 1, "--out", "file/x")
check("a folder that cannot be made", result.status == 1 and "cannot make this folder" in result.err, result)

# ---- quantities ----

result = run(SCENE, "-n", 3, "--record", "/a/state.position", "--record", "/a/state.velocity.y", "--record",
             "/a/state.velocity:norm", "--record", "/a/state.velocity:maxnorm", "--record", "/a/state.position.x:max",
             "--record", "/a/state.position.x:min", "--record", "/a/state.position:sum", "--record",
             "/a/state.position[1]:mean", "--record", "/a/state.position:count", "--record", "kineticEnergy",
             "--record", "potentialEnergy", "--record", "/.dt", "--record-file", "all.csv")
table = rows("all.csv")
last = {name: float(value) for name, value in table[-1].items()}
speed = -10 * last["time [s]"]  # of each point; the first one has 1 along x, too
expected = {
    "time [s]": 0.3, "step": 3,
    "/a/state.position[0].x [m]": 0.3, "/a/state.position[1].z [m]": 3,
    "/a/state.velocity.y[0] [m/s]": speed, "/a/state.velocity.y[1] [m/s]": speed,
    "/a/state.velocity:norm [m/s]": math.sqrt(1 + 2 * speed ** 2),
    "/a/state.velocity:maxnorm [m/s]": math.sqrt(1 + speed ** 2),
    "/a/state.position.x:max [m]": 1, "/a/state.position.x:min [m]": 0.3,
    "/a/state.position:sum [m]": 0.3 - 0.6 + 1 + 2 - 0.6 + 3,
    "/a/state.position[1]:mean [m]": (1 + 2 - 0.6 + 3) / 3,
    "/a/state.position:count": 2,
    "kineticEnergy [J]": 0.5 * (1 + 2 * speed ** 2),
    "potentialEnergy [J]": 10 * (2 - 0.6 - 0.6),
    "/.dt [s]": 0.1,
}
check("a line for each step", len(table) == 4, result)
for name, value in expected.items():
    check("recorded " + name, name in last and abs(last[name] - value) < 1e-10, (name, value, last))
# from the rest position; of a frame the rotation vector, too
write("frame.scn", """<Node name="root" gravity="0 -10 0" dt="0.1">
  <DefaultAnimationLoop/>
  <DefaultVisualManagerLoop/>
  <EulerImplicitSolver/>
  <CGLinearSolver iterations="20" tolerance="1e-14" threshold="1e-20"/>
  <MechanicalObject name="frame" template="Rigid3d" position="1 2 3 0 0 0 1" velocity="0 0 0 0 0 0.5"/>
  <UniformMass vertexMass="1 1 [1 0 0 0 1 0 0 0 1]"/>
</Node>""")
run(SCENE, "-n", 1, "--record", "/a/state.displacement[1]", "--record", "/a/state.displacement:maxnorm")
last = {name: float(value) for name, value in rows("record.csv")[-1].items()}
check("the displacement of a point", last["/a/state.displacement[1].x [m]"] == 0 and
      abs(last["/a/state.displacement[1].y [m]"] + 0.1) < 1e-12 and
      abs(last["/a/state.displacement:maxnorm [m]"] - math.hypot(0.1, 0.1)) < 1e-12, last)
result = run("frame.scn", "-n", 2, "--record", "/frame.displacement", "--noscenecheck")
last = [float(value) for value in list(rows("record.csv")[-1].values())[2:]]
check("that of a frame", len(last) == 6 and all(abs(a - b) < 1e-9 for a, b in zip(last, (0, -0.3, 0, 0, 0, 0.1))), (last, result.err))

BAD = {
    "/a/state.positions": "there is no field 'positions'; did you mean 'position'?",
    "/a/stat.position": "there is no such object or node; did you mean '/a/state'?",
    "/a/state.position:mox": "there is no such operation",
    "/a/state.position[2]": "the field has no such number",
    "/a/state.position[0].3": "the field has no such number",
    "/a/state.name": "the field has no numbers",
    "/a/state": "expected PATH.FIELD",
    "energy": "expected PATH.FIELD",
}
for text, message in BAD.items():
    result = run(SCENE, "-n", 1, "--record", text, "--record-file", "bad.csv")
    check("refuses the quantity " + text, result.status == 1 and message in result.err and
          not os.path.exists(path("bad.csv")), result)

# ---- sweeps ----

SWEEP = [SCENE, "-n", 2, "--record", "/a/state.position[1].y", "--sweep"]
COLUMN = "/a/state.position[1].y [m]"


def heights(folder):
    return [(int(r["variant"]), int(r["status"]), float(r[COLUMN])) for r in rows(folder + "/results.csv")]


result = run(*SWEEP, "dt=0.1:0.3:3", "--out", "s1")
got = heights("s1")
check("a range", result.status == 0 and len(got) == 3 and
      all(v == i + 1 and s == 0 and abs(y - (2 - 30 * (0.1 * (i + 1)) ** 2)) < 1e-12 for i, (v, s, y) in enumerate(got)),
      (got, result.err))
result = run(*SWEEP, "gravity=0 0 0,0 -10 0", "--sweep", "dt=0.1,0.2", "--out", "s2", "--jobs", 1)
got = heights("s2")
check("two sweeps are combined", [round(y, 10) for _, _, y in got] == [2, 2, 1.7, 0.8], (got, result.err))
write("sweep.csv", 'dt,gravity\r\n0.1,"0 -10 0"\n\n0.2, 0 -20 0 \n')
result = run(*SWEEP, "sweep.csv", "--out", "s3", "--record-every", 1)
table = rows("s3/results.csv")
check("a file, and all its recorded steps", [(r["variant"], r["step"]) for r in table] ==
      [(v, s) for v in "12" for s in "012"] and abs(float(table[-1][COLUMN]) - (2 - 3 * 0.8)) < 1e-12, (table, result.err))

# a variant that fails does not end the others
result = run(*SWEEP, "dt=0.1,x,0.3", "--out", "s4")
got = [(r["variant"], r["status"], r["dt"]) for r in rows("s4/results.csv")]
check("a failed variant is listed", result.status == 3 and "1 variant failed: 2;" in result.err and
      got == [("1", "0", "0.1"), ("2", "1", "x"), ("3", "0", "0.3")], (got, result.err))
check("its log says why", "expected" in open(path("s4/0002/log.txt")).read(), open(path("s4/0002/log.txt")).read())
before = os.stat(path("s4/0001/record.csv")).st_mtime_ns
result = run(*SWEEP, "dt=0.1,x,0.3", "--out", "s4")
check("finished variants are not run again", os.stat(path("s4/0001/record.csv")).st_mtime_ns == before and
      result.status == 3, result)
result = run(*SWEEP, "dt=0.1,0.2,0.3", "--out", "s4")
check("results of another sweep are not mixed", result.status == 2 and "another sweep" in result.err, result)

# so are results with another mesh, or another included file
for changed, text in (("line.obj", "v 0 0 0\nv 6 0 0\nf 1 2 1\n"), ("part.scn", "<Node><Node/></Node>")):
    write("line.obj", "v 0 0 0\nv 5 0 0\nf 1 2 1\n")
    write("part.scn", "<Node/>")
    write("files.scn", """<Node name="root">
      <include href="part.scn"/>
      <MeshOBJLoader name="loader" filename="line.obj"/>
      <MechanicalObject name="state" src="@loader"/>
    </Node>""")
    files = ["files.scn", "-n", 1, "--record", "/state.position[1].x", "--noscenecheck", "--sweep", "dt=0.1,0.2", "--out", "f"]
    shutil.rmtree(path("f"), ignore_errors=True)
    check("files: first", run(*files).status == 0 and run(*files).status == 0)
    write(changed, text)
    result = run(*files)
    check("results with another %s are not mixed" % changed, result.status == 2 and "a result with another " in result.err
          and changed in result.err, result)
    shutil.rmtree(path("f/0001"))
    os.remove(path(changed))
    result = run(*files)
    check("nor with one that is not there: " + changed, result.status in (2, 3) and changed in result.err, result)

# killed, it goes on where it stopped; its children end with it
command = [RUN, *map(str, SWEEP), "dt=0.01:0.02:40", "--out", "s5", "-n", "300"]
process = subprocess.Popen(command, cwd=FOLDER.name, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
deadline = time.monotonic() + 60
while not os.path.exists(path("s5/0003/finished.txt")) and time.monotonic() < deadline:
    time.sleep(0.005)
process.send_signal(signal.SIGKILL)
process.wait()
done = [n for n in range(1, 41) if os.path.exists(path("s5/%04d/finished.txt" % n))]
times = {n: os.stat(path("s5/%04d/finished.txt" % n)).st_mtime_ns for n in done}
check("the sweep was killed in between", 2 <= len(done) < 40, done)
result = subprocess.run(command, cwd=FOLDER.name, capture_output=True, text=True, timeout=300)
check("it goes on", result.returncode == 0 and len(heights("s5")) == 40 and
      all(os.stat(path("s5/%04d/finished.txt" % n)).st_mtime_ns == t for n, t in times.items()), result.stderr)
shutil.rmtree(path("s5"))
whole = subprocess.run(command, cwd=FOLDER.name, capture_output=True, text=True, timeout=300)
again = open(path("s5/results.csv")).read()
shutil.rmtree(path("s5"))
process = subprocess.Popen(command, cwd=FOLDER.name, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
while not os.path.exists(path("s5/0002/finished.txt")) and time.monotonic() < deadline + 60:
    time.sleep(0.005)
process.send_signal(signal.SIGTERM)
check("a signal ends it in order", process.wait(timeout=60) == 0 and len(heights("s5")) < 40, heights("s5"))
subprocess.run(command, cwd=FOLDER.name, capture_output=True, timeout=300)
check("an interrupted sweep has the same results", open(path("s5/results.csv")).read() == again)

# scripts for clusters run the same variants
result = run(*SWEEP, "dt=0.1:0.3:3", "--out", "s6", "--sweep-script", "slurm")
check("a Slurm array", "#SBATCH --array=1-3" in result.out and '--sweep-only "$SLURM_ARRAY_TASK_ID"' in result.out and
      "--sweep-script" not in result.out, result)
write("bin.sh", result.out.replace("runcsofa '", "'%s' '" % RUN))
for task in (1, 2, 3):
    subprocess.run(["sh", path("bin.sh")], cwd=FOLDER.name, env=dict(os.environ, SLURM_ARRAY_TASK_ID=str(task)), timeout=60,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
result = run(*SWEEP, "dt=0.1:0.3:3", "--out", "s6")
check("a cluster's results are collected", heights("s6") == heights("s1"), result)
result = run(*SWEEP, "dt=0.1:0.3:3", "--sweep-script", "parallel")
check("a line of GNU parallel", result.out.startswith("seq 3 | parallel -q --bar runcsofa ") and
      "--sweep-only {}" in result.out, result)

# what GNU parallel does with such a line: without -q a shell reads the words again
write("parallel", """#!%s
import subprocess, sys
words = [w for w in sys.argv[1:] if w not in ("-q", "--bar")]
for number in sys.stdin:
    command = [w.replace("{}", number.strip()) for w in words]
    subprocess.run(command if "-q" in sys.argv else " ".join(command), shell="-q" not in sys.argv)
""" % sys.executable)
os.chmod(path("parallel"), 0o755)
spaces = [*SWEEP, "gravity=0 0 0,0 -10 0", "--set", "/a/state.position=0 0 0  1 5 3", "--out", "s7"]
write("bin.sh", run(*spaces, "--sweep-script", "parallel").out.replace("runcsofa '", "'%s' '" % RUN))
subprocess.run(["sh", path("bin.sh")], cwd=FOLDER.name, env=dict(os.environ, PATH=FOLDER.name + ":" + os.environ["PATH"]),
               timeout=60, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
check("it keeps values with spaces", os.path.exists(path("s7/0002/finished.txt")))
check("and their results", run(*spaces).status == 0 and [y for _, _, y in heights("s7")] == [5, 4.7], heights("s7"))

write("short.csv", "dt,/a.gravity\n0.1\n")
write("empty.csv", "dt\n")
BAD = {
    "dt": "expected a file (.csv)",
    "dt=": "expected a file (.csv)",
    "dt=0:1": "expected a file (.csv)",
    "dt=0:1:0": "expected a file (.csv)",
    "short.csv": "short.csv:2: error: the line has 1 cells, the first one has 2",
    "empty.csv": "a line of values for each variant",
    "missing.csv": "missing.csv",
}
for text, message in BAD.items():
    result = run(*SWEEP, text, "--out", "bad")
    check("refuses the sweep " + text, result.status != 0 and message in result.err, result)
for options, message in ((["--jobs", 2], "--jobs needs --sweep"), (["--sweep-only", 1], "--sweep-only needs --sweep"),
                         (["--sweep", "dt=1,2", "--sweep-only", 3], "there are 2 variants"),
                         (["--sweep", "dt=1,2", "--jobs", 0], "--jobs: expected"),
                         (["--sweep", "dt=1,2", "--record-file", "/tmp/x.csv"], "expected a relative path"),
                         (["--sweep", "dt=1,2", "--states", "/tmp/x.states"], "--states: each variant"),
                         (["--sweep", "dt=1,2", "--save-state", "/tmp/x.run"], "--save-state: each variant")):
    result = run(SCENE, "-n", 1, *options)
    check("refuses %s" % options, result.status == 2 and message in result.err, result)

finish()
