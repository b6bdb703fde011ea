/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* HexahedronCompositeFEMMapping: points that follow the fine cells which a
 * HexahedronCompositeFEMForceFieldAndMass has condensed. */
#include "base/team.h"
#include "components/mapping/composite_kernels_impl.h"
#include "components/mapping/hexa_pose.h"
#include "math/isa.h"
#include "math/vec.h"
#include "numerics/mapping/map_matrix.h"
#include "components/solidmechanics/fem/HexahedronCompositeFEMForceFieldAndMass.h"
#include "object/checkpoint.h"

#include <string.h>

enum { QUIRK_COMPOSITE_LATE_FRAMES = 1, QUIRK_COMPOSITE_FLOATS = 2 };
static const SofaQuirk quirks[] = {
    {QUIRK_COMPOSITE_LATE_FRAMES, "composite-late-frames",
     "HexahedronCompositeFEMMapping takes the frames of the last evaluation of the forces",
     "test_nonuniform.frames_of_the_forces"},
    {QUIRK_COMPOSITE_FLOATS, "composite-floats",
     "HexahedronCompositeFEMMapping rounds displacements along z and velocities of corners to "
     "single precision",
     "test_nonuniform.displacements_in_single_precision"},
};

/* What a hexahedron gives to a point: y = R^T (q + w (R x - R0 x0)) with its frame R. */
typedef struct Term {
  uint32_t element;
  double q[3], w[72]; /* w: 3 x 24 */
} Term;
SOFA_LIST(Term, Terms);

typedef struct CompositeMapping {
  SofaMapping mapping;
  HexahedronComposite *fem;
  const SofaSparseLevel *coarse, *fine;
  Terms terms;
  SofaIndices start;               /* of each output point in terms, and the end */
  double *rest;                    /* 24 per hexahedron: R0 x0 of its corners */
  HexaPose *poses;                 /* of each hexahedron, at the point of apply */
  double *arms;                    /* 3 per term: its y at that point */
  double *levers;                  /* 9 per term: the point by the spin of the hexahedron */
  bool late;                       /* frames are those of the last forces, and do not turn */
  bool floats;                     /* displacements of corners have single precision */
  uint32_t *around_start, *around; /* of each fine point: 8 cell + corner; during setup */
  size_t n_in, n;
  SofaMapMatrix j;
} CompositeMapping;

static const CompositeKernels *kernels_of(const CompositeMapping *m) {
  static const CompositeKernels *const variants[] = SOFA_VARIANTS(&composite_kernels);
  return variants[sofa_isa(m->mapping.object.ctx)];
}

static void rotation_of(const CompositeMapping *m, size_t e, double r[9]) {
  const SofaElementBatch *b = &m->fem->nonuniform.base.hexa.batch;
  const size_t lane = sofa_element_batch_lane(b, e);
  for (size_t k = 0; k < 9; k++) r[k] = b->rotation[9 * (lane / SOFA_LANES) + k][lane % SOFA_LANES];
}

static void turn(const double r[9], const double *x, double *out) {
  for (int i = 0; i < 3; i++) out[i] = r[3 * i] * x[0] + r[3 * i + 1] * x[1] + r[3 * i + 2] * x[2];
}

static void add_turned_back(const double r[9], const double *x, double *out) {
  for (int i = 0; i < 3; i++) out[i] += r[i] * x[0] + r[3 + i] * x[1] + r[6 + i] * x[2];
}

/* ---- setup ---- */

