#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes the site with pictures of a few scenes, and checks pages, links, formulas and the index of the search.

usage: pages.py RUNCSOFA FOLDER [--built]: the site is there already"""
import json
import os
import re
import subprocess
import sys
import tempfile

PROGRAM, SITE = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOLS = os.path.join(PROJECT, "tools", "site")
FEW = "springs/hanging_mass,demo/friction"
sys.path.insert(0, TOOLS)
import check  # noqa: E402
import formulas  # noqa: E402

failures = 0


def expect(what, good, found=""):
    global failures
    if not good:
        failures += 1
        print("wrong: %s: %s" % (what, found))


def read(name):
    with open(os.path.join(SITE, name), encoding="utf-8") as file:
        return file.read()


def make():
    done = subprocess.run([sys.executable, os.path.join(TOOLS, "build.py"), "--program", PROGRAM, "--out", SITE,
                           "--pictures", FEW], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode == 77:
        print("skipped: " + done.stdout.strip())
        sys.exit(77)
    expect("the site is made", done.returncode == 0, done.stdout)


def pages():
    listed = subprocess.run([PROGRAM, "--list"], stdout=subprocess.PIPE, text=True, check=True).stdout
    components = [n for n in re.findall(r"^  (\w+)", listed, re.M) if n != "Node"]
    problems, n_pages, n_links = check.check(SITE, components)
    expect("links, anchors, titles", not problems, "\n".join(problems))
    expect("pages and links", n_pages > 800 and n_links > 20000 and len(components) > 400, (n_pages, n_links))
    for folder, _, names in os.walk(os.path.join(PROJECT, "scenes")):
        for name in names:
            if name.endswith(".scn"):
                inside = os.path.relpath(os.path.join(folder, name), PROJECT)
                expect("the download of " + inside, os.path.isfile(os.path.join(SITE, inside)))
                expect("the page of " + inside, os.path.isfile(os.path.join(SITE, inside[:-4] + ".html")))


def component():
    """A page has what the tables say, required fields first."""
    page = read("reference/TetrahedronFEMForceField.html")
    rows = re.findall(r'<tr id="field-(\w+)">(.*?)</tr>', page, re.S)
    names = [name for name, _ in rows]
    young = dict(rows).get("youngModulus", "")
    expect("required fields come first", set(names[:2]) == {"youngModulus", "poissonRatio"}, names[:4])
    for text in ("<td>Pa</td>", "5000", "finite", "required"):
        expect("youngModulus: " + text, text in young, young)
    expect("quirks", "differences.html#tetra-large-update" in page)
    expect("links to classes", 'href="interfaces.html#' in page or 'href="TetrahedronSet' in page)
    expect("a refused attribute", "<h2 id=\"not-supported\"" in "".join(
        read("reference/" + n) for n in os.listdir(os.path.join(SITE, "reference"))))
    expect("equations", 'class="formula"' in read("reference/EulerImplicitSolver.html"))


# interfaces whose classes are formulas, and the classes of them that have none
FORMULAS = ("force-field", "mass", "mapping", "projective-constraint", "lagrangian-constraint", "constraint-correction",
            "constraint-solver", "contact-response", "ode-solver", "linear-solver", "solid-material")
NO_FORMULA = {"AugmentedLagrangianConstraint": "a scene's element of it has no rows: responses make them",
              "UnilateralLagrangianConstraint": "as AugmentedLagrangianConstraint"}


def equations():
    """The pages of classes that steps evaluate have equations; those of NO_FORMULA have none."""
    lists = dict(re.findall(r'<h2 id="([\w-]+)">.*?</h2><p>(.*?)</p>', read("reference/interfaces.html"), re.S))
    expect("interfaces", set(FORMULAS) <= set(lists), set(FORMULAS) - set(lists))
    names = {name for i in FORMULAS for name in re.findall(r'href="(\w+)\.html"', lists.get(i, ""))}
    expect("classes with formulas", len(names) > 150, len(names))
    without = {name for name in names if 'class="formula"' not in read("reference/%s.html" % name)}
    expect("equations are missing", not without - set(NO_FORMULA), sorted(without - set(NO_FORMULA)))
    expect("NO_FORMULA lists classes that have some", set(NO_FORMULA) <= without, set(NO_FORMULA) - without)


def pictures():
    """Where pictures can be made they are there; else the pages say so."""
    for scene in FEW.split(","):
        path = os.path.join(SITE, "pictures", scene.replace("/", "_") + ".png")
        page = read("scenes/%s.html" % scene)
        if os.path.isfile(path):
            expect("picture of " + scene, os.path.getsize(path) > 1000 and "<figure>" in page)
        else:
            expect("the page says why there is no picture", "without OpenGL" in page, page[:2000])


def index():
    text = read("search-index.js")
    rows = json.loads(text[text.index("["):text.rindex("]") + 1])
    for row in rows:
        expect("the place of '%s'" % row[0], len(row) == 5 and os.path.isfile(os.path.join(SITE, row[1].partition("#")[0])), row)
    kinds = {row[2] for row in rows}
    expect("kinds", kinds == {"component", "field", "page", "section", "scene"}, kinds)


def broken_sites():
    """The check sees what is wrong."""
    good = '<html><head><title>t</title></head><body><h1 id="a">t</h1><a href="#a">x</a>%s</body></html>'
    for extra, text in (("", None), ('<a href="gone.html">x</a>', "no such file"), ('<a href="#b">x</a>', "no such anchor"),
                        ('<p id="a">x</p>', "exists twice"), ("<h1>u</h1>", "2 first headings"),
                        ('<img src="https://example.org/x.png">', "from elsewhere"), ('<a href="../x">x</a>', "out of the site")):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "index.html"), "w", encoding="utf-8") as file:
                file.write(good % extra)
            found = check.check(folder)[0]
            expect("check of '%s'" % extra, not found if text is None else len(found) == 1 and text in found[0], found)
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "index.html"), "w", encoding="utf-8") as file:
            file.write(good.replace("<title>t</title>", "") % "")
        expect("a page without a title", any("no title" in p for p in check.check(folder)[0]))
        expect("a component without a page", any("X has no page" in p for p in check.check(folder, ["X"])[0]))


def formula(text, flat=False):
    return re.sub(r"&#8201;|<[^>]+>", "", formulas.inline(text, flat)).strip()


def written():
    """Formulas: text of the HTML, and what is refused."""
    for text, want in (("x' = x + h v", "x′ = x + hv"), ("M^-1 f", "M−1f"), ("lambda_n", "λn"), ("a/b", "ab"),
                       ("f(x, v)", "f(x, v)"), ("-k x", "−kx")):
        expect("formula '%s'" % text, formula(text) == want, formula(text))
    expect("a fraction in a line", formula("(a + b)/c", True) == "(a + b)/c", formula("(a + b)/c", True))
    expect("exponents", "<sup>−1</sup>" in formulas.inline("M^-1"), formulas.inline("M^-1"))
    for text in ("(a", "a)", "x^^2", "a_", "a § b", "x_1_2"):
        try:
            formulas.inline(text)
            expect("'%s' is refused" % text, False)
        except ValueError:
            pass


def main():
    if "--built" not in sys.argv:
        make()
    pages()
    component()
    equations()
    if "--built" not in sys.argv:
        pictures()
    index()
    broken_sites()
    written()
    print("%d failures" % failures)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
