# SPDX-License-Identifier: LGPL-2.1-or-later
"""Options that only print, and command lines that are wrong."""
import json
import re
import shutil
import subprocess

from cli import *

# what prints ends with 0 and says something on stdout only
for options, words in [
        (["--help"], ["usage: runcsofa", "--states FILE", "Exit status", "CSOFA_DATA_PATH"]),
        (["-h"], ["usage: runcsofa"]),
        (["--version"], ["csofa "]),
        (["--licenses"], ["LGPL-2.1-or-later"] + (["UMFPACK", "GNU General Public License"]
                                                  if HAS_GPL_PARTS else ["CSOFA_GPL is off"])),
        (["--man"], [".TH RUNCSOFA", ".SH OPTIONS", "\\-\\-states"]),
        (["--completion"], ["complete ", "--states-at"]),
        (["--list"], ["Sofa.Component.Visual", "  VisualStyle", "DefaultAnimationLoop"]),
        (["--doc", "VisualStyle"], ["# VisualStyle", "| `displayFlags` |", "| `name` |"]),
        (["--doc=RequiredPlugin"], ["# RequiredPlugin", "`requireAll`"])]:
    r = run(*options)
    check(" ".join(options), r.status == 0 and r.err == "" and all(w in r.out for w in words), r)

# every option of the help is in the manual page and in the completion
options = re.findall(r"--([\w-]+)", run("--help").out)
check("many options", len(set(options)) > 20)
man, completion = run("--man").out.replace("\\-", "-"), run("--completion").out
for o in set(options):
    check("--%s in the manual page" % o, "--" + o in man)
    check("--%s in the completion" % o, "--" + o in completion)
check("help fits 80 columns", max(map(len, run("--help").out.splitlines())) <= 80)
if shutil.which("bash"):
    done = subprocess.run(["bash", "-n"], input=completion, text=True)
    check("completion is a script", done.returncode == 0)

# folders that are not there are told, and the scene runs
for option in "--data-path", "--plugin-path":
    r = run("-n", 0, option, "nowhere:.", write("s.scn", "<Node/>"))
    check(option, r.status == 0 and "warning: runcsofa: %s: there is no folder 'nowhere'\n" % option in r.err
          and r.err.count("there is no folder") == 1, r)

# wrong command lines end with 2, a message on stderr and nothing on stdout
scene = write("s.scn", "<Node/>")
for options, words in [
        ([], "no scene given"),
        (["a.scn", "b.scn"], "one scene at a time"),
        (["--stats", "x", scene], "did you mean '--states'?"),
        (["--zzzzzz", scene], "unknown option '--zzzzzz'"),
        (["-z", scene], "unknown option '-z'"),
        (["-n"], "needs a value"),
        (["--states"], "needs a value"),
        (["-n", "-1", scene], "-n: expected"),
        (["-n", "1.5", scene], "-n: expected"),
        (["-n", "x", scene], "-n: expected"),
        (["-n", "99999999999999999999", scene], "-n: expected"),
        (["-g", "qt", scene], "there is no user interface 'qt': expected imgui, glfw or batch"),
        (["--msaa", "0", scene], "--msaa: expected a number from 1 to 64"),
        (["-v", "dir", scene], "not supported yet"),
        (["--threads", "0", scene], "--threads: expected"),
        (["--threads", "two", scene], "--threads: expected"),
        (["--isa", "mmx", scene], "instruction set 'mmx'"),
        (["--states-at", "1,,2", scene], "--states-at: expected"),
        (["--states-at", "1,x", scene], "--states-at: expected"),
        (["--computationTimeSampling", "-3", scene], "--computationTimeSampling: expected"),
        (["-o", "xml", scene], "stdout, json or ljson"),
        (["--log", "xml", scene], "text or json"),
        (["--colors=maybe", scene], "yes, no or auto"),
        (["-f", "rich", scene], "auto, clang or sofa"),
        (["--distributed=stripes", scene], "'stripes' is not graph or bisection"),
        (["--doc", "NoSuchThing"], "there is no component 'NoSuchThing'")]:
    r = run(*options)
    check(" ".join(options), r.status == 2 and words in r.err and r.out == "", r)

