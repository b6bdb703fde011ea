/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Distances: how far the points of a body of hexahedra are from target points, through the body. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/text.h"
#include "behavior/draw_state.h"
#include "components/engine/engine.h"
#include "numerics/io/output_file.h"
#include "distance_maps.h"
#include "math/vec.h"

typedef struct Distances {
  SofaObject object;
  unsigned map_index;
  bool show_map, show_goal_map, show_gradients, init_target;
  double text_scale, gradient_scale, harmonic_max;
  SofaVec3 offset;
  char *type, *target_path, *container_path;
  SofaFileName filename;
  int target_step;
  SofaInts zones, voxel_values;
  SofaReals distances; /* targets x points */
  SofaReals x;         /* points of the body, for drawing */
} Distances;

typedef Distances SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_DISPLAY(map_index, "showMapIndex", "0", "target whose distances are drawn"),
    SOFA_ROW_DISPLAY(show_map, "showDistancesMap", "0", "write the distances next to the points"),
    SOFA_ROW_DISPLAY(show_goal_map, "showGoalDistancesMap", "0", "draws nothing"),
    SOFA_ROW_DISPLAY(text_scale, "showTextScaleFactor", "0.001", "size of numbers, m"),
    SOFA_ROW_DISPLAY(show_gradients, "showGradients", "0", "draws nothing"),
    SOFA_ROW_DISPLAY(gradient_scale, "showGradientsScaleFactor", "0.1", "length of gradients"),
    SOFA_ROW_INPUT(offset, "offset", "0 0 0", "m", "where the targets are moved to from the body"),
    SOFA_ROW_INPUT(
        type, "d_distanceType", "Geodesic", "",
        "what is measured: Geodesic, the length of the shortest way between corners of the "
        "hexahedra; Harmonic, the harmonic function that is 0 at the target and harmonicMaxValue "
        "at "
        "the others; Stiffness Diffusion, ways that are up to 6 times as long in stiff voxels; "
        "Voronoi, ways to the points that are nearer to no other target, inf for others; Harmonic "
        "with Stiffness, with a conductivity up to 6 times as large in stiff voxels"),
    SOFA_ROW_INPUT(init_target, "initTarget", "0", "",
                   "make the targets at init: the centers of hexahedra, moved by offset"),
    SOFA_ROW_INPUT(target_step, "initTargetStep", "1", "1",
                   "with initTarget: every so many hexahedra along x, y and z",
                   .range = SOFA_AT_LEAST(1)),
    SOFA_ROW_INPUT(
        zones, "zonesFramePair", NULL, "1",
        "harmonic distances: pairs of a voxel's value and the target whose zone such voxels "
        "are, from 0 on"),
    SOFA_ROW_INPUT(harmonic_max, "harmonicMaxValue", "100", "",
                   "harmonic distances: the value at other targets", .range = SOFA_FINITE_ABOVE(0)),
    SOFA_ROW_INPUT(filename, "filename", NULL, "",
                   "distances are kept in this file, whose name the type ends, and read from it as "
                   "long as they are measured in the same way",
                   .aliases = "fileDistance"),
    SOFA_ROW_INPUT(
        target_path, "targetPath", NULL, "",
        "path, without @, of the state with the target points; default: the state in context"),
    SOFA_ROW_INPUT(container_path, "hexaContainerPath", NULL, "",
                   "path, without @, of the topology of hexahedra; default: the one in context"),
    SOFA_ROW_INPUT(voxel_values, "voxelValues", NULL, "1",
                   "value of the voxel of each hexahedron, 0 to 255: stiffness and zone; default: "
                   "those of the VoxelGridLoader in context"),
    SOFA_ROW_OUTPUT(
        distances, "distances", "m",
        "for each target the distance of every point of the topology from it; inf for a "
        "point that no way leads to"),
};

