/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Springs across the edges that two faces share. */
#include "behavior/checks.h"
#include "behavior/state_division.h"
#include "components/solidmechanics/spring/face_bending.h"
#include "topology/shared_sides.h"

#include <math.h>

const SofaLinkRule sofa_face_bending_topology = {.interface = SOFA_TOPOLOGY,
                                                 .search = SOFA_SEARCH_SLOT};

SofaErr sofa_face_bending_add(FaceBendingSprings *f, uint32_t a, uint32_t b) {
  SpringForceField *s = &f->springs;
  const SofaCoords *x = &f->start;
  double d2 = 0;
  // the same triangle twice, as itself and as the half of a quad: a point does not pull at itself
  if (a == b) return SOFA_OK;
  for (size_t i = 0; i < s->space.space; i++) {
    const double d = x->data[a * (size_t)x->width + i] - x->data[b * (size_t)x->width + i];
    d2 += d * d;
  }
  const SofaSpring spring = {.m1 = a,
                             .m2 = b,
                             .stiffness = sofa_spring_entry(&s->stiffness, 0, 100),
                             .damping = sofa_spring_entry(&s->damping, 0, 5),
                             .length = sqrt(d2),
                             .enabled = true};
  return SOFA_APPEND(s->force_field.object.ctx, &s->springs, &spring);
}

SofaErr sofa_face_bending_check(const FaceBendingSprings *f, SofaElementKind kind, const void *v,
                                size_t n) {
  const SofaForceField *ff = &f->springs.force_field;
  const SofaElements faces = {v, n, sofa_element_kind_info(kind)->width};
  return sofa_check_elements(&ff->object, kind, faces, sofa_state_size(ff->state[0]));
}

/* ---- meshes that are divided among processes ---- */

static SofaErr ties(const SofaObject *object, const SofaObject **state, SofaTies *out) {
  const SofaObject *linked = ((const SofaForceField *)object)->object1.target;
  const SofaState *own = sofa_node_state(object->node);
  *state = linked ? linked : own ? &own->object : NULL;
  out->faces = out->star = true;
  return SOFA_OK;
}

const SofaTiesOps sofa_face_bending_ties = {.ties = ties};

SofaErr sofa_face_bending_unite(FaceBendingSprings *f) {
  const SofaForceField *ff = &f->springs.force_field;
  SofaSprings *springs = &f->springs.springs;
  SofaContext *ctx = ff->object.ctx;
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  uint32_t *pairs = SOFA_SCRATCH(ctx, uint32_t, 2 * springs->n + 1);
  uint32_t *lowest = SOFA_SCRATCH(ctx, uint32_t, springs->n + 1);
  SofaErr err = pairs && lowest ? SOFA_OK : SOFA_ERR_MEMORY;
  size_t n = 0;
  for (size_t i = 0; err == SOFA_OK && i < springs->n; i++) {
    pairs[2 * i] = springs->data[i].m1;
    pairs[2 * i + 1] = springs->data[i].m2;
  }
  const SofaElements own = {pairs, springs->n, 2};
  if (err == SOFA_OK)
    err = sofa_find_shared_sides(ctx, sofa_state_division(ff->state[0]), own, own, lowest);
  for (size_t i = 0; err == SOFA_OK && i < springs->n; i++)
    if (lowest[i] > (uint32_t)sofa_process_rank(ctx)) springs->data[n++] = springs->data[i];
  if (err == SOFA_OK) springs->n = n;
  sofa_scratch_release(ctx, mark);
  return err;
}

/* ---- all ---- */

static SofaErr make(FaceBendingSprings *f, SofaFaceBendingFill fill) {
  SofaObject *object = &f->springs.force_field.object;
  SofaTopology *topology =
      f->topology.target ? (SofaTopology *)f->topology.target : sofa_node_topology(object->node);
  if (!topology)
    return sofa_object_fail(object, SOFA_ERR_NOT_FOUND,
                            "there is no topology in this node or above to take faces from");
  FaceBendingMaker m = {.f = f};
  f->springs.springs.n = 0;
  SofaErr err = fill(&m, topology);
  sofa_pair_map_free(object->ctx, &m.edges);
  sofa_pair_map_free(object->ctx, &m.springs);
  if (err != SOFA_OK) f->springs.springs.n = 0;
  return err;
}

SofaErr sofa_face_bending_init(SofaObject *object, SofaFaceBendingFill fill) {
  FaceBendingSprings *f = (FaceBendingSprings *)object;
  const SofaCoords *x = &f->springs.force_field.state[0]->position;
  f->start.width = x->width;
  f->named.changed = false;
  SOFA_TRY(sofa_coords_resize(object->ctx, &f->start, x->n));
  if (x->n) sofa_copy(f->start.data, x->data, x->n * x->width * sizeof *x->data);
  return make(f, fill);
}

SofaErr sofa_face_bending_done(SofaObject *object, SofaFaceBendingFill fill) {
  SOFA_TRY(make((FaceBendingSprings *)object, fill));
  return sofa_object_run(object, SOFA_RUN_BWD_INIT);
}
