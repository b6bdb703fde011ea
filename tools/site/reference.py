# SPDX-License-Identifier: LGPL-2.1-or-later
"""The reference of components: a page each, from what `runcsofa --doc-json` says."""
import json
import re
import subprocess
from html import escape

import formulas
import scenes as scene_files
from layout import Page, relative
from markdown_page import slug

PLUGINS = ("SofaCaribou", "IncrementalPotentialContact", "ArticulatedSystemPlugin")
MANY = 8  # more classes than this are a link to their list


def ask(site):
    """[component, ...] of the program and of those of PLUGINS that are built."""
    paths = [site.library("plugins", p) or site.library("optional", p) for p in PLUGINS]
    load = ",".join(p for p in paths if p)
    words = [site.program] + (["-l", load] if load else []) + ["--doc-json"]
    done = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True)
    return sorted((c for c in json.loads(done.stdout) if c["name"] != "Node"), key=lambda c: c["name"].lower())


class Reference:
    """What pages need of all components."""

    def __init__(self, components):
        self.components = components
        self.by_name = {c["name"]: c for c in components}
        self.tags = {}
        for c in components:
            for tag in [c["name"], *c.get("aliases", [])]:
                self.tags.setdefault(tag, c["name"])
        self.implementing, self.based = {}, {}
        for c in components:
            for interface in c.get("implements", []):
                self.implementing.setdefault(interface, set()).add(c["name"])
            for base in [c["name"], *c.get("bases", [])]:
                self.based.setdefault(base, set()).add(c["name"])
        # rows that every component has are told once
        rows = [{json.dumps(f, sort_keys=True) for f in self.comparable(c)} for c in components]
        self.common = set.intersection(*rows)

    @staticmethod
    def comparable(component):
        return [{k: v for k, v in f.items() if k != "of"} for f in component["fields"]]

    def is_common(self, field):
        return json.dumps({k: v for k, v in field.items() if k != "of"}, sort_keys=True) in self.common


def page_path(name):
    return "reference/%s.html" % name


# ---- text ----

def linked(text, site, page, own=""):
    """Escaped text; `code` is code, names of components are links."""
    out = []
    for part in re.split(r"(`[^`]*`|\b[A-Z]\w{3,}\b)", text):
        if part.startswith("`") and part.endswith("`") and len(part) > 1:
            out.append("<code>%s</code>" % escape(part[1:-1]))
        elif part in site.tags and site.tags[part] != own:
            out.append('<a href="%s">%s</a>' % (relative(page, page_path(site.tags[part])), part))
        else:
            out.append(escape(part))
    return "".join(out)


def names_of(names, site, page):
    return ", ".join('<a href="%s">%s</a>' % (relative(page, page_path(n)), n) for n in sorted(names, key=str.lower))


def target_of(field, site, page):
    """What a link field accepts."""
    ref = site.reference
    if field.get("linkNode"):
        return "a node"
    if field.get("linkClass"):
        name = field["linkClass"]
        names = ref.based.get(name, set())
    elif field.get("linkInterface"):
        name = field["linkInterface"]
        names = ref.implementing.get(name, set())
    else:
        return ""
    if not names:
        return escape(name)
    if len(names) <= MANY:
        return names_of(names, site, page)
    if field.get("linkInterface"):
        return '<a href="%s">%s (%d)</a>' % (relative(page, "reference/interfaces.html#" + slug(name)), escape(name),
                                             len(names))
    return "%s: %d classes" % (escape(name), len(names))


# ---- fields ----

def field_anchor(field):
    return "field-" + field["name"] + ("-family" if field.get("family") else "")


def field_name(field):
    name = field["name"]
    if not field.get("family"):
        return "<code>%s</code>" % escape(name)
    count = field.get("count")
    return "<code>%s1</code>, <code>%s2</code>, … by <code>%s</code>" % (name, name, count) if count else \
        "<code>%s</code>" % escape(name)


