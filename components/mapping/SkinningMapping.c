/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SkinningMapping: points blended from the motions of the frames nearest to them. */
#include <float.h>
#include "base/text.h"
#include "behavior/loader.h"
#include "numerics/mapping/frame_sums.h"
#include "math/quaternion.h"
#include "object/checkpoint.h"

typedef struct SkinningMapping {
  SofaFrameSums sums;
  SofaVec3s init_pos;
  SofaIndices n_ref;
  SofaIndexRows indices; /* per point */
  char *weight;
  bool weights_from_position, show_weights;
  uint32_t show_from_index;
} SkinningMapping;

static const SofaField skinning_fields[] = {
    SOFA_FIELD(SkinningMapping, init_pos, "initPos", "", "m",
               "points when the weights are made; default: the positions of the output"),
    SOFA_FIELD(SkinningMapping, n_ref, "nbRef", "4", "1",
               "number of frames that move a point: one for all, or one per point",
               .range = SOFA_WITHIN(1, 64)),
    {.name = "indices",
     .type = &sofa_type_index_rows,
     .offset = offsetof(SkinningMapping, indices),
     .unit = "1",
     .help = "frames of each point, rows as [ 0 , 2 ]; with `weight`, else the nearest ones"},
    SOFA_FIELD(SkinningMapping, weight, "weight", NULL, "1",
               "weights of these frames, rows as in `indices`; default: inverse squares of "
               "distances"),
    SOFA_FIELD(SkinningMapping, weights_from_position, "computeWeightsFromPosition", "0", "",
               "weights belong to the positions of the frames, not to their rest positions"),
    SOFA_FIELD(SkinningMapping, show_from_index, "showFromIndex", "0", "",
               "first point whose frames are drawn", .flags = SOFA_FIELD_DISPLAY),
    SOFA_FIELD(SkinningMapping, show_weights, "showWeights", "0", "", "draw the weights",
               .flags = SOFA_FIELD_DISPLAY),
};

enum { MOST_FRAMES = 64 };

/* The n largest of 1 / |p - c_j|^2, descending; of equal ones the later frame first. Those that are
 * missing have weight 0. */
static void nearest(const double *x, size_t n_in, const double *p, size_t n, uint32_t *frame,
                    double *weight) {
  for (size_t k = 0; k < n; k++) frame[k] = 0, weight[k] = 0;
  for (uint32_t j = 0; j < n_in; j++) {
    double d[3];
    sofa_vec3_sub(p, SOFA_POSE(x, j), d);
    const double square = sofa_vec3_norm2(d), w = square > 0 ? 1 / square : DBL_MAX;
    size_t at = n;
    for (; at > 0 && weight[at - 1] <= w; at--)
      if (at < n) frame[at] = frame[at - 1], weight[at] = weight[at - 1];
    if (at < n) frame[at] = j, weight[at] = w;
  }
}

static SofaErr add_point(SkinningMapping *m, const double *x, const double *p, size_t n) {
  uint32_t frame[MOST_FRAMES];
  double weight[MOST_FRAMES], sum = 0;
  nearest(x, m->sums.n_in, p, n, frame, weight);
  for (size_t k = 0; k < n; k++) sum += weight[k];
  for (size_t k = 0; k < n && weight[k] > 0; k++) {
    const double w = weight[k] / sum;
    double local[3];
    if (!(w > 0)) break;
    sofa_rigid3_to_local(SOFA_POSE(x, frame[k]), p, local);
    sofa_vec3_scale(w, local, local);
    SOFA_TRY(sofa_frame_sums_entry(&m->sums, frame[k], w, local));
  }
  return sofa_frame_sums_next(&m->sums);
}

/* ---- given weights ---- */

static SofaErr bad_weights(const SkinningMapping *m, size_t i) {
  return sofa_field_fail(&m->sums.mapping.object, "weight", SOFA_ERR_RANGE,
                         "row %zu is not as in `indices`: as many numbers in brackets, commas "
                         "between them, each frame once",
                         i);
}

/* The entry of frame k of row i: up to the first that is not positive. */
static SofaErr add_given(SkinningMapping *m, const double *x, const double *p, size_t i,
                         const char **text) {
  const size_t begin = i ? m->indices.end.data[i - 1] : 0, end = m->indices.end.data[i];
  bool open = true;
  if (sofa_at_end(text) || *(*text)++ != '[') return bad_weights(m, i);
  for (size_t k = begin; k < end; k++) {
    const int frame = m->indices.ids.data[k];
    double w, local[3];
    if (k > begin && (sofa_at_end(text) || *(*text)++ != ',')) return bad_weights(m, i);
    if (!sofa_read_real(text, &w)) return bad_weights(m, i);
    if (frame < 0 || (size_t)frame >= m->sums.n_in)
      return sofa_field_fail(&m->sums.mapping.object, "indices", SOFA_ERR_RANGE,
                             "point %zu has frame %d: the input has %zu frames", i, frame,
                             m->sums.n_in);
    for (size_t other = begin; other < k; other++)
      if (m->indices.ids.data[other] == frame) return bad_weights(m, i);
    open = open && w > 0;
    if (!open) continue;
    sofa_rigid3_to_local(SOFA_POSE(x, frame), p, local);
    sofa_vec3_scale(w, local, local);
    SOFA_TRY(sofa_frame_sums_entry(&m->sums, (uint32_t)frame, w, local));
  }
  if (sofa_at_end(text) || *(*text)++ != ']') return bad_weights(m, i);
  return sofa_frame_sums_next(&m->sums);
}

