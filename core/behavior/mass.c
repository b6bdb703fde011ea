/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The base of masses: common fields, and gravity given directly to velocities. */
#include "draw/draw.h"
#include "behavior/mass.h"

const SofaInterface sofa_mass_interface = {
    .name = "mass",
    SOFA_REQUIRES(offsetof(SofaMassOps, add_mdx), offsetof(SofaMassOps, add_m),
                  offsetof(SofaMassOps, is_diagonal), offsetof(SofaMassOps, kinetic_energy),
                  offsetof(SofaMassOps, potential_energy)),
    .keeps_topology = true,
    .ops_member = offsetof(SofaForceField, mass_ops)};

static const SofaField mass_fields[] = {SOFA_MASS_ROWS(SofaMass, )};

/* ---- drawing ---- */

/* Sum of M 1 weighted positions over sum of M 1, axis by axis: the centre of gravity. false: there
 * is no mass, or no memory. */
static bool center_of_gravity(SofaMass *mass, double center[3]) {
  const SofaState *state = mass->force_field.state[0];
  const SofaStateKindInfo *kind = sofa_state_kind_info(state->object.kind);
  const unsigned space = kind->space < 3 ? kind->space : 3;
  const size_t n = state->position.n * kind->deriv;
  SofaContext *ctx = state->object.ctx;
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  double *one = SOFA_SCRATCH(ctx, double, n), *weight = SOFA_SCRATCH(ctx, double, n);
  double sum[3] = {0, 0, 0};
  bool good = one && weight && n > 0;
  for (size_t k = 0; good && k < n; k++) {
    one[k] = k % kind->deriv < space;
    weight[k] = 0;
  }
  good =
      good && sofa_mass_ops(mass)->add_mdx(mass, state->position.data, one, weight, 1) == SOFA_OK;
  for (int k = 0; k < 3; k++) center[k] = 0;
  for (size_t i = 0; good && i < state->position.n; i++)
    for (unsigned k = 0; k < space; k++) {
      center[k] += weight[i * kind->deriv + k] * state->position.data[i * kind->coord + k];
      sum[k] += weight[i * kind->deriv + k];
    }
  for (unsigned k = 0; k < space; k++) {
    good = good && sum[k] > 0;
    if (good) center[k] /= sum[k];
  }
  sofa_scratch_release(ctx, mark);
  return good;
}

/* Three axes through the centre of gravity, for classes with the fields for it. */
static void draw(SofaObject *object, const SofaDrawArgs *args) {
  SofaMass *mass = (SofaMass *)object;
  const SofaField *show = sofa_class_field(object->klass, "showGravityCenter");
  const SofaField *scale = sofa_class_field(object->klass, "showAxisSizeFactor");
  const double q[4] = {0, 0, 0, 1};
  double center[3], size = 0;
  if (!show || show->type != &sofa_type_bool || !*(const bool *)sofa_field_value(object, show))
    return;
  if (!sofa_display_shows(args->flags, SOFA_DISPLAY_BEHAVIOR_MODELS) || mass->inert ||
      !mass->force_field.state[0] || !center_of_gravity(mass, center))
    return;
  for (int k = 0; k < 3; k++)
    if (args->box->max[k] - args->box->min[k] > size) size = args->box->max[k] - args->box->min[k];
  size *= 0.1;
  if (scale && scale->type == &sofa_type_real)
    size *= *(const double *)sofa_field_value(object, scale);
  args->list->layer = SOFA_LAYER_FRONT;
  sofa_draw_frame(args->list, center, q, size);
}

static const SofaDrawOps draw_ops = {.draw = draw};

const SofaClass sofa_mass_class = {
    .name = "Mass",
    .module = "csofa",
    .category = "Mass",
    .help = "The mass of a mechanical state; also the force of gravity on it.",
    .base = &sofa_force_field_class,
    .size = sizeof(SofaMass),
    SOFA_FIELDS(mass_fields),
    .abstract = true,
    SOFA_IMPLEMENTS({SOFA_DRAW, &draw_ops}),
};

void sofa_mass_add_gravity_to_v(SofaMass *mass, double dt, double *v) {
  const SofaState *state = mass->force_field.state[0];
  if (!state) return;
  const SofaStateKindInfo *kind = sofa_state_kind_info(state->object.kind);
  const double *g = mass->force_field.object.node->gravity.v;
  for (size_t i = 0; i < sofa_state_size(state); i++)
    for (unsigned c = 0; c < kind->space; c++) v[i * kind->deriv + c] += g[c] * dt;
}

SofaErr sofa_mass_refuse(SofaMass *mass, SofaErr err) {
  if (!mass->force_field.object.ctx->keep_going) return err;
  mass->inert = true;
  return SOFA_OK;
}

/* A matrix without functions that add to it is 0. */
bool sofa_force_field_is_constant(const SofaForceField *ff) {
  const SofaForceFieldOps *ops = sofa_force_field_ops(ff);
  if (ff->mass_ops && (!ff->mass_ops->constant || ((const SofaMass *)ff)->turns)) return false;
  return (!ops->add_k && !ops->add_b) || (ops->constant_tangent && ops->constant_tangent(ff));
}
