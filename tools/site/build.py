#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes the documentation as a site of static pages: `./dev docs`.

usage: build.py --program build/bin/runcsofa --out out/site [--pictures all|none|SCENE,...] [--jobs N] [--cache FOLDER]

The pages are those of the project's Markdown files, one per component from the tables of the program, and one per
example scene with a picture, which the program draws. Nothing is loaded from the network; the pages open from a disk.
Needs Debian's python3-markdown-it and python3-pygments. Ends with status 1 when a link of the site is broken."""
import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PROJECT = os.path.dirname(os.path.dirname(HERE))
MARK = "made-by-csofa.txt"  # only a folder with this file is replaced
DEBIAN = "/usr/bin/python3"

try:
    import check
    import gallery
    import highlight
    import layout
    import pictures
    import reference
    import scenes
    import search
    from markdown_page import Converter
    from pages import GROUPS, path_of, short_title
except ImportError as error:
    # packages of Debian are those of Debian's own Python
    if os.path.exists(DEBIAN) and os.environ.get("CSOFA_SITE_PYTHON") != DEBIAN:
        os.environ["CSOFA_SITE_PYTHON"] = DEBIAN
        os.execv(DEBIAN, [DEBIAN, *sys.argv])
    print("build.py: %s: install Debian's python3-markdown-it and python3-pygments" % error, file=sys.stderr)
    sys.exit(77)

SOURCES = (".c", ".h", ".cpp", ".f90", ".py", ".cmake", ".txt", ".in", ".ui", ".sh")  # shown as pages, others are copied