/* Types by the words of the scene: SOFA's, its rank, and plainer ones. */
enum { GEODESIC, HARMONIC, STIFFNESS_DIFFUSION, VORONOI, HARMONIC_STIFFNESS, N_TYPES };
static const struct {
  const char *words[4], *file;
} types[N_TYPES] = {
    {{"Geodesic", "0", NULL, NULL}, "Geodesical"},
    {{"Harmonic", "1", NULL, NULL}, "Harmonic"},
    {{"Stiffness Diffusion", "2", "StiffnessDiffusion", NULL}, "StiffnessPropagation"},
    {{"Voronoi", "3", "Vorono\xC3\xAF", "Vorono\xEF"}, "Voronoi"},
    {{"Harmonic with Stiffness", "4", "HarmonicWithStiffness", NULL}, "StiffnessHarmonic"},
};

/* ---- the body and the targets ---- */

static bool is_topology(const SofaObject *object, const void *user) {
  (void)user;
  return sofa_implements(object, SOFA_TOPOLOGY);
}

static bool is_state(const SofaObject *object, const void *user) {
  (void)user;
  return sofa_implements(object, SOFA_MECHANICAL_STATE);
}

/* What the path names, or what is in context; *out NULL after an error was reported. */
static SofaErr named(const SofaObject *object, const char *field, const char *path,
                     SofaAccept accept, SofaObject *in_context, SofaObject **out) {
  *out = path && *path ? sofa_resolve_path(object->node, path, &(SofaPathRule){.accept = accept})
                       : in_context;
  if (*out) return SOFA_OK;
  return sofa_field_fail(object, field, SOFA_ERR_NOT_FOUND, "'%s' names no such object",
                         path ? path : "");
}

static SofaErr find(const Distances *d, SofaTopology **topology, SofaState **state) {
  const SofaObject *object = &d->object;
  SofaObject *t = NULL, *s = NULL;
  SOFA_TRY(named(object, "hexaContainerPath", d->container_path, is_topology,
                 (SofaObject *)sofa_node_topology(object->node), &t));
  SOFA_TRY(named(object, "targetPath", d->target_path, is_state,
                 sofa_node_find(object->node, SOFA_MECHANICAL_STATE, SOFA_SEARCH_UP), &s));
  *topology = (SofaTopology *)t;
  *state = (SofaState *)s;
  const SofaHexas *hexas = sofa_topology_hexahedra(*topology);
  if (!hexas || !hexas->n || !(*topology)->n_points)
    return sofa_field_fail(object, "hexaContainerPath", SOFA_ERR_ARGUMENT, "'%s' has no hexahedra",
                           t->name);
  if (sofa_state_kind_info(s->kind)->space != 3)
    return sofa_field_fail(object, "targetPath", SOFA_ERR_ARGUMENT,
                           "the points of '%s' are not in space", s->name);
  return SOFA_OK;
}

/* Center of a hexahedron, and the extents of its box. */
static void center_of(const SofaTopology *t, const SofaHexa *hexa, double *center, double *size) {
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  memset(center, 0, 3 * sizeof *center);
  for (int a = 0; a < 8; a++) {
    double p[3];
    sofa_topology_point(t, hexa->v[a], p);
    sofa_vec3_axpy(0.125, p, center);
    for (int k = 0; k < 3; k++) {
      low[k] = fmin(low[k], p[k]);
      high[k] = fmax(high[k], p[k]);
    }
  }
  sofa_vec3_sub(high, low, size);
}

