#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The library without the parts of SuiteSparse that are under the GPL: it calls none of them, refuses
the solvers that need one by name, and solves with the others.

usage: without_gpl.py PROGRAM FOLDER_OF_LIBRARY PROJECT NM"""
import os
import re
import subprocess
import sys

program, folder, project, nm = sys.argv[1:5]
library = os.path.join(folder, "libcsofa.so.0")
environment = dict(os.environ, LD_LIBRARY_PATH=folder)
problems = []


def run(*command):
    done = subprocess.run(command, env=environment, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


calls = re.findall(r"^(\S+) U", run(nm, "-D", "--format=posix", library)[1], re.M)
wrong = [name for name in calls if re.match(r"umfpack_|SuiteSparseQR|cholmod_(l_)?super", name)]
if wrong or not any(name.startswith("cholmod_") for name in calls):
    problems.append("it calls %s" % (wrong or "nothing of CHOLMOD"))
needed = run("ldd", library)[1]
if "umfpack" in needed or "spqr" in needed:
    problems.append("it is linked with\n" + needed)

status, text = run(program, "--licenses")
if status or "calls no part of SuiteSparse that is under the GPL" not in text or "UMFPACK  " in text:
    problems.append("--licenses says\n" + text)

scenes = os.path.join(project, "scenes", "linearsolver")
scene = """<Node name="root" dt="0.01"><RequiredPlugin pluginName="SofaCaribou"/><DefaultAnimationLoop/>
<DefaultVisualManagerLoop/><EulerImplicitSolver/>
<%s/><MechanicalObject position="0 0 0"/><UniformMass totalMass="1"/></Node>"""
path = os.path.join(folder, "scene.scn")
for name, part in (("EigenSparseLU", "UMFPACK"), ("EigenSparseQR", "SuiteSparseQR"),
                   ("LUSolver", "UMFPACK")):
    with open(path, "w") as file:
        file.write(scene % name)
    status, text = run(program, "-g", "batch", "-n", "1", path)
    if status != 1 or not re.search(r"scene.scn:3: error: .*%s is not supported yet: this build has no "
                                    r"GPL parts.*%s" % (name, part), text):
        problems.append("%s: status %d\n%s" % (name, status, text))
for name in ("SparseLDLSolver", "CholmodSupernodalLLT", "EigenSimplicialLLT", "EigenSimplicialLDLT",
             "BTDLinearSolver", "MetisOrderingMethod"):
    status, text = run(sys.executable, os.path.join(project, "tests", "scenes", "run_scene.py"),
                       program, os.path.join(scenes, name + ".scn"))
    if status:
        problems.append("%s: status %d\n%s" % (name, status, text))
print("\n".join(problems) or "no part under the GPL is called")
sys.exit(1 if problems else 0)
