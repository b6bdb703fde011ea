# SPDX-License-Identifier: LGPL-2.1-or-later
"""Formulas as they are written in comments and pages, as HTML: "v' = v + h/2 (a + a')".

A name has a subscript behind _ and an exponent behind ^; {} keep several things together. a/b is a fraction, the
parentheses of (a + b)/c are left out. Names of Greek letters and functions are known; a word of four letters or more,
and text in quotes, is text. A backslash before a name is allowed. What is not understood is a ValueError.

Browsers draw MathML well only with a font for it, which many machines lack; hence plain HTML with a label."""
import re
from html import escape

GREEK = dict(zip("alpha beta gamma delta epsilon zeta eta theta kappa lambda mu nu xi pi rho sigma tau phi chi psi omega "
                 "Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega".split(), "αβγδεζηθκλμνξπρστφχψωΓΔΘΛΞΠΣΦΨΩ"))
SIGNS = {"inf": "∞", "partial": "∂", "grad": "∇", "times": "×", "in": "∈", "dots": "…", "ell": "ℓ", "top": "⊤"}
BIG = {"sum": "∑", "prod": "∏", "int": "∫"}
FUNCTIONS = set("sin cos tan exp log ln det tr min max diag sign acos asin atan".split())
WORDS = set("if or and for at of on to is with the mod".split())
ACCENTS = {"dot": "\u0307", "ddot": "\u0308", "hat": "\u0302", "bar": "\u0304", "tilde": "\u0303"}  # combining
OPERATORS = {"<=": "≤", ">=": "≥", "!=": "≠", "->": "→", "~=": "≈", "+-": "±", "...": "…", "*": "·", "-": "−", ".": "·",
             "==": "="}
TOKEN = re.compile(r"\s*(?:(?P<text>\"[^\"]*\")|(?P<number>\d+(?:\.\d+)?(?:e[+-]?\d+)?)|\\?(?P<name>[A-Za-z]+)|"
                   r"(?P<greek>[Α-ω∂∞])|(?P<op><=|>=|!=|->|~=|==|\+-|\.\.\.|[-+*/=<>(){}\[\]|,;:.^_'²³·×]))")
# spaces around an operator; the others have none
RELATIONS = set("= < > <= >= != -> ~= == + - +- * × · :".split())
OPEN, CLOSE = {"(": ")", "[": "]", "{": "}"}, ")]}"


def tokens(text):
    found, at = [], 0
    while text[at:].strip():
        match = TOKEN.match(text, at)
        if not match:
            raise ValueError("'%s' is no formula: '%s'" % (text, text[at:]))
        found.append((match.lastgroup, match.group(match.lastgroup)))
        at = match.end()
    return found


def name(word):
    if word in GREEK:
        return "<i>%s</i>" % GREEK[word]
    if word in SIGNS:
        return " %s " % SIGNS[word] if word in ("times", "in") else SIGNS[word]
    if word in BIG:
        return '<span class="big">%s</span>' % BIG[word]
    if word in WORDS or (len(word) > 3 and word not in FUNCTIONS):
        return "&ensp;%s&ensp;" % escape(word)
    return escape(word) if word in FUNCTIONS else "<i>%s</i>" % word


def fraction(above, below):
    return '<span class="frac"><span>%s</span><span>%s</span></span>' % (above, below)


def stacked(math, low, high):
    """A sign with something below and above it."""
    return '<span class="stack"><small>%s</small>%s<small>%s</small></span>' % (high, math, low)


def with_marks(math, low, high):
    if low and high:
        return '%s<span class="both"><span>%s</span><span>%s</span></span>' % (math, high, low)
    return math + ("<sub>%s</sub>" % low if low else "<sup>%s</sup>" % high if high else "")