static SofaErr find_fem(CompositeMapping *m) {
  const SofaObject *object = &m->mapping.object;
  m->fem = (HexahedronComposite *)sofa_node_find_class(
      m->mapping.inputs[0]->object.node, &sofa_HexahedronCompositeFEMForceFieldAndMass_class,
      SOFA_SEARCH_UP);
  if (!m->fem)
    return sofa_object_fail(object, SOFA_ERR_NOT_FOUND,
                            "there is no HexahedronCompositeFEMForceFieldAndMass with the input");
  const NonUniform *f = &m->fem->nonuniform;
  if (!m->fem->weights)
    return sofa_object_fail(object, SOFA_ERR_ARGUMENT,
                            "'%s' has no fine cells to follow: set its nbVirtualFinerLevels",
                            ((const SofaObject *)f)->name);
  m->coarse = &f->grid->levels[f->grid->n_levels - 1];
  m->fine = &f->grid->levels[f->finest];
  m->n_in = m->mapping.inputs[0]->position.n;
  if (m->n_in < m->coarse->points.n)
    return sofa_object_fail(object, SOFA_ERR_RANGE, "the input has %zu points, its grid %zu",
                            m->n_in, m->coarse->points.n);
  return SOFA_OK;
}

/* Cells around each fine point, ascending. */
static SofaErr list_around(CompositeMapping *m) {
  SofaContext *ctx = m->mapping.object.ctx;
  const SofaHexas *hexas = &m->fine->hexas;
  const size_t n = m->fine->points.n;
  m->around_start = sofa_alloc(ctx, n + 2, sizeof *m->around_start);
  m->around = sofa_alloc(ctx, 8 * hexas->n, sizeof *m->around);
  if (!m->around_start || !m->around) return SOFA_ERR_MEMORY;
  for (size_t i = 0; i < 8 * hexas->n; i++) m->around_start[hexas->data[i / 8].v[i % 8] + 2]++;
  for (size_t i = 2; i < n + 2; i++) m->around_start[i] += m->around_start[i - 1];
  for (uint32_t i = 0; i < 8 * hexas->n; i++)
    m->around[m->around_start[hexas->data[i / 8].v[i % 8] + 1]++] = i;
  return SOFA_OK;
}

static SofaErr keep_rest(CompositeMapping *m) {
  const double *x = m->mapping.inputs[0]->position.data;
  const size_t n = m->coarse->hexas.n;
  m->rest = sofa_alloc(m->mapping.object.ctx, n, 24 * sizeof *m->rest);
  if (!m->rest) return SOFA_ERR_MEMORY;
  for (size_t e = 0; e < n; e++) {
    double r[9];
    rotation_of(m, e, r);
    for (size_t i = 0; i < 8; i++)
      turn(r, x + 3 * (size_t)m->coarse->hexas.data[e].v[i], m->rest + 24 * e + 3 * i);
  }
  return SOFA_OK;
}

/* The hexahedron that a fine cell is in. */
static uint32_t coarse_of(const CompositeMapping *m, uint32_t cell) {
  for (const SofaSparseLevel *l = m->fine; l != m->coarse; l++) cell = l->parent.data[cell];
  return cell;
}

/* Rest position of a fine point in the frame of hexahedron e. */
static void fine_rest(const CompositeMapping *m, uint32_t point, uint32_t e, double q[3]) {
  const double *p = m->fine->points.data[point].v;
  const double *from = m->coarse->points.data[m->coarse->hexas.data[e].v[0]].v;
  double f[3];
  memset(q, 0, 3 * sizeof *q);
  for (int k = 0; k < 3; k++) f[k] = (p[k] - from[k]) / m->coarse->step[k];
  for (size_t i = 0; i < 8; i++) {
    double weight = 1;
    for (int k = 0; k < 3; k++) weight *= nonuniform_steps[i][k] ? f[k] : 1 - f[k];
    for (size_t k = 0; k < 3; k++) q[k] += weight * m->rest[24 * e + 3 * i + k];
  }
}

/* The term of a hexahedron for the output point being made, which starts at `begin`. */
static SofaErr term_of(CompositeMapping *m, size_t begin, uint32_t e, Term **out) {
  size_t i = begin;
  while (i < m->terms.n && m->terms.data[i].element != e) i++;
  if (i == m->terms.n) {
    const Term empty = {.element = e};
    SOFA_TRY(SOFA_APPEND(m->mapping.object.ctx, &m->terms, &empty));
  }
  *out = &m->terms.data[i];
  return SOFA_OK;
}