# single quirks: x is h v' or the mean; a quirk is announced, once; other words are errors
falling = write("falling.scn", """<Node dt="0.1" gravity="0 -10 0">
  <DefaultAnimationLoop/>
  <EulerImplicitSolver trapezoidalScheme="1"/>
  <CGLinearSolver iterations="9" tolerance="1e-12" threshold="1e-20"/>
  <MechanicalObject name="state" position="0 0 0"/>
  <UniformMass vertexMass="1"/>
</Node>""")
states = falling + ".states"
for option, place in [("", "-0.05"), ("--quirks=trapezoidal-position", "-0.1"),
                      ("--quirks=euler-residual,trapezoidal-position", "-0.1"),
                      ("--quirks=euler-residual", "-0.05"), ("--quirks", "-0.1")]:
    r = run(*([option] if option else []), "-n", "1", "--states", states, "--states-at", "1",
            falling)
    with open(states) as file:
        check("%s moves to %s" % (option, place), r.status == 0 and place in file.read(), r)
    check("%s is announced" % option,
          (r.out + r.err).count("trapezoidal-position:") == (place == "-0.1"), r)
r = run("--quirks=trapezodal-position", "-n", "1", falling)
check("an unknown quirk", r.status == 1 and "there is no quirk 'trapezodal-position'" in r.err and
      "'trapezoidal-position'" in r.err, r)
r = run("--list-quirks")
check("the list of quirks", r.status == 0 and "trapezoidal-position\tEulerImplicitSolver\t" in r.out)
r = run("--doc", "EulerImplicitSolver")
check("quirks in a component's page", "- `trapezoidal-position`: " in r.out)

# all components as JSON
tables = {c["name"]: c for c in json.loads(run("--doc-json").out)}
listed = set(re.findall(r"^  (\w+)", run("--list").out, re.M))
check("--doc-json has all components", listed <= set(tables), listed - set(tables))
euler = tables.get("EulerImplicitSolver", {})
fields = {f["name"]: f for f in euler.get("fields", [])}
check("--doc-json: names, bases, interfaces", euler.get("aliases") == ["EulerImplicitIntegrationScheme"] and
      "OdeSolver" in euler["bases"] and euler["implements"] == ["ODE solver"], euler)
check("--doc-json: equations", euler.get("equations", "").startswith("(M (1 + h r_M)"), euler.get("equations"))
check("--doc-json: a link", fields["linearSolver"].get("linkInterface") == "linear solver", fields["linearSolver"])
check("--doc-json: a range", fields["rayleighMass"]["range"] == ">= 0" and fields["rayleighMass"]["unit"] == "1/s" and
      fields["rayleighMass"]["of"] == "DampedSolver", fields["rayleighMass"])
check("--doc-json: flags", fields["residual"].get("computed") is True and "computed" not in fields["vdamping"] and
      fields["threadSafeVisitor"].get("noEffect") is True, fields["residual"])
check("--doc-json: a refused field", any(f.get("unsupported") for c in tables.values() for f in c["fields"]))
check("--doc-json: quirks", any(q["word"] == "trapezoidal-position" for q in euler["quirks"]), euler["quirks"])
r = run("--doc", "EulerImplicitSolver")
check("--doc has the equations as a block", "\n    x' = x + h v'\n" in r.out, r)

# a standard output that cannot be written is an error
with open("/dev/full", "w") as full:
    done = subprocess.run([RUN, "--help"], stdout=full, stderr=subprocess.PIPE, text=True)
check("/dev/full", done.returncode == 1 and "standard output" in done.stderr)

# values that only some words are: the completion offers all of them
script = run("--completion").out
for option, words in (("-g", "imgui glfw batch"), ("--gui", "imgui glfw batch"), ("--log", "text json"),
                      ("-f", "auto clang sofa"), ("-o", "stdout json ljson"),
                      ("--isa", "auto baseline avx2 avx512")):
    found = subprocess.run(["bash", "-c", script + """
COMP_WORDS=(runcsofa "$0" ""); COMP_CWORD=2; _runcsofa; echo "${COMPREPLY[*]}" """, option],
                           stdout=subprocess.PIPE, text=True).stdout.strip()
    check("completion of %s: %s" % (option, found), found == words)
    for word in words.split():
        if option not in ("-g", "--gui", "--isa"):
            r = run(option, word, "-n", 0, scene)
            check("%s %s" % (option, word), r.status == 0, r)

