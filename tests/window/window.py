#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plays scripts to the window of runcsofa on a virtual display (xvfb-run) and looks at what comes
of it. Status 77: there is no virtual display here.

usage: window.py PROGRAM CASE [FOLDER]"""
import os, re, shutil, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.abspath(sys.argv[1])
FOLDER = None

RUN = """
expect loaded = 1
expect steps = 0
expect animate = 0
# a step, then running
key N
wait-for steps = 1
key Space
wait-for steps > 5
expect animate = 1
key Space
wait-for animate = 0
# so does `animate` of the root, which objects of the scene change, too
set / animate 1
let b steps
wait-for steps > b
expect animate = 1
set / animate 0
wait-for animate = 0
let a steps
wait 0.3
expect steps = a
step 3
wait-for steps = a + 3
expect time > 0
# reset gives the first state again
let y /beam/state:position[1]
key R
expect steps = 0
expect /beam/state:position[25] ~ 0
expect time = 0
key Space
wait-for steps > 2
resize 900 700
wait-for width = 900
wait 2
# the window is drawn as often as the display shows it, however small the steps are
expect frame-rate < 90
expect gl-errors = 0
expect errors = 0
close
"""

EDIT = """
expect loaded = 1
# without an edit: how far the end (point 8) falls
step 80
wait-for steps = 80
let y /beam/state:position[25]
reset
step 80
wait-for steps = 80
expect /beam/state:position[25] = y
# softer: it falls farther
reset
select /beam/fem
set /beam/fem youngModulus 300
expect refused = 0
expect /beam/fem:youngModulus[0] = 300
step 80
wait-for steps = 80
expect /beam/state:position[25] < y + -0.0001
# what is not possible is refused with the reason, and the old value stays
set /beam/fem poissonRatio 0.7
expect refused = 1
expect-message expected in (-1, 0.5)
expect /beam/fem:poissonRatio[0] = 0.3
set /beam/fem youngModulus -5
expect refused = 1
expect /beam/fem:youngModulus[0] = 300
set /beam/fem youngModulus stiff
expect refused = 1
expect-message cannot read "stiff"
expect /beam/fem:youngModulus[0] = 300
set /beam/state position 1 2 3
expect refused = 1
expect-message length of this list cannot change
set /beam/fem nosuchfield 3
expect refused = 1
set /beam/fem name other
expect refused = 1
# an entry of a list; its neighbours stay
let z /beam/state:position[23]
set-entry /beam/state position 8 4 0.25 0
expect refused = 0
expect /beam/state:position[25] = 0.25
expect /beam/state:position[23] = z
set-entry /beam/state position 81 0 0 0
expect refused = 1
expect-message no entry 81
reset
# other lengths and links: the constraint is made anew, and holds the other end now
set /beam/clamp indices 0 9 18 27
expect refused = 0
expect /beam/clamp:indices[3] = 27
set /beam/clamp indices @box.indices
expect refused = 0
step 3
wait-for steps = 3
expect /beam/state:position[25] = 0
expect /beam/state:position[1] < 0
# what is not there is told, and the link stays
set /beam/clamp indices @nothing.there
expect refused = 1
expect-message nothing was found
set /beam/clamp indices 0 99
expect refused = 1
expect-message expected
step 3
wait-for steps = 6
expect /beam/state:position[25] = 0
set /beam/fem topology @state
expect refused = 1
set /beam/state position @box.position
expect refused = 1
expect-message relies on it
set /beam/ode linearSolver @cg
expect refused = 1
expect-message looked it up
set /beam/clamp indices 0 9 18 27 36 45 54 63 72
expect refused = 0
reset
step 80
wait-for steps = 80
# and the run goes on
step 5
wait-for steps = 85
set / gravity 0 0 0
expect refused = 0
expect /:gravity[1] = 0
# nodes can be left out
activate /beam 0
let y /beam/state:position[25]
step 2
wait-for steps = 87
expect /beam/state:position[25] = y
activate /beam 1
step 2
wait-for steps = 89
expect /beam/state:position[25] != y
expect gl-errors = 0
close
"""

PULL = """
expect loaded = 1
set / gravity 0 0 0
let x /beam/state:position[186]
let y /beam/state:position[187]
# picking: a click tells the number of a point
point /beam/state 62
press l
release l
wait 0.2
expect picked = 62
# a click on a face tells the element, too; beside the body nothing is selected
point /beam/state 61 62 70 71
press l
release l
wait 0.2
expect element = 23
screenshot {folder}/element.png
move 10 10
press l
release l
wait 0.2
expect picked = -1
expect element = -1
# pulling while it runs: upwards
point /beam/state 62
press l shift
wait-for pulls = 1
key Space
move-by 0 -60
wait-for /beam/state:position[187] > y + 0.02
move-by 0 -20
let steps0 steps
wait-for steps > steps0 + 5
key Space
wait-for animate = 0
release l
wait-for pulls = 0
step 1
wait 0.3
expect gl-errors = 0
expect errors = 0
close
"""

# single points are found before a surface that nothing moves, and behind it not
POINTS = """
expect loaded = 1
point /a/state 0
press l
release l
wait 0.2
expect picked = 0
point /a/state 1
press l
release l
wait 0.2
expect picked = -1
point /a/state 0
press l shift
wait-for pulls = 1
release l
wait-for pulls = 0
close
"""

WALL = """<Node name="root" gravity="0 0 0"><DefaultAnimationLoop/>
<InteractiveCamera position="0 0 9" lookAt="0 0 0"/>
<Node name="a"><EulerImplicitSolver/><CGLinearSolver iterations="9" tolerance="1e-9"
  threshold="1e-9"/><MechanicalObject name="state" position="1 0 1 -1 0 -1"/>
