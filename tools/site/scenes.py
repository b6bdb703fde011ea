# SPDX-License-Identifier: LGPL-2.1-or-later
"""The example scenes: a page each with the source, its components, a picture and the files to download."""
import glob
import os
import re
import shutil
from html import escape

import highlight
from layout import Page, relative

FOLDERS = ("scenes", "plugins/*/scenes")
PLUGIN = re.compile(r"^plugins/([^/]+)/")


class Scene:
    """`source` in the project; `page` and `file` in the site; the names of its elements."""

    def __init__(self, project, source):
        with open(os.path.join(project, source), encoding="utf-8") as file:
            self.text = file.read()
        self.source = source
        plugin = PLUGIN.match(source)
        self.name = source[:-len(".scn")]
        self.name = self.name.replace("plugins/", "").replace("/scenes", "") if plugin else self.name[len("scenes/"):]
        self.page, self.file = "scenes/%s.html" % self.name, "scenes/%s.scn" % self.name
        comments = re.findall(r"<!--(.*?)-->", self.text, re.S)
        test = next((c for c in comments if c.strip().startswith("TEST")), "")
        steps = re.search(r"\bsteps=(\d+)", test)
        self.steps = int(steps.group(1)) if steps else 10
        head = self.text.split("<Node", 1)[0]
        self.about = " ".join(" ".join(c.split()) for c in re.findall(r"<!--(.*?)-->", head, re.S)
                              if not c.strip().startswith("TEST"))
        body = re.sub(r"<!--.*?-->", "", self.text, flags=re.S)
        self.elements = re.findall(r"<([A-Za-z]\w*)", body)
        self.elements += re.findall(r'<Object\b[^>]*?\btype="(\w+)"', body)

    def command(self, steps):
        return "runcsofa -g batch -n %d --screenshot %s.png %s" % (steps, os.path.basename(self.name),
                                                                   os.path.basename(self.file))


def find(project):
    found = []
    for folder in FOLDERS:
        for path in sorted(glob.glob(os.path.join(project, folder, "**", "*.scn"), recursive=True)):
            found.append(Scene(project, os.path.relpath(path, project)))
    return found


# folders whose scenes are about something else than the mechanics in them
ASIDE = ("io", "playback", "setting", "engine", "visual", "haptics", "sceneutility", "controller", "linearsystem",
         "animationloop", "multithreading")


def example_of(name, aliases, scenes, tags):
    """The scene that shows a component: the one of its name, one that speaks of it, one that is not of another
    component, else the shortest with it."""
    names = {name, *aliases}
    own = [s for s in scenes if os.path.basename(s.name) in names]
    having = [s for s in scenes if names & set(s.elements)]
    both = [s for s in own if s in having] or own

    def rank(scene):
        folder, own_name = os.path.split(scene.name)
        return name not in scene.about, own_name in tags, folder in ASIDE, len(scene.text), scene.name
    return both[0] if both else min(having, key=rank, default=None)


def copy_files(site):
    """The scenes and the files they read, for downloads, in the same folders."""
    for folder in FOLDERS:
        for root in glob.glob(os.path.join(site.project, folder)):
            inside = os.path.relpath(root, site.project)
            target = "scenes" if inside == "scenes" else os.path.join("scenes", inside.split(os.sep)[1])
            shutil.copytree(root, os.path.join(site.out, target), dirs_exist_ok=True)


def data_files(scene, site):
    """Files beside the scene that it names: [path in the site]."""
    names = set(re.findall(r'"([^"<>|]+?\.\w{2,6})"', scene.text))
    folder = os.path.dirname(scene.source)
    found = []
    for name in sorted(names):
        path = os.path.normpath(os.path.join(site.project, folder, name))
        inside = os.path.relpath(path, site.project)
        if os.path.isfile(path) and inside.startswith(("scenes/", "plugins/")) and not inside.endswith(".scn"):
            place = inside if inside.startswith("scenes/") else os.path.join(
                "scenes", inside.replace("plugins/", "", 1).replace("/scenes/", "/", 1))
            found.append(place)
    return found


def figure(scene, site, page):
    """The picture, or why there is none."""
    picture, why = site.pictures.get(scene.source, (None, "No picture was asked for."))
    if picture:
        return '<figure><img src="%s" alt="%s after %d steps" loading="lazy" width="480" height="320"></figure>' % (
            relative(page, picture), escape(scene.name), site.picture_steps(scene))
    return '<p class="nopicture">%s</p>' % escape(why)


def components_of(scene, site, page):
    names = sorted({site.tags[e] for e in scene.elements if e in site.tags})
    return ", ".join('<a href="%s">%s</a>' % (relative(page, site.component_page(n)), n) for n in names)


def page_of(scene, site):
    path = scene.page
    files = ['<a href="%s" download>%s</a>' % (relative(path, scene.file), os.path.basename(scene.file))]
    files += ['<a href="%s" download>%s</a>' % (relative(path, f), os.path.basename(f)) for f in data_files(scene, site)]
    body = ["<h1>%s</h1>" % escape(scene.name), "<p>%s</p>" % escape(scene.about) if scene.about else "",
            figure(scene, site, path), "<p>Download: %s</p>" % ", ".join(files),
            highlight.block(scene.command(site.picture_steps(scene)), "sh"),
            site.scene_block(scene.text, "xml", os.path.basename(scene.file), path),
            '<p class="components">Components: %s</p>' % components_of(scene, site, path)]
    return Page(path, scene.name, "\n".join(body), summary=scene.about, kind="scene")


def card(scene, site, page):
    picture, _ = site.pictures.get(scene.source, (None, ""))
    image = '<img src="%s" alt="" loading="lazy" width="240" height="160">' % relative(page, picture) if picture else ""
    return '<a class="card" href="%s">%s<b>%s</b></a>' % (relative(page, scene.page), image,
                                                          escape(os.path.basename(scene.name)))


def list_page(site):
    """All scenes by folder."""
    path, body, toc = "scenes/index.html", ["<h1>Example scenes</h1>"], []
    body.append("<p>Every scene is an example of a component and a test: its first comment names the steps and what the "
                "test expects.</p>")
    for folder in sorted({os.path.dirname(s.name) for s in site.scenes}):
        id_ = re.sub(r"\W+", "-", folder.lower())
        toc.append((2, id_, escape(folder)))
        cards = "\n".join(card(s, site, path) for s in site.scenes if os.path.dirname(s.name) == folder)
        body.append('<h2 id="%s">%s</h2>\n<div class="cards small">%s</div>' % (id_, escape(folder), cards))
    return Page(path, "Example scenes", "\n".join(body), toc, "All example scenes of csofa.")
