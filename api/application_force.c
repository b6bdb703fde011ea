/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ApplicationForceField: forces by functions of the application. */
#include "api/application_impl.h"
#include "behavior/force_field.h"

typedef struct ApplicationForceField {
  SofaForceField force_field;
  ApplicationFunctions functions;
} ApplicationForceField;

struct CsofaTangent {
  const SofaTangent *tangent;
};

void csofa_tangent_add(CsofaTangent *tangent, uint32_t i, uint32_t j, const double *block) {
  sofa_tangent_add(tangent->tangent, 0, i, 0, j, block);
}

typedef struct Sizes {
  size_t x, v;
} Sizes;

static Sizes sizes_of(const SofaForceField *ff) {
  const SofaStateKindInfo *kind = sofa_state_kind_info(ff->state[0]->object.kind);
  const size_t n = sofa_state_size(ff->state[0]);
  return (Sizes){n * kind->coord, n * kind->deriv};
}

static const ApplicationFunction *function_of(const SofaForceField *ff, int which) {
  return &((const ApplicationForceField *)ff)->functions.of[which];
}

static SofaErr add_force(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                         double *const *f) {
  const ApplicationFunction *fn = function_of(ff, CSOFA_ADD_FORCE);
  const Sizes n = sizes_of(ff);
  if (!fn->function) return SOFA_OK;
  return csofa_application_result(
      &ff->object, ((CsofaForceFn)fn->function)(fn->user, params->time, n.x, at->x[0], n.v,
                                                at->v[0], f[0]));
}

static SofaErr add_dforce(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                          const double *const *dx, double *const *df) {
  const ApplicationFunction *fn = function_of(ff, CSOFA_ADD_DFORCE);
  const Sizes n = sizes_of(ff);
  if (!fn->function) return SOFA_OK;
  return csofa_application_result(
      &ff->object, ((CsofaDForceFn)fn->function)(fn->user, sofa_kfactor(ff, params), params->b, n.x,
                                                 at->x[0], n.v, at->v[0], dx[0], df[0]));
}

static SofaErr add_matrix(SofaForceField *ff, const SofaPoint *at, const SofaTangent *tangent,
                          int which) {
  const ApplicationFunction *fn = function_of(ff, which);
  const Sizes n = sizes_of(ff);
  CsofaTangent to = {tangent};
  if (fn->function)
    return csofa_application_result(
        &ff->object,
        ((CsofaTangentFn)fn->function)(fn->user, n.x, at->x[0], n.v, at->v[0], &to));
  if (which == CSOFA_ADD_B || !function_of(ff, CSOFA_ADD_DFORCE)->function) return SOFA_OK;
  return sofa_object_unsupported(
      &ff->object, "an assembled matrix of a force field with the function CSOFA_ADD_DFORCE alone: "
                   "give CSOFA_ADD_K, too, or use a matrix-free solver");
}

static SofaErr add_k(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                     const SofaTangent *tangent) {
  (void)params;
  return add_matrix(ff, at, tangent, CSOFA_ADD_K);
}

static SofaErr add_b(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                     const SofaTangent *tangent) {
  (void)params;
  return add_matrix(ff, at, tangent, CSOFA_ADD_B);
}

static SofaErr potential_energy(SofaForceField *ff, const SofaMechParams *params,
                                const SofaPoint *at, double *energy) {
  const ApplicationFunction *fn = function_of(ff, CSOFA_ENERGY);
  (void)params;
  *energy = fn->function ? ((CsofaEnergyFn)fn->function)(fn->user, sizes_of(ff).x, at->x[0]) : 0;
  return SOFA_OK;
}

static bool conservative(const SofaForceField *ff) {
  return function_of(ff, CSOFA_ENERGY)->function != NULL;
}

static const SofaForceFieldOps ops = {.add_force = add_force,
                                      .add_dforce = add_dforce,
                                      .add_k = add_k,
                                      .add_b = add_b,
                                      .potential_energy = potential_energy,
                                      .conservative = conservative};

static const char *const templates[] = {"Vec3d",   "Vec1d",   "Vec2d", "Vec6d",
                                        "Rigid2d", "Rigid3d", NULL};

const SofaClass csofa_force_field_class = {
    .name = "ApplicationForceField",
    .size = sizeof(ApplicationForceField),
    .module = "csofa.Application",
    .category = "ForceField",
    .help = "Forces by functions of the application.",
    .base = &sofa_force_field_class,
    .templates = templates,
    .can_create = sofa_force_field_can_create,
    SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &ops}),
};

ApplicationFunctions *csofa_force_field_functions(SofaObject *object) {
  if (!sofa_class_is_a(object->klass, &csofa_force_field_class)) return NULL;
  return &((ApplicationForceField *)object)->functions;
}