class Site:
    """What all parts know: folders, pages, scenes, components."""

    def __init__(self, options):
        self.project, self.out = PROJECT, os.path.abspath(options.out) + ".part"
        self.program = os.path.abspath(options.program)
        self.cache = os.path.abspath(options.cache or os.path.join(os.path.dirname(self.out), "site-pictures"))
        self.version = self.say("--version").split()[-1]
        self.build_id = self.identify()
        self.reference = reference.Reference(reference.ask(self))
        self.tags = self.reference.tags
        self.scenes = scenes.find(PROJECT)
        self.scene_pages = {s.source: s.page for s in self.scenes}
        self.pictures, self.pages, self.mentions, self.groups = {}, [], {}, []
        self.wanted, self.converted, self.sources, self.copied = [], {}, {}, set()

    def say(self, *words):
        return subprocess.run([self.program, *words], stdout=subprocess.PIPE, text=True, check=True).stdout

    def library(self, folder, name):
        """A plugin of the build, or None."""
        path = os.path.join(os.path.dirname(os.path.dirname(self.program)), "lib", "csofa", folder, name + ".so")
        return path if os.path.exists(path) else None

    def identify(self):
        """Of the program and its library: kept pictures of another build are not used."""
        found = hashlib.sha256()
        library = os.path.join(os.path.dirname(os.path.dirname(self.program)), "lib", "libcsofa.so")
        for path in (self.program, library):
            if os.path.exists(path):
                with open(path, "rb") as file:
                    found.update(file.read())
        return found.hexdigest()

    def picture_steps(self, scene):
        return gallery.STEPS.get(scene.name) or pictures.steps_of(scene)

    def component_page(self, name):
        return reference.page_path(name)

    def scene_block(self, text, language, title, page):
        """A block of code whose components are links."""
        def place_of(tag):
            return layout.relative(page, self.component_page(self.tags[tag])) if tag in self.tags else None
        block = highlight.block(text, language, title)
        return highlight.link_tags(block, place_of) if language == "xml" else block

    # ---- where things of the project are in the site ----

    def component_place(self, anchor):
        for name in self.reference.by_name:
            if name.lower() == anchor:
                return self.component_page(name)
        return "reference/index.html"

    def place(self, path, anchor, source):
        """The place in the site of a file or folder of the project; the file becomes a part of the site."""
        full, hash_ = os.path.join(PROJECT, path), "#" + anchor if anchor else ""
        if path == "docs/components.md":
            return self.component_place(anchor)
        if path in self.scene_pages:
            return self.scene_pages[path]
        if os.path.isdir(full) and re.match(r"(plugins/\w+/)?scenes", path):
            return "scenes/index.html"
        if os.path.isfile(os.path.join(full, "README.md")):
            return self.place(path + "/README.md", anchor, source)
        if os.path.isdir(full):
            self.sources[path] = "source/%s/index.html" % path
            return self.sources[path]
        if not os.path.isfile(full):
            sys.exit("build.py: %s: the link to '%s' leads to nothing" % (source, path))
        if path.endswith(".md"):
            if path not in self.wanted:
                self.wanted.append(path)
            return path_of(path) + hash_
        if not path.endswith(SOURCES):
            self.copied.add(path)
            return "files/" + path
        self.sources[path] = "source/%s.html" % path
        return self.sources[path] + hash_

    def title_of(self, path):
        """Of a Markdown file of the project."""
        with open(os.path.join(PROJECT, path), encoding="utf-8") as file:
            line = next((line for line in file if line.startswith("# ")), "# " + path)
        return line[2:].strip()

    # ---- steps ----

    def convert_pages(self):
        """Those of the navigation, then what they link to."""
        known = [source for _, list_ in GROUPS for source in list_ if source.endswith(".md")]
        docs = sorted(n for n in os.listdir(os.path.join(PROJECT, "docs")) if n.endswith(".md"))
        theory = sorted(n for n in os.listdir(os.path.join(PROJECT, "docs", "theory")) if n.endswith(".md"))
        self.wanted = known + [p for p in ["docs/" + n for n in docs] + ["docs/theory/" + n for n in theory]
                               if p not in known and p != "docs/components.md"]
        for source in self.wanted:  # grows
            page = Converter(self, source, path_of(source)).convert()
            self.converted[source] = page
            self.pages.append(page)

    def find_mentions(self):
        """{component: [(place, title), ...]}: the pages that name it, those of the theory by their headings."""
        counts = {}
        for source, page in self.converted.items():
            if source in ("CHANGELOG.md", "docs/differences.md", "docs/architecture.md"):
                continue
            text = page.body
            if source.startswith("docs/theory/"):
                text = page.title + " ".join(re.findall(r"<h[1-3][^>]*>.*?</h[1-3]>", text, re.S)) + page.summary
            for word in re.findall(r"\b[A-Z]\w{3,}\b", text):
                if word in self.tags:
                    key = (self.tags[word], page.path, page.title)
                    counts[key] = counts.get(key, 0) + 1
        for (name, path, title), n in sorted(counts.items(), key=lambda item: -item[1]):
            self.mentions.setdefault(name, []).append((path, title))

    def fill_navigation(self):
        named = set()
        for title, list_ in GROUPS:
            entries = []
            for source in list_:
                page = self.converted.get(source)
                named.add(source)
                entries.append((page.path, short_title(source, page.title)) if page else (source, short_title(source, "")))
            self.groups.append((title, entries))
        more = [(p.path, short_title(s, p.title)) for s, p in self.converted.items() if s not in named]
        if more:
            self.groups.append(("More", more))

    def source_pages(self):
        for path, place in sorted(self.sources.items()):
            full = os.path.join(PROJECT, path)
            if os.path.isdir(full):
                body = "<ul>%s</ul>" % "\n".join("<li>%s</li>" % name for name in sorted(os.listdir(full)))
            else:
                with open(full, encoding="utf-8", errors="replace") as file:
                    body = highlight.numbered(file.read(), os.path.basename(path))
            body = "<h1>%s</h1>\n%s" % (path, body)
            self.pages.append(layout.Page(place, path, body, kind="source"))

    def draw(self, which, jobs):
        chosen = self.scenes if which == "all" else [] if which == "none" else [
            s for s in self.scenes if s.name in which.split(",")]
        self.pictures = pictures.all_of(self, chosen, jobs)
        missing = [s for s, (picture, _) in self.pictures.items() if not picture]
        print("%d pictures, %d scenes without" % (len(self.pictures) - len(missing), len(missing)))

    def copy(self, path, place):
        target = os.path.join(self.out, place)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copyfile(os.path.join(PROJECT, path), target)

    def write_files(self):
        for name in ("style.css", "site.js"):
            self.copy(os.path.join(HERE, name), name)
        self.copy("packaging/csofa.svg", "icon.svg")
        for path in self.copied:
            self.copy(path, "files/" + path)
        with open(os.path.join(self.out, "code.css"), "w", encoding="utf-8") as file:
            file.write(highlight.styles())
        with open(os.path.join(self.out, "csofa.xsd"), "w", encoding="utf-8") as file:
            file.write(self.say("--xsd"))
        scenes.copy_files(self)

    def search_page(self):
        body = '<h1>Search</h1><p id="ui-count">The search needs JavaScript.</p><div id="ui-results"></div>'
        return layout.Page("search.html", "Search", body, kind="page")

    def build(self, which, jobs):
        os.makedirs(self.out, exist_ok=True)
        with open(os.path.join(self.out, MARK), "w", encoding="utf-8") as file:
            file.write("made by tools/site/build.py, which removes this folder\n")
        self.draw(which, jobs)
        self.convert_pages()
        self.find_mentions()
        self.pages += [reference.page_of(c, self) for c in self.reference.components]
        self.pages += [reference.index_page(self), reference.interfaces_page(self), gallery.page(self),
                       scenes.list_page(self), self.search_page()]
        self.pages += [scenes.page_of(s, self) for s in self.scenes]
        self.source_pages()
        self.fill_navigation()
        for page in self.pages:
            layout.write(self, page)
        self.write_files()
        rows = search.write(self)
        found, n, links = check.check(self.out, [c["name"] for c in self.reference.components])
        print("\n".join(found))
        print("%d pages, %d links, %d entries of the search, %d problems" % (n, links, rows, len(found)))
        return 1 if found else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--pictures", default="all")
    parser.add_argument("--cache")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    if os.path.exists(options.out) and not os.path.exists(os.path.join(options.out, MARK)):
        sys.exit("build.py: %s exists and is no site" % options.out)
    site = Site(options)
    shutil.rmtree(site.out, ignore_errors=True)
    status = site.build(options.pictures, options.jobs)
    # a run that was interrupted leaves the last site
    shutil.rmtree(options.out, ignore_errors=True)
    os.rename(site.out, options.out)
    sys.exit(status)


if __name__ == "__main__":
    main()
