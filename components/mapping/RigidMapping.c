/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RigidMapping: points (or frames) fixed to frames, x_i = c + rho_i with rho_i = R local_i. */
#include "numerics/io/mesh_file.h"
#include "change/topology_change.h"
#include "components/mapping/rigid_kernels_impl.h"
#include "numerics/mapping/map_matrix.h"
#include "math/isa.h"
#include "math/polar.h"
#include "math/quaternion.h"
#include "math/three.h"
#include "object/checkpoint.h"

enum { QUIRK_RIGID_STABILIZED = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_RIGID_STABILIZED, "rigid-stabilized",
     "RigidMapping's stabilized geometric stiffness is made of force changes in matrix products",
     "test_quirks_elements.mappings"},
};

typedef struct RigidMapping {
  SofaMapping mapping;
  SofaOption geometric;
  SofaReals initial_points; /* coords of the output's kind */
  uint32_t index;
  SofaFileName filename;
  bool use_x0, index_from_end, global_to_local;
  bool each; /* index_per_point is in use */
  SofaIndices index_per_point;
  size_t n_in, n;
  const SofaStateKindInfo *in, *out;
  unsigned width;     /* reals of such a coord */
  SofaReals local;    /* n coords of the output's kind, in the frames */
  SofaReals arm;      /* rho_i, n x space, at the positions of the last apply */
  SofaIndices frames; /* of each point */
  SofaReals bend;     /* n_in x 9: workspace of the geometric stiffness */
  SofaMapMatrix j;
} RigidMapping;

static const SofaField rigid_fields[] = {
    SOFA_FIELD(RigidMapping, geometric, "geometricStiffness", "None", "",
               "derivative of the torques of turning lever arms: left out, exact, or without the "
               "part that would make a system indefinite",
               .options = sofa_geometric_items),
    SOFA_FIELD(RigidMapping, initial_points, "initialPoints", "", "m",
               "points (or frames) in the coordinates of their frame; default: the positions of "
               "the output"),
    SOFA_FIELD(RigidMapping, index, "index", "0", "", "frame that all points are fixed to"),
    SOFA_FIELD(RigidMapping, filename, "filename", NULL, "",
               "mesh file, or file of spheres, with the points in the coordinates of their frame; "
               "it replaces initialPoints",
               .aliases = "fileRigidMapping"),
    SOFA_FIELD(RigidMapping, use_x0, "useX0", "0", "",
               "the rest positions of the output are the points in their frame, at all times"),
    SOFA_FIELD(RigidMapping, index_from_end, "indexFromEnd", "0", "",
               "`index` counts from the last frame backwards"),
    SOFA_FIELD(RigidMapping, index_per_point, "rigidIndexPerPoint", "", "",
               "frame of each point; used when it has one entry per point"),
    SOFA_FIELD(RigidMapping, global_to_local, "globalToLocalCoords", "0", "",
               "the positions of the output are in the world at init, not in the frame"),
};

static const SofaPrivateList rigid_lists[] = {
    SOFA_PRIVATE(RigidMapping, frames, SOFA_SOURCES(.state = SOFA_STATE_FIRST)),
    SOFA_PRIVATE(RigidMapping, local,
                 SOFA_PER(SOFA_ELEMENT_POINT, .state = SOFA_STATE_OUTPUT,
                          .inserted = SOFA_INSERTED_NOTHING,
                          .width_at = offsetof(RigidMapping, width))),
};

/* ---- setup ---- */

static SofaErr check_frame(const RigidMapping *m, const char *field, size_t point, uint32_t r) {
  if (r < m->n_in) return SOFA_OK;
  return sofa_field_fail(&m->mapping.object, field, SOFA_ERR_RANGE,
                         "point %zu belongs to frame %u: the input has the frames 0 to %zd", point,
                         r, (ptrdiff_t)m->n_in - 1);
}

