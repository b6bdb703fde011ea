/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads STL files, text and binary. Source: 3D Systems, StereoLithography interface specification.
 */
#include <math.h>
#include "topology/tuple_map.h"
#include "numerics/io/mesh_readers.h"
#include "numerics/io/mesh_text.h"

enum { FACET_BYTES = 50 };

typedef struct StlBuild {
  SofaMeshText text;
  const SofaStlOptions *options;
  SofaMeshData *out;
  SofaTupleMap points; /* bits of the coordinates -> point */
} StlBuild;

/* The point with these coordinates, which is made unless there is one. */
static SofaErr find_point(StlBuild *b, const float x[3], uint32_t *point) {
  SofaVec3s *position = &b->out->mesh.position;
  SofaTuple key = {{0, 0, 0, UINT32_MAX}};
  for (int k = 0; k < 3; k++) {
    const float value = x[k] == 0 ? 0.0f : x[k]; // -0 is 0
    if (!isfinite(value))
      return sofa_mesh_fail(&b->text, SOFA_ERR_NOT_FINITE, "a coordinate is not a number");
    memcpy(&key.v[k], &value, sizeof value);
  }
  if (position->n >= INT32_MAX)
    return sofa_mesh_fail(&b->text, SOFA_ERR_RANGE, "more than 2^31 points");
  SOFA_TRY(sofa_tuple_map_add(b->text.ctx, &b->points, &key, (uint32_t)position->n, point));
  if (*point != position->n) return SOFA_OK;
  const SofaVec3 p = {{(double)x[0], (double)x[1], (double)x[2]}};
  return SOFA_APPEND(b->text.ctx, position, &p);
}

static SofaErr add_facet(StlBuild *b, const uint32_t v[3]) {
  return sofa_mesh_add_face(b->text.ctx, &b->options->faces, v, 3, &b->out->mesh);
}

/* ---- text ---- */

static SofaErr expect(StlBuild *b, const char *word) {
  sofa_mesh_skip(&b->text);
  if (!sofa_mesh_word_is(&b->text, word)) return sofa_mesh_expected(&b->text, word);
  b->text.at += strlen(word);
  return SOFA_OK;
}

/* "facet normal x y z", "outer loop", three "vertex x y z", "endloop", "endfacet". */
static SofaErr read_facet(StlBuild *b) {
  double x[3];
  uint32_t v[3];
  SOFA_TRY(expect(b, "facet"));
  SOFA_TRY(expect(b, "normal"));
  SOFA_TRY(sofa_mesh_read_reals(&b->text, "a normal", 3, x));
  SOFA_TRY(expect(b, "outer"));
  SOFA_TRY(expect(b, "loop"));
  for (int k = 0; k < 3; k++) {
    SOFA_TRY(expect(b, "vertex"));
    SOFA_TRY(sofa_mesh_read_reals(&b->text, "a coordinate", 3, x));
    const float single[3] = {(float)x[0], (float)x[1], (float)x[2]};
    SOFA_TRY(find_point(b, single, &v[k]));
  }
  SOFA_TRY(expect(b, "endloop"));
  SOFA_TRY(expect(b, "endfacet"));
  return add_facet(b, v);
}

static SofaErr read_text(StlBuild *b) {
  SofaMeshText *t = &b->text;
  sofa_mesh_next_line(t);
  for (sofa_mesh_skip(t); t->at < t->end; sofa_mesh_skip(t)) {
    if (sofa_mesh_word_is(t, "endsolid") || sofa_mesh_word_is(t, "end")) return SOFA_OK;
    SOFA_TRY(read_facet(b));
  }
  return sofa_mesh_expected(t, "'facet' or 'endsolid'");
}

/* ---- binary, little-endian ---- */

static uint32_t take32(const char *at) {
  const unsigned char *p = (const unsigned char *)at;
  return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static float take_float(const char *at) {
  const uint32_t bits = take32(at);
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static SofaErr read_binary(StlBuild *b) {
  SofaMeshText *t = &b->text;
  const size_t size = (size_t)(t->end - t->begin), header = b->options->header_size;
  size_t n_degenerate = 0;
  t->binary = true;
  if (size < 4 || size - 4 < header)
    return sofa_mesh_fail(t, SOFA_ERR_PARSE, "an STL file has at least %zu bytes, not %zu",
                          header + 4, size);
  t->at = t->begin + header;
  const uint32_t n = take32(t->at);
  if ((size - header - 4) / FACET_BYTES != n || (size - header - 4) % FACET_BYTES)
    return sofa_mesh_fail(
        t, SOFA_ERR_PARSE, "an STL file of %u triangles has %llu bytes, this one has %zu", n,
        (unsigned long long)header + 4 + (unsigned long long)n * FACET_BYTES, size);
  t->at += 4;
  for (uint32_t i = 0; i < n; i++, t->at += FACET_BYTES) {
    uint32_t v[3];
    // the normal comes first
    for (int k = 0; k < 3; k++) {
      const char *at = t->at + 12 + 12 * k;
      const float x[3] = {take_float(at), take_float(at + 4), take_float(at + 8)};
      SOFA_TRY(find_point(b, x, &v[k]));
    }
    const bool degenerate = v[0] == v[1] || v[1] == v[2] || v[0] == v[2];
    n_degenerate += degenerate;
    if (!degenerate) SOFA_TRY(add_facet(b, v));
  }
  if (n_degenerate)
    sofa_mesh_warn(t, "%zu triangles with two equal corners are left out", n_degenerate);
  return SOFA_OK;
}

/* "solid" begins a text file; writers of binary files use the word, too, and their size tells. */
static bool is_text(const StlBuild *b) {
  const SofaMeshText *t = &b->text;
  const size_t size = (size_t)(t->end - t->begin);
  if (b->options->force_binary || !sofa_mesh_word_is(t, "solid")) return false;
  return size < 84 || size - 84 != (uint64_t)take32(t->begin + 80) * FACET_BYTES;
}

SofaErr sofa_stl_read(SofaContext *ctx, const SofaFileBytes *file, const SofaStlOptions *options,
                      SofaMeshData *out) {
  StlBuild b = {.text = sofa_mesh_text(ctx, file), .options = options, .out = out};
  if (!options->force_binary) sofa_mesh_skip(&b.text);
  const SofaErr err = is_text(&b) ? read_text(&b) : read_binary(&b);
  sofa_tuple_map_free(ctx, &b.points);
  if (err != SOFA_OK) sofa_mesh_data_free(ctx, out);
  return err;
}