/* Are there rows for all points? Others do not count. */
static bool weights_given(const SkinningMapping *m, size_t n) {
  const bool both = m->weight && *m->weight && m->indices.end.n == n && n;
  if (!both && ((m->weight && *m->weight) || m->indices.end.n))
    sofa_object_message(&m->sums.mapping.object, SOFA_WARNING,
                        "`indices` and `weight` only count together, with one row per point: "
                        "weights by distances are used");
  return both;
}

static size_t frames_of(const SkinningMapping *m, size_t i, size_t n) {
  if (!m->n_ref.n) return 4;
  return m->n_ref.data[m->n_ref.n == n && i < n ? i : 0];
}

static SofaErr skinning_setup(SofaMapping *mapping) {
  SkinningMapping *m = (SkinningMapping *)mapping;
  const SofaState *in = mapping->inputs[0], *out = mapping->out;
  const bool rest = !m->weights_from_position && in->rest_position.n == in->position.n;
  const double *x = rest ? in->rest_position.data : in->position.data;
  const size_t n = m->init_pos.n ? m->init_pos.n : out->position.n;
  SOFA_TRY(sofa_frame_sums_begin(&m->sums));
  if (!m->sums.n_in)
    return sofa_object_fail(&mapping->object, SOFA_ERR_RANGE, "the input '%s' has no frames",
                            in->object.name);
  if (m->n_ref.n > 1 && m->n_ref.n != n)
    sofa_object_message(&mapping->object, SOFA_WARNING,
                        "'nbRef' has %zu entries for %zu points: the first counts for all",
                        m->n_ref.n, n);
  const bool given = weights_given(m, n);
  const char *text = m->weight;
  for (size_t i = 0; i < n; i++) {
    const double *p = m->init_pos.n ? m->init_pos.data[i].v : out->position.data + 3 * i;
    if (given) {
      SOFA_TRY(add_given(m, x, p, i, &text));
      continue;
    }
    SOFA_TRY(add_point(m, x, p, frames_of(m, i, n)));
  }
  return sofa_frame_sums_finish(&m->sums);
}

/* Inserted points move with the frames near them. */
static SofaErr skinning_listen(SofaObject *object, const SofaTopologyChange *change) {
  SkinningMapping *m = (SkinningMapping *)object;
  const SofaMapping *mapping = &m->sums.mapping;
  SOFA_TRY(sofa_frame_sums_listen(object, change));
  if (!sofa_change_moves(change, mapping->out) || change->kind != SOFA_CHANGE_ADD) return SOFA_OK;
  for (size_t i = change->n_before; i < change->n_before + change->n; i++) {
    SOFA_TRY(add_point(m, mapping->inputs[0]->position.data, mapping->out->position.data + 3 * i,
                       frames_of(m, i, change->n_before)));
  }
  return SOFA_OK;
}

static const SofaTopologyListenerOps listener = {.listen = skinning_listen, .moves_output = true};

static const SofaMappingOps skinning_ops = {
    .setup = skinning_setup,
    .apply = sofa_frame_sums_apply,
    .apply_j = sofa_frame_sums_apply_j,
    .apply_jt = sofa_frame_sums_apply_jt,
    .jacobian = sofa_frame_sums_jacobian,
    .keeps_point = true,
};

static const char *const skinning_templates[] = {"Rigid3d,Vec3d", NULL};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(SkinningMapping, sums.arm),
};

SOFA_CLASS(SkinningMapping) = {
    SOFA_NAMED(SkinningMapping),
    .module = "Sofa.Component.Mapping.Linear",
    .category = "Mapping",
    .help = "Moves points by the frames nearest to them, weighted by inverse squares of distances.",
    .equations = "x_{out} = sum_j w_j (c_j + R_j p_j)\n"
                 "\"c_j, R_j: frames near the point; p_j: the point in them; w_j: weights\"",
    .base = &sofa_mapping_class,
    SOFA_SPARES(spared),
    SOFA_FIELDS(skinning_fields),
    .templates = skinning_templates,
    .destroy = sofa_frame_sums_destroy,
    SOFA_IMPLEMENTS({SOFA_MAPPING, &skinning_ops}, {SOFA_TOPOLOGY_LISTENER, &listener}),
};
