# SPDX-License-Identifier: LGPL-2.1-or-later
"""The index of the search: a script that defines a list, since pages of a disk cannot read other files."""
import json
import os

from markdown_page import sections
from reference import field_anchor

LONGEST = 600  # characters of a section


def entries(site):
    """[[title, place, kind, text, where], ...]"""
    found = []
    for c in site.reference.components:
        page = site.component_page(c["name"])
        found.append([c["name"], page, "component", " ".join([c.get("help", ""), *c.get("aliases", [])]), c["module"]])
        for field in c["fields"]:
            if field.get("of") in site.reference.by_name or site.reference.is_common(field):
                continue  # they are found at the component that has them
            found.append([field["name"], page + "#" + field_anchor(field), "field",
                          field.get("help", "")[:120], c["name"]])
    for page in site.pages:
        if page.kind == "scene":
            found.append([page.title, page.path, "scene", page.summary, ""])
        if page.kind != "page" or page.path.startswith(("reference/", "source/", "search")):
            continue
        found.append([page.title, page.path, "page", page.summary, ""])
        for id_, title, text in sections(page):
            found.append([title, page.path + "#" + id_, "section", text[:LONGEST], page.title])
    return found


def write(site):
    rows = entries(site)
    with open(os.path.join(site.out, "search-index.js"), "w", encoding="utf-8") as file:
        file.write("window.csofaIndex = [\n")
        file.write(",\n".join(json.dumps(row, ensure_ascii=False) for row in rows))
        file.write("\n];\n")
    return len(rows)
