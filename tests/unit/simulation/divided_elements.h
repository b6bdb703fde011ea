/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rows of the table of test_divided.c: elements, materials and masses. */
/* masses */
{"FEM mass", EULER, BAR,
 ENDS TETRA "<NodalMassDensity property='70'/><FEMMass template='Vec3d,Tetrahedron'/>"},
    {"lumped FEM mass", "<EulerExplicitSolver/>", BAR,
     ENDS SOFT
     "<NodalMassDensity property='70'/><FEMMass template='Vec3d,Tetrahedron' lumped='1'/>"},
    {"FEM mass of hexahedra", EULER, GRID,
     ENDS HEXA "<NodalMassDensity property='70'/><FEMMass template='Vec3d,Hexahedron'/>"},
    {"lumped mass matrix, explicit", "<EulerExplicitSolver/>", BAR,
     ENDS SOFT "<MeshMatrixMass massDensity='70' lumping='1'/>"},
    {"lumped mass matrix of hexahedra, explicit", "<EulerExplicitSolver/>", GRID,
     ENDS "<HexahedronFEMForceField youngModulus='300' poissonRatio='0.3' method='large'/>"
          "<MeshMatrixMass totalMass='2' lumping='1'/>"},
    {"hexahedra with a mass", EULER, GRID,
     ENDS "<HexahedronFEMForceFieldAndMass youngModulus='3e4' poissonRatio='0.4' method='large' "
          "density='70'/>"},
    {"hexahedra with a lumped mass, explicit", "<EulerExplicitSolver/>", GRID,
     ENDS "<HexahedronFEMForceFieldAndMass youngModulus='300' poissonRatio='0.4' method='large' "
          "density='70' lumpedMass='1'/>"},
    {"hexahedra of a set with a mass", EULER, HEXA_SET,
     ENDS "<HexahedralFEMForceFieldAndMass youngModulus='3e4' poissonRatio='0.4' density='70'/>"},
    {"several kinds of volumes", EULER, MIXED, ENDS TETRA HEXA MASS},
    {"several kinds of volumes, mass of hexahedra", EULER, MIXED,
     ENDS TETRA HEXA "<DiagonalMass massDensity='70'/>"},
    {"several kinds of volumes, mass matrix", EULER, MIXED,
     ENDS TETRA HEXA "<MeshMatrixMass totalMass='2'/>"},
    {"several kinds of volumes, FEM masses", EULER, MIXED,
     ENDS TETRA HEXA "<NodalMassDensity property='70'/><FEMMass template='Vec3d,Hexahedron'/>"
                     "<Node><MechanicalObject/><IdentityMapping/>"
                     "<FEMMass template='Vec3d,Tetrahedron'/></Node>"},
    {"Caribou's lumped mass, explicit", CARIBOU "<EulerExplicitSolver/>", SET,
     ENDS "<CaribouTopology name='solid' template='Tetrahedron' indices='@loader.tetrahedra'/>"
          "<SaintVenantKirchhoffMaterial young_modulus='300' poisson_ratio='0.3'/>"
          "<CaribouMass topology='@solid' density='60' lumped='1'/>"
          "<HyperelasticForcefield topology='@solid'/>"},
    /* volume elements */
    {"tetrahedra in the cells of a grid", EULER, GRID, ENDS TETRA MASS},
    {"tetrahedra in the cells of a grid, with stresses", EULER, GRID,
     ENDS MASS "<TetrahedronFEMForceField youngModulus='3e4' poissonRatio='0.4' method='polar' "
               "computeVonMisesStress='1'/>"},
    {"corotational hexahedra", EULER, HEXA_SET,
     ENDS MASS "<CorotationalFEMForceField template='Vec3d,Hexahedron' youngModulus='3e4' "
               "poissonRatio='0.4'/>"},
    {"small strains of hexahedra", EULER, HEXA_SET,
     ENDS MASS "<LinearSmallStrainFEMForceField template='Vec3d,Hexahedron' youngModulus='3e4' "
               "poissonRatio='0.4'/>"},
    {"Caribou's elements of two kinds", EULER, MIXED,
     CARIBOU ENDS MASS
     "<CaribouTopology name='a' template='Tetrahedron' indices='@loader.tetrahedra'/>"
     "<CaribouTopology name='b' template='Hexahedron' indices='@loader.hexahedra'/>"
     "<NeoHookeanMaterial young_modulus='3e4' poisson_ratio='0.3'/>"
     "<HyperelasticForcefield template='Tetrahedron' topology='@a'/>"
     "<HyperelasticForcefield template='Hexahedron' topology='@b'/>"},
    /* materials */
    {"an energy", EULER, SET,
     ENDS MASS "<StrainEnergyMaterial name='m' materialName='NeoHookean' ParameterSet='1e4 4e4'/>"
               "<TetrahedronHyperelasticityFEMForceField material='@m'/>"},
    {"relaxation", EULER, SET,
     ENDS MASS "<ViscoelasticMaterial name='m' materialName='NeoHookean' ParameterSet='1e4 4e4' "
               "branchModuli='3e3' relaxationTimes='0.05'/>"
               "<TetrahedronHyperelasticityFEMForceField material='@m'/>"},
    {"fibres", EULER, SET,
     ENDS MASS "<HolzapfelGasserOgdenMaterial name='m' c='1e4' k1='1e4' fibres='1 0.2 0'/>"
               "<TetrahedronHyperelasticityFEMForceField material='@m'/>"},
    {"muscle", EULER, SET,
     ENDS MASS "<MuscleMaterial name='m' materialName='NeoHookean' ParameterSet='1e4 4e4' "
               "activeStress='500' fibres='1 0.2 0'/>"
               "<TetrahedronHyperelasticityFEMForceField material='@m'/>"},
    {"plasticity", EULER, SET,
     ENDS MASS
     "<J2PlasticMaterial name='m' youngModulus='3e4' yieldStress='450' hardeningModulus='1e5'/>"
     "<TetrahedronHyperelasticityFEMForceField material='@m'/>"},
    /* surfaces */
    {"a membrane on the end", EULER, BAR,
     ENDS TETRA MASS "<TriangleFEMForceField youngModulus='1e5' poissonRatio='0.3'/>"},
    {"mapped triangles", EULER, BAR,
     ENDS TETRA MASS SKIN
     "<TriangularFEMForceField youngModulus='1e5' poissonRatio='0.3'/></Node>"},
    {"mapped triangles, optimised", EULER, BAR,
     ENDS TETRA MASS SKIN
     "<TriangularFEMForceFieldOptim youngModulus='1e5' poissonRatio='0.3'/></Node>"},
    {"mapped anisotropic triangles", EULER, BAR,
     ENDS TETRA MASS SKIN
     "<TriangularAnisotropicFEMForceField youngModulus='1e5' poissonRatio='0.3' "
     "transverseYoungModulus='5e4' fiberCenter='0.6 0 0'/></Node>"},
    {"tensor masses of triangles", EULER, BAR,
     ENDS TETRA MASS SKIN
     "<TriangularTensorMassForceField youngModulus='1e5' poissonRatio='0.3'/></Node>"},
    {"quadratic springs of triangles", EULER, BAR,
     ENDS TETRA MASS SKIN
     "<TriangularQuadraticSpringsForceField youngModulus='1e5' poissonRatio='0.3'/></Node>"},
    {"biquadratic springs of triangles", EULER, BAR,
     ENDS TETRA MASS SKIN
     "<TriangularBiquadraticSpringsForceField youngModulus='1e5' poissonRatio='0.3'/></Node>"},
    {"bending quads", EULER, GRID,
     ENDS HEXA MASS "<QuadBendingFEMForceField youngModulus='1e3' poissonRatio='0.3' "
                    "thickness='0.1'/>"},
    /* springs */
    {"springs along edges", EULER, BAR,
     ENDS MASS "<MeshSpringForceField stiffness='900' damping='3'/>"},
    {"springs of hexahedra", EULER, GRID,
     ENDS MASS
     "<MeshSpringForceField linesStiffness='900' cubesStiffness='300' cubesDamping='1'/>"},
    {"springs of several kinds", EULER, MIXED,
     ENDS MASS "<MeshSpringForceField trianglesStiffness='5000' tetrasStiffness='900' "
               "cubesStiffness='300'/>"},
    /* loads */
    {"a cone", EULER, BAR,
     ENDS TETRA MASS "<ConicalForceField coneCenter='-0.2 0 0' coneHeight='2 0.1 0.1' "
                     "coneAngle='10' stiffness='50' damping='1'/>"},
    {"an ellipsoid", EULER, BAR,
     ENDS TETRA MASS "<EllipsoidForceField center='0.6 0.1 0.1' vradius='0.2 0.15 0.15' "
                     "stiffness='50' damping='1'/>"},
    {"a sphere", EULER, BAR,
     ENDS TETRA MASS "<SphereForceField center='0.6 0.1 0.1' radius='0.25' stiffness='90' "
                     "damping='1'/>"},
    {"a torsion", EULER, BAR,
     ENDS TETRA MASS "<BoxROI name='end' box='0.55 -1 -1 1 1 1'/>"
                     "<TorsionForceField indices='@end.indices' torque='20' axis='1 0 0' "
                     "origin='0 0.1 0.1'/>"},
    {"damping of each point", EULER, BAR,
     ENDS TETRA MASS "<DiagonalVelocityDampingForceField dampingCoefficient='0.1 0.5 0.2'/>"},
    {"gravity", EULER, BAR, ENDS TETRA MASS "<Gravity gravity='0 0 -5'/>"},
    /* constraints */
    {"an affine movement", EULER, BAR,
     ENDS TETRA MASS
     "<AffineMovementProjectiveConstraint meshIndices='6 13 20' indices='6 13 20' "
     "rotation='1 0.1 0 0 1.1 0 0 0 1' translation='0.1 0 0' endConstraintTime='1'/>"},
    {"a spline", EULER, BAR,
     ENDS TETRA MASS "<HermiteSplineProjectiveConstraint indices='6' BeginTime='0' EndTime='1' "
                     "X0='0.6 0 0' X1='0.8 0 0' dX0='1 0 0' dX1='1 1 0' SX0='0 0' SX1='1 1'/>"},
    {"a parabola", EULER, BAR,
     ENDS TETRA MASS "<ParabolicProjectiveConstraint indices='6' P1='0.6 0 0' P2='0.7 0.1 0' "
                     "P3='0.8 0 0' BeginTime='0' EndTime='1'/>"},
    {"partly moved points", EULER, BAR,
     ENDS TETRA MASS "<PartialLinearMovementProjectiveConstraint indices='6 13 20' keyTimes='0 1' "
                     "movements='0 0 0  0.5 1 0' movedDirections='1 0 1'/>"},
    {"a patch", EULER, BAR,
     ENDS TETRA MASS
     "<PatchTestMovementProjectiveConstraint indices='6 13 20 27 34 41 48 55 62' "
     "meshIndices='6 13 20' "
     "cornerPoints='0.6 0 0 0.7 0 0 0.7 0.2 0 0.6 0.2 0' "
     "cornerMovements='0.1 0 0 0.1 0 0 0.1 0.1 0 0.2 0.1 0' endConstraintTime='1'/>"},
    {"targets", EULER, BAR,
     ENDS TETRA MASS "<PositionBasedDynamicsProjectiveConstraint stiffness='0.1' "
                     "position='@loader.position'/>"},
    /* selections */
    {"points between two boxes", EULER, BAR,
     "<PairBoxROI name='roi' inclusiveBox='-1 -1 -1 0.15 1 1' includedBox='0.05 0.05 0.05 1 1 1'/>"
     "<FixedProjectiveConstraint indices='@roi.indices'/>" TETRA MASS},
    {"points inside of a surface", EULER, BAR,
     "<MeshROI name='roi' ROIposition='-0.1 -1 -1  0.3 -1 -1  -0.1 2 -1  -0.1 -1 2' "
     "ROItriangles='0 2 1  0 1 3  0 3 2  1 2 3'/>"
     "<FixedProjectiveConstraint indices='@roi.indices'/>" TETRA MASS},
