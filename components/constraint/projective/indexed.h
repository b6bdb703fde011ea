/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The base of projective constraints that act on listed points, and what they share. */
#ifndef SOFA_COMPONENTS_CONSTRAINT_PROJECTIVE_INDEXED_H
#define SOFA_COMPONENTS_CONSTRAINT_PROJECTIVE_INDEXED_H

#include "behavior/checks.h"
#include "behavior/projective.h"
#include "change/topology_change.h"

typedef struct IndexedConstraint {
  SofaProjective constraint;
  SofaIndices indices;
  bool all; /* every point; indices are not looked at */
  SofaLink topology;
  double draw_size;
} IndexedConstraint;

/* abstract: the topology link */
extern const SofaClass indexed_constraint_class;

/* Rows of the fields; T's first member is IndexedConstraint `indexed`. */
#define INDEXED_ROW_INDICES(T, def)                                                                \
  SOFA_FIELD(T, indexed.indices, "indices", def, "", "the constrained points",                     \
             .flags = SOFA_FIELD_REINIT, .on_bad = SOFA_BAD_DROP,                                  \
             SOFA_INDICES_OF(SOFA_ELEMENT_POINT, .unused = offsetof(T, indexed.all)))
#define INDEXED_ROW_ALL(T)                                                                         \
  SOFA_FIELD(T, indexed.all, "fixAll", "0", "", "constrain every point", .flags = SOFA_FIELD_REINIT)
#define INDEXED_ROW_DRAW(T)                                                                        \
  SOFA_FIELD(T, indexed.draw_size, "drawSize", "0", "m", "radius of the drawn points; 0: dots",    \
             .flags = SOFA_FIELD_DISPLAY)

static inline const SofaStateKindInfo *constrained_kind(const SofaProjective *c) {
  return sofa_state_kind_info(c->state->object.kind);
}
/* Reals of a point that are its place: all of a vector, the centre of a frame. */
static inline unsigned constrained_dims(const SofaProjective *c) {
  const SofaStateKindInfo *kind = constrained_kind(c);
  return kind->rigid ? kind->space : kind->coord;
}

/* Number of points, and the k-th of them. */
static inline size_t indexed_n(const IndexedConstraint *c) {
  return c->all ? sofa_state_size(c->constraint.state) : c->indices.n;
}
static inline size_t indexed_at(const IndexedConstraint *c, size_t k) {
  return c->all ? k : c->indices.data[k];
}

/* Zeroes the components of the points' derivs that `components` marks (deriv flags; NULL: all), and
 * marks them for an assembled system. */
void indexed_clear(const IndexedConstraint *c, const bool *components, double *dx);
void indexed_discard(const IndexedConstraint *c, const bool *components, SofaDiscard *discard);

/* Quirk of the classes that list its row. */
enum { QUIRK_UNPROJECTED_MATRIX = 1 << 20 };
#define QUIRK_UNPROJECTED_MATRIX_ROW                                                               \
  {                                                                                                \
    QUIRK_UNPROJECTED_MATRIX, "unprojected-matrix",                                                \
        "some constraints project the right-hand side of assembled systems but not the matrix",    \
        "test_quirks_motion.constraints"                                                           \
  }

/* Quirk of the classes that list its row. */
enum { QUIRK_LATE_MOVEMENT = 1 << 22 };
#define QUIRK_LATE_MOVEMENT_ROW                                                                    \
  {                                                                                                \
    QUIRK_LATE_MOVEMENT, "late-movement",                                                          \
        "points that a constraint moves have, at the end of a step, their places of its start",    \
        "test_reactions.movements_end_with_the_step"                                               \
  }
/* The time of imposed places and velocities. */
static inline double imposed_time(const SofaProjective *c, const SofaMechParams *params) {
  return sofa_quirk(&c->object, QUIRK_LATE_MOVEMENT) ? params->from : params->until;
}

/* discard of constraints whose dofs SOFA forgets in assembled matrices. */
void indexed_discard_forgotten(const IndexedConstraint *c, SofaDiscard *discard);

/* Keeps the coords x of the whole state when *x0 holds none yet: at the first projection. */
SofaErr projective_capture(const SofaProjective *c, const double *x, SofaReals *x0);

/* Row of a private list with coords of the whole state, or none: an inserted point has its first
 * place where it is then. */
#define PROJECTIVE_COORDS(T, member)                                                               \
  SOFA_PRIVATE(T, member, SOFA_PER(SOFA_ELEMENT_POINT, .inserted = SOFA_INSERTED_POSITION))

/* Flags of one per deriv component: the first `n` of list, true where the scene gives none. A list
 * of another length is an error; with keep_going missing flags are true. */
SofaErr projective_take_flags(const SofaObject *object, const char *field, const SofaBools *list,
                              size_t n, bool *flags);

#endif
