#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs the commands of a page of documentation.

usage: guide.py PAGE RUNCSOFA

A block fenced as `xml NAME` is a file. Each line of an `sh` block runs in one shell in a temporary
folder with these files, CSOFA_TOOLS being the folder tools; `sh status=N` is the exit status of each runcsofa in it. A `text` block
behind it holds lines that the output must have, in this order, … standing for anything."""
import os
import re
import subprocess
import sys
import tempfile

TOOLS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools")


def blocks(page):
    with open(page, encoding="utf-8") as file:
        text = file.read()
    return re.findall(r"^```(\S+)([^\n]*)\n(.*?)^```$", text, re.S | re.M)


def run(script, status, folder, program):
    """Runs the lines one by one; returns what they printed and the first surprise."""
    environment = dict(os.environ, PATH=os.path.dirname(program) + ":" + os.environ["PATH"],
                       CSOFA_TOOLS=TOOLS)
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):  # no windows
        environment.pop(name, None)
    output, problem = "", None
    for line in script.splitlines():
        result = subprocess.run(["bash", "-c", line], cwd=folder, env=environment, text=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, timeout=100)
        output += result.stdout
        expected = status if "runcsofa" in line else 0
        if line.strip().startswith("echo"):
            expected = 0
        if result.returncode != expected and not problem:
            problem = "'%s' has status %d, not %d" % (line, result.returncode, expected)
    return output, problem


def missing_line(expected, output):
    """The first line of `expected` that does not follow in the output."""
    lines = iter(output.splitlines())
    for want in expected.splitlines():
        pattern = ".*".join(re.escape(part) for part in want.split("…"))
        if not any(re.match(pattern, line) for line in lines):
            return want
    return None


def main():
    page, program = sys.argv[1], os.path.abspath(sys.argv[2])
    problems, n_commands, output = [], 0, ""
    with tempfile.TemporaryDirectory() as folder:
        for kind, word, text in blocks(page):
            if kind == "xml":
                with open(os.path.join(folder, word.strip()), "w", encoding="utf-8") as file:
                    file.write(text)
            elif kind == "sh":
                match = re.search(r"status=(\d+)", word)
                output, problem = run(text, int(match.group(1)) if match else 0, folder, program)
                n_commands += len(text.splitlines())
                if problem:
                    problems.append(problem + "\n" + output)
            elif kind == "text":
                line = missing_line(text, output)
                if line is not None:
                    problems.append("this line is not in the output: %s\n%s" % (line, output))
    print("\n".join(problems))
    print("%d commands, %d problems" % (n_commands, len(problems)))
    return 1 if problems or not n_commands else 0


if __name__ == "__main__":
    sys.exit(main())
