# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every topological mapping from and into every kind of topology: fuzz_run finds crashes, hangs and
memory that is not freed. The classes are those that the program lists.

usage: mapped_topologies.py RUNCSOFA FUZZ_RUN"""
import os
import re
import subprocess
import sys
import tempfile

RUN, FUZZ = sys.argv[1:3]
CUBE = "0 0 0  1 0 0  1 1 0  0 1 0  0 0 1  1 0 1  1 1 1  0 1 1"
INPUTS = [
    'MeshTopology name="in" position="%s" hexahedra="0 1 2 3 4 5 6 7" quads="0 1 2 3" '
    'tetrahedra="0 1 2 4" triangles="0 1 2" edges="0 1"' % CUBE,
    'RegularGridTopology name="in" n="3 3 3" min="0 0 0" max="1 1 1"',
    'TetrahedronSetTopologyContainer name="in" position="%s" tetrahedra="0 1 2 4"' % CUBE,
    'HexahedronSetTopologyContainer name="in" position="%s" hexahedra="0 1 2 3 4 5 6 7"' % CUBE,
    'QuadSetTopologyContainer name="in" position="%s" quads="0 1 2 3"' % CUBE,
    'TriangleSetTopologyContainer name="in" position="%s" triangles="0 1 2 0 2 3"' % CUBE,
    'EdgeSetTopologyContainer name="in" position="%s" edges="0 1 1 2"' % CUBE,
]
SIZES = 'n="2 2 2" nx="3" ny="3" nz="3" min="0 0 0" max="1 1 1"'


def classes(pattern):
    listed = subprocess.run([RUN, "--list"], capture_output=True, text=True, check=True).stdout
    return sorted(set(re.findall(r"\b(%s)\b" % pattern, listed)))


mappings = classes(r"\w+TopologicalMapping")
outputs = classes(r"\w*(?:Grid|Mesh|Cube|Quad)Topology|\w+SetTopologyContainer")
assert len(mappings) >= 13 and len(outputs) >= 12, (mappings, outputs)
with tempfile.TemporaryDirectory(prefix="csofa-maps-") as folder:
    n = 0
    for mapping in mappings:
        for output in outputs:
            for source in INPUTS:
                sizes = SIZES if "Set" not in output and output != "MeshTopology" else ""
                with open(os.path.join(folder, "%04d_%s.scn" % (n, mapping)), "w") as out:
                    out.write('<Node name="root" dt="0.01"><DefaultAnimationLoop/><%s/>'
                              '<Node name="out"><%s name="out" %s/><MechanicalObject/>'
                              '<%s input="@../in" output="@out"/></Node></Node>\n'
                              % (source, output, sizes, mapping))
                n += 1
    status = subprocess.run([FUZZ, "--count", str(n), folder]).returncode
print("%d mappings, %d outputs, %d inputs" % (len(mappings), len(outputs), len(INPUTS)))
sys.exit(status)
