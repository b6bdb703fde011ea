#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""runcsofa --distributed on 1 to 4 processes: the motion of one process, the same bits in every run, and
an end with message and status, in time, whatever happens to one of the processes.

usage: distributed.py RUNCSOFA MPIRUN"""
import os
import signal
import subprocess
import sys
import tempfile
import time

PROGRAM, MPIRUN = os.path.abspath(sys.argv[1]), sys.argv[2]
# seconds; a run takes one or two on a machine that does nothing else. Processes of MPI spin while they wait: on a busy
# one they take much longer, and are not hung
LIMIT = 400
STEPS = 3
ENVIRONMENT = {k: v for k, v in os.environ.items() if not k.startswith(("CSOFA_", "OMPI_"))}
ENVIRONMENT.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_mpi_yield_when_idle="1",
                   OMPI_MCA_btl_base_warn_component_unused="0")
failures = 0

MUMPS = ('<PETScLinearSolver name="linear" ksp="preonly" pc="cholesky" '
         'options="-pc_factor_mat_solver_type mumps"/>')
LU = ('<PETScLinearSolver name="linear" ksp="preonly" pc="lu" symmetric="0" '
      'options="-pc_factor_mat_solver_type mumps"/>')
SUPERLU = MUMPS.replace("cholesky", "lu").replace("mumps", "superlu_dist")
GAMG = '<PETScLinearSolver name="linear" ksp="cg" pc="gamg" tolerance="1e-13"/>'
HYPRE = '<PETScLinearSolver name="linear" ksp="cg" pc="hypre" tolerance="1e-13"/>'
JACOBI = '<PETScLinearSolver name="linear" ksp="cg" pc="jacobi" tolerance="1e-13"/>'
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


def run(arguments):
    """Ends with status 'hangs' after LIMIT."""
    with tempfile.TemporaryFile("w+") as out:
        child = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
                                 env=ENVIRONMENT)
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


def same_motion():
    for name in SCENES:
        r = run([PROGRAM, "-g", "batch", "-n", str(STEPS), "--hideProgressBar", "--states", "one.states",
                 write("scene.scn", scene(name, DIRECT))])
        check(name + " alone", r.status == 0, r.text)
        serial = states("one.states")[0]
        solver = LU if name == "frame" else MUMPS
        for n in (1, 2, 3, 4) if name == "Euler" else (3,):
            apart = farthest(serial, motion(name, solver, n, "n.states")[0])
            check("%s on %d: %g apart" % (name, n, apart), apart < 1e-9)
        if name != "Euler":
            continue
        for same, n in ((GAMG, 4), (HYPRE, 3), (JACOBI, 2), (SUPERLU, 3)):  # MUMPS adds in the order of messages
            first = motion(name, same, n, "n.states")
            apart = farthest(serial, first[0])
            check("%s on %d: %g apart" % (same, n, apart), apart < 1e-9)
            again = motion(name, same, n, "again.states")
            check("the same bits on %d with %s" % (n, same), first[1] == again[1] and first[1])


def restart():
    """A run goes on from its saved state on another number of processes."""
    path = write("scene.scn", scene("Euler", MUMPS))
    whole = run(command(2, "-n", 4, "--states", "whole.states", "--states-at", "last", path))
    first = run(command(2, "-n", 2, "--save-state", "middle.state", path))
    rest = run(command(3, "-n", 4, "--restore", "middle.state", "--states", "rest.states", "--states-at", "last",
                       path))
    good = (whole.status, first.status, rest.status) == (0, 0, 0)
    check("restart", good, whole.text + first.text + rest.text)
    check("the motion after a restart", good and farthest(states("whole.states")[0], states("rest.states")[0]) < 1e-9)


def first_writes():
    """One message of each, and files of the first process alone."""
    r = run(command(3, "-n", 2, "--convergence", "c.csv", "--set", "/body/linear.printLog=1",
                    write("scene.scn", scene("Euler", MUMPS))))
    check("messages", r.status == 0 and r.text.count("2 steps in") == 1 and r.text.count("iterations, |r|") == 2,
          r.text)
    with open("c.csv") as file:
        rows = [line for line in file if line.startswith("linear,")]
    check("convergence", len(rows) == 2, rows)


def refusals():
    r = run(command(2, "-n", 2, write("scene.scn", scene("Euler", DIRECT))))
    check("no PETScLinearSolver", r.status == 1 and "no PETScLinearSolver" in r.text, r.text)
    r = run(command(2, "-n", 2, write("scene.scn", scene("Euler", JACOBI.replace("ksp", 'matrix="baij" ksp')))))
    check("baij", r.status != 0 and "'baij' is not supported yet on several processes" in r.text, r.text)
    r = run(command(2, "--sweep", "/body/linear.tolerance=1:2:2", "scene.scn"))
    check("sweep", r.status != 0 and "--distributed is not supported with --sweep yet" in r.text, r.text)
    r = run(command(2, "-n", 2, "none.scn"))
    check("no scene", r.status == 1 and "none.scn" in r.text, r.text)


def by_rank(n, steps, scenes):
    """Each process runs the scene of its rank."""
    for rank, text in enumerate(scenes):
        write("rank%d.scn" % rank, text)
    script = 'exec "$0" --distributed --hideProgressBar -n %s rank$OMPI_COMM_WORLD_RANK.scn' % steps
    return run([MPIRUN, "-n", str(n), "sh", "-c", script, PROGRAM])


def one_fails():
    good = scene("Euler", MUMPS)
    other = good.replace('totalMass="40"', 'totalMass="41"')
    for rank in (0, 2):
        r = by_rank(3, 5, [other if k == rank else good for k in range(3)])
        check("another file on %d" % rank, r.status == 3 and "the processes have different systems" in r.text,
              "%s\n%s" % (r.status, r.text))
        r = by_rank(3, 5, [good[:-10] if k == rank else good for k in range(3)])
        check("a truncated file on %d" % rank, r.status == 1 and "rank%d.scn" % rank in r.text,
              "%s\n%s" % (r.status, r.text))
    # fails in a step of its own, while the others wait
    r = by_rank(3, 100000, [good, good.replace("<MechanicalObject", '<MechanicalObject velocity="nan 0 0"'), good])
    check("a step fails on one", r.status not in (0, "hangs") and "error:" in r.text, "%s\n%s" % (r.status, r.text))
    r = run(command(2, "-n", 3, "--states", "/dev/full", write("scene.scn", good)))
    check("disk full", r.status == 1 and "/dev/full" in r.text, "%s\n%s" % (r.status, r.text))


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


def main():
    with tempfile.TemporaryDirectory(prefix="csofa-mpi-") as folder:
        os.chdir(folder)
        for part in (same_motion, restart, first_writes, refusals, one_fails, one_is_killed):
            begin = time.time()
            part()
            print("%s: %.1f s" % (part.__name__, time.time() - begin), flush=True)
        os.chdir("/")
    print("%d failures" % failures)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
