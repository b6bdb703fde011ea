# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plugins: one that works, and one for each way not to."""
import math
import shutil

from cli import *

GOOD, BAD = os.path.join(LIB, "plugins"), os.path.join(LIB, "faulty")
drag = write("drag.scn", FALL % '    <UniformDrag coefficient="5"/>\n')


def velocity(*options, **more):
    r = run("-n", 50, "--states", "drag.states", "--states-at", "last", *options, **more)
    if r.status:
        return r, math.nan
    return r, float([x for x in open(path("drag.states")) if x[0] != "#"][-1].split()[2])


# without the plugin the class is unknown
r, v = velocity(drag)
check("no plugin", r.status == 1 and "drag.scn:11: error:" in r.err and "UniformDrag" in r.err, r)

# by path, by name, from the scene; implicit Euler with drag: v' = (v + h g) / (1 + h c / m)
expected = 0.0
for _ in range(50):
    expected = (expected - 0.1 * 10) / (1 + 0.1 * 5 / 1.0)
named = write("named.scn", (FALL % '    <UniformDrag coefficient="5"/>\n').replace(
    "<DefaultAnimationLoop/>", '<DefaultAnimationLoop/><RequiredPlugin pluginName="UniformDrag"/>'))
library = os.path.join(GOOD, "UniformDrag.so")
for name, arguments, env in [("by path", ["-l", library, drag], {}),
                             ("by name", ["-l", "UniformDrag", drag], {"CSOFA_PLUGIN_PATH": GOOD}),
                             ("in the scene", [named], {"CSOFA_PLUGIN_PATH": "/none:" + GOOD}),
                             ("twice", ["-l", "%s,%s" % (library, library), drag], {})]:
    r, v = velocity(*arguments, env=env)
    check("loaded " + name, r.status == 0 and abs(v - expected) < 1e-6, r)
r = run("-l", library, "-n", 0, write("neg.scn", FALL % '    <UniformDrag coefficient="-1"/>\n'))
check("its own checks", r.status == 1 and "neg.scn:11: error:" in r.err and ">= 0" in r.err, r)

# what cannot be loaded
text = write("text.so", "not a library\n")
for name, plugin, words in [
        ("wrong ABI", os.path.join(BAD, "faulty_wrong_abi.so"), "was built with other headers"),
        ("no symbol", os.path.join(BAD, "faulty_no_symbol.so"), "not a csofa plugin"),
        ("no module", os.path.join(BAD, "faulty_no_module.so"), "faulty_no_module"),
        ("taken name", os.path.join(BAD, "faulty_taken_name.so"), "MechanicalObject"),
        ("no library", text, "text.so"),
        ("no file", path("none.so"), "none.so"),
        ("no name", "NoSuchPlugin", "NoSuchPlugin")]:
    r = run("-l", plugin, "-n", 0, drag)
    check(name, r.status == 1 and words in r.err and "error:" in r.err, r)
    check(name + ": no code of it runs", "a constructor ran" not in r.err, r)
    scene = write("bad.scn", '<Node name="r">\n<RequiredPlugin pluginName="%s"/></Node>' % plugin)
    r = run("-n", 0, scene)
    check(name + " in a scene", r.status == 1 and "bad.scn:2: error:" in r.err, r)

# a plugin that not every build has: the message says what to install; or it is there
petsc = write("petsc.scn", (FALL % "").replace(
    "<DefaultAnimationLoop/>", '<DefaultAnimationLoop/><RequiredPlugin pluginName="SofaPETSc"/>').replace(
    '<CGLinearSolver name="cg" iterations="100" tolerance="1e-14" threshold="1e-20"/>', "<PETScLinearSolver/>"))
r = run("-n", 2, petsc)
if os.path.exists(os.path.join(GOOD, "SofaPETSc.so")):
    check("SofaPETSc", r.status == 0 and not r.err, r)
    # options are those of the scene: not those of the environment, of files or of the command line
    write(".petscrc", "-ksp_type nonsense\n")
    again = run("-n", 2, petsc, env={"PETSC_OPTIONS": "-ksp_type nonsense -log_view -options_left"})
    check("options from outside", again.status == 0 and not again.err and "PETSc" not in again.out, again)
else:
    check("no SofaPETSc", r.status == 1 and "petsc.scn:4: error:" in r.err and "petsc-dev" in r.err, r)