static SofaErr choose_frames(RigidMapping *m) {
  SofaContext *ctx = m->mapping.object.ctx;
  const bool each = m->each = m->index_per_point.n == m->n && m->n;
  const uint32_t one = m->index_from_end ? (uint32_t)(m->n_in - 1 - m->index) : m->index;
  if (!each && m->index_per_point.n)
    sofa_object_message(&m->mapping.object, SOFA_WARNING,
                        "'rigidIndexPerPoint' has %zu entries for %zu points: `index` counts",
                        m->index_per_point.n, m->n);
  SOFA_TRY(SOFA_RESIZE(ctx, &m->frames, m->n));
  for (size_t i = 0; i < m->n; i++) {
    m->frames.data[i] = each ? m->index_per_point.data[i] : one;
    SOFA_TRY(check_frame(m, each ? "rigidIndexPerPoint" : "index", i, m->frames.data[i]));
  }
  return SOFA_OK;
}

/* The output's coords from the world into their frames, from point `first` on. */
static void to_frames(RigidMapping *m, size_t first) {
  const double *x = m->mapping.inputs[0]->position.data;
  for (size_t i = first; i < m->n; i++) {
    const double *frame = x + m->in->coord * m->frames.data[i];
    double *p = m->local.data + m->out->coord * i;
    if (m->in->space == 2) {
      const double d[2] = {p[0] - frame[0], p[1] - frame[1]}, c = cos(frame[2]), s = sin(frame[2]);
      p[0] = c * d[0] + s * d[1];
      p[1] = c * d[1] - s * d[0];
      continue;
    }
    sofa_rigid3_to_local(frame, p, p);
    if (!m->out->rigid) continue;
    double inverse[4];
    sofa_quat_inverse(frame + 3, inverse);
    sofa_quat_multiply(inverse, p + 3, p + 3);
  }
}

/* The points of the file become the initial points; frames are not turned. */
static SofaErr read_points(RigidMapping *m) {
  SofaContext *ctx = m->mapping.object.ctx;
  const unsigned width = m->out->coord, space = m->out->space < 3 ? m->out->space : 3;
  SofaMeshData data = {0};
  SofaErr err;
  if (!m->filename.text || !m->filename.text[0]) return SOFA_OK;
  SOFA_GO(err, done,
          sofa_mesh_read_file(&m->mapping.object, "filename", &m->filename, &data, NULL));
  m->initial_points.n = 0;
  SOFA_GO(err, done, SOFA_RESIZE(ctx, &m->initial_points, data.mesh.position.n * width));
  for (size_t i = 0; i < data.mesh.position.n; i++) {
    double *p = m->initial_points.data + i * width;
    for (unsigned c = 0; c < space; c++) p[c] = data.mesh.position.data[i].v[c];
    if (width == 7) p[6] = 1;
  }
done:
  sofa_mesh_data_free(ctx, &data);
  return err;
}

/* Where the points come from: the count, and their coords. */
static SofaErr source_points(RigidMapping *m, const double **points) {
  const SofaState *out = m->mapping.out;
  const unsigned width = m->out->coord;
  m->n = out->position.n;
  *points = out->position.data;
  if (m->use_x0) {
    m->n = out->rest_position.n;
    *points = out->rest_position.data;
  } else if (m->initial_points.n) {
    if (m->initial_points.n % width)
      return sofa_field_fail(&m->mapping.object, "initialPoints", SOFA_ERR_RANGE,
                             "%zu numbers are not a list of %s (%u numbers each)",
                             m->initial_points.n, m->out->name, width);
    m->n = m->initial_points.n / width;
    *points = m->initial_points.data;
  }
  return SOFA_OK;
}

static SofaErr rigid_setup(SofaMapping *mapping) {
  RigidMapping *m = (RigidMapping *)mapping;
  SofaContext *ctx = mapping->object.ctx;
  const double *points = NULL;
  m->in = sofa_state_kind_info(mapping->inputs[0]->object.kind);
  m->out = sofa_state_kind_info(mapping->out->object.kind);
  m->n_in = mapping->inputs[0]->position.n;
  SOFA_TRY(read_points(m));
  SOFA_TRY(source_points(m, &points));
  m->width = m->out->coord;
  SOFA_TRY(SOFA_RESIZE(ctx, &m->local, m->n * m->width));
  sofa_copy(m->local.data, points, m->n * m->out->coord * sizeof *points);
  SOFA_TRY(choose_frames(m));
  if (m->global_to_local && !m->use_x0 && !m->initial_points.n) to_frames(m, 0);
  SOFA_TRY(SOFA_RESIZE(ctx, &m->arm, m->n * m->in->space));
  SOFA_TRY(SOFA_RESIZE(ctx, &m->bend, m->n_in * 9));
  if (m->in->space == 2 && m->geometric.index != SOFA_GEOMETRIC_NONE)
    sofa_object_message(&mapping->object, SOFA_WARNING,
                        "'geometricStiffness' has no effect in the plane");
  mapping->djt_of_product = m->geometric.index == SOFA_GEOMETRIC_STABILIZED &&
                            sofa_quirk(&mapping->object, QUIRK_RIGID_STABILIZED);
  return mapping->out->position.n == m->n ? SOFA_OK : sofa_state_resize(mapping->out, m->n);
}

