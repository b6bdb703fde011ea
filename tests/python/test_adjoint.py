# SPDX-License-Identifier: LGPL-2.1-or-later
"""csofa.adjoint: derivatives by parameters, loads and the first state, against differences of whole
runs."""
import importlib.util
import unittest

import support  # noqa: F401  (without numpy: skipped)

import csofa
import numpy as np

if importlib.util.find_spec("scipy") is None:
    raise SystemExit(77)
from csofa import adjoint  # noqa: E402

EULER = "<EulerImplicitSolver name='ode' {}/><SparseLDLSolver {}/>"
THREE = "template='CompressedRowSparseMatrixMat3x3d'"
NEWTON = """<NewtonRaphsonSolver name='newton' maxNbIterationsNewton='60'
  relativeSuccessiveStoppingThreshold='0' relativeInitialStoppingThreshold='0'
  absoluteResidualStoppingThreshold='1e-9'/><StaticSolver newtonSolver='@newton'/>
  <SparseLDLSolver template='CompressedRowSparseMatrixMat3x3d'/>"""
BDF = """<NewtonRaphsonSolver name='newton' maxNbIterationsNewton='30'
  relativeSuccessiveStoppingThreshold='0' relativeInitialStoppingThreshold='0'
  absoluteResidualStoppingThreshold='1e-10'/><BDFOdeSolver name='ode' newtonSolver='@newton' {}/>
  <SparseLDLSolver template='{}'/>"""
CARIBOU = "newton_iterations='30' residual_tolerance_threshold='-1' " \
  "correction_tolerance_threshold='1e-13' absolute_residual_tolerance_threshold='1e-11'"
HYPERELASTIC = """<CaribouTopology name='volume' template='Hexahedron' indices='@grid.hexahedra'/>
  <{} name='material' young_modulus='{}' poisson_ratio='0.3'/>
  <HyperelasticForcefield topology='@volume'/>"""
BLOCK = """<RegularGridTopology name='grid' n='2 2 4' min='0 0 0' max='1 1 3'/>
  <MechanicalObject name='state'/><FixedProjectiveConstraint indices='0 1 2 3'/>"""
BODY = """
      <MechanicalObject name='state' template='Rigid3d' position='0 0 0 0.1 0.2 0.3 0.9273618495495704'
        velocity='0.5 0 0 1 -2 0.5'/>
      <UniformMass name='mass' vertexMass='2 1 0.5 0 0 0 0.7 0 0 0 0.9'/>
      <Node name='arms'><MechanicalObject name='points' position='1 0 0  0 1 0  0 0 1  -1 -1 0'/>
        <RestShapeSpringsForceField name='rest' stiffness='40 60 50 70'
          external_rest_shape='@/anchors/points'/>
        <RigidMapping globalToLocalCoords='0'/></Node></Node>
      <Node name='anchors'><MechanicalObject name='points'
        position='1.2 0 0  0 1.1 0.3  0 0.2 1  -1.3 -1 0'/>"""
TETRAHEDRA = """<RegularGridTopology name='grid' n='2 2 3' min='0 0 0' max='1 1 2'/>
  <TetrahedronSetTopologyContainer name='tetrahedra' position='@grid.position'
    tetrahedra='0 1 3 7 0 3 2 7 0 2 6 7 0 6 4 7 0 4 5 7 0 5 1 7
                4 5 7 11 4 7 6 11 4 6 10 11 4 10 8 11 4 8 9 11 4 9 5 11'/>
  <TetrahedronSetGeometryAlgorithms template='Vec3d'/>
  <MechanicalObject name='state' src='@tetrahedra'/><FixedProjectiveConstraint indices='0 1 2 3'/>
  """
TOPOLOGY = "topology='@tetrahedra'"


def scene_text(body, gravity="0 -9.8 0.5", dt=0.05):
    return (f"<Node name='root' dt='{dt}' gravity='{gravity}'><DefaultAnimationLoop/>"
            f"<Node name='body'>{body}</Node></Node>")


def caribou(body):
    return scene_text(body).replace("<DefaultAnimationLoop/>", "<RequiredPlugin name='SofaCaribou'/>"
                                    "<DefaultAnimationLoop/>")


class Case:
    """A scene, its parameters and steps. g is a function of /body/state."""

    def __init__(self, text, parameters, steps=4, static=False):
        self.text, self.parameters, self.steps, self.static = text, parameters, steps, static


