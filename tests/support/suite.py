# SPDX-License-Identifier: LGPL-2.1-or-later
"""Scenes of the suites, many to a process of a test, and what it says of each: shared by the tests of
checkpoints and of pictures."""
import concurrent.futures
import os
import re
import subprocess
import tempfile

AT_ONCE = 16  # scenes of a process


def scenes_below(folders, ends=(".scn",)):
    return sorted(os.path.join(folder, name) for top in folders for folder, _, names in os.walk(os.path.abspath(top))
                  for name in names if name.endswith(ends))


def steps_of(scene):
    """The steps of a run, and those before its state is saved: in some suites changes come later."""
    return ("60", "23") if re.search("/(topology|playback)/", scene) else ("12", "5")


def quirks_of(scene):
    """A scene may name quirks that are on: <!-- RESTART quirks="..." -->."""
    with open(scene, errors="replace") as file:
        found = re.search('<!-- RESTART quirks="([^"]*)" -->', file.read(2000))
    return found and found[1]


def batches(scenes):
    """Scenes that one process may run, some at a time: of the same quirks."""
    same = {}
    for scene in scenes:
        same.setdefault(quirks_of(scene), []).append(scene)
    return [some[k:k + AT_ONCE] for some in same.values() for k in range(0, len(some), AT_ONCE)]


def with_steps(scenes):
    """[(steps, batch), ...]"""
    return [(steps, some) for steps in sorted({steps_of(scene) for scene in scenes})
            for some in batches([scene for scene in scenes if steps_of(scene) == steps])]


def run(program, words, scenes, **environment):
    """Runs the program on the scenes, in an empty folder. [(scene, result, text), ...]: what it says of each, from
    its line "scene PATH: RESULT" after a scene, and what it wrote before; each scene has a process of its own
    where the one for all fails. The result is None without that line, and after a report of a sanitizer."""
    quirks = quirks_of(scenes[0])
    variables = dict(os.environ, **environment, **({"RESTART_QUIRKS": quirks} if quirks else {}))
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([program, *words, *scenes], cwd=folder, env=variables, timeout=300 * len(scenes),
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    output = done.stdout.decode(errors="replace")
    found = re.findall(r"(.*?)^scene (%s): (.*?)$" % "|".join(map(re.escape, scenes)), output, re.M | re.S)
    if done.returncode >= 0 and "Sanitizer" not in output and [scene for _, scene, _ in found] == scenes:
        return [(scene, result, text) for text, scene, result in found]
    if len(scenes) == 1:
        return [(scenes[0], None, "status %d\n%s" % (done.returncode, output[-2000:]))]
    told = [one for scene in scenes for one in run(program, words, [scene], **environment)]
    if all(result for _, result, _ in told):
        told[-1] = (scenes[-1], None, "after others of its folder: status %d\n%s" % (done.returncode, output[-2000:]))
    return told


def each(look, batches):
    """The results of look(batch), lists, one after the other."""
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return [one for some in pool.map(look, batches) for one in some]