static SofaErr check(const RigidMapping *m) {
  return sofa_mapping_check_sizes(&m->mapping, &m->n_in, m->n);
}

/* ---- operations ---- */

static void apply_plane(RigidMapping *m, const double *x, double *out) {
  for (size_t i = 0; i < m->n; i++) {
    const double *frame = x + 3 * m->frames.data[i], *p = m->local.data + 2 * i;
    const double c = cos(frame[2]), s = sin(frame[2]);
    double *rho = m->arm.data + 2 * i;
    rho[0] = c * p[0] - s * p[1];
    rho[1] = s * p[0] + c * p[1];
    for (int k = 0; k < 2; k++) out[2 * i + (size_t)k] = frame[k] + rho[k];
  }
}

/* Points in space have kernels. */
static bool is_of_points(const RigidMapping *m) {
  return m->in->space == 3 && !m->out->rigid && m->out->coord == 3;
}

static RigidPoints points_of(const RigidMapping *m) {
  return (RigidPoints){m->frames.data, m->arm.data, m->n};
}

static const RigidKernels *kernels(const RigidMapping *m) {
  static const RigidKernels *const variants[] = SOFA_VARIANTS(&rigid_kernels);
  return variants[sofa_isa(m->mapping.object.ctx)];
}

/* The places of points and, for frames, their quaternions. */
static void apply_space(RigidMapping *m, const double *x, const double *local, double *out) {
  const size_t width = m->out->coord;
  const RigidPoints points = points_of(m);
  const double *frame = x;
  double r[9] = {0};
  uint32_t last = UINT32_MAX;
  if (is_of_points(m)) {
    kernels(m)->apply(&points, x, local, out);
    return;
  }
  for (size_t i = 0; i < m->n; i++, local += width, out += width) {
    // neighbours mostly share their frame
    if (m->frames.data[i] != last) {
      last = m->frames.data[i];
      frame = SOFA_POSE(x, last);
      sofa_quat_to_matrix(frame + 3, r);
    }
    const SofaThree rho = sofa_three_apply(r, sofa_three(local));
    sofa_three_put(rho, m->arm.data + 3 * i);
    sofa_three_put(sofa_three_add(sofa_three(frame), rho), out);
    if (width == 7) sofa_quat_multiply(frame + 3, local + 3, out + 3);
  }
}

static SofaErr rigid_apply(SofaMapping *mapping, const SofaPoint *at, double *x_out) {
  RigidMapping *m = (RigidMapping *)mapping;
  SOFA_TRY(check(m));
  const bool rest = m->use_x0 && mapping->out->rest_position.n == m->n;
  if (m->in->space == 2) apply_plane(m, at->x[0], x_out);
  else apply_space(m, at->x[0], rest ? mapping->out->rest_position.data : m->local.data, x_out);
  return SOFA_OK;
}

static SofaErr rigid_apply_j(SofaMapping *mapping, const SofaPoint *at, const double *const *v_in,
                             double *v_out) {
  const RigidMapping *m = (const RigidMapping *)mapping;
  const RigidPoints points = points_of(m);
  (void)at;
  SOFA_TRY(check(m));
  if (is_of_points(m)) {
    kernels(m)->apply_j(&points, v_in[0], v_out);
    return SOFA_OK;
  }
  for (size_t i = 0; i < m->n; i++) {
    const double *v = v_in[0] + m->in->deriv * (size_t)m->frames.data[i];
    const double *rho = m->arm.data + m->in->space * i;
    double *to = v_out + m->out->deriv * i;
    if (m->in->space == 2) {
      to[0] = v[0] - v[2] * rho[1];
      to[1] = v[1] + v[2] * rho[0];
      continue;
    }
    const SofaThree spin = sofa_three(v + 3), turn = sofa_three_cross(spin, sofa_three(rho));
    sofa_three_put(sofa_three_add(sofa_three(v), turn), to);
    if (m->out->rigid) sofa_three_put(spin, to + 3);
  }
  return SOFA_OK;
}