/* Targets at the centers of all hexahedra whose places in the grid are multiples of the step. */
static SofaErr make_targets(Distances *d) {
  SofaContext *ctx = d->object.ctx;
  SofaTopology *t = NULL;
  SofaState *state = NULL;
  SofaVec3s centers = {0};
  double p[3], size[3], cell[3];
  SOFA_TRY(find(d, &t, &state));
  const SofaHexas *hexas = sofa_topology_hexahedra(t);
  SofaErr err = SOFA_OK;
  center_of(t, &hexas->data[0], p, cell);
  for (size_t e = 0; err == SOFA_OK && e < hexas->n; e++) {
    bool taken = true;
    SofaVec3 center;
    center_of(t, &hexas->data[e], center.v, size);
    for (int k = 0; k < 3; k++)
      taken &= cell[k] > 0 && fmod(floor(center.v[k] / cell[k]), d->target_step) == 0;
    sofa_vec3_add(center.v, d->offset.v, center.v);
    if (taken) err = SOFA_APPEND(ctx, &centers, &center);
  }
  if (err == SOFA_OK) err = sofa_state_resize(state, centers.n);
  for (size_t i = 0; err == SOFA_OK && i < centers.n; i++) {
    memcpy(state->position.data + state->position.width * i, centers.data[i].v, sizeof p);
    if (state->rest_position.n == centers.n)
      memcpy(state->rest_position.data + state->rest_position.width * i, centers.data[i].v,
             sizeof p);
  }
  sofa_list_free(ctx, &centers);
  if (err == SOFA_OK) sofa_state_touch(state);
  return err;
}

/* ---- what is measured ---- */

/* All that a measurement needs; lists are owned. */
typedef struct Measure {
  Distances *d;
  int type;
  SofaDistanceBody body;
  const SofaState *targets;
  SofaReals coefficient;
  SofaIndices entry;    /* point of the body next to each target */
  SofaReals entry_away; /* how far it is */
} Measure;

static SofaErr find_type(const Distances *d, int *type) {
  for (*type = 0; *type < N_TYPES; ++*type)
    for (int k = 0; k < 4; k++)
      if (types[*type].words[k] && d->type && strcmp(types[*type].words[k], d->type) == 0)
        return SOFA_OK;
  return sofa_field_fail(&d->object, "d_distanceType", SOFA_ERR_ARGUMENT,
                         "'%s' is not one of Geodesic, Harmonic, Stiffness Diffusion, Voronoi, "
                         "Harmonic with Stiffness",
                         d->type ? d->type : "");
}

/* From 1 in soft voxels to 6 in the stiffest: SOFA's coefficient of stiffness diffusion. */
static SofaErr make_coefficients(Measure *m) {
  Distances *d = m->d;
  const size_t n = m->body.hexas->n;
  const bool stiff = m->type == STIFFNESS_DIFFUSION || m->type == HARMONIC_STIFFNESS;
  if ((stiff || d->zones.n || d->voxel_values.n) && d->voxel_values.n != n)
    return sofa_field_fail(&d->object, "voxelValues", SOFA_ERR_RANGE,
                           "there are %zu values for %zu hexahedra; stiffness and zones need one "
                           "for each",
                           d->voxel_values.n, n);
  if (!stiff) return SOFA_OK;
  SOFA_TRY(SOFA_RESIZE(d->object.ctx, &m->coefficient, n));
  for (size_t e = 0; e < n; e++) {
    const int value = d->voxel_values.data[e];
    if (value < 0 || value > 255)
      return sofa_field_fail(&d->object, "voxelValues", SOFA_ERR_RANGE,
                             "value %zu is %d; it must be 0 to 255", e, value);
    m->coefficient.data[e] = 1 + 5 * value / 255.0;
  }
  m->body.coefficient = m->coefficient.data;
  return SOFA_OK;
}

/* A target enters the body at the point next to it. */
static SofaErr enter(Measure *m) {
  SofaContext *ctx = m->body.ctx;
  const SofaCoords *x = &m->targets->position;
  for (size_t k = 0; k < x->n; k++) {
    double target[3], least = INFINITY;
    uint32_t best = 0;
    sofa_vec3_sub(x->data + x->width * k, m->d->offset.v, target);
    for (size_t i = 0; i < m->body.n_points; i++) {
      double way[3];
      sofa_vec3_sub(m->body.x + 3 * i, target, way);
      const double distance = sofa_vec3_norm(way);
      if (distance < least) least = distance, best = (uint32_t)i;
    }
    SOFA_TRY(SOFA_APPEND(ctx, &m->entry, &best));
    SOFA_TRY(SOFA_APPEND(ctx, &m->entry_away, &least));
  }
  return SOFA_OK;
}

