/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Mappings: x_out = phi(x_in), v_out = J v_in, f_in += J^T f_out.
 *
 * All of them are functions of an explicit evaluation point of the inputs: no function reads the
 * vectors of an input's state. Parts of the output that a mapping does not move (orientations of
 * frames at weighted places, the output of a VoidMapping) stay as the output's state has them. */
#ifndef SOFA_BEHAVIOR_MAPPING_H
#define SOFA_BEHAVIOR_MAPPING_H

#include "behavior/force_field.h"
#include "behavior/params.h"
#include "behavior/point.h"
#include "behavior/state.h"
#include "math/block_matrix.h"
#include "math/sparse_product.h"

SOFA_BEGIN_DECLS

extern const SofaInterface sofa_mapping_interface;
#define SOFA_MAPPING (&sofa_mapping_interface)

/* Base of mappings with one input and one output (templates "In,Out"). A class with several inputs
 * has this struct first too, but fields and a base class of its own: its init fills `inputs`. */
typedef struct SofaMapping {
  SofaObject object;
  const struct SofaMappingOps *ops; /* of the class */
  SofaLink input, output;           /* defaults: the states of @../ and @./ */
  bool map_forces, map_constraints, map_masses, map_matrices, apply_rest_position;
  SofaState **inputs; /* owned array, borrowed states */
  size_t n_inputs;
  SofaState *out;
  bool mechanical;        /* the output is a mechanical state */
  bool varies;            /* set at setup: J is not constant, although the class is linear */
  bool djt_of_product;    /* apply_djt gets the product being computed instead of the forces */
  const double *constant; /* of mappings without `apply`; borrowed from the class; see there */
  /* What is kept of evaluation points, under their identities (0: none): the last point with its
   * positions, the point whose data a class with `keeps_point` holds, the last Jacobians. */
  struct SofaMappingMemory *memory; /* owned */
} SofaMapping;

extern const SofaClass sofa_mapping_class;  /* abstract */
enum { SOFA_QUIRK_MAPPING_SLOT = 1 << 29 }; /* of all mappings; the plan of the mechanics asks */

/* The rows of the flags, for the tables of base classes. */
#define SOFA_MAPPING_ROWS                                                                          \
  SOFA_FIELD(SofaMapping, map_forces, "mapForces", "1", "",                                        \
             "forces on the output act on the input; false towards visual models",                 \
             .aliases = "isMechanical"),                                                           \
      SOFA_FIELD(SofaMapping, map_constraints, "mapConstraints", "1", "",                          \
                 "constraints on the output act on the input; false towards visual models",        \
                 .aliases = "isMechanical"),                                                       \
      SOFA_FIELD(SofaMapping, map_masses, "mapMasses", "1", "",                                    \
                 "masses of the output count for the input; false towards visual models",          \
                 .aliases = "isMechanical"),                                                       \
      SOFA_FIELD(SofaMapping, map_matrices, "mapMatrices", "0", "",                                \
                 "no effect: matrices of the output are mapped wherever a system is assembled",    \
                 .flags = SOFA_FIELD_NO_EFFECT),                                                   \
      SOFA_FIELD(SofaMapping, apply_rest_position, "applyRestPosition", "0", "",                   \
                 "at init the rest positions of the output become the mapped ones of the input")

/* The kinds of a template "In,Out" ("In": to numbers, Vec1d); SOFA_NO_KIND for text that is not a
 * kind of state. */
void sofa_mapping_split_template(const char *text, SofaStateKind kinds[2]);
/* The state a path means before the mapping exists; *ambiguous: its node has several. */
const SofaState *sofa_mapping_state_at(SofaNode *node, const char *path, bool *ambiguous);

/* Linear operator of a mapping in compressed rows over the *scalar* dofs of output (rows) and of
 * input k (columns). Borrowed from the mapping; columns of a row in any order, each once. */
typedef SofaCsr SofaJacobian;

/* The functions of a class. `at` is the point of the inputs: at->x[k] of input k. Callers use the
 * functions sofa_mapping_... below: they keep the Jacobian of a point, and ensure that data kept by
 * a class belongs to the point. A point with a new identity and the positions of the last point is
 * treated as the last point. */
