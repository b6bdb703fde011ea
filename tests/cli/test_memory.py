# SPDX-License-Identifier: LGPL-2.1-or-later
"""Steps use again the memory that solvers of other libraries take and free in each of them."""
import resource

from cli import *

STEPS = 20
SCENE = """<Node name="root" dt="0.01" gravity="0 -9.81 0">
  <RequiredPlugin pluginName="Sofa.Component"/>
  <DefaultAnimationLoop/>
  <Node name="beam">
    <EulerImplicitSolver/>
    <EigenSparseQR/>
    <RegularGridTopology n="4 4 10" min="0 0 0" max="0.3 0.3 1"/>
    <MechanicalObject/>
    <UniformMass totalMass="40"/>
    <HexahedronFEMForceField method="large" youngModulus="2e6" poissonRatio="0.3"/>
    <FixedProjectiveConstraint indices="0 1 2 3"/>
  </Node>
</Node>
"""


def faults(steps, **env):
    """Pages that the system gave to a run."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt
    result = run("-g", "batch", "-n", steps, path("beam.scn"), env=env)
    check("the beam runs", result.status == 0, result)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt - before


def faults_of_step(**env):
    return (faults(STEPS + 5, **env) - faults(5, **env)) / STEPS


# the allocator of sanitizers is another one
if HAS_GPL_PARTS and b"__asan_init" not in open(RUN, "rb").read():
    write("beam.scn", SCENE)
    kept = faults_of_step()
    check("a step takes no new pages", kept < 60, kept)
    # what the user asks of the allocator holds
    given_back = faults_of_step(MALLOC_TRIM_THRESHOLD_="65536")
    check("a step takes its pages again when the user says so", given_back > 4 * kept + 60, given_back)
finish()
