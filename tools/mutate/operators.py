# SPDX-License-Identifier: LGPL-2.1-or-later
"""Mutations of C sources that clang-format has formatted: sign, constant, condition, dropped term or
statement, off by one. Each is one replacement in one line."""
import collections
import re

Mutation = collections.namedtuple("Mutation", "kind line begin end text")  # begin, end: offsets in the file

BLANK = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*',
                   re.S | re.M)
FACTOR = r"[A-Za-z_][\w.]*(?:->[\w.]+|\[[^][;\n]*\])*"


def double(match):
    value = float(match.group(0).rstrip("fF"))
    return repr(value * 1.5) if value else "1.0"


# (kind, pattern, replacement); the whole match is replaced
OPERATORS = [
    ("sign", r" \+ ", " - "),
    ("sign", r" - ", " + "),
    ("sign", r" \+= ", " -= "),
    ("sign", r" -= ", " += "),
    ("sign", r"(?<=[=(,?:{] )-(?=[\w(])|(?<=[(\[{])-(?=[\w(])|(?<=return )-(?=[\w(])", ""),
    ("constant", r"(?<![\w.])\d+\.\d*(?:e[-+]?\d+)?(?![\w.])|(?<![\w.])\d+e[-+]?\d+(?![\w.])", double),
    ("constant", r"(?<=[*/] )[2-9](?![\w.])|(?<![\w.\[])[2-9](?= [*/] )", lambda m: str(int(m.group(0)) + 1)),
    ("condition", r" < ", " >= "),
    ("condition", r" <= ", " > "),
    ("condition", r" > ", " <= "),
    ("condition", r" >= ", " < "),
    ("condition", r" == ", " != "),
    ("condition", r" != ", " == "),
    ("condition", r" && ", " || "),
    ("condition", r" \|\| ", " && "),
    ("condition", r"(?<=[( ])!(?=[\w(])", ""),
    ("condition", r"(?<=\bif )\((?=[^\n]*\) (?:return|continue|break|goto))", "(0 && "),
    ("dropped", r" [*/] %s(?![\w(])" % FACTOR, ""),
    ("dropped", r" [-+] %s(?![\w(\[.-])(?! [*/])" % FACTOR, ""),
    ("dropped", r"(?<=\n)[ ]+(?:\*?%s) (?:[-+*/|&]?=) [^;{}\n]*;(?=\n)" % FACTOR, None),
    ("dropped", r"(?<=\n)[ ]+[a-z]\w*\([^;{}\n]*\);(?=\n)", None),
    ("off by one", r"(?<=; \w) < (?=[^;\n]*; )", " <= "),
    ("off by one", r" [-+] 1(?![\w.])", ""),
    ("off by one", r"(?<== )0(?=; \w+ < )", "1"),
]


def blanked(text):
    """`text` with comments, strings and preprocessor lines blanked, offsets kept."""
    return BLANK.sub(lambda match: re.sub(r"[^\n]", " ", match.group(0)), text)


def rooms(code):
    """(begin, end) of the arguments of functions that give room, without a difference: a larger factor is more room
    than is needed, which nothing reads. Less room is seen by the allocators of the tests, and by the sanitizer."""
    found = []
    for match in re.finditer(r"\b(?:SOFA_RESERVE|SOFA_RESERVE_HISTORY|SOFA_SCRATCH|sofa_alloc)\(", code):
        end, depth = match.end(), 1
        while depth and end < len(code):
            depth += {"(": 1, ")": -1}.get(code[end], 0)
            end += 1
        if not re.search(r" [-/%?] ", code[match.end():end]):
            found.append((match.end(), end))
    return found


def mutations(text):
    """All mutations of a source, in the order of their places."""
    code, found, seen = blanked(text), [], set()
    more_room = rooms(code)
    for kind, pattern, replacement in OPERATORS:
        for match in re.finditer(pattern, code):
            new = replacement(match) if callable(replacement) else replacement
            if new is None:
                if not match.group(0).strip():
                    continue
                new = " " * (len(match.group(0)) - len(match.group(0).lstrip())) + ";"
            if kind == "constant" and any(begin <= match.start() < end for begin, end in more_room):
                continue
            key = (match.start(), match.end(), new)
            if key in seen or new == match.group(0):
                continue
            seen.add(key)
            line = code.count("\n", 0, match.start() + len(match.group(0)) - len(match.group(0).lstrip())) + 1
            found.append(Mutation(kind, line, match.start(), match.end(), new))
    found.sort(key=lambda m: (m.begin, m.end, m.text))
    return found


def applied(text, mutation):
    return text[:mutation.begin] + mutation.text + text[mutation.end:]


def described(text, mutation):
    """The line before and after."""
    after = applied(text, mutation)
    return text.split("\n")[mutation.line - 1].strip(), after.split("\n")[mutation.line - 1].strip()
