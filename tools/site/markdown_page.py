# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pages of the project's Markdown files."""
import os
import posixpath
import re
from html import escape, unescape

from markdown_it import MarkdownIt
from markdown_it.token import Token

import formulas
from layout import Page, relative

PARSER = MarkdownIt("commonmark", {"html": True}).enable("table")


def code_inline(self, tokens, i, options, env):
    """Short words of code are not divided at the end of a line."""
    text = tokens[i].content
    return "<code%s>%s</code>" % (' class="word"' if len(text) <= 28 else "", escape(text))


PARSER.add_render_rule("code_inline", code_inline)
EXTERNAL = re.compile(r"^(?:[a-z]+:|//)", re.I)
SHELL = re.compile(r"^(\./dev|runcsofa|cmake|ninja|apt-get|apt |cd |git |sudo |python3 |pip |ctest|#)")


def slug(text):
    """The anchor that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")


def plain(inline):
    """The text of a heading, without its marks."""
    return "".join(token.content if token.type in ("text", "code_inline") else " " if token.type == "softbreak" else ""
                   for token in inline.children)


class Converter:
    """One file: `source` in the project, `path` in the site."""

    def __init__(self, site, source, path):
        self.site, self.source, self.path = site, source, path
        self.toc, self.used, self.title, self.first = [], {}, None, ""

    # ---- links ----

    def link(self, href):
        if EXTERNAL.match(href) or not href:
            return href
        if href.startswith("#"):
            return href
        target, hash_, anchor = href.partition("#")
        place = posixpath.normpath(posixpath.join(posixpath.dirname(self.source), target))
        return relative(self.path, self.site.place(place, anchor, self.source))

    # ---- tokens ----

    def heading(self, opening, inline):
        text = plain(inline)
        id_ = slug(text)
        count = self.used.get(id_, 0)
        self.used[id_] = count + 1
        id_ += "-%d" % count if count else ""
        level = int(opening.tag[1])
        opening.attrSet("id", id_)
        if level == 1 and self.title is None:
            self.title = text
        else:
            self.toc.append((level, id_, escape(text)))
        anchor = Token("html_inline", "", 0)
        anchor.content = ' <a class="anchor" href="#%s" aria-label="Link to this section">#</a>' % id_
        if level > 1:
            inline.children.append(anchor)

    def formulas_in(self, children):
        """Text between dollars is a formula."""
        out = []
        for token in children:
            parts = re.split(r"\$([^$\n]+)\$", token.content) if token.type == "text" else [token.content]
            if len(parts) == 1:
                out.append(token)
                continue
            for i, part in enumerate(parts):
                piece = Token("html_inline" if i % 2 else "text", "", 0)
                piece.content = formulas.inline(part) if i % 2 else part
                out.append(piece)
        return out

    def name_link(self, children, i, href):
        """A link whose text is the path of a page gets the title of the page as its text."""
        text = children[i + 1]
        if EXTERNAL.match(href):
            return
        path = posixpath.normpath(posixpath.join(posixpath.dirname(self.source), href.partition("#")[0]))
        if text.type == "text" and text.content.endswith(".md") and href.partition("#")[0].endswith(text.content):
            text.content = self.site.title_of(path)

    def name_components(self, children):
        """Names of components in code are links."""
        depth = 0
        for child in children:
            depth += (child.type == "link_open") - (child.type == "link_close")
            if child.type == "code_inline" and not depth and child.content in self.site.tags:
                place = self.site.component_page(self.site.tags[child.content])
                child.type, child.content = "html_inline", '<a href="%s"><code class="word">%s</code></a>' % (
                    relative(self.path, place), child.content)

    def inline(self, token):
        if self.source.startswith("docs/theory/"):
            token.children = self.formulas_in(token.children)
        self.name_components(token.children)
        for i, child in enumerate(token.children):
            if child.type == "link_open":
                self.name_link(token.children, i, child.attrGet("href"))
                child.attrSet("href", self.link(child.attrGet("href")))
            elif child.type == "image":
                child.attrSet("src", self.link(child.attrGet("src")))
                child.attrSet("loading", "lazy")

    def code(self, token):
        words = token.info.split()
        language = words[0] if words else ""
        if token.type == "code_block" and SHELL.match(token.content):
            language = "sh"
        if language == "formula":
            return formulas.block(token.content)
        name = words[1] if len(words) > 1 and "=" not in words[1] else ""
        return self.site.scene_block(token.content, language, name, self.path)

    def wrap_tables(self, tokens):
        """Wide tables scroll by themselves."""
        for token in tokens:
            if token.type in ("table_open", "table_close"):
                mark = Token("html_block", "", 0)
                mark.content = '<div class="table">\n' if token.type == "table_open" else "</div>\n"
                yield from (mark, token) if token.type == "table_open" else (token, mark)
            else:
                yield token

    def convert(self):
        with open(os.path.join(self.site.project, self.source), encoding="utf-8") as file:
            tokens = PARSER.parse(file.read())
        for i, token in enumerate(tokens):
            if token.type == "heading_open":
                self.heading(token, tokens[i + 1])
            elif token.type == "inline":
                if not self.first and tokens[i - 1].type == "paragraph_open":
                    self.first = plain(token)
                self.inline(token)
            elif token.type in ("fence", "code_block"):
                token.content = self.code(token)
                token.type = "html_block"
        body = PARSER.renderer.render(list(self.wrap_tables(tokens)), PARSER.options, {})
        return Page(self.path, self.title or os.path.basename(self.source), body, self.toc, self.first)


def sections(page):
    """[(id, title, text), ...] of a page, for the search."""
    parts = re.split(r'<h[1-4] id="([^"]*)">(.*?)</h[1-4]>', page.body, flags=re.S)
    found = []
    for id_, title, text in zip(parts[1::3], parts[2::3], parts[3::3]):
        title = re.sub(r'<a class="anchor".*?</a>', "", title)
        found.append((id_, bare(title), bare(text)))
    return found


def bare(html):
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split())