CASES = {
    "springs": Case(scene_text(EULER.format("rayleighStiffness='0.05' rayleighMass='0.3'", THREE) + """
      <MechanicalObject name='state' position='0 0 0  1 0.1 0  2 0 0.2  2.5 0.5 1'/>
      <UniformMass name='mass' totalMass='2'/><FixedProjectiveConstraint indices='0'/>
      <SpringForceField name='spring'
        spring='0 1 200 3 0.8  1 2 150 2 1.1  2 3 100 1 0.9  1 3 80 0 1.5'/>"""),
                    [("/body/mass", "totalMass"), ("/body/ode", "rayleighMass"),
                     ("/body/ode", "rayleighStiffness"), ("/", "gravity")], 6),
    "linear tetrahedra": Case(scene_text(EULER.format("", THREE) + TETRAHEDRA + f"""
      <UniformMass name='mass' totalMass='3'/>
      <TetrahedronFEMForceField name='fem' method='small' youngModulus='400' poissonRatio='0.3'
        {TOPOLOGY}/>"""), [("/body/fem", "youngModulus"), ("/body/fem", "poissonRatio")]),
    "corotational tetrahedra": Case(scene_text(EULER.format("rayleighStiffness='0.1'", THREE)
                                               + TETRAHEDRA + f"""
      <MeshMatrixMass name='mass' massDensity='1.2' computeMassOnRest='1'
        {TOPOLOGY}/>
      <TetrahedronFEMForceField name='fem' method='polar' youngModulus='200' poissonRatio='0.3'
        {TOPOLOGY}/>"""), [("/body/fem", "youngModulus"), ("/body/mass", "massDensity")], 6),
    "corotational hexahedra": Case(scene_text(EULER.format("vdamping='0.5'", THREE) + BLOCK + """
      <UniformMass name='mass' totalMass='3'/>
      <HexahedronFEMForceField name='fem' method='large' youngModulus='300'
        poissonRatio='0.35'/>"""), [("/body/fem", "youngModulus"), ("/body/fem", "poissonRatio"),
                                    ("/body/ode", "vdamping")]),
    "hyperelastic, trapezoidal": Case(scene_text(EULER.format(
        "trapezoidalScheme='1' rayleighMass='0.2'", THREE) + TETRAHEDRA + f"""
      <MeshMatrixMass name='mass' massDensity='1' computeMassOnRest='1'
        {TOPOLOGY}/>
      <TetrahedronHyperelasticityFEMForceField name='fem' materialName='NeoHookean'
        ParameterSet='120 400' {TOPOLOGY}/>"""), [("/body/fem", "ParameterSet"),
                                                  ("/body/mass", "massDensity")]),
    "mapped load": Case(scene_text(EULER.format("rayleighStiffness='0.02'", THREE) + BLOCK + """
      <UniformMass name='mass' totalMass='3'/>
      <HexahedronFEMForceField name='fem' method='polar' youngModulus='300' poissonRatio='0.3'/>
      <Node name='skin'><MechanicalObject name='points' position='0.4 0.5 2.8  0.7 0.6 2.3'/>
        <ConstantForceField name='load' indices='0 1' forces='3 0 -1  0 2 4'/>
        <BarycentricMapping/></Node>"""), [("/body/skin/load", "forces"),
                                           ("/body/fem", "youngModulus")]),
    "rigid body with springs": Case(scene_text(EULER.format(
        "rayleighMass='0.1'", "template='CompressedRowSparseMatrixd'") + BODY),
                                    [("/body/arms/rest", "stiffness"), ("/", "gravity")], 6),
    "first order, held on a plane": Case(scene_text(EULER.format("firstOrder='1'", THREE) + BLOCK + """
      <PartialFixedProjectiveConstraint indices='12 13' fixedDirections='1 0 0'/>
      <UniformMass name='mass' totalMass='3'/>
      <HexahedronFEMForceField name='fem' youngModulus='30' poissonRatio='0.3'/>"""),
                                         [("/body/fem", "youngModulus"), ("/body/mass", "totalMass")]),
    "stretched mesh of springs": Case(scene_text(EULER.format(
        "trapezoidalScheme='1'", THREE) + BLOCK + """
      <UniformMass name='mass' totalMass='3'/>
      <MeshSpringForceField name='springs' stiffness='300' damping='2'/>
      <ConstantForceField name='load' indices='14' forces='20 5 10'/>"""),
                                      [("/body/load", "forces"), ("/body/mass", "totalMass")]),
    "static hyperelastic": Case(scene_text(NEWTON + TETRAHEDRA + f"""
      <UniformMass name='mass' totalMass='3'/>
      <TetrahedronHyperelasticityFEMForceField name='fem' materialName='StVenantKirchhoff'
        ParameterSet='300 500' {TOPOLOGY}/>"""), [("/body/fem", "ParameterSet"),
                                                  ("/body/mass", "totalMass"), ("/", "gravity")],
                                2, True),
    "static corotational": Case(scene_text(NEWTON + BLOCK + """
      <UniformMass name='mass' totalMass='3'/>
      <HexahedronFEMForceField name='fem' method='polar' youngModulus='600' poissonRatio='0.3'/>
      <Node name='skin'><MechanicalObject name='points' position='0.4 0.5 2.8'/>
        <ConstantForceField name='load' indices='0' forces='3 -2 -1'/>
        <BarycentricMapping/></Node>"""), [("/body/fem", "youngModulus"),
                                           ("/body/skin/load", "forces")], 2, True),
}