/* A share of a fine point: the mean of what the hexahedra around it give. */
static SofaErr add_fine(CompositeMapping *m, size_t begin, uint32_t point, double share) {
  const uint32_t *around = m->around + m->around_start[point];
  const size_t n = m->around_start[point + 1] - m->around_start[point];
  size_t n_coarse = 0;
  // of several cells in one hexahedron, the last one speaks
  for (int pass = 0; pass < 2; pass++)
    for (size_t i = 0; i < n; i++) {
      const uint32_t e = coarse_of(m, around[i] / 8);
      bool later = false;
      double q[3];
      Term *term;
      for (size_t j = i + 1; j < n; j++) later = later || coarse_of(m, around[j] / 8) == e;
      if (later) continue;
      if (!pass) {
        n_coarse++;
        continue;
      }
      SOFA_TRY(term_of(m, begin, e, &term));
      const double *w = m->fem->weights + 576 * (size_t)(around[i] / 8) + 72 * (around[i] % 8);
      const double part = share / (double)n_coarse;
      fine_rest(m, point, e, q);
      for (int k = 0; k < 3; k++) term->q[k] += part * q[k];
      for (int k = 0; k < 72; k++) term->w[k] += part * w[k];
    }
  return SOFA_OK;
}

static SofaErr add_point(CompositeMapping *m, const double *p) {
  const size_t begin = m->terms.n;
  const uint32_t at = (uint32_t)begin;
  double f[3];
  SOFA_TRY(SOFA_APPEND(m->mapping.object.ctx, &m->start, &at));
  const uint32_t cell = sofa_sparse_find_hexa(m->fine, p, f);
  if (cell == SOFA_NO_CELL)
    return sofa_object_fail(&m->mapping.object, SOFA_ERR_GEOMETRY,
                            "the grid has no cells at its surface to map points with");
  for (int i = 0; i < 8; i++) {
    double share = 1;
    for (int k = 0; k < 3; k++) share *= nonuniform_steps[i][k] ? f[k] : 1 - f[k];
    SOFA_TRY(add_fine(m, begin, m->fine->hexas.data[cell].v[i], share));
  }
  return SOFA_OK;
}

static void clear(CompositeMapping *m) {
  SofaContext *ctx = m->mapping.object.ctx;
  sofa_list_free(ctx, &m->terms);
  sofa_list_free(ctx, &m->start);
  sofa_free(ctx, m->rest);
  sofa_free(ctx, m->poses);
  sofa_free(ctx, m->arms);
  sofa_free(ctx, m->levers);
  sofa_free(ctx, m->around_start);
  sofa_free(ctx, m->around);
  m->rest = m->arms = m->levers = NULL;
  m->poses = NULL;
  m->around_start = m->around = NULL;
}

static SofaErr composite_setup(SofaMapping *mapping) {
  CompositeMapping *m = (CompositeMapping *)mapping;
  SofaContext *ctx = mapping->object.ctx;
  clear(m);
  SOFA_TRY(find_fem(m));
  SOFA_TRY(list_around(m));
  SOFA_TRY(keep_rest(m));
  m->n = mapping->out->position.n;
  mapping->varies = true;
  m->late = sofa_quirk(&mapping->object, QUIRK_COMPOSITE_LATE_FRAMES);
  m->floats = sofa_quirk(&mapping->object, QUIRK_COMPOSITE_FLOATS);
  for (size_t i = 0; i < m->n; i++) SOFA_TRY(add_point(m, mapping->out->position.data + 3 * i));
  const uint32_t end = (uint32_t)m->terms.n;
  SOFA_TRY(SOFA_APPEND(ctx, &m->start, &end));
  sofa_free(ctx, m->around_start);
  sofa_free(ctx, m->around);
  m->around_start = m->around = NULL;
  m->poses = sofa_alloc(ctx, m->coarse->hexas.n, sizeof *m->poses);
  m->arms = sofa_alloc(ctx, m->terms.n, 3 * sizeof *m->arms);
  m->levers = sofa_alloc(ctx, m->terms.n, 9 * sizeof *m->levers);
  return m->poses && m->arms && m->levers ? SOFA_OK : SOFA_ERR_MEMORY;
}