def meaning(field, site, page, own):
    text = [linked(field.get("help", ""), site, page, own)]
    if field.get("options"):
        text.append("One of " + ", ".join("<code>%s</code>" % escape(o) for o in field["options"]) + ".")
    if field.get("aliases"):
        text.append("Also written " + ", ".join("<code>%s</code>" % escape(a) for a in field["aliases"]) + ".")
    if field.get("keepGoing"):
        text.append("<small>Outside of the range with <code>--keep-going</code>: %s.</small>" % escape(field["keepGoing"]))
    target = target_of(field, site, page)
    if target:
        text.append('<span class="target">→ %s%s</span>' % (
            target, ", by default searched in the " + field["linkSearch"] if field.get("linkSearch") else ""))
    return "<br>".join(text)


def row(field, site, page, own):
    anchor = field_anchor(field)
    range_ = escape(field.get("range", ""))
    default = "<b>required</b>" if field.get("required") and not field.get("default") else \
        "<code>%s</code>" % escape(field["default"]) if field.get("default") else ""
    if field.get("computed"):
        default = ""
    if field.get("required") and field.get("default"):
        default += " <b>required</b>"
    return '<tr id="%s"><td>%s</td><td>%s</td><td>%s</td><td>%s</td><td>%s</td><td>%s</td></tr>' % (
        anchor, field_name(field), escape(field.get("type", "list of the template's values")),
        re.sub(r"\^(-?\d+)", r"<sup>\1</sup>", escape(field.get("unit", ""))), default, range_, meaning(field, site, page, own))


def table(fields, site, page, own):
    head = "<tr><th>field</th><th>type</th><th>unit</th><th>default</th><th>range</th><th>meaning</th></tr>"
    return '<div class="table"><table class="fields"><thead>%s</thead><tbody>%s</tbody></table></div>' % (
        head, "\n".join(row(f, site, page, own) for f in fields))


def groups_of(component, reference):
    """[(title, remark, fields), ...]: required ones first."""
    fields = [f for f in component["fields"] if not reference.is_common(f)]
    first = [f for f in fields if f.get("required")]
    rest = [f for f in fields if not f.get("required")]
    refused = [f for f in rest if f.get("unsupported")]
    idle = [f for f in rest if f.get("noEffect") and not f.get("unsupported")]
    results = [f for f in rest if f.get("computed") and f not in refused + idle]
    shown = [f for f in rest if f.get("drawing") and f not in refused + idle + results]
    plain = [f for f in rest if f not in refused + idle + results + shown]
    return [("Fields", "", first + plain),
            ("Results", "Computed by the component: other objects link to them.", results),
            ("Drawing", "No effect on the simulation.", shown),
            ("Not supported", "SOFA has these attributes. Their default is accepted, any other value is an error.", refused),
            ("Without effect", "Accepted because SOFA has them.", idle)]


# ---- a page ----

def head_of(component, site, path):
    c = component
    facts = ["Module <code>%s</code>" % escape(c["module"])]
    if c.get("category"):
        facts.append(escape(c["category"]))
    if c.get("aliases"):
        facts.append("also called " + ", ".join("<code>%s</code>" % a for a in c["aliases"]))
    if c.get("templates"):
        facts.append("templates " + ", ".join("<code>%s</code>" % t for t in c["templates"]))
    body = ["<h1>%s</h1>" % c["name"], '<p class="facts">%s</p>' % " · ".join(facts),
            "<p>%s</p>" % linked(c.get("help", ""), site, path, c["name"])]
    if c.get("equations"):
        body.append(formulas.block(c["equations"]))
    for place, title in site.mentions.get(c["name"], []):
        if place.startswith("theory/"):
            body.append('<p class="more">The theory: <a href="%s">%s</a></p>' % (relative(path, place), escape(title)))
    return body