LOAD = "<ConstantForceField name='load' indices='14 15' forces='3 0 -1  0 2 4'/>"
MASS = "<UniformMass name='mass' totalMass='3'/>"
YOUNG = ("/body/material", "young_modulus")
CASES.update({
    "static scheme with rules of its own": Case(scene_text(
        "<StaticEquilibriumIntegrationScheme maxNbIterationsNewton='30' residueThreshold='1e-18'/>"
        "<SparseLDLSolver template='CompressedRowSparseMatrixMat3x3d'/>" + BLOCK + MASS + LOAD + """
      <HexahedronFEMForceField name='fem' method='polar' youngModulus='600' poissonRatio='0.3'/>"""),
        [("/body/fem", "youngModulus"), ("/body/load", "forces")], 2, True),
    "Newton of SofaCaribou": Case(caribou(
        f"<StaticODESolver {CARIBOU}/><LDLTSolver/>" + BLOCK
        + HYPERELASTIC.format("NeoHookeanMaterial", 3000) + LOAD + MASS), [
            YOUNG, ("/body/material", "poisson_ratio"), ("/body/load", "forces"),
            ("/", "gravity")], 2, True),
    "older Newton of SofaCaribou": Case(caribou(
        """<LegacyStaticODESolver newton_iterations='30' residual_tolerance_threshold='-1'
          correction_tolerance_threshold='1e-13'/>
        <SparseLDLSolver template='CompressedRowSparseMatrixMat3x3d'/>""" + BLOCK
        + HYPERELASTIC.format("SaintVenantKirchhoffMaterial", 400) + MASS), [YOUNG], 2, True),
    "backward Euler of SofaCaribou": Case(caribou(
        f"""<BackwardEulerODESolver name='ode' {CARIBOU} rayleigh_stiffness='0.02'
          rayleigh_mass='0.3'/><LDLTSolver/>""" + BLOCK
        + HYPERELASTIC.format("NeoHookeanMaterial", 400) + MASS), [
            YOUNG, ("/body/mass", "totalMass"), ("/body/ode", "rayleigh_stiffness"),
            ("/body/ode", "rayleigh_mass")]),
    "BDF of order 1": Case(scene_text(BDF.format(
        "rayleighStiffness='0.02' rayleighMass='0.3'", THREE[10:-1]) + BLOCK + MASS + """
      <HexahedronFEMForceField name='fem' method='polar' youngModulus='300' poissonRatio='0.3'/>"""),
                           [("/body/fem", "youngModulus"), ("/body/mass", "totalMass"),
                            ("/body/ode", "rayleighStiffness")]),
    "BDF of order 1 of a rigid body": Case(scene_text(BDF.format(
        "", "CompressedRowSparseMatrixd") + BODY), [("/body/arms/rest", "stiffness")]),
})


