# SPDX-License-Identifier: LGPL-2.1-or-later
"""Texts that SofaPython3 reads and scene files of csofa do not have."""
import re

from . import Helper

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def leading_numbers(attributes, error):
    """The attributes with the leading number of texts that were refused because more stands behind
    it ("10-3": 10, as SOFA reads it), with a warning; None: there is none."""
    refused = re.findall(r"field '(\w+)': cannot read \"([^\"]*)\": expected a number", str(error))
    found = dict(attributes)
    for field, text in refused:
        number = _NUMBER.match(text)
        if attributes.get(field) != text or number is None or number.end() == len(text):
            return None
        found[field] = number.group()
        Helper.msg_warning("Sofa.Core", f"{field}: '{text}' is not a number; {number.group()} is "
                           "taken, as SOFA does")
    return found if refused else None
