# SPDX-License-Identifier: LGPL-2.1-or-later
"""Components and plugins of SOFA that csofa does not have: one line per kind, with SOFA's module."""
import json
import os
import re

from cli import check, finish, run, write

PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
REFERENCE = os.environ.get("CSOFA_REFERENCE",
                           os.path.join(os.path.dirname(PROJECT), "shared", "reference"))


def table():
    """name -> place, and the plugins, of components/names_elsewhere.c."""
    with open(os.path.join(PROJECT, "components", "names_elsewhere.c")) as file:
        rows, plugins = file.read().split("components_plugins_of_sofa", 1)
    return dict(re.findall(r'\{"(\w+)", "([^"]+)"\}', rows)), re.findall(r'"([\w.]+)"', plugins)


def lines(result):
    return [line.split(": error: ", 1)[1] for line in result.err.splitlines() if ": error: " in line]


rows, plugins = table()
check("the table is there", len(rows) > 100 and len(plugins) > 40)

# every row: one line however often it is used
for k in range(0, len(rows), 20):
    names = sorted(rows)[k:k + 20]
    r = run("-n", 0, write("missing.scn", "<Node>\n%s\n</Node>" % "\n".join(
        "<Node name='%s'><%s/><%s/><Node name='x'><%s/></Node></Node>" % (n, n, n, n) for n in names)))
    found = lines(r)
    wanted = ["<%s> was not created 3 times: SOFA has it in %s; csofa does not" % (n, rows[n]) for n in names]
    check("one line per kind", r.status == 1 and found == wanted, r)

r = run("--doc", "CableConstraint")
check("--doc", r.status == 2 and "SOFA has it in the plugin SoftRobots; csofa does not" in r.err, r)

for plugin in plugins:
    r = run("-n", 0, write("plugin.scn", "<Node><RequiredPlugin pluginName='%s'/></Node>" % plugin))
    check("plugin " + plugin,
          lines(r) == ["plugin '%s' is one of SOFA; csofa does not have it" % plugin], r)

# no absurd nearest name
for name, near in (("MechanicalObjekt", ["MechanicalObject"]), ("Frobnicator", []), ("Constraint", []),
                   ("UniformMas", ["UniformMass"]), ("Spring", []), ("SolverX", [])):
    r = run("-n", 0, write("near.scn", "<Node><%s/></Node>" % name))
    found = re.findall(r"'(\w+)'", lines(r)[0].partition("did you mean")[2])
    check("nearest of %s" % name, found == near, r)

# nothing that is built is in the table; nothing of SOFA that is not built is missing in it
built = set(re.findall(r"^  (\w+)", run("--list").out, re.M))
check("not built", not built & set(rows))
known = os.path.join(REFERENCE, "sofa", "components.json")
if os.path.exists(known):
    with open(known) as file:
        of_sofa = json.load(file)
    others = [name for name, entry in of_sofa.items() if entry["module"] and name not in rows]
    unknown = re.findall("there is no component '([^']*)'", run("--doc", ",".join(others)).err)
    check("all of SOFA's components are known: %s" % unknown, not unknown)
    wrong = [name for name in rows if name in of_sofa and of_sofa[name]["module"] != rows[name]]
    check("modules: %s" % wrong, not wrong)

finish()
