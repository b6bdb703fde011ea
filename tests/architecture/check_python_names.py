#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""check_python_names.py PROJECT: no script has the name of a module of Python's library.

The folder of a script comes first where its imports are looked for: a file of such a name takes the
place of the module for every script beside it, and whether Python has read the module before
depends on the installation."""
import os
import sys


def scripts(project):
    for folder, folders, names in os.walk(project):
        folders[:] = sorted(f for f in folders if not f.startswith((".", "build")) and f != "out")
        for name in sorted(names):
            if name.endswith(".py"):
                yield os.path.join(folder, name)


def main():
    count = wrong = 0
    for path in scripts(sys.argv[1]):
        count += 1
        if os.path.basename(path)[:-3] in sys.stdlib_module_names:
            print("%s: has the name of a module of Python's library" % path)
            wrong += 1
    print("%d scripts, %d with a name of Python's library" % (count, wrong))
    return 1 if wrong or not count else 0


if __name__ == "__main__":
    sys.exit(main())
