# SPDX-License-Identifier: LGPL-2.1-or-later
"""The order of the navigation, and where the project's Markdown files are in the site."""
import posixpath

# files of the project, and pages that have no file
GROUPS = [
    ("Start", ["README.md", "docs/user-guide.md", "docs/coming-from-sofa.md", "docs/editors.md", "gallery.html"]),
    ("Simulations", ["docs/contacts.md", "docs/materials.md", "docs/ipc.md", "docs/caribou.md", "docs/statics.md", "docs/results.md",
                     "docs/modes.md", "docs/solvers.md", "docs/distributed.md", "docs/validation.md", "docs/differences.md",
                     "docs/security.md"]),
    ("Theory", ["docs/theory/README.md", "docs/theory/euler-implicit.md", "docs/theory/variational-symplectic.md",
                "docs/theory/caribou-solvers.md", "docs/theory/beams-and-shells.md"]),
    ("Reference", ["reference/index.html", "reference/interfaces.html", "scenes/index.html"]),
    ("Programming", ["docs/python.md", "docs/c.md", "docs/cpp.md", "docs/plugins.md", "docs/writing-a-force-field.md",
                     "docs/writing-a-mapping.md", "docs/writing-a-linear-solver.md", "docs/writing-a-loader.md",
                     "docs/writing-an-engine.md", "docs/writing-a-material.md"]),
    ("Project", ["docs/packages.md", "docs/architecture.md", "CONTRIBUTING.md", "CHANGELOG.md"]),
]
SHORT = {"README.md": "Overview", "gallery.html": "Gallery", "reference/index.html": "Components",
         "reference/interfaces.html": "By interface", "scenes/index.html": "Example scenes",
         "docs/ipc.md": "Contact without intersections", "docs/theory/README.md": "Time integration",
         "docs/theory/euler-implicit.md": "Implicit Euler",
         "docs/theory/variational-symplectic.md": "Variational symplectic",
         "docs/theory/beams-and-shells.md": "Beams and shells",
         "docs/theory/caribou-solvers.md": "Newton to the end", "docs/security.md": "Security"}


def short_title(source, title):
    return SHORT.get(source, title)


def path_of(source):
    """docs/user-guide.md is guide/user-guide.html, docs/theory/x.md is theory/x.html, bench/README.md is guide/bench.html."""
    if source == "README.md":
        return "index.html"
    folder, name = posixpath.split(source[:-len(".md")])
    if folder.startswith("docs/"):
        return posixpath.join(folder[len("docs/"):], "index.html" if name == "README" else name + ".html")
    if folder in ("", "docs"):
        return "guide/%s.html" % name.lower()
    return "guide/%s.html" % (folder.replace("/", "-") + ("" if name == "README" else "-" + name.lower()))