class Parser:
    def __init__(self, text, flat=False):
        self.text, self.tokens, self.at, self.flat = text, tokens(text), 0, flat

    def next_is(self, *ops):
        return self.at < len(self.tokens) and self.tokens[self.at][0] == "op" and self.tokens[self.at][1] in ops

    def take(self):
        if self.at >= len(self.tokens):
            raise ValueError("'%s' ends too early" % self.text)
        self.at += 1
        return self.tokens[self.at - 1]

    def group(self, end):
        """Up to the closing bracket, which is taken."""
        row = self.row(end)
        if not self.next_is(end):
            raise ValueError("'%s' lacks a '%s'" % (self.text, end))
        self.take()
        return row

    def bracketed(self, word):
        """HTML, and what it is without its parentheses."""
        inner = self.group(OPEN[word])
        if word == "{":
            return inner, inner
        tall = ' class="tall"' if 'class="frac"' in inner or 'class="stack"' in inner else ""
        return "<span%s>%s</span>%s<span%s>%s</span>" % (tall, word, inner, tall, OPEN[word]), inner

    def atom(self):
        kind, word = self.take()
        if kind == "number":
            return word, None
        if kind == "text":
            return "&ensp;%s&ensp;" % escape(word[1:-1]), None
        if kind == "greek":
            return "<i>%s</i>" % word, None
        if kind == "name":
            return self.named(word), None
        if word in OPEN:
            return self.bracketed(word)
        if word in CLOSE or word in "^_":
            raise ValueError("'%s' has a '%s' too many" % (self.text, word))
        sign = escape(OPERATORS.get(word, word))
        return (" %s " % sign if word in RELATIONS else sign + " " if word in ",;" else sign), None

    def named(self, word):
        if word == "sqrt" and self.next_is("(", "{"):
            return '√<span class="root">%s</span>' % self.group(OPEN[self.take()[1]])
        if word in ACCENTS and self.next_is("(", "{"):
            return self.group(OPEN[self.take()[1]]).replace("</i>", ACCENTS[word] + "</i>", 1)
        return name(word)

    def index(self):
        """Behind ^ or _: a sign and an atom, or a group."""
        sign = ""
        if self.next_is("-", "+"):
            word = self.take()[1]
            sign = OPERATORS.get(word, word)
        math, inner = self.atom()
        return sign + (inner or math).strip()

    def item(self):
        """An atom with its marks, and what it is without its parentheses."""
        big = self.at < len(self.tokens) and self.tokens[self.at][1] in BIG
        math, inner = self.atom()
        low, high = None, None
        while self.next_is("'", "^", "_"):
            mark, inner = self.take()[1], None
            if mark == "'":
                math += "′"
            elif mark == "^" and high is None:
                high = self.index()
            elif mark == "_" and low is None:
                low = self.index()
            else:
                raise ValueError("'%s' has two marks of the same kind" % self.text)
        if big and (low or high):
            return stacked(math, low or "", high or ""), None
        return with_marks(math, low, high), inner

    def row(self, end=None):
        out, last = [], False
        while self.at < len(self.tokens) and not (end and self.next_is(end)):
            kind, word = self.tokens[self.at]
            operator = kind == "op" and word not in OPEN
            called = word in ("(", "[") and self.at > 0 and self.tokens[self.at - 1][0] == "name" and self.is_call()
            math, inner = self.item()
            while not operator and self.next_is("/"):
                self.take()
                below, below_inner = self.item()
                math = math + "/" + below if self.flat else fraction(inner or math, below_inner or below)
                inner = None
            if last and not operator and not called:
                out.append("&#8201;")
            if operator and not last and word in "+-":
                math = math.strip()  # a sign
            out.append(math)
            last = not operator
        return "".join(out)

    def is_call(self):
        """Is the bracket that comes next written directly behind its name, as in f(x)?"""
        return self.calls.get(self.at, False)

    @property
    def calls(self):
        if not hasattr(self, "_calls"):
            self._calls, at = {}, 0
            for i in range(len(self.tokens)):
                match = TOKEN.match(self.text, at)
                self._calls[i] = match.group(0)[0] == "("
                at = match.end()
        return self._calls


def inline(text, flat=True):
    """In a line of text fractions are flat."""
    return '<span class="math" role="math" aria-label="%s">%s</span>' % (escape(text, quote=True),
                                                                         Parser(text, flat).row())


def line_of(text):
    """A line in quotes says what the letters are."""
    if re.fullmatch(r'"[^"]*"', text):
        words = re.sub(r"\b([A-Za-z])_([A-Za-z0-9]+)", r"<i>\1</i><sub>\2</sub>", escape(text[1:-1]))
        return '<div class="legend">%s</div>' % words
    return "<div>%s</div>" % inline(text, False)


def block(text):
    """A formula per line."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return '<div class="formula">%s</div>\n' % "\n".join(map(line_of, lines))