# a scene names plugins: it loads no file beside it, unless it is trusted
shutil.copy(library, path("near.so"))
for plugin in ("./near", "./near.so", path("near.so")):
    scene = write("near.scn", (FALL % '    <UniformDrag coefficient="5"/>\n').replace(
        "<DefaultAnimationLoop/>",
        '<DefaultAnimationLoop/>\n<RequiredPlugin pluginName="%s"/>' % plugin))
    r = run("-n", 0, scene)
    check("a path in a scene", r.status == 1 and "is a path" in r.err and "near.scn:" in r.err, r)
    r, v = velocity("--trust-scene", scene)
    check("a path in a trusted scene", r.status == 0 and abs(v - expected) < 1e-6, r)
scene = write("folder.scn", (FALL % '    <UniformDrag coefficient="5"/>\n').replace(
    "<DefaultAnimationLoop/>", '<DefaultAnimationLoop/>\n<AddPluginRepository path="."/>'
    '<RequiredPlugin pluginName="near"/>'))
r = run("-n", 0, scene)
check("a folder of a scene", r.status == 1 and "adds no folders of plugins" in r.err and
      "'near' was not found" in r.err, r)
r, v = velocity("--trust-scene", scene)
check("a folder of a trusted scene", r.status == 0 and abs(v - expected) < 1e-6, r)
r, v = velocity("--plugin-path", "/none:" + GOOD, named)
check("a folder of the user", r.status == 0 and abs(v - expected) < 1e-6, r)

# the user's folder: $XDG_DATA_HOME/csofa/plugins, by default below ~/.local/share
data, home = path("data"), path("home")
for folder in (os.path.join(data, "csofa", "plugins"),
               os.path.join(home, ".local", "share", "csofa", "plugins")):
    os.makedirs(folder)
    shutil.copy(library, os.path.join(folder, "OfUser.so"))
of_user = write("of_user.scn", (FALL % '    <UniformDrag coefficient="5"/>\n').replace(
    "<DefaultAnimationLoop/>", '<DefaultAnimationLoop/>\n<RequiredPlugin pluginName="OfUser"/>'))
for name, env in [("XDG_DATA_HOME", {"XDG_DATA_HOME": data, "HOME": "/none"}),
                  ("HOME", {"XDG_DATA_HOME": "", "HOME": home}),
                  ("a relative XDG_DATA_HOME", {"XDG_DATA_HOME": "data", "HOME": home})]:
    r, v = velocity(of_user, env=env)
    check("the user's folder by " + name, r.status == 0 and abs(v - expected) < 1e-6, r)
for env in ({"XDG_DATA_HOME": "data", "HOME": "/none"}, {"XDG_DATA_HOME": "/none", "HOME": home},
            {"XDG_DATA_HOME": "", "HOME": ""}):
    r = run("-n", 0, of_user, env=env)
    check("not the user's folder", r.status == 1 and "'OfUser' was not found" in r.err, r)

# next to the scene: only when the scene is trusted, and after all other folders
beside = write("beside.scn", (FALL % '    <UniformDrag coefficient="5"/>\n').replace(
    "<DefaultAnimationLoop/>", '<DefaultAnimationLoop/>\n<RequiredPlugin pluginName="near"/>'))
elsewhere = path("elsewhere")
os.makedirs(elsewhere)
r = run("-n", 0, beside, cwd=elsewhere)
check("next to a scene", r.status == 1 and "'near' was not found" in r.err, r)
r = run("-n", 0, "--trust-scene", beside, cwd=elsewhere)
check("next to a trusted scene", r.status == 0, r)
os.makedirs(path("first"))
write("first/near.so", "not a library\n")
r = run("-n", 0, "--trust-scene", "--plugin-path", path("first"), beside)
check("the scene's folder is the last", r.status == 1 and "first/near.so" in r.err, r)

# what a usual SOFA has not is found, but not loaded by its name alone: the way to load it is told
tree = write("tree.scn", '<Node name="r">\n<RequiredPlugin pluginName="ArticulatedSystemPlugin"/>'
             '<DefaultAnimationLoop/></Node>')
r = run("-n", 0, tree)
told = r.err.split("--load ")[-1].split()[0] if "--load " in r.err else ""
check("on request only", r.status == 1 and "tree.scn:2: error:" in r.err and os.path.exists(told), r)
r = run("-n", 0, "--load", told, tree)
check("on request", r.status == 0 and r.err == "", r)

finish()