/* Adds the forces of the points from *i on that share a frame; *i: the first one behind them. */
static void add_to_frame(const RigidMapping *m, const double *f_out, size_t *i, double *f_in) {
  const uint32_t frame = m->frames.data[*i];
  double *to = SOFA_TWIST(f_in, frame);
  SofaThree force = sofa_three(to), torque = sofa_three(to + 3);
  for (; *i < m->n && m->frames.data[*i] == frame; ++*i) {
    const double *f = f_out + m->out->deriv * *i;
    SofaThree turn = sofa_three_cross(sofa_three(m->arm.data + 3 * *i), sofa_three(f));
    if (m->out->rigid) turn = sofa_three_add(turn, sofa_three(f + 3));
    force = sofa_three_add(force, sofa_three(f));
    torque = sofa_three_add(torque, turn);
  }
  sofa_three_put(force, to);
  sofa_three_put(torque, to + 3);
}

static SofaErr rigid_apply_jt(SofaMapping *mapping, const SofaPoint *at, const double *f_out,
                              double *const *f_in) {
  const RigidMapping *m = (const RigidMapping *)mapping;
  const RigidPoints points = points_of(m);
  (void)at;
  SOFA_TRY(check(m));
  if (is_of_points(m)) {
    kernels(m)->apply_jt(&points, f_out, f_in[0]);
    return SOFA_OK;
  }
  if (m->in->space == 3) {
    for (size_t i = 0; i < m->n;) add_to_frame(m, f_out, &i, f_in[0]);
    return SOFA_OK;
  }
  for (size_t i = 0; i < m->n; i++) {
    double *to = f_in[0] + 3 * (size_t)m->frames.data[i];
    const double *f = f_out + 2 * i, *rho = m->arm.data + 2 * i;
    to[0] += f[0];
    to[1] += f[1];
    to[2] += rho[0] * f[1] - rho[1] * f[0];
  }
  return SOFA_OK;
}

/* Rows of one point: [I, -[rho]x], and [0, I] for frames. */
static void write_rows(RigidMapping *m, size_t i) {
  const size_t c = m->in->deriv * (size_t)m->frames.data[i];
  const double *rho = m->arm.data + m->in->space * i;
  if (m->in->space == 2) {
    for (size_t k = 0; k < 2; k++) {
      sofa_map_matrix_row(&m->j);
      sofa_map_matrix_entry(&m->j, c + k, 1);
      sofa_map_matrix_entry(&m->j, c + 2, k ? rho[0] : -rho[1]);
    }
    return;
  }
  for (size_t k = 0; k < 3; k++) {
    const size_t a = (k + 1) % 3, b = (k + 2) % 3;
    sofa_map_matrix_row(&m->j);
    sofa_map_matrix_entry(&m->j, c + k, 1);
    sofa_map_matrix_entry(&m->j, c + 3 + a, rho[b]);
    sofa_map_matrix_entry(&m->j, c + 3 + b, -rho[a]);
  }
  for (size_t k = 3; m->out->rigid && k < 6; k++) {
    sofa_map_matrix_row(&m->j);
    sofa_map_matrix_entry(&m->j, c + k, 1);
  }
}

static SofaErr rigid_jacobian(SofaMapping *mapping, const SofaPoint *at, size_t k,
                              SofaJacobian *out) {
  RigidMapping *m = (RigidMapping *)mapping;
  (void)at, (void)k;
  SOFA_TRY(check(m));
  const size_t rows = m->n * m->out->deriv;
  SOFA_TRY(
      sofa_map_matrix_begin(mapping->object.ctx, &m->j, rows, m->n_in * m->in->deriv, 3 * rows));
  for (size_t i = 0; i < m->n; i++) write_rows(m, i);
  sofa_map_matrix_end(&m->j, out);
  return SOFA_OK;
}

