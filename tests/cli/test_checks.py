# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks of scenes: statuses, text, JSON."""
import json

from cli import check, finish, path, run, write

SPRING = """<Node name="root" dt="0.01" gravity="0 -9.81 0">
  <RequiredPlugin pluginName="Sofa.Component"/>
  <DefaultAnimationLoop/>
  <DefaultVisualManagerLoop/>
  <EulerImplicitSolver name="ode"/>
  <CGLinearSolver iterations="100" tolerance="1e-14" threshold="1e-20"/>
  <MechanicalObject name="state" position="0 0 0  1.2 0.1 0"/>
  <UniformMass totalMass="2"/>
  <SpringForceField name="spring" spring="0 1 100 1 1"/>
%s</Node>
"""


def report(name):
    with open(path(name)) as file:
        return json.load(file)


def tangents():
    scene = write("spring.scn", SPRING % "")
    r = run("--check-tangent", scene)
    check("tangents", r.status == 0 and "tangent: ok: /spring (SpringForceField): tangent " in r.out
          and "0 wrong, 0 warnings" in r.out and "0 steps" in r.out + r.err, r)
    r = run("--check-tangent", "-n", "3", "--check-report", "spring.json", scene)
    check("after steps", r.status == 0 and "3 steps" in r.out + r.err, r)
    found = {f["path"]: f for f in report("spring.json")["findings"]}
    check("JSON", found["/spring"]["verdict"] == "ok" and found["/spring"]["error"] < 1e-5
          and found["/spring"]["class"] == "SpringForceField"
          and found["/spring"]["check"] == "tangent", found)
    # with the quirk the dampers of the plane have no derivative
    text = SPRING % "  <PlaneForceField name='plane' d='3' damping='5'/>\n"
    wrong = write("wrong.scn", text.replace('1.2 0.1 0"', '1.2 0.1 0" velocity="1 2 3 4 5 6"'))
    r = run("--check-tangent", "--quirks=load-damping-matrix", "--check-report", "wrong.json", wrong)
    check("wrong", r.status == 1 and "tangent: wrong: /plane" in r.out and
          report("wrong.json")["wrong"] == 1, r)
    check("right", run("--check-tangent", wrong).status == 0)


def energies():
    scene = write("spring.scn", SPRING % "")
    r = run("--check-energy", "-n", "5", "--check-report", "energy.json", scene)
    rows = report("energy.json")["energy"]
    check("energies", r.status == 0 and [row["step"] for row in rows] == [1, 2, 3, 4, 5]
          and all(row["residual"] <= 0 for row in rows) and "kinetic" in r.out
          and "energy: ok: numerical dissipation" in r.out, r)
    text = (SPRING % "").replace('<EulerImplicitSolver name="ode"/>',
                                 '<EulerExplicitSolver symplectic="0"/>')
    grows = write("grows.scn", text.replace('0 -9.81 0', '0 0 0').replace("1.2 0.1 0", "1.5 0 0"))
    r = run("--check-energy", "--check-tangent", "-n", "400", grows)
    check("growth", r.status == 1 and "the energy grew without a load" in r.out
          and "tangent: ok: /spring" in r.out, r)


def meshes():
    mesh = "  <MeshTopology name='mesh' position='0 0 0 1 0 0 0 1 0 0 0 1' tetrahedra='%s'/>\n"
    # no state may take its points
    text = "<Node name='root'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>\n%s</Node>"
    r = run("--check-mesh", write("mesh.scn", text % mesh % "0 1 2 3"))
    check("a mesh", r.status == 0 and "mesh: ok: /mesh (MeshTopology): 4 points" in r.out, r)
    r = run("--check-mesh", "--check-report", "mesh.json",
            write("inverted.scn", text % mesh % "1 0 2 3"))
    check("an inverted element", r.status == 1 and "mesh: wrong: /mesh" in r.out and
          [f["check"] for f in report("mesh.json")["findings"]] == ["mesh", "mesh"], r)


def usage():
    scene = write("spring.scn", SPRING % "")
    r = run("--check-report", "x.json", scene)
    check("a report of nothing", r.status == 2 and "--check-report needs" in r.err, r)
    r = run("--check-energy", scene)
    check("energies of no step", r.status == 2 and "--check-energy needs -n" in r.err, r)
    r = run("--check-tangent", "--sweep", "dt=1,2", scene)
    check("in a sweep", r.status == 2 and "not supported" in r.err, r)
    r = run("--check-tangent", "--check-report", "no/such/folder/x.json", scene)
    check("a report that cannot be written", r.status == 1, r)


tangents()
energies()
meshes()
usage()
finish()
