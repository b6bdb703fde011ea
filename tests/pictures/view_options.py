#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What --show, --camera, --look-at and --colour do to pictures: looks at their pixels, and at what is
refused. usage: view_options.py RUNCSOFA [FOLDER_OF_PLUGINS]"""
import math
import os
import subprocess
import sys
import tempfile

from png import read_png

PROGRAM = os.path.abspath(sys.argv[1])
PLUGINS = sys.argv[2] if len(sys.argv) > 2 else None
WIDTH, HEIGHT = 400, 300
failures = 0

# a bar of 4 x 1 x 1 hexahedra along x, seen from the front; its points move along x, the farther
# right the faster; one at the left end falls
BAR = """<Node name="root" dt="0.1" gravity="0 -1 0">
  <RequiredPlugin pluginName="Sofa.Component"/><DefaultAnimationLoop/>
  <VisualStyle displayFlags="showVisual"/><BackgroundSetting color="0 0 0 1"/>
  <InteractiveCamera position="0 1.5 8" lookAt="0 1.5 0" fieldOfView="45"/>
  <Node name="bar">
    <EulerImplicitSolver/><CGLinearSolver iterations="9" tolerance="1e-9" threshold="1e-9"/>
    <RegularGridTopology name="grid" n="5 2 2" min="-2 -0.5 -0.5" max="2 0.5 0.5"/>
    <MechanicalObject name="state" position="@grid.position" velocity="%s"/>
    <UniformMass name="mass" totalMass="20"/>
    <Node name="look">
      <OglModel name="skin" position="-2 -0.5 0.6 2 -0.5 0.6 2 0.5 0.6 -2 0.5 0.6" quads="0 1 2 3"
        color="1 0 0 1"/>
    </Node>
  </Node>
</Node>""" % " ".join("%g 0 0" % (i % 5) for i in range(20))

# two tetrahedra with a number each
TETRAS = """<Node name="root" dt="0.01" gravity="0 0 0">
  <RequiredPlugin pluginName="Sofa.Component"/><DefaultAnimationLoop/>
  <BackgroundSetting color="0 0 0 1"/>
  <InteractiveCamera position="0 2 9" lookAt="0 2 0" fieldOfView="45"/>
  <Node name="two">
    <EulerImplicitSolver/><CGLinearSolver iterations="9" tolerance="1e-9" threshold="1e-9"/>
    <MeshTopology name="mesh" position="-1 -1 0  0 -1 0  -0.5 1 0  -0.5 0 -1
      0.2 -1 0  1.2 -1 0  0.7 1 0  0.7 0 -1" tetrahedra="0 2 1 3  4 6 5 7"/>
    <MechanicalObject name="state"/>
    <TetrahedronFEMForceField name="fem" youngModulus="1000 5000" poissonRatio="0.3"
      method="large"/>
    <UniformMass totalMass="1"/>
  </Node>
  <Node name="points">
    <MechanicalObject name="state" position="-2 0.9 0 2 0.9 0" velocity="0 0 0 0 3 0"/>
  </Node>
</Node>"""


# a cube that is pressed at the right side, with elements of its own
CARIBOU = """<Node name="root" dt="0.01" gravity="0 0 0">
  <RequiredPlugin pluginName="Sofa.Component SofaCaribou"/><DefaultAnimationLoop/>
  <BackgroundSetting color="0 0 0 1"/>
  <InteractiveCamera position="0 2 9" lookAt="0 2 0" fieldOfView="45"/>
  <Node name="block">
    <MechanicalObject name="state" position="-2 -1 0  0 -1 0  0 0 0  -2 0 0  -2 -1 1  0 -1 1
      0 0 1  -2 0 1   2.2 -1 0  2.2 0 0  2.2 -1 1  2.2 0 1"
      rest_position="-2 -1 0  0 -1 0  0 0 0  -2 0 0  -2 -1 1  0 -1 1
      0 0 1  -2 0 1   2 -1 0  2 0 0  2 -1 1  2 0 1"/>
    <MeshTopology name="also" hexahedra="0 1 2 3 4 5 6 7  1 8 9 2 5 10 11 6"/>
    <CaribouTopology name="mesh" template="Hexahedron"
      indices="0 1 2 3 4 5 6 7  1 8 9 2 5 10 11 6"/>
    <SaintVenantKirchhoffMaterial young_modulus="1000" poisson_ratio="0"/>
    <HyperelasticForcefield name="fem" template="Hexahedron" topology="@mesh"/>
  </Node>