/* ---- geometric stiffness ---- */

/* The part of a symmetric matrix with negative eigenvalues. */
static void keep_negative(double *g) {
  double w[3], v[9], scaled[9];
  for (int i = 0; i < 3; i++)
    for (int j = i + 1; j < 3; j++) g[3 * i + j] = g[3 * j + i] = (g[3 * i + j] + g[3 * j + i]) / 2;
  sofa_eigen3(g, w, v);
  for (int i = 0; i < 9; i++) scaled[i] = w[i % 3] < 0 ? v[i] * w[i % 3] : 0;
  sofa_mat3_mul_nt(scaled, v, g);
}

/* Per frame d(torque)/d(rotation) = sum of [f_i]x [rho_i]x. */
static void bend_frames(RigidMapping *m, const double *f_out) {
  double *g = m->bend.data;
  sofa_zero(g, 9 * m->n_in * sizeof *g);
  for (size_t i = 0; i < m->n; i++) {
    double f[9], rho[9];
    sofa_mat3_cross(f_out + m->out->deriv * i, f);
    sofa_mat3_cross(m->arm.data + 3 * i, rho);
    sofa_mat3_mul(f, rho, f);
    sofa_mat3_axpy(1, f, g + 9 * (size_t)m->frames.data[i]);
  }
  for (size_t r = 0; m->geometric.index == SOFA_GEOMETRIC_STABILIZED && r < m->n_in; r++)
    keep_negative(g + 9 * r);
}

static SofaErr rigid_apply_djt(SofaMapping *mapping, const SofaPoint *at, double factor,
                               const double *f_out, const double *const *dx_in,
                               double *const *df_in) {
  RigidMapping *m = (RigidMapping *)mapping;
  (void)at;
  SOFA_TRY(check(m));
  if (m->geometric.index == SOFA_GEOMETRIC_NONE || m->in->space == 2) return SOFA_OK;
  bend_frames(m, f_out);
  for (size_t r = 0; r < m->n_in; r++) {
    double t[3];
    sofa_mat3_apply(m->bend.data + 9 * r, SOFA_TWIST_ANGULAR(dx_in[0], r), t);
    sofa_vec3_axpy(factor, t, SOFA_TWIST_ANGULAR(df_in[0], r));
  }
  return SOFA_OK;
}

static SofaErr rigid_add_djt(SofaMapping *mapping, const SofaPoint *at, const double *f_out,
                             const SofaTangent *tangent) {
  RigidMapping *m = (RigidMapping *)mapping;
  (void)at;
  SOFA_TRY(check(m));
  if (m->geometric.index == SOFA_GEOMETRIC_NONE || m->in->space == 2) return SOFA_OK;
  bend_frames(m, f_out);
  for (uint32_t r = 0; r < m->n_in; r++) {
    double block[36] = {0};
    for (size_t e = 0; e < 9; e++) block[6 * (3 + e / 3) + 3 + e % 3] = m->bend.data[9 * r + e];
    sofa_tangent_add(tangent, 0, r, 0, r, block);
  }
  return SOFA_OK;
}

/* ---- topological changes ---- */

/* An inserted point keeps its position, in the frame of its first ancestor or of `index`. */
static SofaErr insert_points(RigidMapping *m, const SofaTopologyChange *change) {
  SofaContext *ctx = m->mapping.object.ctx;
  const size_t width = m->out->coord, before = m->frames.n;
  const SofaAncestors *a = change->ancestors;
  SOFA_TRY(SOFA_RESIZE(ctx, &m->local, (before + change->n) * width));
  SOFA_TRY(SOFA_RESIZE(ctx, &m->frames, before + change->n));
  m->n = before + change->n;
  m->n_in = m->mapping.inputs[0]->position.n;
  sofa_copy(m->local.data + before * width, m->mapping.out->position.data + before * width,
            change->n * width * sizeof *m->local.data);
  for (size_t i = 0; i < change->n; i++) {
    const bool made = a && a->start.data[i] < a->start.data[i + 1];
    uint32_t *frame = &m->frames.data[before + i];
    *frame = m->index_from_end ? (uint32_t)(m->n_in - 1 - m->index) : m->index;
    if (made) *frame = m->frames.data[a->points.data[a->start.data[i]]];
    SOFA_TRY(check_frame(m, "index", before + i, *frame));
  }
  to_frames(m, before);
  return SOFA_OK;
}