typedef struct SofaMappingOps {
  /* required; called by the base class's init after input and output are known: resizes the output
   * and makes what the other functions need, which then allocate nothing */
  SofaErr (*setup)(SofaMapping *mapping);
  /* positions of the output. Required unless the class is linear; by default the places are
   * x_out = J x_in + mapping->constant (reals per scalar dof of the output; NULL: 0), where places
   * of frames are their origins */
  SofaErr (*apply)(SofaMapping *mapping, const SofaPoint *at, double *x_out);
  /* required: J of input k. Allocates at the first call only, as long as the pattern stays. */
  SofaErr (*jacobian)(SofaMapping *mapping, const SofaPoint *at, size_t k, SofaJacobian *out);
  /* optional, where it is measured faster than the product with the kept Jacobian, the default:
   * v_out = J v_in (overwrites) */
  SofaErr (*apply_j)(SofaMapping *mapping, const SofaPoint *at, const double *const *v_in,
                     double *v_out);
  /* the same: f_in[k] += J^T f_out */
  SofaErr (*apply_jt)(SofaMapping *mapping, const SofaPoint *at, const double *f_out,
                      double *const *f_in);
  /* optional: df_in += factor (dJ^T/dx f_out) dx_in */
  SofaErr (*apply_djt)(SofaMapping *mapping, const SofaPoint *at, double factor,
                       const double *f_out, const double *const *dx_in, double *const *df_in);
  /* with apply_djt: adds dJ^T/dx f_out as a matrix on input 0 (pair (0, 0) of the tangent), for
   * assembled systems; the tangent's factor holds k */
  SofaErr (*add_djt)(SofaMapping *mapping, const SofaPoint *at, const double *f_out,
                     const SofaTangent *tangent);
  /* the same for classes with several inputs: adds the block of input `row` by input `column`, as
   * pair (0, 0) of the tangent; called for every pair of inputs */
  SofaErr (*add_djt_pair)(SofaMapping *mapping, const SofaPoint *at, size_t row, size_t column,
                          const double *f_out, const SofaTangent *tangent);
  /* optional: what apply_djt leaves out of the derivative of J^T f, as the object is set; NULL, and
   * without it: nothing */
  const char *(*approximation)(const SofaMapping *mapping);
  bool linear; /* J is constant: assembled products may be kept */
  /* `apply` keeps data of its point (lever arms, ...) for the other functions, which are called for
   * that point only: for another one `apply` is called before, with a scratch vector as output */
  bool keeps_point;
} SofaMappingOps;

static inline const SofaMappingOps *sofa_mapping_ops(const SofaMapping *mapping) {
  return mapping->ops;
}
/* Is J the same at all points? */
static inline bool sofa_mapping_is_constant(const SofaMapping *mapping) {
  return sofa_mapping_ops(mapping)->linear && !mapping->varies;
}

/* ---- operations for callers: solvers' plans, assembly, init, drawing, tests ---- */

SofaErr sofa_mapping_apply(SofaMapping *mapping, const SofaPoint *at, double *x_out);
SofaErr sofa_mapping_apply_j(SofaMapping *mapping, const SofaPoint *at, const double *const *v_in,
                             double *v_out);
SofaErr sofa_mapping_apply_jt(SofaMapping *mapping, const SofaPoint *at, const double *f_out,
                              double *const *f_in);
/* The class must have the function: see sofa_mapping_ops. */
SofaErr sofa_mapping_apply_djt(SofaMapping *mapping, const SofaPoint *at, double factor,
                               const double *f_out, const double *const *dx_in,
                               double *const *df_in);
/* *out is valid until the Jacobian of this input is asked for at another point. */
SofaErr sofa_mapping_jacobian(SofaMapping *mapping, const SofaPoint *at, size_t k,
                              SofaJacobian *out);
/* The geometric stiffness as a matrix on a pair of inputs, by add_djt_pair or (on input 0) add_djt:
 * one of them must be there. */
SofaErr sofa_mapping_add_djt(SofaMapping *mapping, const SofaPoint *at, size_t row, size_t column,
                             const double *f_out, const SofaTangent *tangent);
/* The point at which the states of the inputs are, with a new identity. Its arrays are scratch
 * memory: release a mark taken before. Velocities are NULL where a state has none. */
SofaErr sofa_mapping_point(const SofaMapping *mapping, SofaPoint *out);
/* Positions and velocities of the output's state from those of the inputs' states; nothing kept
 * before is used. */
SofaErr sofa_mapping_update(SofaMapping *mapping);
/* Drops what is kept of points: after setup, reinit, topological changes. */
void sofa_mapping_forget(SofaMapping *mapping);
/* For the destroy functions of classes without sofa_mapping_class as base: frees what the base
 * struct owns. */
void sofa_mapping_free(SofaMapping *mapping);

/* ---- for classes ---- */

/* For classes with several inputs, which fill inputs, n_inputs and out in their own init: setup,
 * then x_out, v_out and the rest positions. The base class does it for one input. */
SofaErr sofa_mapping_start(SofaMapping *mapping);
/* The same without setup: after points were inserted or removed. */
SofaErr sofa_mapping_put(SofaMapping *mapping);
/* Do the states still have the numbers of points they had at setup? Else an error is reported: the
 * mapping's tables would not fit. n_in: one number per input. */
SofaErr sofa_mapping_check_sizes(const SofaMapping *mapping, const size_t *n_in, size_t n_out);
/* can_create for mappings: finds the states of input and output; they must exist, differ and have
 * the kinds of the template "In,Out". */
bool sofa_mapping_can_create(SofaNode *node, const struct SofaElement *element,
                             const char *template_name, SofaText *why);

SOFA_END_DECLS

#endif