/* ---- frames ---- */

/* A loop over hexahedra or points. */
typedef struct Loop {
  const CompositeMapping *m;
  const double *in; /* of points of the hexahedra, or u of their corners */
  double *u, *out;
  double *spin; /* of the hexahedra; NULL: positions */
} Loop;
enum { HEXAHEDRA = 32, POINTS = 64 }; /* that a thread takes at once */

static void turn_some(void *user, size_t begin, size_t end) {
  const Loop *loop = user;
  const CompositeMapping *m = loop->m;
  const SofaFrame frame = m->fem->nonuniform.base.hexa.batch.frame;
  for (size_t e = begin; e < end; e++) {
    for (size_t i = 0; i < 8; i++)
      sofa_vec3_copy(loop->in + 3 * (size_t)m->coarse->hexas.data[e].v[i], m->poses[e].x + 3 * i);
    sofa_hexa_pose(frame, &m->poses[e]);
  }
}

/* Of the point that is applied. */
static void turn_at(CompositeMapping *m, const double *x) {
  Loop loop = {.m = m, .in = x};
  sofa_team_for(m->mapping.object.ctx, m->coarse->hexas.n, HEXAHEDRA, turn_some, &loop);
}

/* Of the last forces before apply, whatever the point; they hold until the next apply. */
static void turn_late(CompositeMapping *m) {
  for (size_t e = 0; e < m->coarse->hexas.n; e++) rotation_of(m, e, m->poses[e].r);
}

/* ---- operations ---- */

/* Every component of n points from the first one on. */
static void round_to_floats(double *u, size_t n, size_t first) {
  for (size_t i = 0; i < 3 * n; i++)
    if (i % 3 >= first) u[i] = (double)(float)u[i];
}

/* u = R in - rest, or, for velocities, R (in - w x x) with the spin w. */
static void turn_corners(void *user, size_t begin, size_t end) {
  const Loop *loop = user;
  const CompositeMapping *m = loop->m;
  for (size_t e = begin; e < end; e++) {
    double *u = loop->u + 24 * e;
    for (size_t i = 0; i < 8; i++)
      turn(m->poses[e].r, loop->in + 3 * (size_t)m->coarse->hexas.data[e].v[i], u + 3 * i);
    for (size_t i = 0; i < 24; i++) u[i] -= m->rest[24 * e + i];
    // in SOFA as GCC 12 optimises it, the third component alone
    if (m->floats) round_to_floats(u, 8, 2);
  }
}

static void turn_velocities(void *user, size_t begin, size_t end) {
  const Loop *loop = user;
  const CompositeMapping *m = loop->m;
  for (size_t e = begin; e < end; e++) {
    const HexaPose *pose = &m->poses[e];
    double v[24], *w = loop->spin + 3 * e;
    for (size_t i = 0; i < 8; i++)
      sofa_vec3_copy(loop->in + 3 * (size_t)m->coarse->hexas.data[e].v[i], v + 3 * i);
    for (size_t k = 0; k < 3; k++) {
      w[k] = 0;
      for (size_t i = 0; i < 24; i++) w[k] += pose->spin[24 * k + i] * v[i];
    }
    for (size_t i = 0; i < 8; i++) {
      double own[3];
      sofa_vec3_cross(w, pose->x + 3 * i, own);
      sofa_vec3_sub(v + 3 * i, own, own);
      turn(pose->r, own, loop->u + 24 * e + 3 * i);
    }
    if (m->floats) round_to_floats(loop->u + 24 * e, 8, 0);
  }
}

