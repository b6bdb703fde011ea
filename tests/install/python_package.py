# SPDX-License-Identifier: LGPL-2.1-or-later
"""Uses an installed Python package: all modules come from FOLDER, the library is LIBRARY, and the
sweep of EXAMPLES runs.

usage: python_package.py FOLDER LIBRARY EXAMPLES"""
import os
import sys

folder, library, examples = (os.path.realpath(path) for path in sys.argv[1:])
sys.path.append(examples)

import csofa  # noqa: E402
import Sofa  # noqa: E402
import SofaImGui  # noqa: E402
import SofaRuntime  # noqa: E402
import SofaTypes  # noqa: E402
from Sofa.Units import UnitSystem  # noqa: E402
import sweep  # noqa: E402

for module in (csofa, Sofa, SofaImGui, SofaRuntime, SofaTypes, UnitSystem):
    path = os.path.realpath(module.__file__)
    if not path.startswith(folder + os.sep):
        sys.exit(f"{module.__name__} is {path}, not below {folder}")
with open("/proc/self/maps", encoding="utf-8") as file:
    found = {line.split()[-1] for line in file if "libcsofa.so" in line}
if found != {library}:
    sys.exit(f"the library is {found}, not {library}")
low, high = sweep.sweep([5000, 20000])
# small displacements are proportional to 1 / modulus
if not abs(low / high / 4 - 1) < 0.01:
    sys.exit(f"the beams sink by {low} and {high} m")
scene = Sofa.Core.Node("root")
scene.addObject("MechanicalObject", name="state", position=[[0.0, 0, 0]])
Sofa.Simulation.initRoot(scene)
print(f"csofa of {folder} with {library}")
