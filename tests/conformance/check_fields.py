#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every component has the module, the templates and the fields of SOFA's component of that name, so
that no attribute of a scene is unknown. The list of SOFA's components is reference data: without it
the check prints "skipped" and ends with status 77. usage: check_fields.py RUNCSOFA"""
import json
import os
import re
import subprocess
import sys

PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(PROJECT, "tools"))
from components import pages  # noqa: E402
# SOFA's name of a C++ type where others have states: "Mapping<Vec3d...>" is a mapping Vec3d,Vec3d
NO_TEMPLATE = re.compile(r"Mapping<")
COMMON = {"name", "printLog", "tags", "bbox", "componentState", "listening", "mechanicalStates"}


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.decode()


# csofa's addition to SOFA's elements of first order
SECOND_ORDER = ("CorotationalFEMForceField", "LinearSmallStrainFEMForceField", "FEMMass")
SECOND_ORDER_TEMPLATES = {"Vec3d,%s" % shape for shape in (
    "Tetrahedron10", "Hexahedron20", "Hexahedron27", "Prism15", "Pyramid13", "Triangle6", "Quad8", "Quad9")} | {
        "Vec2d,%s" % shape for shape in ("Triangle6", "Quad8", "Quad9")}


def problems(name, text, sofa):
    known = set(re.findall(r"`([A-Za-z0-9_]+)`", text)) | COMMON
    wanted = [field[0] for field in sofa["fields"]] + [link[0] for link in sofa["links"]]
    for field in wanted:
        if field not in known:
            yield "field '%s' is missing" % field
    module = re.search(r"^Module: `([^`]+)`", text, re.M)
    if not module or module.group(1) != sofa["module"]:
        yield "the module is %s, SOFA's %s" % (module and module.group(1), sofa["module"])
    templates = re.search(r"^Templates: (.*)", text, re.M)
    found = set(re.findall(r"`([^`]+)`", templates.group(1))) if templates else set()
    expected = set(sofa["templates"])
    if name in SECOND_ORDER:
        expected |= SECOND_ORDER_TEMPLATES
    if found != expected and not any(NO_TEMPLATE.match(name) for name in expected):
        yield "templates differ: %s" % ", ".join(sorted(found ^ expected))


def main(program):
    root = os.environ.get("CSOFA_REFERENCE") or os.path.join(PROJECT, "..", "shared", "reference")
    path = os.path.join(root, "sofa", "components.json")
    if not os.path.exists(path):
        print("skipped: no %s" % path)
        return 77
    with open(path) as file:
        sofa = json.load(file)
    names = [line.split()[0] for line in run(program, "--list").splitlines()
             if line.startswith("  ") and line.split()]
    names = [name for name in names if name in sofa]
    bad, texts = 0, pages(run(program, "--doc", ",".join(names)), names)
    for name, text in zip(names, texts):
        for problem in problems(name, text, sofa[name]):
            print("%s: %s" % (name, problem))
            bad += 1
    print("%d components compared, %d problems" % (len(names), bad))
    return 1 if bad or not names else 0


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1])))