<UniformMass totalMass="1"/></Node>
<OglModel name="wall" position="-9 -9 0 9 -9 0 9 9 0 -9 9 0" quads="0 1 2 3"/></Node>"""

RELOAD = """
expect loaded = 1
let d distance
move 300 200
scroll 3
expect distance < d
let d distance
step 4
wait-for steps = 4
# somebody saves a scene with an error: file and line are told, the window lives
copy {bad} {scene}
key Ctrl+R
wait-for loaded = 0
expect-message youngModulus
expect-message line 14
step 1
wait 0.2
# and the one that was repaired is shown, the camera stays
copy {good} {scene}
key F5
wait-for loaded = 1
expect steps = 0
expect distance ~ d
# its objects are not marked with what was wrong with the other one, but with their own
expect marked = 0
set /beam/fem poissonRatio 7
wait-for marked = 1
select /beam/fem
step 1
wait-for steps = 1
# not even a scene
copy {nonsense} {scene}
reload
wait-for loaded = 0
open {good}
wait-for loaded = 1
open {folder}/missing.scn
wait-for loaded = 0
expect gl-errors = 0
close
"""

RECORD = """
expect loaded = 1
screenshot {folder}/a.png
window-shot {folder}/b.png
key V
step 5
wait-for steps = 5
key V
save-log {folder}/log.txt
save-plots {folder}/plot.csv
wait 0.3
expect-message wrote
expect gl-errors = 0
close
"""

VIEW = """
expect loaded = 1
let x camera-x
move 300 200
press l
move-by 80 20
release l
expect camera-x != x
let x camera-x
press r
move-by 40 0
release r
expect camera-x != x
let d distance
press m
move-by 0 40
release m
expect distance != d
key X
let x camera-x
key Shift+X
expect camera-x < x
key Y
key Shift+Y
key Z
key Shift+Z
key O
key W
key B
key B
key Ctrl+A
box
key Home
key F
key H
wait 0.3
key H
flag ForceFields hide
resize 400 300
wait-for width = 400
resize 1 1
wait 0.3
let f steps
minimise
step 3
wait-for steps = f + 3
restore
resize 1100 800
wait-for width = 1100
wait 0.3
expect gl-errors = 0
expect errors = 0
close
"""

PANELS = """
expect panels = 1
expect loaded = 1
select /beam/cg
energies 1
timers 1
watch /beam/state position 8.1
step 5
wait-for steps = 5
wait 0.3
expect samples = 5
expect timers > 3
expect linear > 1
expect kinetic > 0
expect watched ~ /beam/state:position[25]
tab 2
wait 0.2
tab 3
wait 0.2
tab 4
wait 0.2
tab 5
wait 0.2
select /beam/state
wait 0.3
watch /beam/state nothing 0
expect-message has no number
unwatch 0
key Tab
wait 0.2
expect panels = 0
key Tab
wait 0.2
expect panels = 1
clear-log
expect gl-errors = 0
key Escape
"""

OPERATE = """
expect loaded = 1
key Z
# Shift + middle: a cut from click to click, from border to border
point /sheet/state 1
move-by 0 -4
press m shift
release m
wait-for-message a cut begins here
point /sheet/state 9
move-by 0 4
press m shift
release m
wait-for-message points are doubled
expect /sheet/state:position[36] ~ 1
step 3
wait-for steps = 3
# beside everything the path ends
move 2 2
press m shift
release m
wait-for-message the path is ended
# Shift + right: triangles go, and while the button is down more of them
point /sheet/state 11
move-by -14 6
press r shift
wait-for-message removed
move-by -60 20
release r
wait 0.3
expect errors = 0
# the skin of a volume: the tetrahedron goes
point /block/state 3
move-by 3 0
press r shift
release r
wait 0.3
expect errors = 0
# what cannot change says so
point /fixed/state 0
move-by 8 -3
press r shift
release r
wait-for-message cannot change
expect errors = 1
press m shift
release m
wait-for-message cannot be cut
expect errors = 2
# fixing by another button, chosen by the user
mouse left fix
point /sheet/state 4
move-by 4 0
press l shift
release l
wait-for-message fixed by a spring
expect held = 1
# joining two bodies
mouse left suture
hold-stiffness suture 30
point /sheet/state 8
move-by 4 4
press l shift
release l
wait-for-message a suture begins here
point /block/state 1
move-by -3 -1
press l shift
release l
wait-for-message joined by a spring
expect held = 2
let y /block/state:position[4]
step 30
wait-for steps = 33
expect /block/state:position[4] < y + -0.01
let-go
expect held = 0
# Shift without an operation turns the view
mouse left none
let x camera-x
move 300 200
press l shift
move-by 80 20
release l
expect camera-x != x
mouse left fly
expect-message expected: mouse left|middle|right
snap 0.2 0.9
expect-message two numbers in [0, 0.5]
tab Mouse
wait 0.2
# and while it runs: at rest, so that a slow machine finds the point where it is shown
mouse left attach
key R
wait-for steps = 0
key Space
wait-for steps > 7
key Z
point /sheet/state 4
move-by 4 0
press l shift
wait-for pulls = 1
press m shift
release m
release l
wait-for pulls = 0
key R
wait-for steps = 0
expect gl-errors = 0
close
"""

VIEW_FILE = """
expect loaded = 1
# the file beside the scene was read
expect camera-x ~ 2
expect camera-y ~ 3
expect camera-z ~ 9
expect distance ~ 8
expect-message the camera is that of
# another one is kept, the run goes on, and it is taken again
move 300 200
press l
move-by 80 20
release l
scroll 2
let x camera-x
let d distance
key Ctrl+S
wait-for-message wrote
key Home
expect camera-x != x
key Ctrl+L
expect camera-x ~ x
expect distance ~ d
# a file opened anew has it, too; a broken one is told with its line, and nothing moves
open {scene}
wait-for loaded = 1
expect camera-x ~ x
view-load {folder}/broken.view
expect-message expected finite numbers
expect-message line 3
expect camera-x ~ x
view-load {folder}/nocamera.view
expect-message an element <Camera>
close
"""

# somebody drags a file onto the window: a stage file tells when
DROP = """
expect loaded = 1
step 3
wait-for steps = 3
save-log {folder}/stage1
wait-for-message dropped one.scn: loaded
expect steps = 0
expect loaded = 1
close
"""
DROP_STEPS = """
after {folder}/stage1
drop {folder}/dropped one.scn
"""

# a real mouse and keyboard, on panels, too
USER = """
expect loaded = 1
resize 1280 800
wait-for width = 1280
wait 0.3
let w view-width
let h view-height
save-log {folder}/stage1
# the bars between the panels
wait-for view-height >= h + 90
wait-for view-width >= w + 90
# a row of the tree
expect fields = 0
save-log {folder}/stage2
wait-for fields > 5
# buttons of the menu
let s steps
save-log {folder}/stage3
wait-for steps = s + 1
save-log {folder}/stage4
wait-for animate = 1
wait-for steps > s + 4
save-log {folder}/stage5
wait-for animate = 0
# keys, when the picture was clicked
save-log {folder}/stage6
wait-for picked >= 0
wait-for animate = 1
wait-for animate = 0
let d distance
save-log {folder}/stage7
wait-for distance < d
# pulling
let x camera-x
save-log {folder}/stage8
wait-for pulls = 1
wait-for pulls = 0
expect camera-x = x
# turning
save-log {folder}/stage9
wait-for camera-x != x
# the panel beside a field plots an entry
save-log {folder}/stage10
wait-for watches = 1
# the right button on a node; Escape closes the list of files before it would close the window
save-log {folder}/stage11
wait-for /beam:activated = 0
key Ctrl+O
wait-for files = 1
save-log {folder}/stage12
wait-for files = 0
window-shot {folder}/user.png
expect errors = 0
expect gl-errors = 0
close
"""
# pauses, so that a slow machine draws between what the hand does
USER_STEPS = """
after {folder}/stage1
xdotool mousemove 800 558 sleep 1 mousedown 1 sleep 1 mousemove 800 600 sleep 1 mousemove 800 660 sleep 1 mouseup 1
xdotool mousemove 382 300 sleep 1 mousedown 1 sleep 1 mousemove 330 300 sleep 1 mousemove 280 300 sleep 1 mouseup 1
after {folder}/stage2
xdotool mousemove 150 230 sleep 1 click 1
after {folder}/stage3
xdotool mousemove 156 10 sleep 1 click 1
after {folder}/stage4
xdotool mousemove 109 10 sleep 1 click 1
after {folder}/stage5
xdotool sleep 1 click 1
after {folder}/stage6
xdotool mousemove 790 330 sleep 1 click 1 sleep 1 key space sleep 1 key space
after {folder}/stage7
xdotool click 4
after {folder}/stage8
xdotool keydown shift mousedown 1 sleep 1 mousemove 790 250 sleep 1 mouseup 1 keyup shift
after {folder}/stage9
xdotool mousedown 1 mousemove 810 260 mousemove 860 270 mouseup 1
after {folder}/stage10
xdotool mousemove 18 461 sleep 1 click 1 sleep 1 mousemove 90 501 sleep 1 click 1
after {folder}/stage11
xdotool mousemove 80 158 sleep 1 click 3 sleep 1 mousemove 115 174 sleep 1 click 1
after {folder}/stage12
xdotool sleep 1 key Escape
"""

# faster than the window is drawn: every event is delivered, in its order and at its place
FAST = """
expect loaded = 1
resize 1280 800
wait-for width = 1280
layout left 280
layout bottom 140
wait 0.5
expect fields = 0
save-log {folder}/stage1
# a click on the picture just after the mouse left a panel, then keys
wait-for steps = 5
expect picked >= 0
save-log {folder}/stage2
# a row of the tree, the background of the picture, keys
wait-for steps = 8
expect fields > 5
wait-for picked = -1
save-log {folder}/stage3
# typed into a field at once: not one of the keys is for the scene
wait 3
expect steps = 8
expect errors = 0
expect gl-errors = 0
close
"""
FAST_STEPS = """
after {folder}/stage1
xdotool mousemove 150 230 sleep 1 mousemove 790 330 click 1 key n key n key n key n key n
after {folder}/stage2
xdotool mousemove 150 230 click 1 mousemove 1200 100 click 1 key n key n key n
after {folder}/stage3
xdotool mousemove 100 42 click 1 key n key n key n
"""

# a file as runSofa writes it
RUNSOFA_VIEW = """<?xml version="1.0"?>
<Camera version="1.0">
  <!--Vector of 3 reals (x, y, z)-->
  <position value="2 3 9" />
  <!--Quaternion (x, y, z, w)-->
  <orientation value="0 0 0 1" />
  <!--Real-->
  <fieldOfView value="45" />
  <!--Real-->
  <distance value="8" />
  <!--Real-->
  <zNear value="0.1" />
  <!--Real-->
  <zFar value="50" />
  <!--Int (0 -> Perspective, 1 -> Orthographic)-->
  <projectionType value="Perspective" />
