#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Bitwise equality of recorded states over threads, repeated runs, environments and locales. Each scene
runs once plainly, and then with two, three and four threads in other environments; only where states
differ does it run with one difference at a time, to say which it is. With --sanitized each scene runs
once, with three threads, and the sanitizers judge it."""
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

MAX_STEPS = 20
SANITIZER_STATUS = 99
SANITIZERS = {name: "exitcode=%d:print_stacktrace=1" % SANITIZER_STATUS
              for name in ("ASAN_OPTIONS", "LSAN_OPTIONS", "UBSAN_OPTIONS")}


def locales():
    """A locale with a decimal comma, when the system has one."""
    try:
        names = subprocess.run(["locale", "-a"], stdout=subprocess.PIPE).stdout.decode().split()
    except OSError:
        return []
    return [name for name in names if re.match(r"(de_DE|fr_FR)\.utf-?8$", name, re.I)][:1]


def run(program, scene, folder, threads, environment):
    result = os.path.join(folder, "result.states")
    steps = ",".join(str(step) for step in range(0, MAX_STEPS + 1, 10))
    command = [program, "-g", "batch", "-n", str(MAX_STEPS), "--hideProgressBar", "--threads",
               str(threads), "--states", result, "--states-at", steps, scene]
    # without a policy the program starts itself again with one
    environment = dict(os.environ, OMP_WAIT_POLICY="passive", **environment)
    done = subprocess.run(command, cwd=folder, env=environment,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    if done.returncode == SANITIZER_STATUS or done.returncode < 0:
        print("%s: status %d\n%s" % (scene, done.returncode, done.stdout.decode(errors="replace")))
        return b""
    if done.returncode != 0:
        return None
    with open(result, "rb") as file:
        content = file.read()
    os.remove(result)
    return content


def main(program, *roots):
    program = os.path.abspath(program)
    sanitized = "--sanitized" in roots
    roots = [root for root in roots if root != "--sanitized"]
    moved = {"CSOFA_PADDING": "x" * 4099}
    variants = [("2 threads", 2, {}), ("3 threads", 3, {}), ("4 threads", 4, {}), ("again", 1, {}), ("moved environment", 1, moved)]
    names = locales()
    everything = dict(moved)
    for name in names:
        variants.append(("locale " + name, 1, {"LC_ALL": name, "LANG": name}))
        everything.update(LC_ALL=name, LANG=name)
    if not names:
        print("no locale with a decimal comma installed: that variant is skipped")
    together = [(2, everything), (3, {}), (4, {})]
    scenes = [os.path.join(folder, file) for root in roots
              for folder, _, files in sorted(os.walk(os.path.abspath(root)))
              for file in sorted(files) if file.endswith(".scn")]

    def differences(scene):
        """Names of the variants with other states; None: the scene is meant to fail."""
        with tempfile.TemporaryDirectory(prefix="csofa-determinism-") as temporary:
            if sanitized:
                return ["3 threads"] if run(program, scene, temporary, 3, SANITIZERS) == b"" else []
            reference = run(program, scene, temporary, 1, {})
            if reference is None:
                return None  # tests/scenes judges it
            if all(run(program, scene, temporary, threads, environment) == reference
                   for threads, environment in together):
                return []
            return [name for name, threads, environment in variants
                    if run(program, scene, temporary, threads, environment) != reference] or ["all together"]

    compared = failures = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for scene, names in zip(scenes, pool.map(differences, scenes)):
            compared += names is not None
            for name in names or ():
                print("%s: other states with %s" % (scene, name))
                failures += 1
    print("%d scenes compared, %d differences" % (compared, failures))
    return 1 if failures or not compared else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
