#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The schema of `runcsofa --xsd` in the compact syntax of RELAX NG, which Emacs' nxml-mode reads.

usage: runcsofa --xsd | xsd_to_rnc.py > csofa.rnc"""
import sys
import xml.etree.ElementTree as ElementTree

XS = "{http://www.w3.org/2001/XMLSchema}"
HEAD = """# Scenes of csofa, from runcsofa --xsd by xsd_to_rnc.py.
any = element * { attribute * { text }*, (text | any)* }
"""


def help_of(element):
    """The documentation as a comment: lines that nxml shows to nobody are left short."""
    text = element.findtext("%sannotation/%sdocumentation" % (XS, XS)) or ""
    return "# %s\n" % " ".join(text.split())[:96] if text else ""


def values(attribute):
    """What an attribute may be: words to choose from, or any text."""
    words = [e.get("value") for e in attribute.iter(XS + "enumeration")]
    return " | ".join(['"%s"' % word.replace('"', '" ~ \'"\' ~ "') for word in words] + ["text"])


def attributes(type_):
    names = []
    for attribute in type_.findall(XS + "attribute"):
        names.append(attribute.get("name"))
        yield "attribute \\%s { %s }?" % (names[-1], values(attribute))
    if type_.find(XS + "anyAttribute") is not None:
        but = " - (%s)" % " | ".join("\\" + name for name in names) if names else ""
        yield "attribute *%s { text }*" % but


def content(type_):
    choice = type_.find(XS + "choice")
    if choice is None:
        return "(text | any)*"
    return "(text | %s)*" % " | ".join("\\" + e.get("ref") for e in choice.findall(XS + "element"))


def convert(schema):
    elements = schema.findall(XS + "element")
    yield HEAD
    yield "start = %s\n" % " | ".join("\\" + e.get("name") for e in elements)
    for element in elements:
        type_ = element.find(XS + "complexType")
        parts = [*attributes(type_), content(type_)]
        yield "%s\\%s = element \\%s {\n  %s }\n" % (help_of(element), element.get("name"), element.get("name"),
                                                    ",\n  ".join(parts))


def main():
    if len(sys.argv) > 1:
        sys.exit(__doc__)
    try:
        schema = ElementTree.parse(sys.stdin).getroot()
    except ElementTree.ParseError as error:
        sys.exit("xsd_to_rnc.py: no schema on the standard input: %s" % error)
    sys.stdout.writelines(convert(schema))


if __name__ == "__main__":
    main()
