# SPDX-License-Identifier: LGPL-2.1-or-later
"""The XML schema of scenes: all examples are valid, misspelt names are not."""
import glob
import os
import subprocess
import sys

from cli import FALL, check, finish, path, run, write

CHECK = sys.argv[3]
SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def validate(*scenes):
    done = subprocess.run([CHECK, path("csofa.xsd"), *scenes], capture_output=True, text=True, timeout=300)
    return done.returncode == 0, done.stdout + done.stderr


result = run("-l", "SofaCaribou", "--xsd")
write("csofa.xsd", result.out)
check("the schema is printed", result.status == 0 and len(result.out) > 500000, result)
scenes = sorted(glob.glob(os.path.join(SOURCES, "scenes", "*", "*.scn")))
valid, text = validate(*scenes)
check("all examples are valid", valid and len(scenes) > 300 and text.count("no strict XML") <= 1, text)
GOOD = {
    "an alias": "<EulerImplicitIntegrationScheme/>",
    "a link where words are expected": FALL % '<FixedProjectiveConstraint indices="@state.indices"/>',
    "a part of a scene": "<MechanicalObject position='0 0 0'/>",
    "an old form": FALL % '<Object type="UniformMass" mass="1"/><include href="other.xml"/>',
    "a child": FALL % '<BoxROI name="roi"><Attribute type="box">0 0 0 1 1 1</Attribute></BoxROI>',
}
BAD = {
    "a misspelt attribute": FALL % '<FixedProjectiveConstraint indizes="0"/>',
    "a misspelt component": FALL % "<FixedProjectiveConstrain/>",
    "an unknown element": "<Scene/>",
}
for name, scene in GOOD.items():
    valid, text = validate(write("good.scn", scene))
    check("valid: " + name, valid, text)
for name, scene in BAD.items():
    valid, text = validate(write("bad.scn", scene))
    check("not valid: " + name, not valid and "is not valid" in text, text)
check("help is there for editors", "<xs:documentation>Young" in result.out or "Young's modulus" in result.out)
finish()