def example_of(component, site, path):
    scene = scene_files.example_of(component["name"], component.get("aliases", []), site.scenes, site.tags)
    if not scene:
        return ["<p>No example scene has this component.</p>"]
    return [scene_files.figure(scene, site, path),
            "<p>%s</p>" % linked(scene.about, site, path, component["name"]) if scene.about else "",
            '<p><a href="%s">%s</a> · <a href="%s" download>download</a></p>' % (
                relative(path, scene.page), escape(scene.name), relative(path, scene.file)),
            site.scene_block(scene.text, "xml", scene.file.rsplit("/", 1)[-1], path)]


def page_of(component, site):
    path, toc = page_path(component["name"]), []
    body = head_of(component, site, path)

    def part(title, html):
        id_ = slug(title)
        toc.append((2, id_, title))
        body.append('<h2 id="%s">%s <a class="anchor" href="#%s" aria-label="Link to this section">#</a></h2>' % (id_, title, id_))
        body.extend(html)

    for title, remark, fields in groups_of(component, site.reference):
        if fields:
            part(title, ["<p>%s</p>" % remark if remark else "", table(fields, site, path, component["name"])])
    body.append('<p>Every component also has the <a href="%s">common fields</a>.</p>' % relative(
        path, "reference/index.html#common-fields"))
    if component.get("quirks"):
        rows = ['<li><a href="%s"><code>%s</code></a>: %s</li>' % (
            relative(path, site.place("docs/differences.md", q["word"], "--doc-json")), q["word"],
            linked(q["text"], site, path, component["name"])) for q in component["quirks"]]
        part("Quirks of SOFA", ["<p>Off by default; <code>--quirks</code> reproduces them.</p><ul>%s</ul>" % "".join(rows)])
    part("Example", example_of(component, site, path))
    pages = [(p, t) for p, t in site.mentions.get(component["name"], []) if not p.startswith("theory/")]
    if pages:
        part("Pages", ["<ul>%s</ul>" % "".join('<li><a href="%s">%s</a></li>' % (relative(path, p), escape(t))
                                               for p, t in pages)])
    return Page(path, component["name"], "\n".join(body), toc, component.get("help", ""), "component")


# ---- lists ----

def index_page(site):
    path, toc = "reference/index.html", []
    body = ["<h1>Components</h1>",
            "<p>%d components, from the tables of the program. <code>runcsofa --doc NAME</code> prints an entry, "
            '<a href="interfaces.html">lists by interface</a> say what a link accepts.</p>' % len(site.reference.components)]
    modules = {}
    for c in site.reference.components:
        modules.setdefault(c["module"], []).append(c)
    for module in sorted(modules, key=lambda m: (m in PLUGINS, not m.startswith("Sofa."), m)):
        id_ = slug(module)
        toc.append((2, id_, escape(module.replace("Sofa.Component.", "")).replace(".", ".<wbr>")))
        rows = ['<tr><td><a href="%s.html">%s</a></td><td>%s</td></tr>' % (
            c["name"], c["name"], linked(c.get("help", "").split(". ")[0].rstrip(".") + ".", site, path, c["name"]))
            for c in modules[module]]
        body.append('<h2 id="%s">%s</h2><div class="table"><table class="list">%s</table></div>' % (id_, escape(module), "".join(rows)))
    toc.append((2, "common-fields", "Common fields"))
    common = [f for f in site.reference.components[0]["fields"] if site.reference.is_common(f)]
    body.append('<h2 id="common-fields">Common fields</h2><p>Every component has these.</p>%s' % table(common, site, path, ""))
    return Page(path, "Components", "\n".join(body), toc, "All components of csofa.")


def interfaces_page(site):
    path, toc = "reference/interfaces.html", []
    body = ["<h1>Components by interface</h1>", "<p>A link that accepts an interface takes any of its components.</p>"]
    for name in sorted(site.reference.implementing):
        names = site.reference.implementing[name]
        toc.append((2, slug(name), escape(name)))
        body.append('<h2 id="%s">%s</h2><p>%s</p>' % (slug(name), escape(name), names_of(names, site, path)))
    return Page(path, "Components by interface", "\n".join(body), toc, "Which components implement which interface.")