# pictures are PNG files
for name in ("x.jpg", "x.jpeg", "a/b.bmp", "x.png.gif"):
    r = run("--screenshot", name, scene)
    check("--screenshot " + name, r.status == 2 and "expected a file name that ends in .png" in r.err, r)

# a folder as a scene
os.mkdir(path("folder"))
r = run("-n", 0, path("folder"))
check("a folder", r.status == 1 and "folder: error: this is a folder: name a scene file in it" in r.err, r)

# a line is printed where it is known only
for style in ("clang", "sofa"):
    r = run("-f", style, "-n", 0, path("nowhere.scn"))
    check("no line, " + style, r.status == 1 and "nowhere.scn: " in r.err and ":0" not in r.err, r)

# pages: in any case of letters, required fields first, short defaults
page = run("--doc", "uniformmass")
check("--doc without case", page.status == 0 and page.out == run("--doc", "UniformMass").out, page)
# several: one after the other; an unknown name is reported, the others are printed
r = run("--doc", "UniformMass,NoSuchThing,PlaneForceField")
check("--doc of three", r.status == 2 and "there is no component 'NoSuchThing'" in r.err and
      r.out == page.out + "\n" + run("--doc", "PlaneForceField").out, r)
# the page of all components has the rows of --doc: docs/components compares them
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "components.md")) as reference:
    sections = re.findall(r"^### (\w+)\n(.*?)(?=^##|\Z)", reference.read(), re.M | re.S)
check("the page has all components", {name for name, _ in sections} == listed, len(sections))
for name, section in sections:
    fields = [line for line in section.splitlines() if line.startswith("| `")]
    required = ["(required)" in line for line in fields]
    check("required fields of %s" % name, required == sorted(required, reverse=True))
    long = [line for line in fields if "1.7976931348623157e308" not in line and re.search(r"`-?\d*\.\d{9,}(e-?\d+)?`", line)]
    check("defaults of %s: %s" % (name, long), not long)

# --new-plugin writes a folder that was not there, for a name that C, CMake and csofa can take
made = path("made")
os.makedirs(made)
r = run("--new-plugin", "MyPlugin", cwd=made)
check("--new-plugin", r.status == 0 and r.err == "" and "cmake -S MyPlugin" in r.out, r)
files = sorted(os.listdir(os.path.join(made, "MyPlugin")))
check("its files", files == ["CMakeLists.txt", "MyPlugin.scn", "MyPluginForceField.c", "README.md",
                             "test_MyPlugin.c"], files)
texts = [open(os.path.join(made, "MyPlugin", name)).read() for name in files]
check("its names", not any("@" in text for text in texts))
r = run("--new-plugin", "lower_1", os.path.join(made, "other"), cwd=made)
check("--new-plugin to a folder", r.status == 0 and os.path.exists(
    os.path.join(made, "other", "Lower_1ForceField.c")), r)
for arguments, words in [
        (["MyPlugin"], "cannot make the folder 'MyPlugin'"),
        (["Other", os.path.join(made, "other")], "cannot make the folder"),
        (["Other", path("no/folder")], "cannot make the folder"),
        (["1st"], "cannot name a plugin"), (["a-b"], "cannot name a plugin"),
        (["a/b"], "cannot name a plugin"), ([""], "cannot name a plugin"),
        (["_a"], "cannot name a plugin"), (["\u00e9"], "cannot name a plugin"),
        (["A" * 65], "cannot name a plugin"), (["test"], "cannot name a plugin"),
        (["Spring"], "a component 'SpringForceField'"), (["spring"], "a component 'SpringForceField'"),
        (["A", "b", "c"], "one folder at a time"), ([], "needs a value")]:
    r = run("--new-plugin", *arguments, cwd=made)
    check("--new-plugin %s" % arguments, r.status == 2 and words in r.err and r.out == "", r)
check("nothing else is written", sorted(os.listdir(made)) == ["MyPlugin", "other"])

finish()