/* R^T (q + w u) of a term, without q for velocities. */
static void term_value(const CompositeMapping *m, const Term *term, bool positions, const double *u,
                       double out[3]) {
  double d[3] = {0, 0, 0};
  if (positions) sofa_vec3_copy(term->q, d);
  kernels_of(m)->add(term->w, u + 24 * (size_t)term->element, d);
  sofa_vec3_set(out, 0, 0, 0);
  add_turned_back(m->poses[term->element].r, d, out);
}

/* The sums over the terms; those of positions are kept as the arms of the velocities. */
static void gather(void *user, size_t begin, size_t end) {
  const Loop *loop = user;
  const CompositeMapping *m = loop->m;
  for (size_t p = begin; p < end; p++) {
    double sum[3] = {0, 0, 0}, part[3], turned[3];
    for (uint32_t t = m->start.data[p]; t < m->start.data[p + 1]; t++) {
      const Term *term = &m->terms.data[t];
      double *arm = m->arms + 3 * (size_t)t;
      term_value(m, term, !loop->spin, loop->u, part);
      sofa_vec3_add(sum, part, sum);
      if (!loop->spin) {
        sofa_vec3_copy(part, arm);
        continue;
      }
      sofa_vec3_cross(loop->spin + 3 * term->element, arm, turned);
      sofa_vec3_add(sum, turned, sum);
    }
    memcpy(loop->out + 3 * p, sum, sizeof sum);
  }
}

static void map_loop(Loop *loop) {
  const SofaContext *ctx = loop->m->mapping.object.ctx;
  sofa_team_for(ctx, loop->m->coarse->hexas.n, HEXAHEDRA,
                loop->spin ? turn_velocities : turn_corners, loop);
  sofa_team_for(ctx, loop->m->n, POINTS, gather, loop);
}

static SofaErr composite_apply(SofaMapping *mapping, const SofaPoint *at, double *x_out) {
  CompositeMapping *m = (CompositeMapping *)mapping;
  SofaContext *ctx = mapping->object.ctx;
  SOFA_TRY(sofa_mapping_check_sizes(mapping, &m->n_in, m->n));
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  double *u = SOFA_SCRATCH(ctx, double, 24 * m->coarse->hexas.n);
  if (!u) return SOFA_ERR_MEMORY;
  if (m->late) turn_late(m);
  else turn_at(m, at->x[0]);
  map_loop(&(Loop){.m = m, .in = at->x[0], .u = u, .out = x_out});
  sofa_scratch_release(ctx, mark);
  return SOFA_OK;
}

static SofaErr composite_apply_j(SofaMapping *mapping, const SofaPoint *at,
                                 const double *const *v_in, double *v_out) {
  CompositeMapping *m = (CompositeMapping *)mapping;
  SofaContext *ctx = mapping->object.ctx;
  (void)at;
  SOFA_TRY(sofa_mapping_check_sizes(mapping, &m->n_in, m->n));
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  double *u = SOFA_SCRATCH(ctx, double, 24 * m->coarse->hexas.n);
  double *spin = SOFA_SCRATCH(ctx, double, 3 * m->coarse->hexas.n);
  if (!u || !spin) {
    sofa_scratch_release(ctx, mark);
    return SOFA_ERR_MEMORY;
  }
  map_loop(&(Loop){.m = m, .in = v_in[0], .u = u, .out = v_out, .spin = spin});
  sofa_scratch_release(ctx, mark);
  return SOFA_OK;
}

/* A force f on a term's y: adds w^T (R f) to what the corners have in the frame of the hexahedron,
 * and y x f to its torque. */
static void add_term_force(const CompositeMapping *m, uint32_t t, const double *f, double *parts,
                           double *torque) {
  const Term *term = &m->terms.data[t];
  double local[3], moment[3];
  turn(m->poses[term->element].r, f, local);
  sofa_vec3_cross(m->arms + 3 * (size_t)t, f, moment);
  sofa_vec3_add(torque, moment, torque);
  kernels_of(m)->add_transposed(term->w, local, parts);
}

/* The forces of the corners turned back, which take x x (their forces) from the torque, and those
 * of the torque. */
