# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a scene may write with --sandbox, and names that are not printable."""
import json
import os
import shutil
import subprocess

from cli import FALL, FOLDER, RUN, check, finish, path, run, write


def fresh(name):
    folder = os.path.join(FOLDER.name, name)
    shutil.rmtree(folder, ignore_errors=True)
    os.mkdir(folder)
    return folder


# ---- --sandbox: only below the current folder ----
outside = fresh("outside")
inside = fresh("inside")
os.mkdir(os.path.join(inside, "below"))
os.symlink(outside, os.path.join(inside, "link"))
os.symlink("below", os.path.join(inside, "good_link"))
os.symlink(os.path.join(outside, "target"), os.path.join(inside, "file_link"))
WRITERS = ['<WriteState filename="%s"/>', '<CSVRecorder filename="%s"/>',
           '<FileMessageHandlerComponent filename="%s"/>',
           '<MeshExporter filename="%s" format="obj" exportAtEnd="1"/>',
           '<VTKExporter filename="%s" exportAtBegin="1" exportAtEnd="1"/>']
REFUSED = [outside + "/x", "../x", "../outside/x", "link/x", "below/../../outside/x",
           "../inside_too/x", "/tmp/x", "/proc/self/cwd/../x"]
os.mkdir(path("inside_too"))
for writer in WRITERS:
    for name in REFUSED:
        scene = write("scene.scn", FALL % (writer % name))
        r = run("-n", 2, "--sandbox", scene, cwd=inside)
        check("--sandbox %s" % (writer % name), r.status == 1 and "--sandbox" in r.err, r)
    for name in "x", "below/x", "./below/../below/x", "good_link/x", os.path.join(inside, "x"):
        scene = write("scene.scn", FALL % (writer % name))
        r = run("-n", 2, "--sandbox", scene, cwd=inside)
        check("--sandbox allows %s" % (writer % name), "--sandbox" not in r.err, r)
check("nothing is outside", os.listdir(outside) == [] and os.listdir(path("inside_too")) == [])
r = run("-n", 2, "--sandbox", write("scene.scn", FALL % '<WriteState filename="file_link"/>'),
        cwd=inside)
check("a link is replaced", r.status == 0 and os.listdir(outside) == [] and
      not os.path.islink(os.path.join(inside, "file_link")), r)
# without it, and for options, any folder
r = run("-n", 2, write("scene.scn", FALL % ('<WriteState filename="%s/x"/>' % outside)), cwd=inside)
check("without --sandbox", r.status == 0 and sorted(os.listdir(outside)) == ["x", "x.provenance"], r)
r = run("-n", 2, "--sandbox", "--states", outside + "/s", write("scene.scn", FALL % ""), cwd=inside)
check("a file of an option", r.status == 0 and "s" in os.listdir(outside), r)

# ---- --sandbox: no plugin by path ----
r = run("--sandbox", "--trust-scene", "-n", 1, write("scene.scn", FALL % ""))
check("with --trust-scene", r.status == 2 and "exclude each other" in r.err, r)
r = run("--sandbox", "-n", 1, write("scene.scn", FALL % '<RequiredPlugin name="./evil"/>'))
check("a plugin by path", r.status == 1 and "is a path, and was not loaded" in r.err, r)

# ---- names and values that are not printable ----
EVIL = "a&#10;root: error: forged&#9;&#x7f;&#x9b;31m"
scene = write("evil.scn", FALL % (
    '<Node name="%s"><MechanicalObject name="state" position="0 0 0" nothing="%s"/></Node>'
    '<WriteState filename="w"/><FileMessageHandlerComponent filename="log"/>'
    '<MechanicalObject name="%s" position="%s"/>' % (EVIL, EVIL, EVIL, EVIL)))
folder = fresh("evil")


def clean(text):
    return all(c == "\n" or (c >= " " and c != "\x7f" and not "\x80" <= c < "\xa0") for c in text)


for style in [], ["-f", "sofa"], ["-g", "batch", "--computationTimeSampling", 1]:
    r = run("-n", 1, "--keep-going", "--states", "s", *style, scene, cwd=folder)
    check("messages %s" % style, clean(r.out + r.err) and "\\nroot: error: forged" in r.out + r.err,
          r)
    check("no forged line", not any(line.startswith("root: error")
                                    for line in (r.out + r.err).splitlines()), r)
    for name in "s", "log":
        text = open(os.path.join(folder, name)).read()
        check("escapes in " + name, clean(text) and "\nroot" not in text, text)
states = [line for line in open(os.path.join(folder, "s")) if line.startswith("state ")]
check("one line for each state", any("a\\nroot: error: forged\\t\\x7f" in line for line in states),
      states)
r = run("-n", 1, "--keep-going", "--log", "json", scene, cwd=folder)
texts = [json.loads(line) for line in r.out.splitlines()]
check("JSON keeps the name", any("a\nroot: error: forged\t\x7f\x9b31m" in row.get("text", "") +
                                 row.get("path", "") for row in texts), r)

# ---- without memory the program ends ----
fall = write("fall.scn", FALL % "")
for megabytes in 60, 120, 200, 400:
    limit = megabytes << 20
    code = "import resource,os,sys; resource.setrlimit(resource.RLIMIT_AS, (%d, %d)); " \
           "os.execv(sys.argv[1], sys.argv[1:])" % (limit, limit)
    try:
        subprocess.run([shutil.which("python3"), "-c", code, RUN, "-n", "2", fall], timeout=60,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    except subprocess.TimeoutExpired:
        check("%d MB: the program does not end" % megabytes, False)

finish()
