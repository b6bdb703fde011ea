# SPDX-License-Identifier: LGPL-2.1-or-later
"""--save-state, --save-every, --restore: the same end as without an interruption."""
import gzip
import signal

from cli import *

fall = write("fall.scn", FALL % "")
heavy = write("heavy.scn", FALL % '    <ConstantForceField totalForce="0 -5 0"/>\n')


def last(name):
    """The last frame of a states file."""
    lines = open(path(name)).read().splitlines()
    return lines[max(i for i, line in enumerate(lines) if line.startswith("step")):]


r = run("-n", 20, "--states", "whole.states", fall)
check("whole run", r.status == 0, r)
r = run("-n", 8, "--save-state", "a.state", fall)
check("save", r.status == 0 and os.path.exists(path("a.state")), r)
check("no temporary file is left", not os.path.exists(path("a.state.part")))
r = run("-n", 20, "--restore", "a.state", "--states", "rest.states", fall)
check("restore", r.status == 0 and "restored after step 8" in r.out and "12 steps in" in r.out, r)
check("the same bits", last("whole.states") == last("rest.states"))
r = run("-n", 20, "--restore", "a.state", "--states", "rest.states", "--threads", 2, fall)
check("threads", r.status == 0 and last("whole.states") == last("rest.states"), r)

# every N steps; the end counts, too
r = run("-n", 10, "--save-state", "b.state", "--save-every", 4, fall)
check("every", r.status == 0, r)
r = run("-n", 10, "--restore", "b.state", fall)
check("the end", r.status == 0 and "restored after step 10" in r.out and "0 steps in" in r.out, r)

# what is refused
for text, *arguments in (
        ("the scene (its elements or its meshes)", "--restore", "a.state", heavy),
        ("the quirks", "--quirks", "--restore", "a.state", fall),
        ("nowhere.state", "--restore", "nowhere.state", fall),
        ("/dev/zero: error: this is a device", "--restore", "/dev/zero", fall),
        ("no saved state", "--restore", fall, fall)):
    r = run("-n", 20, *arguments)
    check("refused: " + text, r.status == 1 and text in r.err, r)
with open(path("a.state"), "rb") as file:
    data = file.read()
with open(path("cut.state"), "wb") as file:
    file.write(data[:-100])
r = run("-n", 20, "--restore", "cut.state", fall)
check("cut", r.status == 1 and "the file is cut" in r.err, r)
r = run("-n", 5, "--save-every", 2, fall)
check("usage", r.status == 2 and "--save-every needs --save-state" in r.err, r)
r = run("-n", 5, "--save-state", "x.state", "--save-every", 0, fall)
check("usage of N", r.status == 2 and "expected a number of steps > 0" in r.err, r)
r = run("-n", 5, "--save-state", "no/such/folder/x.state", fall)
check("not written", r.status != 0 and "the state of the run" in r.err, r)

# recordings go on: the same files as of a run without an interruption
rows = write("rows.scn", FALL % '''    <CSVRecorder name="csv" filename="rows.csv" columns="position kineticEnergy"/>
    <WriteState filename="rows.txt" writeV="1"/>
    <WriteState filename="packed.txt.gz"/>
''')
names = ("rows.csv", "rows.txt", "packed.txt.gz")


def contents():
    return [(gzip.open if name.endswith(".gz") else open)(path(name), "rt").read()
            for name in names]


check("rows", run("-n", 20, rows).status == 0)
whole = contents()
check("cut rows", run("-n", 8, "--save-state", "r.state", rows).status == 0 and contents() != whole)
r = run("-n", 20, "--restore", "r.state", rows)
check("rows go on", r.status == 0 and contents() == whole, r)
r = run("-n", 20, "--restore", "r.state", rows)  # rows behind the restored step are made again
check("rows go on again", r.status == 0 and contents() == whole, r)
for name in names:
    os.remove(path(name))
r = run("-n", 20, "--restore", "r.state", rows)
check("no file to go on from", r.status == 0 and "'rows.csv.part' has the steps of this run only"
      in r.err, r)
for name in names:
    os.remove(path(name))
process = subprocess.Popen([RUN, "-n", "infinite", "--save-state", path("k.state"), "--save-every",
                            "8", rows], cwd=FOLDER.name,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
started(process, "k.state")
process.kill()
process.wait()
check("killed", all(os.path.exists(path(name + ".part")) for name in names))
r = run("-n", 1, "--restore", "k.state", rows)  # its step is behind: it writes and ends
check("rows of a killed run", r.status == 0 and not os.path.exists(path("rows.csv.part")) and
      not os.path.exists(path("rows.csv.cut")), r)
check("and all of them", open(path("rows.csv")).read().startswith(
    "".join(whole[0].splitlines(True)[:9])))

# an interrupt saves the last state; a killed run leaves the last whole one
for number, every in ((signal.SIGINT, ()), (signal.SIGKILL, ("--save-every", "1"))):
    name = "stopped%d.state" % number
    process = subprocess.Popen([RUN, "-n", "infinite", "--save-state", path(name), *every, "--states",
                                path("stopped.states"), fall],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    started(process, name if every else "stopped.states.part", 200)
    process.send_signal(number)
    process.wait()
    check("state after signal %d" % number, os.path.exists(path(name)))
    r = run("-n", 0, "--restore", name, fall)
    check("restored after signal %d" % number, r.status == 0 and "restored after step" in r.out, r)

finish()
