# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the tests share. Without numpy they are skipped."""
import importlib.util
import sys

if importlib.util.find_spec("numpy") is None:
    print("numpy is not installed (Debian: python3-numpy)")
    sys.exit(77)

FALL = """<Node name='root' dt='0.1' gravity='0 -9.8 0'><DefaultAnimationLoop/>
  <Node name='body'><EulerImplicitSolver name='ode'/>
    <CGLinearSolver iterations='25' tolerance='1e-12' threshold='1e-12'/>
    <MechanicalObject name='state' position='0 0 0  1 0 0'/>
    <UniformMass name='mass' totalMass='2'/></Node></Node>"""
