#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pictures of the scenes in README.md and the pages of docs, and of scenes that show nothing: the share
of pixels that are not background. usage: documented.py RUNCSOFA [FOLDER FOR THE PICTURES]"""
import glob
import os
import re
import subprocess
import sys
import tempfile

from png import read_png

PROGRAM = os.path.abspath(sys.argv[1])
PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NOTHING = "nothing in the scene is shown"
LEAST, LEAST_LINE = 0.02, 0.0005  # of the pixels, of bodies (slender ones, too), and of points and lines
failures = 0


def check(what, good, found=None):
    global failures
    if not good:
        failures += 1
        print("wrong: %s: %s" % (what, found))


def share(path):
    """Pixels that differ from the background, which is one colour per row: that of the row's ends."""
    rows = read_png(path)
    different = sum(max(abs(a - b) for a, b in zip(pixel, row[0])) > 12 for row in rows for pixel in row)
    return different / (len(rows) * len(rows[0]))


def picture(folder, scene, name, steps=5):
    out = os.path.join(folder, name + ".png")
    done = subprocess.run(
        [PROGRAM, "-g", "batch", "--hideProgressBar", "-n", str(steps), "--size", "320x240", "--screenshot",
         out, scene], cwd=folder, env=dict(os.environ, LIBGL_ALWAYS_SOFTWARE="1"),
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout, out


def documented(folder):
    """Scenes of the pages that a page itself draws or runs."""
    pages = [os.path.join(PROJECT, "README.md")] + sorted(glob.glob(os.path.join(PROJECT, "docs", "*.md")))
    n = 0
    for page in pages:
        with open(page, encoding="utf-8") as file:
            text = file.read()
        # not those whose run is to fail
        for k, block in enumerate(re.findall(r"```xml[^\n]*\n(.*?)```(?!\n```sh status=3)", text, re.S)):
            if "<Node" not in block or "MechanicalObject" not in block or "Solver" not in block:
                continue
            name = "%s_%d" % (os.path.basename(page)[:-3], k)
            scene = os.path.join(folder, name + ".scn")
            with open(scene, "w", encoding="utf-8") as file:
                file.write(block)
            status, output, out = picture(folder, scene, name)
            if status == 1 and ": error: " in output:  # of a plugin, or wrong on purpose
                continue
            found = share(out) if os.path.exists(out) else None
            check("%s: status %d" % (name, status), found is not None and
                  found > (LEAST_LINE if "Topology" not in block or "lines=" in block else LEAST), found or output)
            n += 1
    check("documented scenes", n >= 3, n)


HEAD = '<Node name="root"><DefaultAnimationLoop/><DefaultVisualManagerLoop/>%s<Node name="body">%s</Node></Node>'
GRID = '<RegularGridTopology n="3 3 5" min="0 0 0" max="1 1 3"/><MechanicalObject name="state"/>'
SPRINGS = ('<MechanicalObject name="state" position="0 0 0 1 0 0 1 1 0 0 1 1"/>'
           '<SpringForceField spring="0 1 1 0 1 1 2 1 0 1 2 3 1 0 1"/>')
POINTS = '<MechanicalObject name="state" position="0 0 0 1 0 0 1 1 0 0 1 1 0.5 0.5 0.5"/>'


def empty_scenes(folder):
    cases = [("grid", "", GRID, True, 0.1), ("springs", "", SPRINGS, True, 0.002),
             ("points", "", POINTS, True, 0.002),
             ("hidden", '<VisualStyle displayFlags="hideAll"/>', GRID, False, 0),
             ("shown", '<VisualStyle displayFlags="showVisual"/>', GRID, True, 0.05)]
    for name, style, body, said, least in cases:
        scene = os.path.join(folder, name + ".scn")
        with open(scene, "w") as file:
            file.write(HEAD % (style, body))
        status, output, out = picture(folder, scene, name, 2)
        found = share(out)
        check("%s: drawn" % name, status == 0 and (found > least if said else found == 0), found)
        check("%s: said once" % name, output.count(NOTHING) == said, output)


COLOURS = """<Node name="root" dt="0.1" gravity="0 -1 0"><DefaultAnimationLoop/><DefaultVisualManagerLoop/>
<Node name="body"><EulerExplicitSolver/><MechanicalObject name="state" position="0 0 0 1 0 0 0 1 0"/>
<UniformMass totalMass="1"/><MeshTopology name="mesh" triangles="0 1 2"/><OglColorMap name="map" showLegend="1" %s/>
<NormEngine name="norm" template="Vec3d" input="@state.velocity"/>
<DataDisplay name="show" position="@state.position" topology="@mesh" colorMap="@map" pointData="@norm.output" %s/>
<WriteState name="writer" filename="%s" time="0" period="0.1" writeX="1"/>
</Node></Node>"""


def series(folder, name, limits, own):
    """Runs a scene of growing velocities. -> status, output, pictures, recorded states"""
    scene, record = os.path.join(folder, name + ".scn"), os.path.join(folder, name + ".state")
    with open(scene, "w") as file:
        file.write(COLOURS % (limits, own, record))
    done = subprocess.run([PROGRAM, "-g", "batch", "-n", "4", "--size", "128x96", "--screenshot", name + ".png",
                           "--screenshot-every", "2", scene], cwd=folder, text=True,
                          env=dict(os.environ, LIBGL_ALWAYS_SOFTWARE="1"), stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    pictures = []
    for step in (0, 2, 4):
        with open(os.path.join(folder, "%s_%06d.png" % (name, step)), "rb") as file:
            pictures.append(re.sub(rb"....tEXtComment\0csofa .*?(?=....IDAT)", b"", file.read(), flags=re.S))
    with open(record, "rb") as file:
        return done.returncode, done.stdout, pictures, file.read()


def ranges(folder):
    """All pictures of a series have the range of the whole run, as with these limits: the speed is 0.4 m/s at the end."""
    status, output, expected, record = series(folder, "limits", 'min="0" max="0.4"', "")
    check("limits of a map", status == 0 and "run twice" not in output, output)
    check("pictures differ", len(set(expected)) == 3, [len(p) for p in expected])
    for name, own, twice in (("free", "", 1), ("user", 'userRange="0 0.4"', 0), ("last", 'maximalRange="0"', 1)):
        status, output, pictures, states = series(folder, name, "", own)
        check("range of a series: " + name, status == 0 and output.count("run twice") == twice, output)
        check("pictures of the same range: " + name, pictures == expected,
              [p == q for p, q in zip(pictures, expected)])
        check("files are written once: " + name, states == record, (states, record))
        check("the range is not reported: " + name, "range of the colours changed" not in output, output)


def main():
    with tempfile.TemporaryDirectory() as temporary:
        folder = os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 else temporary
        os.makedirs(folder, exist_ok=True)
        output = picture(folder, os.path.join(PROJECT, "scenes", "visual", "OglModel.scn"), "model")[1]
        if "no pictures can be made" in output:
            print("skipped: " + output.splitlines()[0])
            return 77
        check("a scene with a model", NOTHING not in output, output)
        documented(folder)
        empty_scenes(folder)
        ranges(folder)
    print("%d failures" % failures)
    return 1 if failures else 0


sys.exit(main())