/* The target of the zone of a hexahedron; -1: it is in none. */
static int zone_of(const Distances *d, size_t e) {
  for (size_t i = 0; i + 1 < d->zones.n; i += 2)
    if (d->zones.data[i] == d->voxel_values.data[e]) return d->zones.data[i + 1];
  return -1;
}

/* What is given of the harmonic function of target k: the target itself is stronger than others. */
static void fix(const Measure *m, size_t k, bool *fixed, double *u) {
  const double most = m->d->harmonic_max;
  sofa_zero(fixed, m->body.n_points * sizeof *fixed);
  for (int own = 0; own < 2; own++) {
    for (size_t e = 0; m->d->zones.n && e < m->body.hexas->n; e++) {
      const int zone = zone_of(m->d, e);
      if (zone < 0 || ((size_t)zone == k) != own) continue;
      for (int a = 0; a < 8; a++) {
        const uint32_t point = m->body.hexas->data[e].v[a];
        fixed[point] = true;
        u[point] = own ? 0 : most;
      }
    }
    for (size_t t = 0; t < m->entry.n; t++) {
      if ((t == k) != own) continue;
      fixed[m->entry.data[t]] = true;
      u[m->entry.data[t]] = own ? 0 : most;
    }
  }
}

static SofaErr measure_harmonic(Measure *m) {
  SofaContext *ctx = m->body.ctx;
  const Distances *d = m->d;
  size_t bad = 0;
  SofaErr err = SOFA_OK;
  bool *fixed = sofa_alloc(ctx, m->body.n_points, sizeof *fixed);
  if (!fixed) return SOFA_ERR_MEMORY;
  for (size_t k = 0; err == SOFA_OK && k < m->targets->position.n; k++) {
    double *u = d->distances.data + m->body.n_points * k;
    fix(m, k, fixed, u);
    err = sofa_distance_harmonic(&m->body, fixed, u, &bad);
  }
  sofa_free(ctx, fixed);
  if (err == SOFA_ERR_GEOMETRY)
    return sofa_field_fail(&d->object, "hexaContainerPath", err, "hexahedron %zu has no volume",
                           bad);
  return err;
}

/* Each point belongs to the nearest target, the first of them. */
static void keep_cells(Measure *m) {
  const size_t n = m->body.n_points, n_targets = m->targets->position.n;
  double *distance = m->d->distances.data;
  for (size_t i = 0; i < n; i++) {
    size_t owner = 0;
    for (size_t k = 1; k < n_targets; k++)
      if (distance[n * k + i] < distance[n * owner + i]) owner = k;
    for (size_t k = 0; k < n_targets; k++)
      if (k != owner) distance[n * k + i] = INFINITY;
  }
}

static SofaErr measure(Measure *m) {
  if (m->type == HARMONIC || m->type == HARMONIC_STIFFNESS) return measure_harmonic(m);
  for (size_t k = 0; k < m->entry.n; k++)
    SOFA_TRY(sofa_distance_ways(&m->body, m->entry.data[k], m->entry_away.data[k],
                                m->d->distances.data + m->body.n_points * k));
  if (m->type == VORONOI && m->entry.n) keep_cells(m);
  return SOFA_OK;
}

/* ---- the file ---- */

static uint64_t hash(uint64_t h, const void *bytes, size_t n) {
  const unsigned char *at = bytes;
  for (size_t i = 0; i < n; i++) h = (h ^ at[i]) * 1099511628211U;
  return h;
}

