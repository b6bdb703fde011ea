# SPDX-License-Identifier: LGPL-2.1-or-later
"""Coloured code, by Pygments when the site is made: no script runs in the browser."""
import re
from html import escape

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name, get_lexer_for_filename
from pygments.util import ClassNotFound

LIGHT, DARK = "friendly", "github-dark"
NAMES = {"sh": "bash", "f90": "fortran", "scn": "xml"}


def lexer_of(language, file_name=""):
    try:
        if language:
            return get_lexer_by_name(NAMES.get(language, language))
        return get_lexer_by_name("xml") if file_name.endswith(".scn") else get_lexer_for_filename(file_name)
    except ClassNotFound:
        return get_lexer_by_name("text")


def colour(text, language="", file_name="", **options):
    formatter = HtmlFormatter(nowrap=True, **options)
    if not language and not file_name:
        return escape(text)
    return highlight(text, lexer_of(language, file_name), formatter)


def block(text, language, title=""):
    """A block of code with the name of its file above it."""
    head = '<div class="file">%s</div>' % escape(title) if title else ""
    return '<div class="code">%s<pre class="highlight"><code>%s</code></pre></div>\n' % (head, colour(text, language))


FUNCTION = re.compile(r"^(?!typedef|return|else|#)[A-Za-z_][\w\s*]*?\b(\w+)\((?:[^;]*)$|^SOFA_CLASS\((\w+)\)")


def link_tags(html, place_of):
    """Tags of XML whose name has a place become links."""
    def link(match):
        place = place_of(match.group(2))
        return '%s<a class="tag" href="%s">%s</a>' % (match.group(1), place, match.group(2)) if place else match.group(0)
    return re.sub(r'(<span class="nt">&lt;)(\w+)', link, html)


def numbered(text, file_name):
    """The lines of a file, each with an anchor; functions have their names, too."""
    lines = colour(text, file_name=file_name).split("\n")
    while lines and not lines[-1]:
        lines.pop()
    rows, seen = [], set()
    for i, (line, plain) in enumerate(zip(lines, text.split("\n")), 1):
        match = FUNCTION.match(plain)
        name = match and (match.group(1) or match.group(2))
        anchor = '<a id="%s"></a>' % name if name and name not in seen else ""
        seen.add(name)
        rows.append('<span class="line" id="L%d">%s%s</span>' % (i, anchor, line))
    return '<div class="code"><pre class="highlight lines"><code>%s</code></pre></div>\n' % "\n".join(rows)


def style_name(name, fallback):
    try:
        HtmlFormatter(style=name)
        return name
    except ClassNotFound:
        return fallback


def styles():
    """Colours for both schemes; the background is that of the page."""
    light = HtmlFormatter(style=style_name(LIGHT, "default")).get_style_defs(".highlight")
    dark = HtmlFormatter(style=style_name(DARK, "monokai")).get_style_defs(".highlight")
    return "%s\n@media (prefers-color-scheme: dark) {\n%s\n}\n.highlight { background: none }\n" % (light, dark)
