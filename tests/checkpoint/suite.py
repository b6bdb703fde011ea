# SPDX-License-Identifier: LGPL-2.1-or-later
"""The scenes of the suites for the tests of checkpoints, and how each is run: shared by restart.py, kept.py, hidden.py."""
import concurrent.futures
import os
import re
import subprocess
import tempfile


def scenes_below(folders, ends=(".scn",)):
    return sorted(os.path.join(folder, name) for top in folders for folder, _, names in os.walk(os.path.abspath(top))
                  for name in names if name.endswith(ends))


def steps_of(scene):
    """The steps of a run, and those before its state is saved: in some suites changes come later."""
    return ("60", "23") if re.search("/(topology|playback)/", scene) else ("12", "5")


def run(program, steps, scene, *more, **environment):
    """Runs the program in an empty folder: its status and all that it wrote. A scene may name quirks that are on:
    <!-- RESTART quirks="..." -->."""
    with open(scene, errors="replace") as file:
        quirks = re.search('<!-- RESTART quirks="([^"]*)" -->', file.read(2000))
    environment = dict(os.environ, **environment, **({"RESTART_QUIRKS": quirks[1]} if quirks else {}))
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([program, *steps, scene, *more], cwd=folder, env=environment, timeout=300,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout.decode(errors="replace")


def each(look, scenes):
    """look(scene) of all, in their order."""
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return list(pool.map(look, scenes))
