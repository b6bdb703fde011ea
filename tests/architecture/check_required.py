# SPDX-License-Identifier: LGPL-2.1-or-later
"""Functions that a header calls "required:" are checked when a class is registered.

A comment that begins with "required:" above a function of a table SofaXOps needs
offsetof(SofaXOps, function) in a SOFA_REQUIRES of the sources.

usage: check_required.py ROOT"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
text = "".join(path.read_text() for top in ("core", "components")
               for path in sorted((root / top).rglob("*.c")))
checked = set(re.findall(r"offsetof\((\w+Ops), (\w+)\)", text))
missing, n = [], 0
for top in ("core", "components"):
    for path in sorted((root / top).rglob("*.h")):
        header = path.read_text()
        if "extern const SofaInterface" not in header:
            continue
        for table, body in re.findall(r"typedef struct (\w+Ops) \{(.*?)\n\} \1;", header, re.S):
            for name in re.findall(r"/\* required:(?:(?!\*/).)*\*/\s*[^;]*?\(\*(\w+)\)", body, re.S):
                n += 1
                if (table, name) not in checked:
                    missing.append("%s: %s.%s is not in a SOFA_REQUIRES" % (path, table, name))
print("\n".join(missing + ["%d required functions, %d not checked" % (n, len(missing))]))
sys.exit(1 if missing or not n else 0)