class Runs:
    """Whole runs of a case, with changes."""

    def __init__(self, case):
        self.case, self.context = case, csofa.Context()
        self.context.on_message(lambda message: None)

    def make(self, change=None):
        scene = csofa.load_text(self.case.text, context=self.context)
        bodies = scene["/body/state"].getTemplateName() == "Rigid3d"
        if not bodies:  # positions at rest stay; mapped points of bodies follow
            scene.init()
        if change:
            change(scene)
        scene.init()
        return scene

    def number(self, change=None, force=None):
        """g after the steps."""
        scene = self.make(change)
        state = scene["/body/state"]
        for _ in range(self.case.steps):
            for point, value in enumerate(force if force is not None else []):
                state.add_force(point, value)
            scene.step()
        return self.g(state)

    @staticmethod
    def weights(array, shift):
        return np.cos(np.arange(array.size) * 0.7 + shift).reshape(array.shape)

    def g(self, state):
        x, v = np.array(state.position), np.array(state.velocity)
        # of frames: the places of three points of the body, which are smooth in any orientation
        y = np.concatenate([place(x, arm) for arm in np.eye(3)]) if x.shape[1] == 7 else x
        return float(np.sum(self.weights(y, 0) * np.sin(y)) + 0.1 * np.sum(self.weights(v, 1) * v))

    def slopes(self, state):
        """dg/dx, of frames by translation and rotation vector; dg/dv"""
        x, v = np.array(state.position), np.array(state.velocity)
        by_v = 0.1 * self.weights(v, 1)
        if x.shape[1] != 7:
            return self.weights(x, 0) * np.cos(x), by_v
        y = np.concatenate([place(x, arm) for arm in np.eye(3)])
        by_y = (self.weights(y, 0) * np.cos(y)).reshape(3, len(x), 3)
        by_x = np.zeros((len(x), 6))
        for part, arm in zip(by_y, np.eye(3)):
            by_x[:, :3] += part
            by_x[:, 3:] += np.cross(place(x, arm) - x[:, :3], part)
        return by_x, by_v


def place(x, arm):
    """Of a point of bodies at x: p + R arm."""
    q, w = x[:, 3:6], x[:, 6:]
    arm = np.broadcast_to(arm, q.shape)
    return x[:, :3] + arm + 2 * np.cross(q, np.cross(q, arm) + w * arm)


def turned(x, change):
    """Frames moved by small translations and rotation vectors, the latter exactly."""
    out = x.copy()
    out[:, :3] += change[:, :3]
    for row, turn in zip(out, change[:, 3:]):
        angle = np.linalg.norm(turn)
        a = np.append(np.sin(angle / 2) * turn / angle if angle else turn, np.cos(angle / 2))
        u, w, p, s = a[:3], a[3], row[3:6].copy(), row[6]
        row[3:6], row[6] = w * p + s * u + np.cross(u, p), w * s - u @ p
    return out


def slope(function, h):
    """Central differences of fourth order."""
    return (8 * (function(h) - function(-h)) - (function(2 * h) - function(-2 * h))) / (12 * h)


class Refusals(unittest.TestCase):
    FREE = """<MechanicalObject name='state' position='0 0 0  1 0 0  2 0 0'/>
      <UniformMass name='mass' totalMass='2'/>
      <SpringForceField name='spring' spring='0 1 2000 0 0.5  1 2 100 0 1'/>"""

    def run_of(self, text):
        context = csofa.Context()
        context.on_message(lambda message: None)
        return adjoint.Run(csofa.load_text(text, context=context), "/body/state")

    def test_solvers(self):
        with self.assertRaisesRegex(csofa.Error, "not available as equations"):
            self.run_of(scene_text("<EulerExplicitSolver/>" + self.FREE))
        with self.assertRaisesRegex(csofa.Error, "depends on the steps before"):
            self.run_of(scene_text(BDF.format("order='2'", THREE[10:-1]) + self.FREE))

    def test_loose_tolerance(self):
        run = self.run_of(scene_text("<EulerImplicitSolver/><CGLinearSolver iterations='2' "
                                     "tolerance='1e-9' threshold='1e-9'/>" + self.FREE))
        run.step(2)
        with self.assertRaisesRegex(ValueError, "was not solved well enough"):
            run.gradient(np.ones((3, 3)))

    def test_graph(self):
        run = self.run_of(scene_text(EULER.format("", THREE) + self.FREE))
        run.step()
        run._scene["/body/spring"].remove()
        with self.assertRaisesRegex(csofa.Error, "the graph has changed"):
            run.step()

    def test_parameters(self):
        text = scene_text(EULER.format("", THREE) + TETRAHEDRA + f"""
          <MeshMatrixMass name='mass' massDensity='1' {TOPOLOGY}/>
          <TetrahedronFEMForceField youngModulus='100' poissonRatio='0.3' {TOPOLOGY}/>""")
        run = self.run_of(text)
        run.step(3)
        shape = (12, 3)
        with self.assertRaisesRegex(ValueError, "is not a number"):
            run.gradient(np.ones(shape), parameters=[(run._scene["/body/mass"], "name")])
        with self.assertRaisesRegex(ValueError, "instead of"):
            run.gradient(np.ones((2, 3)))
        with self.assertRaisesRegex(ValueError, "measures it again"):
            run.gradient(np.ones(shape), parameters=[(run._scene["/body/mass"], "massDensity")])

    def test_recorded_forces(self):
        """Forces of the steps act in the equations, too."""
        run = self.run_of(scene_text(EULER.format("", THREE) + self.FREE))
        run.step(2, forces={"/body/state": np.ones((3, 3))})
        run.step()
        by_load = run.gradient(np.ones((3, 3))).constant_load()["/body/state"]
        self.assertGreater(np.abs(by_load).min(), 0)


