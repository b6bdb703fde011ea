#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests the tests of restarts: for each class that keeps something from step to step beside its fields, is there a
scene whose run changes when that is lost? Then a class that forgets to save it fails checkpoint/*. Of the classes below
a scene shows it; of the others the loss costs time, counts or drawings, or needs a hand at the mouse.

usage: kept.py KEPT FOLDER..."""
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

SHOWN = """BDFOdeSolver BilateralLagrangianConstraint CGLinearSolver CSVRecorder CollisionPipeline
FixedLagrangianConstraint HyperelasticForcefield IncrementalPotentialContact LCPConstraintSolver
LinearVelocityProjectiveConstraint MeshSpringForceField PathFollowingSolver PolynomialSpringsForceField
PrecomputedConstraintCorrection PrecomputedMatrixSystem PrecomputedWarpPreconditioner PreconditionedMatrixFreeSystem
ReadTopology RotationMatrixSystem SurfacePressureForceField TetrahedronFEMForceField
TetrahedronHyperelasticityFEMForceField TopologicalChangeProcessor TractionForcefield
VariationalSymplecticSolver""".split()


def main(program, *folders):
    program = os.path.abspath(program)
    scenes = sorted(os.path.join(folder, name) for top in folders for folder, _, names in os.walk(os.path.abspath(top))
                    for name in names if name.endswith(".scn"))
    kept, shown, problems = set(), set(), []

    def look(scene):
        if shown >= set(SHOWN):
            return
        late = re.search("/(topology|playback)/", scene)  # their changes come later
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([program, *(("60", "23") if late else ("12", "5")), scene, ",%s," % ",".join(shown)],
                                  cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
        text = done.stdout.decode(errors="replace")
        if done.returncode < 0 or "Sanitizer" in text:
            problems.append("%s: crashed, status %d\n%s" % (scene, done.returncode, text[-2000:]))
        shown.update(re.findall(r"^shown (\w+)", text, re.M))
        kept.update(re.findall(r"^kept (\w+)", text, re.M))

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(look, scenes))
    problems += ["no scene shows that it matters what %s keeps" % name for name in SHOWN if name not in shown]
    print("\n".join(problems + ["%d scenes, %d classes keep something, of %d it is shown, %d problems" % (
        len(scenes), len(kept), len(shown), len(problems))]))
    print("not shown: " + " ".join(sorted(kept - shown)))
    return 1 if problems or not scenes else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