</Camera>
"""

# steps of some tenths of a second: the window is drawn meanwhile
SLOW = """
expect loaded = 1
step 4
wait-for steps = 4
expect busy-frames > 3
key Space
wait 0.5
close
"""

# Mesa's numbers for a machine with an old driver
OLD_GL = {"MESA_GL_VERSION_OVERRIDE": "2.1", "MESA_GLSL_VERSION_OVERRIDE": "120"}


# as where the drivers are not installed
NO_GL = {"LIBGL_DRIVERS_PATH": "/nonexistent", "GBM_DRIVERS_PATH": "/nonexistent",
         "LIBGL_ALWAYS_SOFTWARE": "1"}


# The leak checker reads the memory of every thread. It crashes in most programs that close their
# window at once, where threads of the OpenGL driver have just begun or ended; that says nothing
# about the program. Such a run is made again, and then without the checker.
CHECKER_FAILED = "LeakSanitizer has encountered a fatal error"


def check(condition, text):
    if not condition:
        print("not so:", text)
        sys.exit(1)


def path(name):
    return os.path.join(FOLDER, name)


def write(name, text):
    with open(path(name), "w", encoding="utf-8") as file:
        file.write(text)
    return path(name)


def scene(change=("", "")):
    with open(os.path.join(HERE, "beam.scn"), encoding="utf-8") as file:
        return file.read().replace(*change) if change[0] else file.read()


def look_at(result):
    """Prints what the program said, and looks for the findings of sanitizers in it."""
    print(result.stdout + result.stderr)
    check("ERROR: AddressSanitizer" not in result.stderr, "the sanitizer is content")
    # the OpenGL driver and the X client keep memory of their own until the end
    for leak in result.stderr.split("leak of")[1:]:
        check(not re.search(r"#\d+ \S+ in .*/(core|components|viewer|apps)/", leak), "no leak")


def on_display(command, environment):
    """Runs it on a display of its own. The status is that of the command: xvfb-run has another one where a server
    that still ends is in the way of its cleaning up."""
    status = path("status")
    if os.path.exists(status):
        os.remove(status)
    kept = ["sh", "-c", '"$@"; echo $? >"$0"', status]
    result = subprocess.run(["xvfb-run", "-a", "-s", "-screen 0 1280x1024x24"] + kept + command, env=environment,
                            cwd=FOLDER, text=True, capture_output=True, timeout=280)
    if os.path.exists(status):
        with open(status, encoding="utf-8") as file:
            result.returncode = int(file.read())
    return result


def program(arguments, script=None, display=True, more=None):
    """Runs it with a configuration folder of its own; returns status, stdout, stderr."""
    environment = dict(os.environ, XDG_CONFIG_HOME=path("config"))
    environment.pop("WAYLAND_DISPLAY", None)
    environment.pop("DISPLAY", None)
    environment.pop("CSOFA_UI_SCRIPT", None)
    environment.update(more or {})
    if script is not None:
        environment["CSOFA_UI_SCRIPT"] = write("script.ui", script)
    shutil.rmtree(path("config.before"), ignore_errors=True)
    if os.path.exists(path("config")):
        shutil.copytree(path("config"), path("config.before"))
    for tries in range(3):
        if tries == 2:
            print("the leak checker failed twice: it is left out")
            environment["ASAN_OPTIONS"] = "detect_leaks=0"
        command = [PROGRAM] + arguments
        result = on_display(command, environment) if display else subprocess.run(
            command, env=environment, cwd=FOLDER, text=True, capture_output=True, timeout=280)
        if CHECKER_FAILED not in result.stderr:
            break
        shutil.rmtree(path("config"), ignore_errors=True)
        if os.path.exists(path("config.before")):
            shutil.copytree(path("config.before"), path("config"))
    look_at(result)
    return result


def play(script, gui="imgui", **more):
    good = write("beam.scn", scene())
    result = program(["-g", gui, good], script.format(folder=FOLDER, scene=good, **more))
    check(result.returncode == 0, "status %d is 0" % result.returncode)
    return result


def reload_scenes():
    return {"bad": write("bad.scn", scene(('youngModulus="3000"', 'youngModulus="soft"'))),
            "good": write("good.scn", scene()), "nonsense": write("nonsense.scn", "<Node")}


# what --show, --camera, --look-at and --colour say of the first scene; a field is chosen later
LOOK = """
expect loaded = 1
expect coloured = 1
expect camera-x ~ 2
expect camera-z ~ 20
expect-message did you mean '/beam/box'
expect colour-low = 0
expect colour-high = 0
step 5
wait-for steps = 5
wait-for colour-high > 0
# the range grows, and is that of now when it is asked for
let high colour-high
set /beam/state velocity {zeros}
rescale
wait-for colour-high < high
colour /beam/fem.youngModuls
expect-message did you mean 'youngModulus'
expect coloured = 1
colour /beam/state.position.x
wait-for colour-high > 3.9
screenshot {folder}/colours.png
# the file is read again: it is still coloured; another one is not
reload
wait-for loaded = 1
expect coloured = 1
colour-range -1 9
expect colour-low = -1
expect colour-high = 9
colour-range 9 1
expect-message the second one larger
expect colour-high = 9
colour
expect coloured = 0
look-at /beam
show -visual wireframe
camera 0 0 30 0 0 0
expect camera-z ~ 30
expect gl-errors = 0
close
"""


def case_look():
    good = write("beam.scn", scene())
    script = LOOK.format(folder=FOLDER, zeros=" ".join(["0"] * 243))
    result = program(["-g", "imgui", "--show", "points", "--camera", "2 0 20  2 0 0", "--look-at",
                      "/beam/bx", "--colour", "/beam/state.velocity", good], script)
    check(result.returncode == 0, "status %d is 0" % result.returncode)
    check(os.path.getsize(path("colours.png")) > 1000, "the picture was written")
    result = program(["-g", "batch", "--colour", "/beam/state.velocity", good], display=False)
    check(result.returncode == 2 and "--screenshot or --video" in result.stderr, "batch without")


# back to a state of the past, and on from there with the same bits
PAST = """
expect loaded = 1
expect states = 0
past-share much
expect-message a number >= 0
past-share 1e6
step 12
wait-for steps = 12
expect states = 13
expect past-bytes > 1000
let y /beam/state:position[25]
let t time
step 8
wait-for steps = 20
let z /beam/state:position[25]
expect z != y
go-to 12
expect steps = 12
expect time = t
expect /beam/state:position[25] = y
# one state back, one forward, from the keyboard
key Left
expect steps = 11
go-to +1
expect steps = 12
expect samples = 20
step 8
wait-for steps = 20
expect /beam/state:position[25] = z
expect states = 21
expect samples = 20
# the first one is the scene after loading
go-to 0
expect steps = 0
expect /beam/state:position[25] = 0
# what follows an edit takes the place of what was
set /beam/fem youngModulus 300
step 2
wait-for steps = 2
expect states = 3
go-to 20
expect steps = 2
# running: going back stops it
key Space
wait-for steps > 8
go-to 4
expect steps = 4
expect animate = 0
# not more memory than wanted; none at all
past 0
expect states = 0
step 3
wait-for steps = 7
expect states = 0
go-to 5
expect-message there is no state to go to
past 0.05
step 40
wait-for steps = 47
expect past-bytes <= 256e6
past x
expect-message number of megabytes
# a whole state as a file
save-state {folder}/a.state
expect-message --restore goes on from it
let y /beam/state:position[25]
step 3
wait-for steps = 50
restore-state {folder}/a.state
expect steps = 47
expect /beam/state:position[25] = y
restore-state {folder}/nothing.state
expect-message cannot open the file
expect steps = 47
# edits are taken back, the last one first
set /beam/fem youngModulus 3000
expect undos = 2
set /beam/fem poissonRatio 0.1
set /beam/fem poissonRatio 0.7
expect refused = 1
expect undos = 3
key Ctrl+Z
expect /beam/fem:poissonRatio[0] = 0.3
key Ctrl+Z
expect /beam/fem:youngModulus[0] = 300
undo
expect /beam/fem:youngModulus[0] = 3000
undo
expect-message no edit to undo
# of a list, and of a link that made the object anew
let y /beam/state:position[25]
set-entry /beam/state position 8 4 0.25 0
expect /beam/state:position[25] = 0.25
undo
expect /beam/state:position[25] = y
set /beam/clamp indices @box.indices
expect /beam/clamp:indices[0] = 8
set /beam/clamp indices 0 9 18 27
expect /beam/clamp:indices[0] = 0
undo
expect /beam/clamp:indices[0] = 8
set /beam/box box 1.9 -0.1 -0.1 2.1 1.1 1.1
step 1
wait-for steps = 48
expect /beam/clamp:indices[0] = 4
expect gl-errors = 0
close
"""

# the run is never ahead of its pace by more than the step that was due
PACE = """
expect loaded = 1
pace 0.5
key Space
wait-for steps > 8
expect ahead <= 0.0101
wait 1
expect ahead <= 0.0101
wait-for time > 0.5
expect ahead <= 0.0101
pace 0.01
let a steps
wait-for steps > a
wait-for steps > a + 2
expect ahead <= 0.0101
wait 0.5
expect ahead <= 0.0101
pace fast
expect-message a factor of real time
key Space
wait-for animate = 0
# single steps do not wait
let a steps
step 100
wait-for steps = a + 100
pace max
key Space
wait-for steps > a + 400
expect ahead = 0
expect gl-errors = 0
expect errors = 1
close
"""

# a scene with errors is shown without the components that have them, when the user wants it
FAULTS = """
expect loaded = 0
expect faults = 2
expect offered = 1
expect left-out = 0
wait 0.3
window-shot {folder}/offer.png
wait 0.3
key Ctrl+G
wait-for loaded = 1
expect left-out = 2
expect offered = 0
step 3
wait-for steps = 3
expect /beam/state:position[25] < 0
wait 0.3
window-shot {folder}/badge.png
wait 0.3
# the same again; then with all of them; another scene is read with all of them
reload
wait-for loaded = 1
expect left-out = 2
keep-going 0
wait-for loaded = 0
expect left-out = 0
expect offered = 1
key Ctrl+G
wait-for loaded = 1
open {scene}
wait-for loaded = 1
expect faults = 0
expect left-out = 0
open {nonsense}
wait-for loaded = 0
close
"""


# several curves in one plot, which has most of the tab
PLOTS = """
expect panels = 1
expect loaded = 1
tab Plots
wait 0.3
expect curves = 1
watch /beam/state position 8.1
watch /beam/state velocity 8.1
step 60
wait-for steps = 60
wait-for curves = 2
expect plot-width > 400
expect plot-height > 150
energies 1
wait-for curves = 4
unwatch 1
wait-for curves = 3
watch /beam/state position 62.0
wait-for curves = 4
layout left 150
wait 0.5
window-shot {folder}/plots.png
wait 0.3
go-to 0
step 30
wait-for steps = 30
expect gl-errors = 0
expect errors = 0
close
"""

PALETTE = """
expect loaded = 1
expect palette = 0
key Ctrl+P
wait-for palette = 1
expect found > 20
palette-search motion 1/2
expect found = 1
palette-search beam
expect found > 0
palette-search youngmod fem
expect found > 0
expect found < 4
palette-search qqqq
expect found = 0
key Ctrl+P
wait-for palette = 0
# by hand: words, arrows, Return
save-log {folder}/stage1
wait-for fields > 5
expect palette = 0
save-log {folder}/stage2
wait-for steps = 1
save-log {folder}/stage3
wait-for palette = 1
wait 0.5
window-shot {folder}/palette.png
wait 0.5
save-log {folder}/stage4
wait-for palette = 0
expect errors = 0
close
"""
PALETTE_STEPS = """
after {folder}/stage1
xdotool mousemove 790 330 sleep 1 click 1 sleep 1 key ctrl+p sleep 2
xdotool type --delay 100 youngmod
xdotool sleep 2 key Return
after {folder}/stage2
xdotool sleep 1 key ctrl+p sleep 2
xdotool type --delay 100 run:
xdotool sleep 2 key Down sleep 1 key Up sleep 1 key Down sleep 1 key Return
after {folder}/stage3
xdotool sleep 1 key ctrl+p sleep 2
xdotool type --delay 100 slow
after {folder}/stage4
xdotool sleep 1 key Escape
"""


def needs_panels():
    if "built without" in program(["-g", "imgui", "-n", "1", "-a", write("b.scn", scene())]).stderr:
        print("no panels in this build")
        sys.exit(77)


def case_plots():
    needs_panels()
    play(PLOTS)


def case_palette():
    if not shutil.which("xdotool"):
        print("skipped: xdotool is not installed")
        sys.exit(77)
    needs_panels()
    at_desktop(PALETTE, PALETTE_STEPS)


def case_past():
    play(PAST)
    result = program(["-g", "batch", "-n", "49", "--restore", path("a.state"), path("beam.scn")],
                     display=False)
    check(result.returncode == 0 and "restored after step 47" in result.stdout, "the program goes on")


def case_faults():
    good = write("good.scn", scene())
    bad = write("beam.scn", scene(('<BoxROI name="box"', '<BoxROY name="box"')).replace(
        "<HexahedronFEMForceField", '<CaribouSpring name="none"/>\n    <HexahedronFEMForceField'))
    nonsense = write("nonsense.scn", "<Node")
    for gui in ("glfw", "imgui"):
        result = program(["-g", gui, bad], FAULTS.format(folder=FOLDER, scene=good,
                                                         nonsense=nonsense))
        check(result.returncode == 0, "status %d is 0" % result.returncode)


def case_place():
    """Size and place of the window are there the next time; not where there is no screen."""
    play("resize 700 500\nplace 60 50\nwait-for width = 700\nwait-for window-x = 60\nclose\n",
         "glfw")
    play("expect width = 700\nexpect height = 500\nwait-for window-x = 60\n"
         "wait-for window-y = 50\nplace 5000 50\nwait-for window-x = 5000\nclose\n", "glfw")
    play("expect width = 700\nexpect window-x < 5000\nclose\n", "glfw")


def case_viewfile():
    write("beam.scn.view", RUNSOFA_VIEW)
    write("broken.view", '<Camera>\n<!-- x -->\n<position value="1 2"/>\n</Camera>')
    write("nocamera.view", "1 2 3\n0 0 0 1\n")
    play(VIEW_FILE)
    saved = open(path("beam.scn.view"), encoding="utf-8").read()
    for word in ("position", "orientation", "fieldOfView", "distance", "projectionType"):
        check("<%s value=" % word in saved, "the view file has " + word)
    # -r shows the last scene, --tmp is not remembered
    other = write("other.scn", scene())
    result = program(["-g", "glfw", "--tmp", other], "expect loaded = 1\nclose\n")
    check(result.returncode == 0, "--tmp")
    result = program(["-r", "-g", "batch", "-n", "2"])
    check(result.returncode == 0 and "2 steps" in result.stdout, "-r takes the last scene")
    result = program(["-r", "-g", "glfw"], "expect loaded = 1\nclose\n")
    check(result.returncode == 0 and "beam.scn" in result.stdout, "-r in the window")
    with open(path("config/csofa/viewer.conf"), encoding="utf-8") as file:
        check("other.scn" not in file.read(), "--tmp is not remembered")
    os.remove(path("config/csofa/viewer.conf"))
    result = program(["-r", "-g", "batch"])
    check(result.returncode == 2 and "remembered" in result.stderr, "nothing to take")


def at_desktop(script, steps):
    """Plays the script while desktop.py does the steps."""
    good = write("beam.scn", scene())
    environment = dict(os.environ, XDG_CONFIG_HOME=path("config"))
    files = [write("script.ui", script.format(folder=FOLDER)),
             write("steps", steps.format(folder=FOLDER))]
    result = on_display([sys.executable, os.path.join(HERE, "desktop.py"), PROGRAM, good] + files, environment)
    look_at(result)
    check(result.returncode == 0, "status %d is 0" % result.returncode)


def case_drop():
    write("dropped one.scn", scene())
    at_desktop(DROP, DROP_STEPS)
    with open(path("config/csofa/viewer.conf"), encoding="utf-8") as file:
        check("recent %s\n" % path("dropped one.scn") in file.read(), "it is remembered")


def case_user():
    good = write("b.scn", scene())
    font = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"
    if not shutil.which("xdotool") or not os.path.exists(font):
        print("skipped: xdotool, or the font that the places are for, is not installed")
        sys.exit(77)
    if "built without" in program(["-g", "imgui", "-n", "1", "-a", good]).stderr:
        print("no panels in this build")
        sys.exit(77)
    at_desktop(USER, USER_STEPS)
    # the sizes are there the next time
    play("expect loaded = 1\nwait 0.2\nexpect view-width > 990\nexpect view-height > 610\n"
         "layout reset\nwait-for view-width < 900\nclose\n")


def case_fast():
    good = write("b.scn", scene())
    if not shutil.which("xdotool"):
        print("skipped: xdotool is not installed")
        sys.exit(77)
    if "built without" in program(["-g", "imgui", "-n", "1", "-a", good]).stderr:
        print("no panels in this build")
        sys.exit(77)
    at_desktop(FAST, FAST_STEPS)


def case_slow():
    text = scene(('n="9 3 3"', 'n="40 20 20"')).replace('iterations="100"', 'iterations="600"')
    good = write("slow.scn", text.replace("e-9", "e-30"))
    result = program(["-g", "imgui", good], SLOW)
    check(result.returncode == 0, "the window is drawn while a step is made")


def case_record():
    play(RECORD)
    check(os.path.getsize(path("a.png")) > 1000, "the picture was written")
    check(os.path.getsize(path("b.png")) > 1000, "the picture of the window was written")
    for name in ("a.png", "b.png", "plot.csv.provenance"):
        with open(path(name), "rb") as file:
            check(re.search(rb"csofa [0-9.]+; scene beam\.scn .*; in the window", file.read()),
                  name + " says where it comes from")
    check(os.path.getsize(path("log.txt")) > 10, "the log was written")
    check([name for name in os.listdir(FOLDER) if name.startswith("beam_0")],
          "the video, or pictures instead of it, were written")
    with open(path("config/csofa/viewer.conf"), encoding="utf-8") as file:
        check("beam.scn" in file.read(), "the file is remembered")


def case_panels():
    if "built without" in program(["-g", "imgui", "-n", "1", "-a", write("b.scn", scene())]).stderr:
        print("no panels in this build")
        sys.exit(77)
    play(PANELS)


def case_refuse():
    """No display, no OpenGL, a script that fails: a message and a fallback."""
    good = write("beam.scn", scene())
    result = program(["-g", "imgui", good], display=False)
    check(result.returncode == 1 and "no display" in result.stderr, "a window needs a display")
    result = program(["-n", "3", good], display=False)
    check(result.returncode == 0 and "3 steps" in result.stdout, "-n runs in batch")
    result = program(["-n", "3", good])
    check(result.returncode == 0 and "3 steps" in result.stdout, "-n runs in batch, always")
    result = program(["-a", good], more={"DISPLAY": ":4242"}, display=False)
    check(result.returncode == 0 and "1000 steps in" in result.stdout, "without display: batch")
    result = program(["-g", "imgui", good], more={"DISPLAY": ":4242"}, display=False)
    check(result.returncode == 1 and "no window" in result.stderr, "a display that is not there")
    result = program(["-g", "imgui", good], more=NO_GL)
    check(result.returncode == 1 and "OpenGL" in result.stderr, "no OpenGL is told")
    result = program([good], more=NO_GL)
    check(result.returncode == 0 and "1000 steps in" in result.stdout, "no OpenGL: batch")
    result = program(["-g", "imgui", good], more=OLD_GL)
    check(result.returncode == 1 and "OpenGL" in result.stderr, "old OpenGL is told")
    result = program([good], more=OLD_GL)
    check(result.returncode == 0 and "1000 steps in" in result.stdout, "old OpenGL: batch")
    result = program(["-g", "glfw", "-a", "-n", "5", good])
    check(result.returncode == 0, "the window closes after -n steps")
    result = program(["-g", "nothing", good], display=False)
    check(result.returncode == 2 and "expected imgui" in result.stderr, "unknown interface")
    result = program(["-g", "glfw", good], "expect steps = 7\nclose\n")
    check(result.returncode == 1 and "line 1: not so" in result.stderr, "a script can fail")
    result = program(["-g", "glfw"], "expect loaded = 0\nkey Space\nkey N\nwait 0.2\nclose\n")
    check(result.returncode == 0, "an empty window is possible")
    result = program(["-g", "glfw"], "close\nexpect loaded = 0\n")
    check(result.returncode == 1 and "before" in result.stderr, "a script is played to its end")


def case_operate():
    shutil.copy(os.path.join(HERE, "sheet.scn"), path("sheet.scn"))
    for gui in ("imgui", "glfw"):
        result = program(["-g", gui, path("sheet.scn")], OPERATE)
        check(result.returncode == 0, "status %d is 0" % result.returncode)


def case_none():
    """The program was built without a window."""
    good = write("beam.scn", scene())
    for arguments in (["-g", "imgui", good], ["-g", "glfw", good]):
        result = program(arguments, display=False, more={"DISPLAY": ":4242"})
        check(result.returncode == 1 and "there is no window" in result.stderr, "that is told")
    result = program([good], display=False, more={"DISPLAY": ":4242"})
    check(result.returncode == 0 and "1000 steps in" in result.stdout, "batch instead")
    result = program(["-r"], display=False)
    check(result.returncode == 2 and "remembered" in result.stderr, "no recent file")
    result = program(["-n", "2", good, "--screenshot", path("a.png")], display=False)
    told = result.returncode != 0 and "no pictures can be made" in result.stderr
    check(os.path.exists(path("a.png")) if result.returncode == 0 else told, "pictures or why not")


def case_pull():
    play(PULL)
    result = program(["-g", "imgui", write("wall.scn", WALL)], POINTS)
    check(result.returncode == 0, "points and a wall")


PYTHON_SCENE = """
import Sofa

