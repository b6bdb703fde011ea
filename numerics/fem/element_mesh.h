/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rest state of a topology's elements of one shape: the input of finite elements. */
#ifndef SOFA_NUMERICS_FEM_ELEMENT_MESH_H
#define SOFA_NUMERICS_FEM_ELEMENT_MESH_H

#include "behavior/state.h"
#include "topology/topology.h"
#include "numerics/fem/finite_element.h"

SOFA_BEGIN_DECLS

/* How solid elements measure the change of volume J. */
typedef enum SofaDilatation {
  SOFA_DILATATION_FULL,      /* at each point of quadrature */
  SOFA_DILATATION_MEAN,      /* its mean in the element */
  SOFA_DILATATION_LINEAR,    /* the nearest function 1, x, y, z of the reference coordinates */
  SOFA_DILATATION_BAR,       /* its mean, in the whole deformation gradient that the law takes */
  SOFA_DILATATION_CONTINUOUS /* linear between means around the corners; Tetrahedron10 */
} SofaDilatation;

/* Borrowed until the topology or the state changes. */
typedef struct SofaElementMesh {
  SofaShape shape;
  unsigned dim;
  const uint32_t *vertices; /* n x n_nodes, points below n_points */
  size_t n;
  const double *rest; /* n_points x dim, m */
  size_t n_points;
  bool reduced; /* solids are integrated with SOFA_RULE_REDUCED */
  SofaDilatation dilatation;
} SofaElementMesh;

/* The elements of a topology and the rest positions of a state (its positions when it has none).
 * No elements, or a vertex that is not a point of the state, is an error of `object`. */
SofaErr sofa_element_mesh(const SofaObject *object, SofaTopology *topology, SofaShape shape,
                          const SofaState *state, SofaElementMesh *mesh);
/* The same of an object with SOFA_ELEMENT_SOURCE, whose elements have all their nodes: those of the
 * shape, or with SOFA_N_SHAPES of any shape that it has. */
SofaErr sofa_element_source_mesh(const SofaObject *object, const SofaObject *source,
                                 SofaShape shape, const SofaState *state, SofaElementMesh *mesh);
/* The kind of element of a shape, or of its corners. */
SofaElementKind sofa_shape_kind(SofaShape shape);
/* The shape of elements with all their nodes, `width` of them; SOFA_N_SHAPES: there is none. */
SofaShape sofa_shape_of_kind(SofaElementKind kind, unsigned width);
/* The shape that the second part of an object's template names, "Vec3d,Tetrahedron". */
SofaShape sofa_element_shape(const SofaObject *object);

/* Templates of force fields and masses of all shapes. Of elements of first order in a plane and in
 * space, in SOFA's order: */
#define SOFA_FIRST_ORDER_TEMPLATES                                                                 \
  "Vec3d,Tetrahedron", "Vec3d,Hexahedron", "Vec3d,Prism", "Vec3d,Pyramid", "Vec3d,Triangle",       \
      "Vec3d,Quad", "Vec3d,Edge", "Vec2d,Triangle", "Vec2d,Quad", "Vec2d,Edge"
/* Of elements of second order, which the link `elements` must give. */
#define SOFA_SECOND_ORDER_TEMPLATES                                                                \
  "Vec3d,Tetrahedron10", "Vec3d,Hexahedron20", "Vec3d,Hexahedron27", "Vec3d,Prism15",              \
      "Vec3d,Pyramid13", "Vec3d,Triangle6", "Vec3d,Quad8", "Vec3d,Quad9", "Vec2d,Triangle6",       \
      "Vec2d,Quad8", "Vec2d,Quad9"

SOFA_END_DECLS

#endif
