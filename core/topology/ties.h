/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Points that forces couple though no element has all of them: where their mesh is divided among
 * processes, one process gets all of them. */
#ifndef SOFA_TOPOLOGY_TIES_H
#define SOFA_TOPOLOGY_TIES_H

#include "object/process.h"

SOFA_BEGIN_DECLS

extern const SofaInterface sofa_ties_interface;
#define SOFA_TIES (&sofa_ties_interface)

/* Of the mesh that is being divided: ctx->processes->ties. */
typedef struct SofaTies {
  SofaEdges pairs; /* points by their numbers in the whole mesh; those that it has not are no tie */
  bool faces;      /* all points of two triangles, or quads, which alone have a common edge */
  bool star;       /* with faces: also of the first of more than two with each other one */
} SofaTies;

typedef struct SofaTiesOps {
  /* required: before init, called by all processes: appends to the pairs, or sets `faces`. *state:
   * the object whose points are meant; unchanged: there are no ties */
  SofaErr (*ties)(const SofaObject *object, const SofaObject **state, SofaTies *out);
} SofaTiesOps;

/* ---- faces with a common edge ---- */

/* A face by the numbers of its points in the whole mesh. */
typedef struct SofaTiedFace {
  uint32_t part, number, edges; /* edges: bit k where the side from point k on counts */
  uint32_t v[4];                /* of a triangle 3 */
} SofaTiedFace;
SOFA_LIST(SofaTiedFace, SofaTiedFaces);
/* Two of them, that with the lower number first, and their edge: ascending. */
typedef struct SofaFacePair {
  uint32_t edge[2];
  SofaTiedFace face[2];
} SofaFacePair;
SOFA_LIST(SofaFacePair, SofaFacePairs);

/* Called by all processes, each with its faces of `width` points: appends the pairs whose edge
 * begins in the run of this one among n_whole points; no process has the others of them. star: of
 * an edge with more than two faces the first one with each other; else there is no pair. */
SofaErr sofa_pair_faces(SofaContext *ctx, size_t n_whole, unsigned width, bool star,
                        const SofaTiedFaces *faces, SofaFacePairs *out);
/* Then: the pairs whose first face is of this part, by ascending edges. The list is replaced. */
SofaErr sofa_pairs_of_part(SofaContext *ctx, SofaFacePairs *pairs);

SOFA_END_DECLS

#endif
