/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rows of the table of test_divided.c. */
/* solvers */
{"BDF", "<BDFOdeSolver rayleighStiffness='0.02'/><NewtonRaphsonSolver/>" CG, BAR, ENDS TETRA MASS},
    {"Newmark", "<NewmarkImplicitSolver rayleighStiffness='0.02'/>" CG, BAR, ENDS TETRA MASS},
    {"statics", "<StaticSolver/><NewtonRaphsonSolver maxNbIterationsNewton='20'/>" CG, BAR,
     ENDS HYPER MASS},
    {"variational with springs to rest",
     "<VariationalSymplecticSolver rayleighStiffness='0.02' computeHamiltonian='1'/>" CG, BAR,
     ENDS TETRA MASS "<RestShapeSpringsForceField stiffness='50'/>"
                     "<SphereForceField center='0.6 0.1 0.1' radius='0.25' stiffness='90'/>"},
    {"variational", "<VariationalSymplecticSolver rayleighStiffness='0.02'/>" CG, BAR,
     ENDS TETRA MASS},
    {"explicit", "<EulerExplicitSolver/>", BAR, ENDS SOFT MASS},
    {"Runge and Kutta", "<RungeKutta4Solver/>", BAR, ENDS SOFT "<DiagonalMass massDensity='90'/>"},
    {"central differences", "<CentralDifferenceSolver/>", BAR, ENDS SOFT MASS},
    /* masses */
    {"diagonal mass of a total", EULER, BAR, ENDS TETRA "<DiagonalMass totalMass='2'/>"},
    {"diagonal mass of a density", EULER, GRID, ENDS HEXA "<DiagonalMass massDensity='70'/>"},
    {"mass matrix of a total", EULER, BAR, ENDS TETRA "<MeshMatrixMass totalMass='2'/>"},
    {"mass matrix of a density", EULER, GRID, ENDS HEXA "<MeshMatrixMass massDensity='70'/>"},
    {"mass matrix with edges that the topology derives", EULER,
     "<MeshGmshLoader name='loader' filename='%s/bar.msh' createSubelements='0'/>"
     "<MeshTopology src='@loader'/><MechanicalObject name='dofs' src='@loader'/>",
     ENDS TETRA "<MeshMatrixMass totalMass='2'/>"},
    {"mass matrix with edges that a container derives", EULER,
     "<MeshGmshLoader name='loader' filename='%s/bar.msh' createSubelements='0'/>"
     "<TetrahedronSetTopologyContainer src='@loader'/><MechanicalObject name='dofs' "
     "src='@loader'/>",
     ENDS TETRA "<MeshMatrixMass totalMass='2'/>"},
    {"lumped mass matrix", EULER, BAR, ENDS TETRA "<MeshMatrixMass massDensity='70' lumping='1'/>"},
    {"masses of listed points", EULER, BAR,
     ENDS TETRA "<UniformMass totalMass='3' indices='1 2 3 8 9 30 31 32 60 61 62'/>"},
    /* elements */
    {"corotational tetrahedra", EULER, SET,
     ENDS MASS "<TetrahedralCorotationalFEMForceField youngModulus='3e4' poissonRatio='0.4'/>"},
    {"fast corotational tetrahedra", EULER, SET,
     ENDS MASS "<FastTetrahedralCorotationalForceField youngModulus='3e4' poissonRatio='0.4'/>"},
    {"corotational elements", EULER, SET,
     ENDS MASS "<CorotationalFEMForceField template='Vec3d,Tetrahedron' youngModulus='3e4' "
               "poissonRatio='0.4'/>"},
    {"small strains", EULER, SET,
     ENDS MASS "<LinearSmallStrainFEMForceField template='Vec3d,Tetrahedron' youngModulus='3e4' "
               "poissonRatio='0.4'/>"},
    {"hyperelastic tetrahedra", EULER, SET, ENDS HYPER MASS},
    {"standard hyperelastic tetrahedra", EULER, SET,
     ENDS MASS "<StandardTetrahedralFEMForceField materialName='StVenantKirchhoff' "
               "ParameterSet='1e4 4e4'/>"},
    {"tensor masses", EULER, SET,
     ENDS MASS "<TetrahedralTensorMassForceField youngModulus='3e4' poissonRatio='0.4'/>"},
    {"hexahedra of a set", EULER,
     "<RegularGridTopology name='grid' n='8 3 3' min='0 0 0' max='0.7 0.2 0.2'/>"
     "<MechanicalObject name='dofs' position='@grid.position'/>"
     "<HexahedronSetTopologyContainer hexahedra='@grid.hexahedra' position='@grid.position'/>",
     ENDS MASS "<HexahedralFEMForceField youngModulus='3e4' poissonRatio='0.4'/>"},
    /* loads and springs */
    {"total force", EULER, BAR,
     ENDS TETRA MASS "<BoxROI name='end' box='0.55 -1 -1 1 1 1'/>"
                     "<ConstantForceField indices='@end.indices' totalForce='1 -5 2'/>"},
    {"total force on all points", EULER, BAR,
     ENDS TETRA MASS "<ConstantForceField totalForce='1 -5 2'/>"},
    {"forces on listed points", EULER, BAR,
     ENDS TETRA MASS "<ConstantForceField indices='6 13 20 62 41' forces='0.1 -2 1'/>"},
    {"forces in time", EULER, BAR,
     ENDS TETRA MASS "<LinearForceField points='6 13 20 62 41' times='0 0.05 1' "
                     "forces='0 0 0  1 2 3  0 1 0'/>"},
    {"pressure", EULER, BAR, ENDS TETRA MASS "<SurfacePressureForceField pressure='300'/>"},
    {"pressure on triangles", EULER, SET,
     ENDS TETRA MASS "<TrianglePressureForceField pressure='200 50 10' "
                     "triangleList='0 1 2 3 4 5 6 7'/>"},
    {"springs to rest", EULER, BAR,
     TETRA MASS "<BoxROI name='end' box='0.55 -1 -1 1 1 1'/>"
                "<RestShapeSpringsForceField points='@end.indices' stiffness='900'/>"
                "<RestShapeSpringsForceField points='0 7 14 21 28' stiffness='700'/>"},
    {"polynomial springs to rest", EULER, BAR,
     TETRA MASS "<PolynomialRestShapeSpringsForceField points='0 7 14 21 28' "
                "polynomialStiffness='900 300' polynomialDegree='2' initialLength='0.1'/>"},
    {"points that swing", EULER, BAR,
     TETRA MASS "<OscillatorProjectiveConstraint oscillators='0 0 0 0 0.02 0.01 0 30 0  "
                "34 0.6 0.1 0.1 0 0.03 0.01 20 0.5  7 0 0 0.1 0 0 0.02 25 1'/>" ENDS},
    {"springs of all points", EULER, BAR,
     TETRA MASS "<RestShapeSpringsForceField stiffness='50'/>"},
    {"damping", EULER, BAR,
     ENDS TETRA MASS "<UniformVelocityDampingForceField dampingCoefficient='0.7' implicit='1'/>"},
    {"a plane below", EULER, BAR,
     ENDS TETRA MASS "<PlaneForceField normal='0 1 0' d='-0.02' stiffness='300' damping='1'/>"},
    /* constraints and selections */
    {"fixed by numbers", EULER, BAR,
     "<FixedProjectiveConstraint indices='0 7 14 21 28 35 42 49 56'/>" TETRA MASS},
    {"the first point is fixed", EULER, BAR, "<FixedProjectiveConstraint/>" TETRA MASS},
    {"partly fixed", EULER, BAR,
     ENDS TETRA MASS
     "<PartialFixedProjectiveConstraint indices='6 13 20' fixedDirections='1 0 1'/>"},
    {"a plane", EULER, BAR,
     ENDS TETRA MASS
     "<PlaneProjectiveConstraint indices='6 13 20' normal='1 0 0' origin='0.6 0 0'/>"},
    {"a line", EULER, BAR,
     ENDS TETRA MASS "<LineProjectiveConstraint indices='6 13 20' direction='0 1 0' "
                     "origin='0.6 0 0'/>"},
    {"moved points", EULER, BAR,
     ENDS TETRA MASS "<LinearMovementProjectiveConstraint indices='6 13 20' keyTimes='0 1' "
                     "movements='0 0 0  0.5 1 0'/>"},
    {"points with a velocity", EULER, BAR,
     ENDS TETRA MASS "<LinearVelocityProjectiveConstraint indices='6 13 20' keyTimes='0 1' "
                     "velocities='0 0 0  0.5 1 0'/>"},
    {"spheres and planes", EULER, BAR,
     "<SphereROI name='roi' centers='0 0.1 0.1' radii='0.16'/>"
     "<FixedProjectiveConstraint indices='@roi.indices'/>" TETRA MASS},
    {"planes select", EULER, BAR,
     "<PlaneROI name='roi' plane='0.1 0 0  0.1 1 0  0.1 0 1  0.25'/>"
     "<FixedProjectiveConstraint indices='@roi.indices'/>" TETRA MASS},
    {"points between planes", EULER, BAR,
     TETRA MASS "<FixedPlaneProjectiveConstraint direction='1 0 0' dmin='-0.1' dmax='0.01'/>"},
    {"a point", EULER, BAR,
     ENDS TETRA MASS "<PointProjectiveConstraint indices='6' point='0.6 0.02 0'/>"},
    {"a direction", EULER, BAR,
     ENDS TETRA MASS "<DirectionProjectiveConstraint indices='6 13 20' direction='0 1 1'/>"},
    {"pressure on quads", EULER, GRID,
     ENDS HEXA MASS "<QuadPressureForceField pressure='20 5 1' quadList='0 1 2 3 4 5 30 40'/>"},
    {"Runge and Kutta of second order", "<RungeKutta2Solver/>", BAR, ENDS SOFT MASS},
    /* mappings */
    {"points inside", EULER, BAR,
     ENDS TETRA MASS "<Node><MechanicalObject position='0.55 0.11 0.07  0.33 0.05 0.12 "
                     " 0.7 0.3 0.1'/><UniformMass totalMass='0.3'/><BarycentricMapping/>"
                     "<ConstantForceField indices='0 2' forces='0 -1 2'/></Node>"},
    {"points inside of a grid", EULER, GRID,
     ENDS HEXA MASS "<Node><MechanicalObject position='0.55 0.11 0.07  0.33 0.05 0.12'/>"
                    "<BarycentricMapping/><ConstantForceField forces='0 -1 2'/></Node>"},
    {"points inside of a set", EULER, SET,
     ENDS TETRA MASS "<Node><MechanicalObject position='0.55 0.11 0.07  0.33 0.05 0.12'/>"
                     "<BarycentricMapping/><ConstantForceField forces='0 -1 2'/></Node>"},
    {"the same points", EULER, BAR,
     ENDS TETRA MASS "<Node><MechanicalObject/><IdentityMapping/>"
                     "<ConstantForceField indices='6 13 20 62 41' forces='0.1 -2 1'/></Node>"},
    {"a subset by numbers", EULER, BAR,
     ENDS TETRA MASS "<Node><MechanicalObject/><SubsetMapping indices='62 3 20 6 41'/>"
                     "<UniformMass totalMass='0.2'/>"
                     "<ConstantForceField indices='0 3' forces='0.1 -2 1'/></Node>"},
    {"a subset by a selection", EULER, BAR,
     ENDS TETRA MASS "<BoxROI name='some' box='0.15 -1 -1 1 0.05 1'/>"
                     "<Node><MechanicalObject/><SubsetMapping indices='@../some.indices'/>"
                     "<RestShapeSpringsForceField stiffness='30'/>"
                     "<ConstantForceField indices='1 5' forces='0.1 -2 1'/></Node>"},
    {"a subset by a range", EULER, BAR,
     ENDS TETRA MASS "<Node><MechanicalObject/><SubsetMapping first='3' last='30'/>"
                     "<ConstantForceField indices='0 17' forces='0.1 -2 1'/></Node>"},
    {"a subset by places", EULER, BAR,
     ENDS TETRA MASS "<Node><MechanicalObject position='0.6 0.2 0.2  0.3 0.1 0.1  5 0 0  0.2 0 0'/>"
                     "<SubsetMapping ignoreNotFound='1'/>"
                     "<ConstantForceField indices='0 2 1' forces='0.1 -2 1'/></Node>"},
    {"springs in a subset", EULER, BAR,
     ENDS TETRA MASS "<Node><MechanicalObject position='0.6 0.2 0.2  0.3 0 0  0.6 0.1 0'/>"
                     "<SubsetMapping indices='62 3 13'/>"
                     "<MeshTopology name='t' triangles='0 1 2'/>"
                     "<TriangleFEMForceField topology='@t' youngModulus='1e3'/></Node>"},
    {"points in a grid whose state is elsewhere", EULER,
     "<RegularGridTopology name='grid' n='8 3 3' min='0 0 0' max='0.7 0.2 0.2'/>"
     "<MechanicalObject name='dofs' translation='0 0.5 0.3'/>",
     ENDS HEXA MASS "<Node><MechanicalObject position='0.52 0.13 0.04  0.35 0 0.1'/>"
                    "<BarycentricMapping/><ConstantForceField forces='0.1 -2 1'/></Node>"},
    /* what is shown */
    {"a surface that is shown", EULER, BAR,
     ENDS TETRA MASS "<Node><OglModel position='0.5 0.1 0.1  0.4 0 0.1  0.6 0.2 0' "
                     "triangles='0 1 2'/><BarycentricMapping/></Node>"},
    {"the surface is shown", EULER, BAR,
     ENDS TETRA MASS "<VisualStyle displayFlags='showVisual'/>"
                     "<Node><OglModel src='@../loader'/><IdentityMapping/></Node>"},
    {"the surface is shown by its elements", EULER, BAR,
     ENDS TETRA MASS "<Node><OglModel src='@../loader'/><BarycentricMapping/></Node>"},
    {"points of the mesh that follow its elements", EULER, BAR,
     ENDS TETRA MASS "<Node><MechanicalObject position='@../loader.position'/><BarycentricMapping/>"
                     "<UniformMass totalMass='1'/><ConstantForceField forces='0 0.1 0.2'/>"
                     "<RestShapeSpringsForceField stiffness='30' points='60 31'/></Node>"},
    /* a plugin */
    {"Caribou's elements", EULER, SET,
     CARIBOU ENDS MASS
     "<CaribouTopology name='solid' template='Tetrahedron' "
     "indices='@loader.tetrahedra'/><NeoHookeanMaterial young_modulus='3e4' poisson_ratio='0.3'/>"
     "<HyperelasticForcefield topology='@solid'/>"},
    {"Caribou's mass", EULER, SET,
     CARIBOU ENDS
     "<CaribouTopology name='solid' template='Tetrahedron' "
     "indices='@loader.tetrahedra'/>"
     "<SaintVenantKirchhoffMaterial young_modulus='3e4' poisson_ratio='0.3'/>"
     "<CaribouMass topology='@solid' density='60'/><HyperelasticForcefield topology='@solid'/>"},
    {"Caribou's tractions", EULER, SET,
     CARIBOU ENDS MASS
     "<CaribouTopology name='solid' template='Tetrahedron' "
     "indices='@loader.tetrahedra'/><NeoHookeanMaterial young_modulus='3e4' poisson_ratio='0.3'/>"
     "<HyperelasticForcefield topology='@solid'/>"
     "<CaribouTopology name='end' template='Triangle' indices='@loader.triangles'/>"
     "<TractionForcefield topology='@end' traction='0 -100 30' slope='0.3'/>"},
    {"Caribou's statics", CARIBOU "<StaticODESolver newton_iterations='20'/>" CARIBOU_CG, SET,
     ENDS
     "<CaribouTopology name='solid' template='Tetrahedron' indices='@loader.tetrahedra'/>"
     "<SaintVenantKirchhoffMaterial young_modulus='3e4' poisson_ratio='0.3'/>"
     "<CaribouMass topology='@solid' density='60'/><HyperelasticForcefield topology='@solid'/>"},
    {"Caribou's implicit Euler", CARIBOU "<BackwardEulerODESolver/>" CARIBOU_CG, SET,
     ENDS MASS
     "<CaribouTopology name='solid' template='Tetrahedron' "
     "indices='@loader.tetrahedra'/><NeoHookeanMaterial young_modulus='3e4' poisson_ratio='0.3'/>"
     "<HyperelasticForcefield topology='@solid'/>"},
