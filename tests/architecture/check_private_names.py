#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A program may have any name that libcsofa does not show: the library calls its own functions.

Links a program that defines every private global name of the objects of the library, as code
that ends it, and runs a scene with it.

usage: check_private_names.py CC NM LIBRARY ROOT INCLUDES ARCHIVE..."""
import os
import subprocess
import sys
import tempfile

CC, NM, LIBRARY, ROOT, INCLUDES = sys.argv[1:6]
ARCHIVES = sys.argv[6:]

PROGRAM = """#include <sofa.h>
#include "components/builtins.h"
int main(void) {
  SofaContext *ctx = NULL;
  SofaSimulation *simulation = NULL;
  if (sofa_context_create_with_builtins(NULL, &ctx) != SOFA_OK) return 1;
  if (sofa_simulation_load(ctx, "%s", &simulation) != SOFA_OK) return 2;
  if (sofa_simulation_init(simulation) != SOFA_OK) return 3;
  for (int i = 0; i < 3; i++)
    if (sofa_simulation_step(simulation, 0) != SOFA_OK) return 4;
  sofa_simulation_destroy(&simulation);
  sofa_context_destroy(&ctx);
  return 0;
}
"""
SCENE = """<Node name="root" dt="0.01"><DefaultAnimationLoop/><Node name="body">
  <EulerImplicitSolver/><CGLinearSolver iterations="25" tolerance="1e-9" threshold="1e-9"/>
  <RegularGridTopology n="3 3 3" min="0 0 0" max="1 1 1"/><MechanicalObject/>
  <UniformMass totalMass="1"/><FixedProjectiveConstraint indices="0"/>
  <HexahedronFEMForceField method="large" youngModulus="1000" poissonRatio="0.3"/></Node></Node>
"""


def names(*options):
    out = subprocess.run([NM, "--defined-only", "-P", *options], capture_output=True, text=True,
                         check=True).stdout
    return {words[0].split("@")[0] for words in map(str.split, out.splitlines())
            if len(words) > 2 and words[0].isidentifier()}


private = {name for name in names("-g", *ARCHIVES) - names("-D", LIBRARY)
           if not name.startswith("__")}
with tempfile.TemporaryDirectory(prefix="csofa-names-") as folder:
    def at(name, text):
        path = os.path.join(folder, name)
        with open(path, "w") as out:
            out.write(text)
        return path

    scene = at("scene.scn", SCENE)
    # assembler: no declaration of a header is in the way
    # the word at their place is not an instruction
    stubs = at("stubs.s", ".text\n" + "".join(".globl %s\n%s:\n" % (n, n) for n in sorted(private)) +
               "  .long 0x0b0f0b0f\n.section .note.GNU-stack,\"\",%progbits\n")
    program = at("program.c", PROGRAM % scene)
    binary = os.path.join(folder, "program")
    # the runtime of the sanitizers comes first
    undefined = subprocess.run([NM, "-D", "--undefined-only", LIBRARY], capture_output=True, text=True,
                               check=True).stdout
    sanitize = ["-fsanitize=address,undefined"] if "__asan_init" in undefined else []
    subprocess.run([CC, *sanitize, "-rdynamic", "-D_GNU_SOURCE", program, stubs, "-o", binary, "-I" + folder,
                    "-I" + os.path.join(ROOT, "core"), "-I" + ROOT, "-I" + INCLUDES, LIBRARY,
                    "-Wl,-rpath," + os.path.dirname(LIBRARY)], check=True)
    shown = names("-D", binary)
    status = subprocess.run([binary]).returncode
taken = len(private & shown)
print("%d private names, %d of them in the program, status %d" % (len(private), taken, status))
sys.exit(1 if status or taken != len(private) or len(private) < 200 else 0)