</Node>"""


def check(what, good, found=None):
    global failures
    if not good:
        failures += 1
        print("wrong: %s: %s" % (what, found))


def run(folder, scene, *words):
    path = os.path.join(folder, "scene.scn")
    with open(path, "w", encoding="utf-8") as file:
        file.write(scene)
    result = subprocess.run(
        [PROGRAM, "-g", "batch", "--hideProgressBar", "--size", "%dx%d" % (WIDTH, HEIGHT)] +
        list(words) + [path], cwd=folder, env=dict(os.environ, LIBGL_ALWAYS_SOFTWARE="1"),
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return result.returncode, result.stdout.decode("utf-8", "replace")


def picture(folder, scene, *words, steps=0):
    status, text = run(folder, scene, "-n", str(steps), "--screenshot", "a.png", *words)
    if "no pictures can be made" in text:
        print("skipped: " + text.splitlines()[0])
        sys.exit(77)
    check("status of %s" % (words,), status == 0, text)
    return read_png(os.path.join(folder, "a.png"))


def lit(rows, test=lambda c: max(c) > 40):
    """Places whose colour passes a test, below the legend."""
    return [(x, y) for y in range(186, HEIGHT) for x in range(WIDTH) if test(rows[y][x])]


def anywhere(rows, test=lambda c: max(c) > 40):
    return [(x, y) for y in range(HEIGHT) for x in range(WIDTH) if test(rows[y][x])]


def pixel(rows, x, y, z, eye):
    """The colour of a place, from an eye that looks along -z with 45 degrees."""
    scale = HEIGHT / 2 / math.tan(math.pi / 8) / (eye[2] - z)
    return rows[int(HEIGHT / 2 - scale * (y - eye[1]))][int(WIDTH / 2 + scale * (x - eye[0]))]


def of_bar(rows, x):
    return pixel(rows, x, 0, 0.5, (0, 1.5, 8))


def of_pair(rows, x, y):
    return pixel(rows, x, y, 0, (0, 2, 9))


def is_low(c):  # the violet end of the colours, shaded
    return c[2] > 30 and c[2] > 1.5 * c[1] and c[0] < 1.3 * c[2] and c[0] > 0.4 * c[2]


def is_middle(c):  # blue green
    return c[1] > 60 and c[2] > 60 and c[0] < 0.6 * c[1]


def is_high(c):  # yellow
    return c[0] > 90 and c[1] > 90 and c[2] < 0.5 * c[1]


def is_red(c):
    return c[0] > 60 and c[1] < 0.5 * c[0] and c[2] < 0.5 * c[0]


def colours(folder):
    # the scene shows the red quad; the colours take its place
    plain = picture(folder, BAR)
    check("the scene itself", is_red(of_bar(plain, 0)), of_bar(plain, 0))
    rows = picture(folder, BAR, "--colour", "/bar/state.velocity.x")
    for what, x, test in (("left end", -1.95, is_low), ("middle", 0, is_middle),
                          ("right end", 1.95, is_high)):
        check(what, test(of_bar(rows, x)), of_bar(rows, x))
    check("no red is left", not lit(rows, is_red))
    back = picture(folder, BAR, "--colour", "/bar/state.velocity.x", "--camera",
                   "0 1.5 -8  0 1.5 0  0 1 0")
    check("from behind, the right end", is_high(of_bar(back, -1.9)), of_bar(back, -1.9))
    norm = picture(folder, BAR, "--colour", "/bar/state.velocity", "--camera", "0 1.5 -8, 0 1.5 0")
    check("the length of vectors", is_high(of_bar(norm, -1.9)), of_bar(norm, -1.9))
    # the legend: its bar goes from high at the top to low at the bottom, with numbers beside it
    high = [y for x, y in anywhere(rows, is_high) if y < 186]
    low = [y for x, y in anywhere(rows, is_low) if y < 186 and x > WIDTH // 2]
    check("a legend", high and low and max(high) < min(low), (high[:1], low[:1]))
    white = [x for x, y in anywhere(rows, lambda c: min(c) > 120) if y < 186]
    check("numbers of the legend", len(white) > 40 and max(white) < WIDTH - 10, len(white))
    # a given range
    rows = picture(folder, BAR, "--colour", "/bar/state.velocity.x", "--colour-range", "0:1000")
    check("below the range", is_low(of_bar(rows, 1)), of_bar(rows, 1))
    # what the scene shows is there again where it is asked for
    rows = picture(folder, BAR, "--colour", "/bar/state.velocity.x", "--show", "visual")
    check("with the visual models", is_red(of_bar(rows, 0)), of_bar(rows, 0))


def elements(folder):
    # one colour per element: both ends of the colours, nothing between
    rows = picture(folder, TETRAS, "--colour", "/two/fem.youngModulus")
    check("the first element", is_low(of_pair(rows, -0.5, -0.8)), of_pair(rows, -0.5, -0.8))
    check("the second one", is_high(of_pair(rows, 0.7, -0.8)), of_pair(rows, 0.7, -0.8))
    check("the space between", max(of_pair(rows, 0.1, -0.8)) < 20, of_pair(rows, 0.1, -0.8))
    check("no other colours", len(lit(rows, is_middle)) < 20, len(lit(rows, is_middle)))
    # stresses that are computed when the picture is drawn: the second one is stretched
    pulled = TETRAS.replace('<MechanicalObject name="state"/>', '<MechanicalObject name="state" rest_position="@mesh.position" '
                            'position="-1 -1 0 0 -1 0 -0.5 1 0 -0.5 0 -1 0.2 -1 0 1.2 -1 0 0.7 1.2 0 0.7 0 -1"/>')
    for field in ("vonMisesPerElement", "energyPerElement", "elementStress.y", "nodeStress.y", "vonMisesPerNode"):
        rows = picture(folder, pulled, "--colour", "/two/fem." + field)
        check(field + " at rest", is_low(of_pair(rows, -0.5, -0.8)), of_pair(rows, -0.5, -0.8))
        check(field, is_high(of_pair(rows, 0.7, -0.8)), of_pair(rows, 0.7, -0.8))
    # points without elements
    rows = picture(folder, TETRAS, "--colour", "/points/state.velocity.y")
    check("the point that rests", is_low(of_pair(rows, -2, 0.9)), of_pair(rows, -2, 0.9))
    check("the point that moves", is_high(of_pair(rows, 2, 0.9)), of_pair(rows, 2, 0.9))


def caribou(folder):
    """Elements that no topology has, by their stress, and by a field of the points."""
    if not PLUGINS:
        return
    more = ("--plugin-path", PLUGINS, "--colour")
    rows = picture(folder, CARIBOU, *more, "/block/fem.vonMisesPerElement")
    check("without stress", is_low(of_pair(rows, -1, -0.5)), of_pair(rows, -1, -0.5))
    check("with stress", is_high(of_pair(rows, 1, -0.5)), of_pair(rows, 1, -0.5))
    rows = picture(folder, CARIBOU, *more, "/block/fem.vonMisesPerNode")
    check("points without stress", is_low(of_pair(rows, -1.8, -0.5)), of_pair(rows, -1.8, -0.5))
    check("points between", is_middle(of_pair(rows, 0.05, -0.5)), of_pair(rows, 0.05, -0.5))
    rows = picture(folder, CARIBOU, *more, "/block/state.position.x")
    check("a field of the state", is_high(of_pair(rows, 2, -0.5)), of_pair(rows, 2, -0.5))
    status, text = run(folder, CARIBOU, "-n", "0", "--screenshot", "n.png", *more, "/block/mesh.indices")
    check("no numbers", status == 1 and "no numbers" in text, text)


def temperatures(folder):
    """Numbers of a state without places: at those of the body above."""
    heat = TETRAS.replace('<UniformMass totalMass="1"/>', '<UniformMass totalMass="1"/>'
                          '<Node name="heat"><MechanicalObject name="state" template="Vec1" '
                          'position="0 0 0 0 1 1 1 1"/></Node>')
    rows = picture(folder, heat, "--colour", "/two/heat/state.position")
    check("cold", is_low(of_pair(rows, -0.5, -0.8)), of_pair(rows, -0.5, -0.8))
    check("warm", is_high(of_pair(rows, 0.7, -0.8)), of_pair(rows, 0.7, -0.8))


def series(folder):
    # a first run measures the range that all pictures share: the velocity of the fall, 0 to 0.5
    status, text = run(folder, BAR, "-n", "5", "--screenshot", "b.png", "--screenshot-every", "1",
                       "--colour", "/bar/state.velocity.y")
    check("series", status == 0 and "run twice" in text, text)
    rows = [read_png(os.path.join(folder, "b_%06d.png" % i)) for i in range(6)]
    check("at rest: the upper end", is_high(of_bar(rows[0], 0)), of_bar(rows[0], 0))
    check("at the end: the lower one", is_low(of_bar(rows[5], 0)), of_bar(rows[5], 0))
    legends = [[row[WIDTH // 2:] for row in r[:170]] for r in rows]
    check("one legend for all", all(legend == legends[0] for legend in legends))


def cameras(folder):
    def wide(rows):
        columns = [x for x, y in anywhere(rows)]
        return max(columns) - min(columns)

    near = picture(folder, BAR, "--camera", "0 0 20  0 0 0")
    far = picture(folder, BAR, "--camera", "0 0 60  0 0 0")
    check("distance", wide(near) > 2.5 * wide(far), (wide(near), wide(far)))
    tele = picture(folder, BAR, "--camera", "0 0 60  0 0 0  15")
    check("field of view", wide(tele) > 2.5 * wide(far), (wide(tele), wide(far)))
    up = picture(folder, BAR, "--camera", "0 0 20  0 0 0  1 0 0  45")
    check("upwards", wide(up) < 0.5 * wide(near), (wide(up), wide(near)))
    with open(os.path.join(folder, "c.view"), "w", encoding="utf-8") as file:
        file.write('<Camera><position value="0 0 60"/><orientation value="0 0 0 1"/></Camera>')
    file = picture(folder, BAR, "--camera", "c.view")
    check("view file", abs(wide(file) - wide(far)) <= 1, (wide(file), wide(far)))
    # the camera moves to what is looked at
    red = lambda rows: anywhere(rows, is_red)
    place = red(picture(folder, BAR, "--look-at", "0 -1 0"))
    check("the bar is above the middle", max(y for x, y in place) < HEIGHT // 2, max(place))
    rows = picture(folder, TETRAS, "--look-at", "/points/state", "--show", "points")
    row = [x for x in range(WIDTH) if is_red(rows[HEIGHT // 2][x]) or max(rows[HEIGHT // 2][x]) > 90]
    check("both points are in the middle row", row and min(row) < 140 and max(row) > 260, row)
    # one that was given stays and turns
    turned = picture(folder, BAR, "--camera", "0 0 20  0 0 0", "--look-at", "0 3 0")
    check("the camera turns", min(y for x, y in red(turned)) > HEIGHT // 2)
    check("and stays", abs(wide(turned) - wide(near)) < 8, (wide(turned), wide(near)))


def flags(folder):
    check("hidden", not anywhere(picture(folder, BAR, "--show", "hideVisual")))
    red = len(lit(picture(folder, BAR, "--show", "showVisual"), is_red))
    frame = len(lit(picture(folder, BAR, "--show", "wireframe"), is_red))
    check("wireframe", 20 < frame < red / 3, (frame, red))
    elements_of = lambda *words: len(lit(picture(folder, TETRAS, "--show", *words)))
    check("force fields", elements_of("forces") > 5 * max(1, elements_of("hideForceFields")))


def refusals(folder):
    shot = ("-n", "1", "--screenshot", "a.png")
    for words, status, text in (
            (("--show", "showVisul") + shot, 2, "did you mean 'Visual'"),
            (("--show", "wirefram") + shot, 2, "did you mean 'Wireframe'"),
            (("--show", "qqqq") + shot, 2, "'qqqq' is not a display flag"),
            (("--colour-range", "1:2") + shot, 2, "needs --colour"),
            (("--colour", "/bar/state.velocity", "--colour-range", "2:1") + shot, 2, "A:B"),
            (("--colour", "/bar/state.velocity", "--colour-range", "2") + shot, 2, "A:B"),
            (("--colour", "/bar/state.velocity", "-n", "1"), 2, "--screenshot or --video"),
            (("--colour", "/bar/sate.velocity") + shot, 1, "did you mean '/bar/state'"),
            (("--colour", "/bar/state.velocty") + shot, 1, "did you mean 'velocity'"),
            (("--colour", "/bar/state.velocity.7") + shot, 1, "no such number"),
            (("--colour", "/bar/state.velocity:max") + shot, 1, "a number for each point"),
            (("--colour", "/bar/state.velocity[3]") + shot, 1, "a number for each point"),
            (("--colour", "kineticEnergy") + shot, 1, "a number for each point"),
            (("--colour", "/bar/mass.name") + shot, 1, "no numbers"),
            (("--colour", "/bar/grid.n") + shot, 1, "expected one for each point or element (20 points"),
            (("--camera", "1 2 3 4") + shot, 1, "expected a view file"),
            (("--camera", "1 2 3 1 2 3") + shot, 1, "another"),
            (("--camera", "0 0 1 0 0 0 180") + shot, 1, "below 180"),
            (("--look-at", "/bor") + shot, 1, "did you mean '/bar'"),
            (("--look-at", "1 2") + shot, 1, "three numbers")):
        got, said = run(folder, BAR, *words)
        check("refuses %s" % (words,), got == status and text in said, (got, said))
        check("no picture of %s" % (words,), not os.path.exists(os.path.join(folder, "a.png")))


def main():
    with tempfile.TemporaryDirectory() as folder:
        picture(folder, BAR)
        os.remove(os.path.join(folder, "a.png"))
        for part in (refusals, colours, elements, caribou, temperatures, series, cameras, flags):
            part(folder)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
