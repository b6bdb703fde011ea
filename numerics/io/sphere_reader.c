/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads files of spheres: a header line, then "nums count", "sphe ..." and comments. */
#include "numerics/io/mesh_readers.h"
#include "numerics/io/mesh_text.h"

/* "sphe id x y z radius", behind the first word. */
static SofaErr read_sphere(SofaMeshText *t, SofaVec3s *centers, SofaReals *radii) {
  int64_t id;
  double v[4];
  SOFA_TRY(sofa_mesh_read_int(t, "the number of the sphere", &id));
  SOFA_TRY(sofa_mesh_read_reals(t, "a center and a radius", 4, v));
  if (!(v[3] >= 0)) return sofa_mesh_fail(t, SOFA_ERR_RANGE, "the radius %g is negative", v[3]);
  const SofaVec3 center = {{v[0], v[1], v[2]}};
  SOFA_TRY(SOFA_APPEND(t->ctx, centers, &center));
  return SOFA_APPEND(t->ctx, radii, &v[3]);
}

static SofaErr read_all(SofaMeshText *t, SofaVec3s *centers, SofaReals *radii) {
  int64_t n = -1;
  sofa_mesh_skip(t);
  if (!sofa_mesh_word_is(t, "sph")) return sofa_mesh_expected(t, "'sph' and a version");
  sofa_mesh_next_line(t);
  for (sofa_mesh_skip(t); t->at < t->end; sofa_mesh_skip(t)) {
    if (sofa_mesh_word_is(t, "sphe")) {
      t->at += 4;
      SOFA_TRY(read_sphere(t, centers, radii));
    } else if (sofa_mesh_word_is(t, "nums")) {
      t->at += 4;
      SOFA_TRY(sofa_mesh_read_int(t, "the number of spheres", &n));
    } else if (*t->at == '#') {
      sofa_mesh_next_line(t);
    } else {
      return sofa_mesh_expected(t, "'sphe', 'nums' or a comment");
    }
  }
  if (n >= 0 && (uint64_t)n != radii->n)
    sofa_mesh_warn(t, "%lld spheres announced, %zu given", (long long)n, radii->n);
  return SOFA_OK;
}

SofaErr sofa_spheres_read(SofaContext *ctx, const SofaFileBytes *file, SofaVec3s *centers,
                          SofaReals *radii) {
  SofaMeshText text = sofa_mesh_text(ctx, file);
  const SofaErr err = read_all(&text, centers, radii);
  if (err != SOFA_OK) {
    sofa_list_free(ctx, centers);
    sofa_list_free(ctx, radii);
  }
  return err;
}
