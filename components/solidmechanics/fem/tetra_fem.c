/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What force fields of linear corotational tetrahedra share. */
#include "components/solidmechanics/fem/tetra_fem.h"

#include <math.h>

#include "base/team.h"
#include "numerics/fem/pair_assembly.h"

/* ---- elements ---- */

void sofa_tetra_fem_materials(SofaTetraFem *t, const SofaReals *factors) {
  for (size_t e = 0; e < t->batch.n; e++) {
    double young = sofa_linear_fem_young(&t->fem, e);
    if (factors && factors->n) young *= factors->data[e * factors->n / t->batch.n];
    sofa_tetra_batch_material(&t->batch, e, young, sofa_linear_fem_poisson(&t->fem, e));
  }
}

static double energy_of(const SofaLinearFem *fem, size_t element) {
  const SofaTetraFem *t = (const SofaTetraFem *)fem;
  if (element >= t->batch.n) return NAN;
  return sofa_tetra_energy_of(&t->batch, element, fem->force_field.state[0]->position.data);
}

SofaErr sofa_tetra_fem_make(SofaTetraFem *t, SofaTetraMethod method, bool update,
                            const SofaTetras *tetras, const SofaReals *factors) {
  SofaObject *object = &t->fem.force_field.object;
  SofaTetraMesh mesh = {.method = method, .update = update, .tetras = tetras->data, .n = tetras->n};
  mesh.exact = t->consistent && method != SOFA_TETRA_SMALL;
  SofaTetraFaults faults;
  sofa_object_changed(object);
  mesh.rest = sofa_linear_fem_rest(&t->fem, &mesh.n_points);
  sofa_linear_fem_give_split(&t->fem, NULL, 0, 0);
  sofa_tetra_batch_free(object->ctx, &t->batch);
  const bool own = tetras == sofa_topology_tetrahedra(t->fem.mesh);
  const size_t n_hexas = t->fem.mesh->mesh.hexahedra.n;
  t->fem.elements = own ? SOFA_ELEMENT_TETRA : SOFA_ELEMENT_HEXA;
  t->fem.parts = own || !n_hexas ? 1 : (unsigned)(tetras->n / n_hexas);
  SOFA_TRY(sofa_linear_fem_check_vertices(&t->fem, SOFA_ELEMENT_TETRA,
                                          tetras->n ? tetras->data->v : NULL, tetras->n));
  sofa_linear_fem_give_strain(&t->fem, SOFA_SHAPE_TETRA, method == SOFA_TETRA_SMALL, 3, factors);
  t->fem.energy_of = energy_of;
  const SofaErr err =
      sofa_tetra_batch_create(object->ctx, &mesh, object->ctx->threads, &t->batch, &faults);
  if (err == SOFA_ERR_GEOMETRY) {
    const uint32_t *v = tetras->data[faults.flat].v;
    return sofa_object_fail(object, err,
                            "tetrahedron %zu (vertices %u %u %u %u) has no volume at rest",
                            faults.flat, v[0], v[1], v[2], v[3]);
  }
  SOFA_TRY(err);
  if (!own)
    sofa_linear_fem_give_split(&t->fem, t->batch.vertices, t->batch.n,
                               4 * sizeof *t->batch.vertices);
  sofa_tetra_fem_materials(t, factors);
  t->revision = t->fem.mesh->revision;
  t->remake = false;
  return SOFA_OK;
}

/* ---- topological changes ---- */

static bool is_kept(const SofaTetraFem *t) {
  return !t->remake && t->fem.elements == SOFA_ELEMENT_TETRA && t->batch.n > 0;
}

/* The last points get new indices in the elements around them. */
static void rename_points(SofaTetraFem *t, const SofaTopologyChange *change) {
  const size_t left = change->n_before - change->n;
  const SofaAround *around =
      sofa_topology_around(t->fem.mesh, SOFA_ELEMENT_TETRA, SOFA_ELEMENT_POINT);
  for (size_t i = 0; i < change->n; i++) {
    const uint32_t from = (uint32_t)(left + i), to = change->tail[i], *users = NULL;
    if (to == SOFA_NO_ELEMENT || to == from) continue;
    const size_t n = sofa_around_row(around, from, &users);
    sofa_tetra_batch_rename(&t->batch, users, n, from, to);
  }
}

SofaErr sofa_tetra_fem_listen(SofaObject *object, const SofaTopologyChange *change) {
  SofaTetraFem *t = (SofaTetraFem *)object;
  const bool elements = sofa_change_of(change, t->fem.mesh, SOFA_ELEMENT_TETRA);
  const bool points = sofa_change_moves(change, t->fem.force_field.state[0]);
  const bool removal = change->kind == SOFA_CHANGE_REMOVE;
  if (!elements && !points) return SOFA_OK;
  sofa_linear_fem_forget_results(&t->fem);
  if (!is_kept(t) || (points && (!removal || change->topology != t->fem.mesh)) ||
      (elements && (!removal || t->batch.n != change->n_before || change->n == t->batch.n))) {
    t->remake = true;
    return SOFA_OK;
  }
  for (size_t k = 0; elements && k < change->n; k++)
    sofa_tetra_batch_remove(&t->batch, change->ids[k]);
  if (points && removal) rename_points(t, change);
  t->batch.stale = true;
  return SOFA_OK;
}

bool sofa_tetra_fem_kept(SofaTetraFem *t, const SofaReals *factors) {
  // factors that are spread over all elements are other ones then
  const bool spread = factors && factors->n > 1 && factors->n != t->batch.n;
  const bool kept = is_kept(t) && !spread && t->batch.n == t->fem.mesh->mesh.tetrahedra.n;
  if (!kept) return false;
  t->revision = t->fem.mesh->revision;
  sofa_field_touch_name(&t->fem.force_field.object, "initialPoints");
  return true;
}