static SofaErr rigid_listen(SofaObject *object, const SofaTopologyChange *change) {
  RigidMapping *m = (RigidMapping *)object;
  const bool insertion = change->kind == SOFA_CHANGE_ADD;
  return insertion && sofa_change_moves(change, m->mapping.out) ? insert_points(m, change)
                                                                : SOFA_OK;
}

/* The fields say what the lists say, so that a reset makes these again. */
static SofaErr write_fields(RigidMapping *m) {
  SofaObject *object = &m->mapping.object;
  uint32_t first = m->frames.n ? m->frames.data[0] : 0;
  if (m->each)
    return sofa_change_write_field(object, "rigidIndexPerPoint", &m->index_per_point, &m->frames);
  if (m->frames.n == 0) return SOFA_OK;
  if (m->index_from_end) first = (uint32_t)m->n_in - 1 - first;
  m->index = first;
  sofa_field_touch_name(object, "index");
  return SOFA_OK;
}

static SofaErr rigid_done(SofaObject *object) {
  RigidMapping *m = (RigidMapping *)object;
  m->n = m->frames.n;
  m->n_in = m->mapping.inputs[0]->position.n;
  SOFA_TRY(SOFA_RESIZE(object->ctx, &m->arm, m->n * m->in->space));
  SOFA_TRY(SOFA_RESIZE(object->ctx, &m->bend, m->n_in * 9));
  sofa_map_matrix_free(object->ctx, &m->j);
  SOFA_TRY(write_fields(m));
  return sofa_mapping_put(&m->mapping);
}

static const SofaTopologyListenerOps listener = {
    .listen = rigid_listen, .done = rigid_done, .moves_output = true};

static void rigid_destroy(SofaObject *object) {
  RigidMapping *m = (RigidMapping *)object;
  sofa_list_free(object->ctx, &m->arm);
  sofa_list_free(object->ctx, &m->bend);
  sofa_map_matrix_free(object->ctx, &m->j);
}

/* In the plane the choice has no effect: nothing is built. */
static const char *rigid_approximation(const SofaMapping *mapping) {
  const RigidMapping *m = (const RigidMapping *)mapping;
  return sofa_geometric_approximation(m->in->space == 2 ? SOFA_GEOMETRIC_NONE : m->geometric.index);
}

static const SofaMappingOps rigid_ops = {
    .setup = rigid_setup,
    .apply = rigid_apply,
    .apply_j = rigid_apply_j,
    .apply_jt = rigid_apply_jt,
    .apply_djt = rigid_apply_djt,
    .approximation = rigid_approximation,
    .add_djt = rigid_add_djt,
    .jacobian = rigid_jacobian,
    .keeps_point = true,
};

static const char *const rigid_templates[] = {"Rigid3d,Vec3d", "Rigid2d,Vec2d", "Rigid3d,Rigid3d",
                                              NULL};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(RigidMapping, arm),
    SOFA_REMADE(RigidMapping, bend),
    SOFA_REMADE(RigidMapping, j),
};

SOFA_CLASS(RigidMapping) = {
    SOFA_NAMED(RigidMapping),
    .module = "Sofa.Component.Mapping.NonLinear",
    .category = "Mapping",
    .help = "Fixes the output's points (or frames) to frames of the input.",
    .equations =
        "x_{out} = c + R p\n"
        "v_{out} = v + w times R p\n"
        "\"c, R, v, w: place, rotation, velocity and spin of the frame; p: the point in it\"",
    .base = &sofa_mapping_class,
    SOFA_SPARES(spared),
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(rigid_fields),
    SOFA_PRIVATE_LISTS(rigid_lists),
    .templates = rigid_templates,
    .destroy = rigid_destroy,
    SOFA_IMPLEMENTS({SOFA_MAPPING, &rigid_ops}, {SOFA_TOPOLOGY_LISTENER, &listener}),
};