static void add_corner_forces(const CompositeMapping *m, size_t e, const double *parts,
                              double *torque, double *f_in) {
  const HexaPose *pose = &m->poses[e];
  const uint32_t *v = m->coarse->hexas.data[e].v;
  for (size_t i = 0; i < 8; i++) {
    double corner[3] = {0, 0, 0}, moment[3], *to = f_in + 3 * (size_t)v[i];
    add_turned_back(pose->r, parts + 3 * i, corner);
    sofa_vec3_add(to, corner, to);
    sofa_vec3_cross(pose->x + 3 * i, corner, moment);
    sofa_vec3_sub(torque, moment, torque);
  }
  for (size_t i = 0; i < 24; i++) {
    double *to = f_in + 3 * (size_t)v[i / 3] + i % 3;
    for (size_t k = 0; k < 3; k++) *to += pose->spin[24 * k + i] * torque[k];
  }
}

static SofaErr composite_apply_jt(SofaMapping *mapping, const SofaPoint *at, const double *f_out,
                                  double *const *f_in) {
  CompositeMapping *m = (CompositeMapping *)mapping;
  SofaContext *ctx = mapping->object.ctx;
  (void)at;
  SOFA_TRY(sofa_mapping_check_sizes(mapping, &m->n_in, m->n));
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  const size_t n = m->coarse->hexas.n;
  double *all = SOFA_SCRATCH(ctx, double, 27 * n); // 24 of the corners and the torque
  if (!all) return SOFA_ERR_MEMORY;
  sofa_zero(all, 27 * n * sizeof *all);
  for (size_t p = 0; p < m->n; p++)
    for (uint32_t t = m->start.data[p]; t < m->start.data[p + 1]; t++) {
      double *own = all + 27 * (size_t)m->terms.data[t].element;
      add_term_force(m, t, f_out + 3 * p, own, own + 24);
    }
  for (size_t e = 0; e < n; e++) add_corner_forces(m, e, all + 27 * e, all + 27 * e + 24, f_in[0]);
  sofa_scratch_release(ctx, mark);
  return SOFA_OK;
}

/* R^T w R of a corner: the block by which its displacement moves the point in a frame that does not
 * turn. */
static void block_of(const Term *term, const double r[9], size_t corner, double block[9]) {
  double half[9];
  for (size_t i = 0; i < 9; i++) {
    half[i] = 0;
    for (size_t k = 0; k < 3; k++)
      half[i] += term->w[24 * (i / 3) + 3 * corner + k] * r[3 * k + i % 3];
  }
  for (size_t i = 0; i < 9; i++) {
    block[i] = 0;
    for (size_t k = 0; k < 3; k++) block[i] += r[3 * k + i / 3] * half[3 * k + i % 3];
  }
}

/* The block by which the spin of the hexahedron moves the point: sum B [x]x - [y]x. */
static void lever_of(const CompositeMapping *m, uint32_t t, double lever[9]) {
  const Term *term = &m->terms.data[t];
  const HexaPose *pose = &m->poses[term->element];
  double block[9], cross[9], part[9];
  sofa_mat3_cross(m->arms + 3 * (size_t)t, lever);
  sofa_mat3_scale(-1, lever, lever);
  for (size_t i = 0; i < 8; i++) {
    block_of(term, pose->r, i, block);
    sofa_mat3_cross(pose->x + 3 * i, cross);
    sofa_mat3_mul(block, cross, part);
    sofa_mat3_axpy(1, part, lever);
  }
}

/* Was this corner a corner of an earlier term of the point? */
static bool is_repeated(const CompositeMapping *m, uint32_t begin, uint32_t t, uint32_t vertex) {
  for (uint32_t s = begin; s < t; s++) {
    const uint32_t *v = m->coarse->hexas.data[m->terms.data[s].element].v;
    for (int i = 0; i < 8; i++)
      if (v[i] == vertex) return true;
  }
  return false;
}

