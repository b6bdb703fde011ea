# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs: exit statuses, messages, states files, timers, interrupts."""
import gzip
import json
import signal
import time

from cli import *


def frames(name):
    """-> {step: (time, {path: (n, dim, vdim, x, v)})}"""
    data = open(path(name), "rb").read()
    text = (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode()
    result, frame = {}, None
    for line in text.splitlines():
        w = line.split()
        if w[0] == "#":
            check("the last line", line == "# end" and text.endswith("# end\n"))
        elif w[0] == "step":
            check("step line", w[2] == "time" and len(w) == 4)
            frame = {}
            result[int(w[1])] = (float(w[3]), frame)
        elif w[0] == "state":
            check("state line", w[2::2] == ["n", "dim", "vdim"], None)
            state = [int(w[3]), int(w[5]), int(w[7])]
            frame[w[1]] = state
        else:
            check("values", w[0] == ("x" if len(state) == 3 else "v"))
            state.append([float(a) for a in w[1:]])
    return result


fall = write("fall.scn", FALL % "")

# a run
r = run("-n", 3, "--states", "fall.states", fall)
check("run", r.status == 0 and r.err == "" and "3 steps in" in r.out, r)
f = frames("fall.states")
check("default steps", sorted(f) == [0, 1, 2, 3])
check("active states only", all(list(s) == ["/a/state"] for _, s in f.values()))
n, dim, vdim, x, v = f[0][1]["/a/state"]
check("step 0 is the initialised scene", f[0][0] == 0 and x == [0, 0, 0, 1, 2, 3] and v[0] == 1)
check("sizes", (n, dim, vdim) == (2, 3, 3))
# implicit Euler: v += h g, x += h v
check("time", abs(f[3][0] - 0.3) < 1e-15)
n, dim, vdim, x, v = f[3][1]["/a/state"]
check("velocity", abs(v[1] + 3) < 1e-9 and abs(v[0] - 1) < 1e-9)
check("position", abs(x[1] + 0.6) < 1e-9 and abs(x[0] - 0.3) < 1e-9)

# what -n and --states-at mean
for n, at, steps in [(0, None, [0]), (7, "3,1,last", [1, 3, 7]), (4, "all", [0, 1, 2, 3, 4]),
                     (4, "9", []), (6, None, [0, 1, 2, 5, 6])]:
    r = run("-n", n, "--states", "s.gz", *(["--states-at", at] if at else []), fall)
    check("-n %s --states-at %s" % (n, at), r.status == 0 and sorted(frames("s.gz")) == steps, r)
check(".gz is compressed", open(path("s.gz"), "rb").read()[:2] == b"\x1f\x8b")

# the same numbers on any number of threads
run("-n", 5, "--states", "t1", "--threads", 1, fall)
run("-n", 5, "--states", "t2", "--threads", 2, fall)
check("threads", open(path("t1")).read() == open(path("t2")).read())

# states files that cannot be written
for target in ["/dev/full", "/no/such/folder/x", FOLDER.name]:
    r = run("-n", 1, "--states", target, fall)
    check("--states " + target, r.status == 1 and "cannot write the states" in r.err, r)

# scenes with errors: all of them are named with file and line
bad = write("bad.scn", """<Node name="root">
  <MechanicalObjet/>
  <MechanicalObject positions="0 0 0" printLog="maybe"/>
  <include href="none.xml"/>
</Node>
""")
r = run("-n", 1, bad)
check("scene errors", r.status == 1 and "bad.scn:2: error:" in r.err and "MechanicalObject" in r.err
      and "bad.scn:3: error:" in r.err and "'positions'; did you mean 'position'?" in r.err
      and "bad.scn:4: error:" in r.err and "not run" in r.out, r)
r = run("-n", 1, "--keep-going", bad)
check("--keep-going", r.status == 0 and "bad.scn:2: error:" in r.err and "1 steps" in r.out, r)
for name, text, word in [("broken.scn", "<Node>\n<A", "broken.scn:2: error: malformed XML"),
                         ("empty.scn", "", "empty.scn:1: error")]:
    r = run("--keep-going", write(name, text))
    check(name, r.status == 1 and word in r.err, r)
r = run("--sandbox", write("x.py", "def createScene(root): pass"))
check("x.py", r.status == 1 and "does not run in the sandbox" in r.err, r)
r = run("missing.scn")
check("missing scene", r.status == 1 and "missing.scn" in r.err, r)

# simulations that fail
nan = write("nan.scn", FALL % '    <ConstantForceField totalForce="1e308 1e308 1e308"/>\n')
if run("--doc", "ConstantForceField").status == 0:
    r = run("-n", 1000, "--states", "nan.states", nan)
    check("overflow", r.status == 3 and "error:" in r.err, r)
    check("last good state", all(abs(a) < 1.8e308 for _, s in frames("nan.states").values()
                                 for st in s.values() for a in st[3]))
r = run("-n", 1, write("dt.scn", '<Node name="r" dt="0"/>'))
check("dt = 0", r.status == 3, r)

# the look of messages
r = run("-n", 1, "--log", "json", bad)
lines = [json.loads(line) for line in r.out.splitlines()]
check("--log json", r.err == "" and any(m["severity"] == "error" and m.get("line") == 2 and
                                        m["file"].endswith("bad.scn") for m in lines), r)
r = run("-n", 1, "--colors", bad)
check("--colors", "\033[" in r.err, r)
check("no colours in a pipe", "\033" not in run("-n", 1, bad).err)
check("no progress in a pipe", "\r" not in run("-n", 200, fall).err)
r = run("-n", 1, "-f", "sofa", bad)
check("-f sofa", "[ERROR]   " in r.err, r)

# files on the data path
os.mkdir(path("one"))
os.mkdir(path("two"))
write("two/part.xml", '<Node name="part"/>')
user = write("user.scn", '<Node name="root"><include href="part.xml"/></Node>')
check("no data path", run("-n", 0, user).status == 1)
check("--data-path", run("-n", 0, "--data-path", "one:two", user).status == 0)
check("CSOFA_DATA_PATH", run("-n", 0, user, env={"CSOFA_DATA_PATH": path("two")}).status == 0)

# scene checks
odd = write("odd.scn", '<Node name="root"><Node name="a b"/><Node name="c"/><Node name="c"/></Node>')
r = run("-n", 0, odd)
check("scene checks", "are called 'c'" in r.err and "'a b' contains ' '" in r.err, r)
r = run("-n", 0, "--noscenecheck", odd)
check("--noscenecheck", "called" not in r.err, r)

# timers
r = run("-n", 4, "--computationTimeSampling", 2, fall)
check("timers", r.status == 0 and r.out.count("ms/step") == 2 and "EulerImplicitSolver" in r.out, r)
r = run("-n", 4, "--computationTimeSampling", 2, "-o", "ljson", fall)
rows = [json.loads(line) for line in r.out.splitlines() if line.startswith("{")]
check("ljson", any(row["name"] == "step" and row["calls"] == 2 for row in rows), r)
r = run("-n", 4, "--computationTimeSampling", 2, "-o", "json", fall)
check("json", r.status == 0 and os.path.exists(path("fall_000002.json")) and
      os.path.exists(path("fall_000004.json")), r)
check("-b", "init" in run("-n", 0, "-b", fall).out)

# an interrupt ends the current step and leaves cleanly
for number in (signal.SIGINT, signal.SIGTERM):
    process = subprocess.Popen([RUN, "-n", "infinite", "--states", path("stop.states"), fall],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    started(process, "stop.states.part", 200)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    check("signal %d" % number, process.returncode == 0 and "stopped by a signal after step" in out)
    steps = int(out.split("after step ")[1].split()[0])
    check("the last step is written", max(frames("stop.states")) == steps)
    os.remove(path("stop.states"))

# during a long initialisation there is nothing to complete: it ends at once
slow = write("slow.scn", """<Node name="root"><RequiredPlugin pluginName="Sofa.Component"/><DefaultAnimationLoop/>
  <RegularGridTopology name="grid" n="20 20 20" min="0 0 0" max="1 1 1"/>
  <SmoothMeshEngine input_position="@grid.position" nb_iterations="1000000"/></Node>""")
process = subprocess.Popen([RUN, "-n", "1", "-b", slow], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
time.sleep(2)
running = process.poll() is None
process.send_signal(signal.SIGTERM)
out = process.communicate(timeout=60)[0]
check("a signal while initialising", running and process.returncode == -signal.SIGTERM, (process.returncode, out))

finish()
