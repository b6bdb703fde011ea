#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks a site: every link and anchor inside of it exists, every page has a title and one heading, nothing is loaded
from elsewhere. usage: check.py SITE [COMPONENT ...]: each of these has a page, too."""
import os
import sys
from html.parser import HTMLParser
from urllib.parse import unquote

OUTSIDE = ("http:", "https:", "mailto:", "data:", "doi:")


class Reader(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.ids, self.links, self.loaded, self.title, self.headings, self.inside = [], [], [], "", 0, False

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        if "id" in found:
            self.ids.append(found["id"])
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        if tag in ("img", "script", "iframe", "video", "source") and "src" in found:
            self.loaded.append(found["src"])
        if tag == "link":
            self.loaded.append(found.get("href", ""))
        if tag == "form":
            self.links.append(found.get("action", ""))
        self.inside |= tag == "title"
        self.headings += tag == "h1"

    def handle_endtag(self, tag):
        self.inside &= tag != "title"

    def handle_data(self, data):
        if self.inside:
            self.title += data


def read(site):
    pages = {}
    for folder, _, names in os.walk(site):
        for name in names:
            if name.endswith(".html"):
                path = os.path.join(folder, name)
                reader = Reader()
                with open(path, encoding="utf-8") as file:
                    reader.feed(file.read())
                pages[os.path.relpath(path, site)] = reader
    return pages


def wrong_link(site, pages, page, link):
    """What is wrong with a link of a page, or None."""
    path, _, anchor = unquote(link).partition("#")
    path = path.partition("?")[0]
    target = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
    if target.startswith(".."):
        return "leads out of the site"
    if not os.path.isfile(os.path.join(site, target)):
        return "there is no such file"
    if anchor and target in pages and anchor not in pages[target].ids:
        return "there is no such anchor"
    return None


def problems_of(site, pages, page):
    reader = pages[page]
    if not reader.title.strip() or reader.title.startswith(" - "):
        yield "%s: no title" % page
    if reader.headings != 1:
        yield "%s: %d first headings" % (page, reader.headings)
    for id_ in sorted({i for i in reader.ids if reader.ids.count(i) > 1}):
        yield "%s: the anchor '%s' exists twice" % (page, id_)
    for link in reader.loaded:
        if link.startswith(OUTSIDE) or link.startswith("//"):
            yield "%s: loads '%s' from elsewhere" % (page, link)
    for link in sorted(set(reader.links + reader.loaded)):
        if not link.startswith(OUTSIDE):
            why = wrong_link(site, pages, page, link)
            if why:
                yield "%s: '%s': %s" % (page, link, why)


def check(site, components=()):
    """([problem, ...], number of pages, number of links)"""
    pages = read(site)
    found = [p for page in sorted(pages) for p in problems_of(site, pages, page)]
    found += ["%s has no page" % c for c in components if "reference/%s.html" % c not in pages]
    if not pages:
        found.append("%s has no pages" % site)
    return found, len(pages), sum(len(r.links) + len(r.loaded) for r in pages.values())


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    found, n, links = check(sys.argv[1], sys.argv[2:])
    print("\n".join(found))
    print("%d pages, %d links, %d problems" % (n, links, len(found)))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