/* Number of what is measured (FNV-1a): other bodies, targets and options have another one. */
static uint64_t number_of(const Measure *m) {
  const Distances *d = m->d;
  uint64_t h = hash(14695981039346656037U, &m->type, sizeof m->type);
  h = hash(h, m->body.hexas->data, m->body.hexas->n * sizeof *m->body.hexas->data);
  h = hash(h, m->body.x, 3 * m->body.n_points * sizeof(double));
  h = hash(h, m->coefficient.data, m->coefficient.n * sizeof(double));
  h = hash(h, m->entry.data, m->entry.n * sizeof(uint32_t));
  h = hash(h, m->entry_away.data, m->entry_away.n * sizeof(double));
  h = hash(h, d->zones.data, d->zones.n * sizeof(int));
  if (d->zones.n) h = hash(h, d->voxel_values.data, d->voxel_values.n * sizeof(int));
  return hash(h, &d->harmonic_max, sizeof d->harmonic_max);
}

/* "inf" is not a number of a scene. */
static bool read_distance(const char **at, double *value) {
  *at += strspn(*at, " \n");
  if (strncmp(*at, "inf", 3) == 0) return *value = INFINITY, *at += 3, true;
  return sofa_read_real(at, value);
}

/* Reads what was measured before; *found: it was the same. */
/* *ours: there is no file, or one that may be replaced. */
static SofaErr read_kept(Measure *m, const char *path, const char *head, bool *found, bool *ours) {
  static const char mark[] = "distances ";
  SofaContext *ctx = m->body.ctx;
  char *bytes = NULL;
  size_t size = 0, i = 0;
  *found = false;
  *ours = true;
  if (access(path, F_OK) != 0) return SOFA_OK;
  SOFA_TRY(sofa_read_file(ctx, path, 0, &bytes, &size));
  const char *at = bytes + strlen(head);
  if (size > strlen(head) && sofa_compare(bytes, head, strlen(head)) == 0) {
    while (i < m->d->distances.n && read_distance(&at, &m->d->distances.data[i])) i++;
    *found = i == m->d->distances.n;
  }
  *ours = size >= sizeof mark - 1 && memcmp(bytes, mark, sizeof mark - 1) == 0;
  sofa_free(ctx, bytes);
  if (!*found)
    sofa_object_message(&m->d->object, SOFA_WARNING,
                        *ours ? "'%s' has distances of something else: it is replaced"
                              : "'%s' is not a file of this engine: it stays, nothing is kept",
                        path);
  return SOFA_OK;
}

static SofaErr keep(const Measure *m, const char *path, const char *head) {
  SofaContext *ctx = m->body.ctx;
  SofaText text = {0};
  SofaErr err = sofa_output_file_check(&m->d->object, "filename", path);
  if (err == SOFA_OK) err = sofa_text_append(ctx, &text, head, strlen(head));
  for (size_t i = 0; err == SOFA_OK && i < m->d->distances.n; i++) {
    const char *end = (i + 1) % m->body.n_points ? " " : "\n";
    const double value = m->d->distances.data[i];
    err = isfinite(value) ? sofa_text_printf(ctx, &text, "%.17g%s", value, end)
                          : sofa_text_printf(ctx, &text, "inf%s", end);
  }
  if (err == SOFA_OK) err = sofa_output_file_replace(&m->d->object, path, text.data, text.n);
  sofa_list_free(ctx, &text);
  return err;
}

static SofaErr measure_or_read(Measure *m) {
  SofaContext *ctx = m->body.ctx;
  const SofaFileName *name = &m->d->filename;
  char head[60];
  bool found = false, ours = true;
  if (!name->text || !*name->text) return measure(m);
  char *path = sofa_format(ctx, "%s%s", name->text, types[m->type].file);
  if (!path) return SOFA_ERR_MEMORY;
  snprintf(head, sizeof head, "distances %016llx\n", (unsigned long long)number_of(m));
  SofaErr err = read_kept(m, path, head, &found, &ours);
  if (err == SOFA_OK && !found) err = measure(m);
  if (err == SOFA_OK && !found && ours) err = keep(m, path, head);
  sofa_free(ctx, path);
  return err;
}

/* ---- the engine ---- */