static SofaErr done(SofaObject *object) {
  const SofaField *field = sofa_class_field(object->klass, "localStiffnessFactor");
  const SofaReals *factors = field ? sofa_field_value(object, field) : NULL;
  return sofa_tetra_fem_kept((SofaTetraFem *)object, factors) ? SOFA_OK
                                                              : sofa_listen_reinit(object);
}

const SofaTopologyListenerOps sofa_tetra_fem_listener = {.listen = sofa_tetra_fem_listen,
                                                         .done = done};

/* What a solve needs of the batch after removals. */
static SofaErr refresh(SofaTetraFem *t) {
  return sofa_tetra_batch_refresh(t->fem.force_field.object.ctx, &t->batch,
                                  sofa_state_size(t->fem.force_field.state[0]));
}

/* ---- forces ---- */

SofaErr sofa_tetra_fem_add_force(SofaForceField *ff, const SofaMechParams *params,
                                 const SofaPoint *at, double *const *f) {
  (void)params;
  SofaTetraFem *t = (SofaTetraFem *)ff;
  const SofaContext *ctx = ff->object.ctx;
  SOFA_TRY(refresh(t));
  sofa_element_kernels(ctx)->tetra_force(&t->batch, ctx, at->x[0], f[0]);
  return SOFA_OK;
}

SofaErr sofa_tetra_fem_add_dforce(SofaForceField *ff, const SofaMechParams *params,
                                  const SofaPoint *at, const double *const *dx, double *const *df) {
  (void)at;
  SofaTetraFem *t = (SofaTetraFem *)ff;
  const SofaContext *ctx = ff->object.ctx;
  SOFA_TRY(refresh(t));
  sofa_element_kernels(ctx)->tetra_dforce(&t->batch, ctx, sofa_kfactor(ff, params), dx[0], df[0]);
  return SOFA_OK;
}

enum { PACK_GRAIN = 64 }; /* groups */

static void pack_groups(void *user, size_t begin, size_t end) {
  const SofaTetraFem *t = user;
  sofa_element_kernels(t->fem.force_field.object.ctx)->tetra_pack(&t->batch, begin, end);
}

static void make_blocks(void *user, size_t begin, size_t end, double *blocks) {
  const SofaTetraFem *t = user;
  sofa_element_kernels(t->fem.force_field.object.ctx)->tetra_blocks(&t->batch, begin, end, blocks);
}

SofaErr sofa_tetra_fem_add_k(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                             const SofaTangent *tangent) {
  (void)params, (void)at;
  SofaTetraFem *t = (SofaTetraFem *)ff;
  SofaContext *ctx = ff->object.ctx;
  SOFA_TRY(refresh(t));
  SOFA_TRY(sofa_tetra_batch_pairs(ctx, &t->batch));
  sofa_team_for(ctx, t->batch.n_groups, PACK_GRAIN, pack_groups, t);
  const SofaPairBlocks blocks = {.dim = 3, .make = make_blocks, .user = t};
  sofa_pairs_add(ctx, &t->batch.pairs, &blocks, tangent);
  return SOFA_OK;
}

SofaErr sofa_tetra_fem_potential_energy(SofaForceField *ff, const SofaMechParams *params,
                                        const SofaPoint *at, double *energy) {
  (void)params;
  *energy = sofa_tetra_energy(&((SofaTetraFem *)ff)->batch, at->x[0]);
  return SOFA_OK;
}

bool sofa_tetra_fem_constant(const SofaForceField *ff) {
  return ((const SofaTetraFem *)ff)->batch.method == SOFA_TETRA_SMALL;
}

const SofaApproximation *sofa_tetra_fem_approximation(const SofaForceField *ff) {
  const SofaTetraBatch *batch = &((const SofaTetraFem *)ff)->batch;
  return batch->method == SOFA_TETRA_SMALL || batch->turn ? NULL : &sofa_frames_left_out;
}

/* ---- stresses ---- */

SofaErr sofa_tetra_fem_stress(SofaTetraFem *t, SofaTetraStrain strain, bool mixed_frames) {
  SofaReals *per_element = &t->fem.results.element_mises, *per_node = &t->fem.results.node_mises;
  SofaObject *object = &t->fem.force_field.object;
  const SofaTetraBatch *b = &t->batch;
  const double *x = t->fem.force_field.state[0]->position.data;
  size_t n;
  const double *rest = sofa_linear_fem_rest(&t->fem, &n);
  SOFA_TRY(refresh(t));
  SOFA_TRY(sofa_tetra_batch_around(object->ctx, &t->batch));
  SOFA_TRY(SOFA_RESIZE(object->ctx, per_element, b->n));
  SOFA_TRY(SOFA_RESIZE(object->ctx, per_node, b->n_points));
  sofa_tetra_von_mises(b, strain, mixed_frames, rest, x, per_element->data);
  for (size_t i = 0; i < b->n_points; i++) {
    double sum = 0;
    const uint32_t begin = b->around_start[i], end = b->around_start[i + 1];
    for (uint32_t k = begin; k < end; k++) sum += per_element->data[b->around[k] / 4];
    per_node->data[i] = end > begin ? sum / (end - begin) : 0;
  }
  sofa_field_touch_name(object, "vonMisesPerElement");
  sofa_field_touch_name(object, "vonMisesPerNode");
  return SOFA_OK;
}
