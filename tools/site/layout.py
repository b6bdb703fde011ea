# SPDX-License-Identifier: LGPL-2.1-or-later
"""The frame of every page: head, navigation, table of contents. Links are relative, so that pages open from a disk."""
import os
import posixpath
from html import escape

HERE = os.path.dirname(os.path.abspath(__file__))


class Page:
    """A page of the site: `path` in the site, `title`, `body` (HTML), `toc` [(level, id, text)]."""

    def __init__(self, path, title, body, toc=(), summary="", kind="page"):
        self.path, self.title, self.body, self.toc = path, title, body, list(toc)
        self.summary, self.kind = summary, kind


def relative(start, target):
    """The link from a page to a path of the site, which may end in an anchor."""
    path, hash_, anchor = target.partition("#")
    if path == start and hash_:
        return "#" + anchor
    return posixpath.relpath(path, posixpath.dirname(start) or ".") + hash_ + anchor


def navigation(page, groups):
    out = []
    for title, entries in groups:
        inside = any(path == page.path for path, _ in entries)
        out.append('<details%s><summary>%s</summary><ul>' % (" open" if inside or title == groups[0][0] else "",
                                                            escape(title)))
        for path, text in entries:
            here = ' aria-current="page"' if path == page.path else ""
            out.append('<li><a href="%s"%s>%s</a></li>' % (relative(page.path, path), here, escape(text)))
        out.append("</ul></details>")
    return "\n".join(out)


def contents(page):
    rows = ['<li class="level%d"><a href="#%s">%s</a></li>' % (level, id_, text) for level, id_, text in page.toc
            if level in (2, 3)]
    if len(rows) < 2:
        return ""
    return '<nav class="toc" aria-label="On this page"><h2>On this page</h2><ul>%s</ul></nav>' % "\n".join(rows)


def write(site, page):
    with open(os.path.join(HERE, "page.html"), encoding="utf-8") as file:
        text = file.read()
    toc = contents(page)
    values = {"title": escape(page.title), "root": relative(page.path, ".").rstrip("/") + "/",
              "navigation": navigation(page, site.groups), "toc": toc, "body": page.body,
              "summary": escape(page.summary[:200], quote=True), "version": escape(site.version),
              "kind": page.kind + (" with-toc" if toc else "")}
    for name, value in values.items():
        text = text.replace("{{%s}}" % name, value)
    path = os.path.join(site.out, page.path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
