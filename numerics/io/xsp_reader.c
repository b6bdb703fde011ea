/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads Xsp files, versions 3 and 4: masses (points) and springs (edges). */
#include "numerics/io/mesh_readers.h"

#include <math.h>
#include "numerics/io/mesh_text.h"

typedef struct XspBuild {
  SofaMeshText text;
  SofaMeshData *out;
  SofaXspData *xsp;
  unsigned n_more;             /* numbers of a spring that only version 4 has */
  int64_t n_masses, n_springs; /* announced, -1: not */
} XspBuild;

void sofa_xsp_data_free(SofaContext *ctx, SofaXspData *xsp) {
  sofa_list_free(ctx, &xsp->masses);
  sofa_list_free(ctx, &xsp->stiffness);
  sofa_list_free(ctx, &xsp->damping);
  sofa_list_free(ctx, &xsp->rest_length);
  sofa_list_free(ctx, &xsp->rest_vector);
}

/* "mass number location x y z vx vy vz mass elasticity" behind the first word. */
static SofaErr read_mass(XspBuild *b) {
  SofaContext *ctx = b->text.ctx;
  int64_t number;
  double x[8];
  SOFA_TRY(sofa_mesh_read_int(&b->text, "the number of the point", &number));
  sofa_mesh_skip(&b->text);
  // a letter: in the volume or on the surface
  if (sofa_mesh_word(&b->text) != 1) return sofa_mesh_expected(&b->text, "the letter v or s");
  b->text.at++;
  SOFA_TRY(sofa_mesh_read_reals(&b->text, "position, velocity, mass and elasticity", 8, x));
  const SofaVec3 p = {{x[0], x[1], x[2]}};
  SOFA_TRY(SOFA_APPEND(ctx, &b->out->mesh.position, &p));
  const double mass = fabs(x[6]); // negative: fixed
  return b->xsp ? SOFA_APPEND(ctx, &b->xsp->masses, &mass) : SOFA_OK;
}

/* "lspg number a b stiffness damping length" behind the first word; length -1: as it stands, the
 * stiffness and damping being for unit length. */
static SofaErr read_spring(XspBuild *b) {
  SofaContext *ctx = b->text.ctx;
  const SofaVec3s *position = &b->out->mesh.position;
  int64_t number;
  SofaEdge edge;
  double x[6] = {0};
  SOFA_TRY(sofa_mesh_read_int(&b->text, "the number of the spring", &number));
  for (int k = 0; k < 2; k++)
    SOFA_TRY(sofa_mesh_read_index(&b->text, "the point of a spring", 1, position->n, &edge.v[k]));
  SOFA_TRY(sofa_mesh_read_reals(&b->text, "stiffness, damping and length", 3 + b->n_more, x));
  SOFA_TRY(SOFA_APPEND(ctx, &b->out->mesh.edges, &edge));
  if (!b->xsp) return SOFA_OK;
  if (x[2] == -1) {
    const double *p = position->data[edge.v[0]].v, *q = position->data[edge.v[1]].v;
    x[2] = sqrt((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) +
                (p[2] - q[2]) * (p[2] - q[2]));
    if (!(x[2] > 0))
      return sofa_mesh_fail(&b->text, SOFA_ERR_GEOMETRY, "spring %lld has no length",
                            (long long)number);
    x[0] /= x[2];
    x[1] /= x[2];
  }
  SOFA_TRY(SOFA_APPEND(ctx, &b->xsp->stiffness, &x[0]));
  SOFA_TRY(SOFA_APPEND(ctx, &b->xsp->damping, &x[1]));
  SOFA_TRY(SOFA_APPEND(ctx, &b->xsp->rest_length, &x[2]));
  const SofaVec3 vector = {{x[3], x[4], x[5]}};
  return SOFA_APPEND(ctx, &b->xsp->rest_vector, &vector);
}

/* A count that may appear once. */
static SofaErr read_total(XspBuild *b, const char *what, int64_t *n) {
  if (*n >= 0) return sofa_mesh_fail(&b->text, SOFA_ERR_PARSE, "%s is given twice", what);
  SOFA_TRY(sofa_mesh_read_int(&b->text, what, n));
  if (*n < 0) return sofa_mesh_fail(&b->text, SOFA_ERR_RANGE, "%s is negative", what);
  return SOFA_OK;
}

static SofaErr read_command(XspBuild *b) {
  SofaMeshText *t = &b->text;
  static const char *const words[] = {"numm", "nums", "mass", "lspg", "grav",
                                      "visc", "step", "frce", NULL};
  double ignored[3];
  int command = 0;
  if (*t->at == '#') {
    sofa_mesh_next_line(t);
    return SOFA_OK;
  }
  while (words[command] && !sofa_mesh_word_is(t, words[command])) command++;
  if (!words[command]) return sofa_mesh_expected(t, "a command of an Xsp file");
  t->at += 4;
  switch (command) {
  case 0:
    return read_total(b, "the number of masses", &b->n_masses);
  case 1:
    return read_total(b, "the number of springs", &b->n_springs);
  case 2:
    return read_mass(b);
  case 3:
    return read_spring(b);
  case 4:
    return sofa_mesh_read_reals(t, "the gravity", 3, ignored);
  case 5:
    return sofa_mesh_read_reals(t, "the viscosity", 1, ignored);
  default:
    sofa_mesh_next_line(t);
    return SOFA_OK;
  }
}

static SofaErr check_total(XspBuild *b, const char *what, int64_t announced, size_t n) {
  if (announced < 0 || (uint64_t)announced == n) return SOFA_OK;
  return sofa_mesh_fail(&b->text, SOFA_ERR_PARSE, "%lld %s announced, %zu given",
                        (long long)announced, what, n);
}

static SofaErr read_all(XspBuild *b) {
  SofaMeshText *t = &b->text;
  double version;
  sofa_mesh_skip(t);
  if (!sofa_mesh_word_is(t, "Xsp")) return sofa_mesh_expected(t, "Xsp at the start of an Xsp file");
  t->at += 3;
  SOFA_TRY(sofa_mesh_read_reals(t, "the version", 1, &version));
  if (version != 3 && version != 4)
    return sofa_mesh_fail(t, SOFA_ERR_UNSUPPORTED,
                          "Xsp version %g is not supported yet: only 3 and 4 are", version);
  b->n_more = version == 4 ? 3 : 0;
  for (sofa_mesh_skip(t); t->at < t->end; sofa_mesh_skip(t)) SOFA_TRY(read_command(b));
  SOFA_TRY(check_total(b, "masses", b->n_masses, b->out->mesh.position.n));
  return check_total(b, "springs", b->n_springs, b->out->mesh.edges.n);
}

SofaErr sofa_xsp_read(SofaContext *ctx, const SofaFileBytes *file, SofaMeshData *out,
                      SofaXspData *xsp) {
  XspBuild b = {
      .text = sofa_mesh_text(ctx, file), .out = out, .xsp = xsp, .n_masses = -1, .n_springs = -1};
  const SofaErr err = read_all(&b);
  if (err != SOFA_OK) {
    sofa_mesh_data_free(ctx, out);
    if (xsp) sofa_xsp_data_free(ctx, xsp);
  }
  return err;
}
