# SPDX-License-Identifier: LGPL-2.1-or-later
"""Shared by the tests of the command line: runs the program in a folder of its own and checks."""
import os
import subprocess
import sys
import tempfile
import time

RUN, LIB = sys.argv[1], sys.argv[2]
FOLDER = tempfile.TemporaryDirectory(prefix="csofa-cli-")
failures = 0

# two points that fall, and an inactive node
FALL = """<Node name="root" gravity="0 -10 0" dt="0.1">
  <RequiredPlugin pluginName="Sofa.Component.ODESolver.Backward Sofa.Component.LinearSolver.Iterative
   Sofa.Component.StateContainer Sofa.Component.Mass"/>
  <DefaultAnimationLoop/>
  <DefaultVisualManagerLoop/>
  <Node name="a">
    <EulerImplicitSolver name="ode"/>
    <CGLinearSolver name="cg" iterations="100" tolerance="1e-14" threshold="1e-20"/>
    <MechanicalObject name="state" position="0 0 0  1 2 3" velocity="1 0 0  0 0 0"/>
    <UniformMass name="mass" totalMass="2"/>
%s  </Node>
  <Node name="off" activated="0">
    <MechanicalObject name="state" position="7 7 7"/>
  </Node>
</Node>
"""


def path(name):
    return os.path.join(FOLDER.name, name)


def write(name, text):
    with open(path(name), "w") as out:
        out.write(text)
    return path(name)


class Result:
    def __init__(self, done):
        self.status, self.out, self.err = done.returncode, done.stdout, done.stderr


def run(*arguments, env=None, cwd=None, **more):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("CSOFA_")}
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):  # no windows
        environment.pop(name, None)
    environment.update(env or {})
    return Result(subprocess.run([RUN, *map(str, arguments)], cwd=cwd or FOLDER.name,
                                 env=environment,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                 timeout=120, stdin=subprocess.DEVNULL, **more))


# the parts of SuiteSparse under the GPL: UMFPACK and SuiteSparseQR
HAS_GPL_PARTS = "CSOFA_GPL is on" in run("--licenses").out
NEED_GPL_PARTS = () if HAS_GPL_PARTS else ("EigenSparseLU", "EigenSparseQR")


def started(process, name, size=1):
    """Waits until a run has written so many bytes of a file, or ended. Without a byte the file is open:
    from then on a signal ends the run in order."""
    file = path(name)
    while process.poll() is None and not (os.path.exists(file) and os.path.getsize(file) >= size):
        time.sleep(0.01)


def check(name, condition, result=None):
    global failures
    if condition:
        return
    failures += 1
    print("FAILED: " + name)
    if isinstance(result, Result):
        print("status %s\n--- stdout\n%s--- stderr\n%s---" % (result.status, result.out, result.err))
    elif result is not None:
        print(result)


def finish():
    FOLDER.cleanup()
    print("%d failures" % failures)
    sys.exit(1 if failures else 0)
