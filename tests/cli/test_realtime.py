# SPDX-License-Identifier: LGPL-2.1-or-later
"""--realtime: steps wait for their time, and the schedule's report. Nothing here fails on a slow machine."""
import re
import signal
import subprocess
import time

from cli import FALL, RUN, check, finish, path, run, started, write

SCENE = write("fall.scn", FALL % "")
REPORT = re.compile(r"real time: (\d+) steps of ([\d.]+) ms: .* (\d+) too long, .* s lost; (\d+) calls for memory")

begin = time.monotonic()
result = run(SCENE, "-n", 30, "--set", "dt=0.01", "--realtime")
took = time.monotonic() - begin
report = REPORT.search(result.out)
check("steps wait for their time", result.status == 0 and took >= 0.29, (took, result))
check("the report", report and report[1] == "26" and report[2] == "10", result.out)
check("a warm step takes no memory", report and report[4] == "0", result.out)

begin = time.monotonic()
result = run(SCENE, "-n", 30, "--set", "dt=0.000001", "--realtime")
report = REPORT.search(result.out)
check("steps that are too long are counted", report and int(report[3]) > 0, result.out)

same = run(SCENE, "-n", 10, "--states", "free.states"), run(SCENE, "-n", 10, "--set", "dt=0.1", "--realtime",
                                                            "--states", "timed.states")


def numbers(name):
    with open(path(name)) as file:
        return [line for line in file if not line.startswith("#")]


check("the motion does not depend on it", not any(r.status for r in same) and
      numbers("free.states") == numbers("timed.states") and numbers("free.states"), same)

for arguments in (("-g", "imgui"), ("--sweep", "dt=0.1,0.2")):
    result = run(SCENE, "--realtime", *arguments)
    check("refused with %s" % arguments[0], result.status == 2 and "--realtime" in result.err, result)

# a signal ends the wait, also one that arrives while the first, long step is made
LONG = write("long.scn", """<Node name='root' dt='60'><EulerImplicitSolver/>
  <CGLinearSolver template='CompressedRowSparseMatrixMat3x3d' iterations='300' tolerance='1e-30' threshold='0'/>
  <RegularGridTopology n='26 26 26' min='0 0 0' max='1 1 1'/><MechanicalObject/><UniformMass totalMass='1'/>
  <HexahedronFEMForceField youngModulus='1000' poissonRatio='0.3'/></Node>""")
for scene in SCENE, LONG:
    process = subprocess.Popen([RUN, scene, "-n", "100", "--set", "dt=60", "--realtime", "--states",
                                path("waits.states")], stdout=subprocess.PIPE, text=True)
    started(process, "waits.states.part", 0)
    time.sleep(0.2 if scene == LONG else 0)
    process.send_signal(signal.SIGTERM)
    output = process.communicate(timeout=50)[0]
    check("a signal ends the wait", "stopped by a signal" in output, output)
finish()