class Adjoint(unittest.TestCase):
    def assert_close(self, found, expected, scale, name):
        self.assertLessEqual(abs(found - expected), 1e-5 * max(abs(expected), 1e-3 * scale), name)

    def check_parameter(self, runs, gradient, k):
        path, field = runs.case.parameters[k]
        found = np.asarray(gradient.parameters[k])
        before = np.array(runs.make()[path].get(field), float)
        self.assertEqual(found.shape, before.shape)
        for at in list(np.ndindex(*before.shape))[:4]:
            def value(h):
                changed = before.copy()
                changed[at] += h
                return runs.number(lambda scene: scene[path].set(field, changed if at else
                                                                 float(changed)))
            h = 1e-3 * (abs(before[at]) or np.abs(before).max())
            self.assert_close(found[at], slope(value, h), np.abs(found).max(),
                              f"{path}.{field}[{at}]")

    def check_state(self, runs, gradient):
        """Along a direction; points that constraints hold keep their places."""
        state = runs.make()["/body/state"]
        free = np.ones(len(state.position))
        if len(free) > 4:
            free[:4] = 0
        x, v = np.array(state.position), np.array(state.velocity)
        d = runs.weights(v, 2) * free[:, None]

        def positions(h):
            moved = turned(x, h * d) if x.shape[1] == 7 else x + h * d
            return runs.number(lambda scene: scene["/body/state"].set("position", moved))

        def velocities(h):
            return runs.number(lambda scene: scene["/body/state"].set("velocity", v + h * d))
        for found, function, h in ((gradient.position, positions, 1e-3),
                                   (gradient.velocity, velocities, 1e-2)):
            found = found["/body/state"]
            self.assert_close(np.sum(found * d), slope(function, h), np.sum(np.abs(found * d)),
                              function.__name__)

    def check_loads(self, runs, gradient):
        found = gradient.constant_load()["/body/state"]
        d = runs.weights(found, 3)
        expected = slope(lambda h: runs.number(force=h * d), 1e-2)
        self.assert_close(np.sum(found * d), expected, np.sum(np.abs(found * d)), "loads")

    def test_differences(self):
        self.assertGreaterEqual(len(CASES), 17)
        for name, case in CASES.items():
            with self.subTest(scene=name):
                runs = Runs(case)
                scene = runs.make()
                run = adjoint.Run(scene, "/body/state")
                run.step(case.steps)
                state = scene["/body/state"]
                self.assertEqual(runs.g(state), runs.number())
                by_x, by_v = runs.slopes(state)
                gradient = run.gradient(by_x, by_v, [(scene[path], field)
                                                     for path, field in case.parameters])
                # the scene is as it was
                self.assertEqual(runs.g(state), runs.number())
                for k in range(len(case.parameters)):
                    self.check_parameter(runs, gradient, k)
                self.check_loads(runs, gradient)
                if case.static:
                    self.assertLess(np.abs(gradient.position["/body/state"][4:]).max(), 1e-6)
                else:
                    self.check_state(runs, gradient)


if __name__ == "__main__":
    unittest.main()