static SofaErr prepare(Measure *m) {
  Distances *d = m->d;
  SofaTopology *t = NULL;
  SofaState *state = NULL;
  SOFA_TRY(find_type(d, &m->type));
  if (d->zones.n % 2)
    return sofa_field_fail(&d->object, "zonesFramePair", SOFA_ERR_RANGE,
                           "it has %zu numbers; it must have two per zone", d->zones.n);
  SOFA_TRY(find(d, &t, &state));
  SOFA_TRY(SOFA_RESIZE(d->object.ctx, &d->x, 3 * t->n_points));
  for (size_t i = 0; i < t->n_points; i++) sofa_topology_point(t, i, d->x.data + 3 * i);
  for (size_t i = 1; i < d->zones.n; i += 2)
    if (d->zones.data[i] < 0 || (size_t)d->zones.data[i] >= sofa_state_size(state))
      return sofa_field_fail(&d->object, "zonesFramePair", SOFA_ERR_RANGE,
                             "number %zu names target %d; there are %zu targets", i,
                             d->zones.data[i], sofa_state_size(state));
  m->targets = state;
  m->body =
      (SofaDistanceBody){.ctx = d->object.ctx,
                         .hexas = sofa_topology_hexahedra(t),
                         .around = sofa_topology_around(t, SOFA_ELEMENT_HEXA, SOFA_ELEMENT_POINT),
                         .x = d->x.data,
                         .n_points = t->n_points};
  SOFA_TRY(t->failure);
  SOFA_TRY(make_coefficients(m));
  SOFA_TRY(SOFA_RESIZE(d->object.ctx, &d->distances, t->n_points * sofa_state_size(state)));
  return enter(m);
}

static SofaErr update(SofaObject *object) {
  Measure m = {.d = (Distances *)object};
  SofaErr err = prepare(&m);
  if (err == SOFA_OK) err = measure_or_read(&m);
  sofa_list_free(object->ctx, &m.coefficient);
  sofa_list_free(object->ctx, &m.entry);
  sofa_list_free(object->ctx, &m.entry_away);
  return err;
}

/* After the nodes below, where the body may be. */
static SofaErr bwd_init(SofaObject *object) {
  Distances *d = (Distances *)object;
  for (const SofaNode *node = object->node; node; node = sofa_node_parent(node))
    for (size_t i = 0; i < node->objects.n; i++) {
      SofaObject *other = node->objects.data[i];
      if (strcmp(other->klass->name, "VoxelGridLoader") == 0)
        SOFA_TRY(engine_link(object, "voxelValues", other, "voxelValues"));
    }
  if (d->init_target) SOFA_TRY(make_targets(d));
  return engine_init(object);
}

static void draw(SofaObject *object, const SofaDrawArgs *args) {
  const Distances *d = (const Distances *)object;
  const size_t n = d->x.n / 3, n_targets = n ? d->distances.n / n : 0;
  for (size_t i = 0; d->show_map && n_targets && i < n; i++) {
    char text[40];
    snprintf(text, sizeof text, "%g", d->distances.data[n * (d->map_index % n_targets) + i]);
    sofa_draw_text(args->list, d->x.data + 3 * i, d->text_scale, SOFA_RGB(1, 0, 0.3), text);
  }
}
static const SofaDrawOps draw_ops = {.draw = draw};

static void destroy(SofaObject *object) {
  sofa_list_free(object->ctx, &((Distances *)object)->x);
}

SOFA_CLASS(Distances) = {
    SOFA_NAMED(Distances),
    .module = "Sofa.Component.Engine.Analyze",
    .category = "Engine",
    .help = "Measures for target points how far the points of a body of hexahedra are from them, "
            "through the body.",
    SOFA_FIELDS(fields),
    .templates = engine_vec3_templates,
    .bwd_init = bwd_init,
    .update = update,
    .destroy = destroy,
    SOFA_IMPLEMENTS({SOFA_ENGINE, SOFA_NO_OPS}, {SOFA_DRAW, &draw_ops}),
};
