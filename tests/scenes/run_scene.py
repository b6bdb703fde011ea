#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs one example scene strictly and checks what its header comment expects.

    <!-- TEST steps=100 expect="/beam/dofs[17].y=-0.0132 tol=1e-4" -->

`steps` (default 10) is the number of steps. `expect` may stand several times: the component
x y z (or 0, 1, ...) of one point of a state at the end, absolute tolerance `tol` (default 1e-6);
the value may be such a component of another state: `expect="/a/dofs[17].y=/b/dofs[17].y"`.
With a colon it is a number in a field of any object, counted from 0, or how many words the field has:
`expect="/grid:position[5]=0.5"`, `expect="/loader:triangles.n=36"`.
A file that the run wrote: `expect="file:cube.stl.bytes=684"`, its `lines`, or a word of it that is a number,
`expect="file:points.node[6]=0.5"`.
`fails` instead of a value of expect: `expect="error"` wants the run to end with an error.
A scene that needs a part of SuiteSparse which the build does not have (CSOFA_GPL is off) is skipped:
status 77.
`args="..."` adds options of the program. Warnings are allowed only with `warnings=N`.
"""
import os
import re
import shlex
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "conformance"))
import states  # noqa: E402

FIELD = re.compile(r"^(/[^\[=]*:\w+)(?:\[(\d+)\]|\.n)$")
FILE = re.compile(r"^file:(.+?)(?:\.(bytes|lines)|\[(\d+)\])$")
PLACE = re.compile(r"^(.+)\[(\d+)\]\.([xyz]|\d+)$")
EXPECT = re.compile(r"^([^=]+)=(\S+?)(?:\s+tol=(\S+))?$")


def header(path):
    with open(path) as file:
        text = file.read()
    found = re.search(r"<!--\s*TEST\b(.*?)-->", text, re.S)
    if not found:
        sys.exit("%s: the header comment '<!-- TEST steps=N -->' is missing" % path)
    words = re.findall(r'(\w+)=(?:"([^"]*)"|(\S+))', found.group(1))
    return [(name, quoted or plain) for name, quoted, plain in words]


def component(place, frame):
    """The value of "/a/dofs[17].y"; raises ValueError with the reason when there is none."""
    match = PLACE.match(place)
    if not match:
        raise ValueError("unreadable place '%s'" % place)
    path, point, axis = match.groups()
    if path not in frame:
        raise ValueError("no state '%s' among %s" % (path, ", ".join(frame)))
    dim, x = frame[path]
    index = int(point) * dim + ("xyz".index(axis) if axis in "xyz" else int(axis))
    if index >= len(x):
        raise ValueError("'%s' has no point %s" % (path, point))
    return x[index]


def field_value(place, program, scene, steps):
    """The value of "/a/grid:position[5]" or "/a/grid:position.n"; ValueError when there is none."""
    path, index = FIELD.match(place).groups()
    done = subprocess.run([program, scene, str(steps), path], capture_output=True, text=True)
    if done.returncode:
        raise ValueError("cannot read '%s': %s" % (path, done.stderr.strip()))
    words = re.sub(r"[\[\],]", " ", done.stdout).split()
    if index is None:
        return float(len(words))
    if int(index) >= len(words):
        raise ValueError("'%s' has %d words" % (path, len(words)))
    return float(words[int(index)])


def file_value(place):
    """The size of a file, its number of lines, or a word, without the line of its provenance; ValueError when there
    is none."""
    name, unit, word = FILE.match(place).groups()
    if not os.path.isfile(name):
        raise ValueError("the run wrote no file '%s', but %s" % (name, ", ".join(sorted(os.listdir(".")))))
    with open(name, "rb") as file:
        data = re.sub(rb"(?m)^(# csofa [^\n]*; scene |<!-- csofa )[^\n]*\n", b"", file.read())
    if unit:
        return float(len(data) if unit == "bytes" else data.count(b"\n"))
    return float(data.split()[int(word)])


def value_at(place, frame, values):
    if FILE.match(place):
        return file_value(place)
    return values(place) if FIELD.match(place) else component(place, frame)


def check(expectation, frame, values):
    match = EXPECT.match(expectation)
    if not match:
        return "unreadable expectation '%s'" % expectation
    place, value, tolerance = match.groups()
    try:
        found = value_at(place, frame, values)
        wanted = component(value, frame) if value.startswith("/") else float(value)
    except ValueError as problem:
        return str(problem)
    limit = float(tolerance or 1e-6)
    if not abs(found - wanted) <= limit:
        return "%s is %.12g, expected %.12g +- %g" % (place, found, wanted, limit)
    return None


def main(program, scene):
    words = header(scene)
    values_program = os.path.join(os.path.dirname(os.path.abspath(program)), "scene_values")
    options = dict(words)
    steps = int(options.get("steps", 10))
    expected = [value for name, value in words if name == "expect"]
    with tempfile.TemporaryDirectory(prefix="csofa-scene-") as folder:
        result = os.path.join(folder, "result.states")
        command = [os.path.abspath(program), "-g", "batch", "-n", str(steps), "--hideProgressBar",
                   "--states", result, "--states-at", str(steps)]
        command += shlex.split(options.get("args", "")) + [os.path.abspath(scene)]
        work = os.path.join(folder, "work")
        os.mkdir(work)
        done = subprocess.run(command, cwd=work, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        output = done.stdout.decode(errors="replace")
        print(output)
        if "error" in expected:
            return 0 if done.returncode > 0 else 1
        missing = re.search(r"[^\n]*this build has no GPL parts of SuiteSparse[^\n]*", output)
        if done.returncode == 1 and missing:
            print("skipped: " + missing[0])
            return 77
        if done.returncode != 0:
            print("exit status %d" % done.returncode)
            return 1
        problems = []
        warnings = len(re.findall(r"^[^\n]*: warning: ", output, re.M))
        if warnings > int(options.get("warnings", 0)):
            problems.append("%d warnings" % warnings)
        frame = states.read_states(result, {steps}).get(steps, {})
        scene = os.path.abspath(scene)
        os.chdir(work)
        problems += filter(None, (check(e, frame, lambda place: field_value(
            place, values_program, scene, steps)) for e in expected))
        os.chdir(folder)
    for problem in problems:
        print("FAILED: " + problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