/* All terms' blocks of one input point. */
static void sum_blocks(const CompositeMapping *m, uint32_t t, uint32_t end, uint32_t vertex,
                       double block[9]) {
  memset(block, 0, 9 * sizeof *block);
  for (; t < end; t++) {
    const Term *term = &m->terms.data[t];
    const HexaPose *pose = &m->poses[term->element];
    const uint32_t *v = m->coarse->hexas.data[term->element].v;
    double own[9];
    for (size_t i = 0; i < 8; i++) {
      if (v[i] != vertex) continue;
      block_of(term, pose->r, i, own);
      for (size_t k = 0; k < 9; k++)
        for (size_t c = 0; c < 3; c++)
          own[k] += m->levers[9 * (size_t)t + 3 * (k / 3) + c] * pose->spin[24 * c + 3 * i + k % 3];
      for (int k = 0; k < 9; k++) block[k] += own[k];
    }
  }
}

static SofaErr composite_jacobian(SofaMapping *mapping, const SofaPoint *at, size_t k,
                                  SofaJacobian *out) {
  CompositeMapping *m = (CompositeMapping *)mapping;
  (void)at, (void)k;
  SOFA_TRY(sofa_mapping_check_sizes(mapping, &m->n_in, m->n));
  SOFA_TRY(
      sofa_map_matrix_begin(mapping->object.ctx, &m->j, 3 * m->n, 3 * m->n_in, 72 * m->terms.n));
  for (uint32_t t = 0; t < m->terms.n; t++) lever_of(m, t, m->levers + 9 * (size_t)t);
  for (size_t row = 0; row < 3 * m->n; row++) {
    const uint32_t begin = m->start.data[row / 3], end = m->start.data[row / 3 + 1];
    sofa_map_matrix_row(&m->j);
    for (uint32_t t = begin; t < end; t++) {
      const uint32_t *v = m->coarse->hexas.data[m->terms.data[t].element].v;
      for (size_t i = 0; i < 8; i++) {
        double block[9];
        if (is_repeated(m, begin, t, v[i])) continue;
        sum_blocks(m, t, end, v[i], block);
        for (size_t c = 0; c < 3; c++)
          sofa_map_matrix_entry(&m->j, 3 * (size_t)v[i] + c, block[3 * (row % 3) + c]);
      }
    }
  }
  sofa_map_matrix_end(&m->j, out);
  return SOFA_OK;
}

static void composite_destroy(SofaObject *object) {
  CompositeMapping *m = (CompositeMapping *)object;
  clear(m);
  sofa_map_matrix_free(object->ctx, &m->j);
}

static const SofaMappingOps composite_ops = {
    .setup = composite_setup,
    .apply = composite_apply,
    .apply_j = composite_apply_j,
    .apply_jt = composite_apply_jt,
    .jacobian = composite_jacobian,
    .keeps_point = true,
};

static const char *const composite_templates[] = {"Vec3d,Vec3d", NULL};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(CompositeMapping, arms),
    SOFA_REMADE(CompositeMapping, poses),
};

SOFA_CLASS(HexahedronCompositeFEMMapping) = {
    .name = "HexahedronCompositeFEMMapping",
    .module = "Sofa.Component.SolidMechanics.FEM.NonUniform",
    .category = "Mapping",
    .help = "Points in the fine cells of a HexahedronCompositeFEMForceFieldAndMass, which move as "
            "its condensation says.",
    .equations = "y = sum_e R_e^T (q_e + W_e (R_e x_e - R_{e0} X_e))\n"
                 "\"e: coarse hexahedra around the point, R_e: rotation into the frame of e, x_e, "
                 "X_e: its corners now and at rest; q_e, W_e: share of e in the place of the point "
                 "and in how it follows the corners\"",
    .base = &sofa_mapping_class,
    SOFA_SPARES(spared),
    SOFA_QUIRKS(quirks),
    .size = sizeof(CompositeMapping),
    .templates = composite_templates,
    .destroy = composite_destroy,
    SOFA_IMPLEMENTS({SOFA_MAPPING, &composite_ops}),
};
