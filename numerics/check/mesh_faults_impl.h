/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the parts of the check of meshes share. */
#ifndef SOFA_NUMERICS_CHECK_MESH_FAULTS_IMPL_H
#define SOFA_NUMERICS_CHECK_MESH_FAULTS_IMPL_H

#include "numerics/check/check_impl.h"
#include "topology/topology.h"

/* A mesh with places of its points. */
typedef struct CheckedMesh {
  SofaContext *ctx;
  SofaCheckReport *report;
  const SofaObject *object;
  SofaMesh *mesh;         /* borrowed */
  SofaVec3s points;       /* owned, m */
  double extent[3], edge; /* m; edge: mean length of the first edges of elements */
  bool is_solid;          /* it has elements with a volume */
  bool is_part;           /* some of the elements of a topology above, with all its points */
  bool is_grid;           /* its triangles are halves of its quads */
  size_t n_open;          /* edges of one face of a surface */
  double worst;           /* shape: 1 is the best */
  SofaElementKind worst_kind;
  size_t worst_element;
} CheckedMesh;

/* Elements with one fault: their number, and the first of them with one of their points. */
enum { FAULTS_SHOWN = 5 };
typedef struct FaultList {
  const char *what;
  size_t n, element[FAULTS_SHOWN];
  uint32_t point[FAULTS_SHOWN];
} FaultList;

void fault_add(FaultList *list, size_t element, uint32_t point);
/* "2 of 10 tetrahedra are flat: ..: 3 at (0 0 0), 7 at (1 0 0)"; nothing of an empty list. */
SofaErr fault_report(CheckedMesh *m, SofaElementKind kind, const FaultList *list,
                     SofaCheckVerdict verdict);

/* Points at one place, elements with the same points, points that no element has. */
SofaErr sofa_check_mesh_duplicates(CheckedMesh *m);
/* Faces of solids and edges of surfaces: more neighbours than two, orientation, open edges. */
SofaErr sofa_check_mesh_faces(CheckedMesh *m);

#endif