class Jump(Sofa.Core.Controller):
    def __init__(self, *args, **kwargs):
        Sofa.Core.Controller.__init__(self, *args, **kwargs)
        self.state = kwargs["state"]
    def onKeypressedEvent(self, event):
        with self.state.position.writeable() as x:
            x[0, 0] = 5 if event["key"] == "J" else -1
    def onAnimateEndEvent(self, event):
        with self.state.position.writeable() as x:
            x[0, 1] += 1
    def draw(self, visual):
        visual.getDrawTool().drawPoints(self.state.position, 9, [1, 0, 0])
        print("drawn at %g" % self.state.position.value[0, 1])

def createScene(root):
    root.gravity = [0, 0, 0]
    root.addObject("DefaultAnimationLoop")
    body = root.addChild("body")
    body.addObject("EulerImplicitSolver")
    body.addObject("CGLinearSolver", iterations=25, tolerance=1e-9, threshold=1e-9)
    state = body.addObject("MechanicalObject", name="state", position=[[0.0, 0, 0]])
    body.addObject("UniformMass", totalMass=1.0)
    root.addObject(Jump(name="jump", state=state))
"""

PYTHON = """
expect loaded = 1
step 2
wait-for steps = 2
expect /body/state:position[1] ~ 2
key Ctrl+Shift+J
wait-for /body/state:position[0] > 4.9
step 1
wait-for steps = 3
expect /body/state:position[0] ~ 5
expect /body/state:position[1] ~ 3
wait 0.5
expect errors = 0
close
"""


def case_python():
    """A scene that is a Python program; its controller gets keys and the events of steps, and
    draws."""
    result = program(["-g", "imgui", write("scene.py", PYTHON_SCENE)], PYTHON)
    # a program with sanitizers was not tried
    missing = "cannot import" if "CSOFA_SANITIZED" in os.environ else "No module named 'numpy'"
    if "Python was not found" in result.stderr or missing in result.stderr:
        print("skipped: no libpython with numpy")
        sys.exit(77)
    check(result.returncode == 0, "status %d is 0" % result.returncode)
    check("drawn at 0\n" in result.stdout and "drawn at 3\n" in result.stdout,
          "the controller draws")


MODES = """
expect loaded = 1
# three masses between walls, a quarter of a period per step: the middle one goes 0.4 m to and fro,
# a tenth of the scene
step 1
wait-for steps = 1
expect /body/state:position[6] ~ 2.4
step 2
wait-for steps = 3
expect /body/state:position[6] ~ 1.6
# in the second mode it stands still
set /modes mode 2
step 2
wait-for steps = 5
expect /body/state:position[6] ~ 2
expect errors = 0
close
"""
CHAIN = """<Node name="root" dt="0.25" gravity="0 0 0"><RequiredPlugin pluginName="Sofa.Component"/>
<DefaultAnimationLoop/><DefaultVisualManagerLoop/><Node name="body"><EulerImplicitSolver/><SparseLDLSolver/>
<MechanicalObject name="state" position="0 0 0  1 0 0  2 0 0  3 0 0  4 0 0" showObject="1"/><UniformMass vertexMass="1"/>
<MeshTopology lines="0 1  1 2  2 3  3 4"/><MeshSpringForceField linesStiffness="100" linesDamping="0"/>
<FixedProjectiveConstraint indices="0 4"/><PartialFixedProjectiveConstraint indices="1 2 3" fixedDirections="0 1 1"/>
</Node></Node>
"""


def case_modes():
    """--modes in the window: steps show the shapes of the modes, whatever the scene's own loop is."""
    file = write("chain.scn", CHAIN)
    result = program(["-g", "imgui", "--modes", "3", file], MODES)
    check(result.returncode == 0, "status %d is 0" % result.returncode)


CASES = {"none": case_none, "modes": case_modes, "operate": case_operate,
         "run": lambda: play(RUN), "edit": lambda: play(EDIT), "pull": case_pull,
         "view": lambda: play(VIEW), "plain": lambda: [play(RUN, "glfw"), play(VIEW, "glfw")],
         "reload": lambda: play(RELOAD, **reload_scenes()), "record": case_record,
         "panels": case_panels, "drop": case_drop, "user": case_user, "fast": case_fast,
         "viewfile": case_viewfile, "place": case_place, "slow": case_slow, "refuse": case_refuse,
         "python": case_python, "look": case_look,
         "past": case_past, "pace": lambda: play(PACE), "faults": case_faults, "plots": case_plots, "palette": case_palette}


def main():
    global FOLDER
    if sys.argv[2] != "none" and not shutil.which("xvfb-run"):
        print("skipped: xvfb-run is not installed")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        FOLDER = sys.argv[3] if len(sys.argv) > 3 else folder
        os.makedirs(path("config"), exist_ok=True)
        CASES[sys.argv[2]]()
    return 0


if __name__ == "__main__":
    sys.exit(main())
