/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rows of the table of test_divided.c: springs, shells, and what selects points for them. */
{"springs that a scene lists", EULER, BAR,
 ENDS TETRA MASS "<StiffSpringForceField spring='0 62 90 3 0.5  6 56 50 1 0.7  20 21 200 1 0.1  "
                 "34 35 90 1 0.1  13 49 70 0 0.6'/>"},
    {"springs by their ends", EULER, GRID,
     ENDS HEXA MASS "<SpringForceField springsIndices1='0 7 31 40' springsIndices2='71 64 32 3' "
                    "stiffness='50' damping='1' lengths='0.6 0.7 0.1 0.5'/>"},
    {"springs of a state with the same points", EULER, BAR,
     ENDS TETRA MASS "<Node><MechanicalObject/><IdentityMapping/>"
                     "<StiffSpringForceField spring='0 62 90 3 0.5  6 56 50 1 0.7'/></Node>"},
    {"springs of a grid", EULER, GRID,
     ENDS MASS "<RegularGridSpringForceField linesStiffness='50' quadsStiffness='30' "
               "cubesStiffness='20' linesDamping='1' spring='0 71 20 1 0.6'/>"},
    {"springs across edges of triangles", EULER, BAR,
     ENDS TETRA MASS SKIN "<TriangularBendingSprings stiffness='300' damping='1'/></Node>"},
    {"bending of triangles", EULER, BAR,
     ENDS TETRA MASS SKIN "<FastTriangularBendingSprings bendingStiffness='5'/></Node>"},
    {"bending of all triangles", EULER, FACES_TETRA,
     ENDS TETRA MASS "<FastTriangularBendingSprings bendingStiffness='0.5'/>"
                     "<TriangularBendingSprings stiffness='30' damping='1'/>"},
    {"springs across edges of quads", EULER, GRID,
     ENDS HEXA MASS "<QuadularBendingSprings stiffness='30' damping='1'/>"},
    {"bending springs of all triangles", EULER, FACES_TETRA,
     ENDS TETRA MASS "<Node><TriangleSetTopologyContainer triangles='@../loader.triangles' "
                     "position='@../loader.position'/>"
                     "<MechanicalObject position='@../loader.position'/><IdentityMapping/>"
                     "<TriangleBendingSprings stiffness='3' damping='0.1'/></Node>"},
    {"bending springs of quads", EULER, GRID,
     ENDS HEXA MASS "<QuadBendingSprings stiffness='30' damping='1'/>"},
    {"quads as triangles", EULER, HEXA_SET,
     ENDS HEXA MASS
     "<Node name='quads'><QuadSetTopologyContainer name='skin'/><QuadSetTopologyModifier/>"
     "<Hexa2QuadTopologicalMapping input='@../HexahedronSetTopologyContainer1' output='@skin'/>"
     "<Node><TriangleSetTopologyContainer name='cut'/><TriangleSetTopologyModifier/>"
     "<Quad2TriangleTopologicalMapping input='@../skin' output='@cut'/>"
     "<TrianglePressureForceField pressure='20 5 1' triangleList='0 1 7 12 30 31 50 70'/>"
     "<TriangularFEMForceField youngModulus='1e4' poissonRatio='0.3'/></Node></Node>"},
    {"springs that a scene lists, with a diagonal mass", EULER, BAR,
     ENDS TETRA "<StiffSpringForceField spring='0 62 90 3 0.5  6 56 50 1 0.7  20 21 200 1 0.1'/>"
                "<DiagonalMass massDensity='90'/>"
                "<SurfacePressureForceField pressure='300'/>"},
    {"springs that a scene lists, with a mass matrix", EULER, BAR,
     ENDS TETRA "<StiffSpringForceField spring='0 62 90 3 0.5  6 56 50 1 0.7  20 21 200 1 0.1'/>"
                "<MeshMatrixMass totalMass='2'/>"
                "<Node><MechanicalObject position='0.55 0.11 0.07  0.33 0.05 0.12'/>"
                "<BarycentricMapping/><ConstantForceField forces='0 -1 2'/></Node>"},
    {"springs that a scene lists, explicit", "<EulerExplicitSolver/>", BAR,
     ENDS SOFT "<StiffSpringForceField spring='0 62 90 3 0.5  6 56 50 1 0.7  20 21 200 1 0.1'/>"
               "<MeshMatrixMass massDensity='70' lumping='1'/>"},
    {"moduli by position", EULER, BAR,
     ENDS MASS "<ValuesFromPositions name='values' inputValues='1e4 5e4 2e4' direction='1 0.3 0' "
               "position='@loader.position' tetrahedra='@loader.tetrahedra' "
               "triangles='@loader.triangles' edges='@loader.edges'/>"
               "<TetrahedronFEMForceField youngModulus='@values.tetrahedronValues' "
               "poissonRatio='0.4' method='large'/>"},
    {"sets of points", EULER, BAR,
     "<BoxROI name='a' box='-0.01 -1 -1 0.01 1 1'/><BoxROI name='b' box='-1 -1 -1 0.12 0.01 1'/>"
     "<MergeSets name='both' in1='@a.indices' in2='@b.indices'/>"
     "<ComplementaryROI name='rest' position='@loader.position' nbSet='1' "
     "setIndices1='@both.out'/>"
     "<FixedProjectiveConstraint indices='@both.out'/>"
     "<ConstantForceField indices='@rest.indices' forces='0 -0.1 0.05'/>" TETRA MASS},
    /* shells */
    {"a shell of triangles", EULER, FRAMES,
     ENDS FRAME_SPRINGS "<ShellTriangleFEMForceField youngModulus='1e4' poissonRatio='0.3' "
                        "thickness='0.02'/>"},
    {"a shell of triangles with folds", EULER, FRAMES,
     ENDS FRAME_SPRINGS "<ShellTriangleFEMForceField youngModulus='1e4' poissonRatio='0.3' "
                        "thickness='0.02' creaseAngle='20'/>"},
    {"a shell of quads", EULER, FRAME_GRID,
     ENDS FRAME_SPRINGS "<ShellQuadFEMForceField youngModulus='1e4' poissonRatio='0.3' "
                        "thickness='0.02'/>"},
    /* numbers that diffuse */
    {"diffusion", EULER,
     "<MeshGmshLoader name='loader' filename='%s/bar.msh'/><MeshTopology src='@loader'/>"
     "<MechanicalObject name='places' tags='meca' src='@loader'/>",
     "<UniformMass totalMass='1'/><Node><MeshTopology src='@../loader'/>"
     "<MechanicalObject name='dofs' template='Vec1d'/>"
     "<UniformMass totalMass='2'/>"
     "<FixedProjectiveConstraint indices='0 7 14 20'/>"
     "<TetrahedronDiffusionFEMForceField constantDiffusionCoefficient='3'/></Node>"},
    /* points of several bodies */
    {"a subset of several bodies", EULER, BAR,
     ENDS TETRA MASS
     "<Node name='small'><MechanicalObject name='p' position='0.5 0.5 0  0.6 0.5 0'/>"
     "<UniformMass totalMass='0.4'/><RestShapeSpringsForceField stiffness='30'/>"
     "<Node name='some'><MechanicalObject/><SubsetMultiMapping "
     "input='@../../dofs @../p' indexPairs='0 62  1 1  0 3  0 20  1 0  0 41'/>"
     "<UniformMass totalMass='0.3'/>"
     "<StiffSpringForceField spring='0 1 90 1 0.4  2 4 50 1 0.3  3 5 50 1 0.2'/>"
     "<ConstantForceField indices='0 3' forces='0.1 -2 1'/></Node></Node>"},
