/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the lines of OBJ files: v, vn, vt, f, l, g, usemtl, mtllib; other lines are ignored. */
#include "numerics/io/obj_reader.h"

#include <math.h>
#include "numerics/io/mesh_text.h"

typedef struct ObjBuild {
  SofaMeshText text;
  const SofaObjOptions *options;
  SofaMeshData *mesh;
  SofaObjData *obj;
  SofaIndices lines;                   /* of each face */
  SofaText group, material;            /* current ones */
  size_t counts[SOFA_N_ELEMENT_KINDS]; /* elements that the faces so far give */
  size_t starts[SOFA_N_ELEMENT_KINDS]; /* of the current group */
  bool warned;                         /* of a texture coordinate or normal that does not exist */
} ObjBuild;

void sofa_obj_data_free(SofaContext *ctx, SofaObjData *obj) {
  sofa_list_free(ctx, &obj->positions);
  sofa_list_free(ctx, &obj->normals);
  sofa_list_free(ctx, &obj->texcoords);
  SofaIndexRows *rows[3] = {&obj->faces, &obj->face_texcoords, &obj->face_normals};
  for (int i = 0; i < 3; i++) {
    sofa_list_free(ctx, &rows[i]->ids);
    sofa_list_free(ctx, &rows[i]->end);
  }
  sofa_list_free(ctx, &obj->point_texcoords);
  sofa_list_free(ctx, &obj->point_position);
  sofa_list_free(ctx, &obj->point_normal);
  sofa_strings_free(ctx, &obj->libraries);
}

/* Reads `n` numbers of the line, of which `required` must be there; the others become 0. */
static SofaErr read_reals(ObjBuild *b, int n, int required, double *x) {
  for (int k = 0; k < n; k++) {
    x[k] = 0;
    if (!sofa_mesh_skip_blank(&b->text)) {
      if (k < required)
        return sofa_mesh_fail(&b->text, SOFA_ERR_PARSE, "%d numbers, %d expected", k, required);
      continue;
    }
    if (!sofa_mesh_real(&b->text, &x[k])) return sofa_mesh_expected(&b->text, "a number");
    if (!isfinite(x[k])) return sofa_mesh_fail(&b->text, SOFA_ERR_NOT_FINITE, "number too large");
  }
  return SOFA_OK;
}

/* One index of a corner: from 1, or backwards from -1 at the end of the list; *at behind it. */
static SofaErr read_index(ObjBuild *b, size_t n_listed, const char *what, bool *given, int *index) {
  SofaMeshText *t = &b->text;
  const char *stop;
  int64_t value;
  *given = false;
  *index = -1;
  if (t->at == t->end || *t->at == '/' || (unsigned char)*t->at <= ' ') return SOFA_OK;
  if (!sofa_parse_int(t->at, t->end, &stop, &value) ||
      (stop < t->end && *stop != '/' && (unsigned char)*stop > ' '))
    return sofa_mesh_expected(t, "a corner v, v/t, v//n or v/t/n");
  *given = true;
  if (value > 0 && value <= INT32_MAX) {
    *index = (int)(value - 1);
  } else if (value < 0 && value >= -(int64_t)n_listed) {
    *index = (int)((int64_t)n_listed + value);
  } else {
    return sofa_mesh_fail(t, SOFA_ERR_RANGE, "%lld is not an index of a %s", (long long)value,
                          what);
  }
  t->at = stop;
  return SOFA_OK;
}

static SofaErr read_corner(ObjBuild *b, int v[3]) {
  SofaMeshText *t = &b->text;
  const size_t n[3] = {b->obj->positions.n, b->obj->texcoords.n, b->obj->normals.n};
  static const char *const what[3] = {"vertex", "texture coordinate", "normal"};
  bool given;
  v[1] = v[2] = -1;
  for (int k = 0; k < 3; k++) {
    SOFA_TRY(read_index(b, n[k], what[k], &given, &v[k]));
    if (k == 0 && !given) return sofa_mesh_expected(t, "a corner v, v/t, v//n or v/t/n");
    if (t->at == t->end || *t->at != '/') break;
    if (k == 2) return sofa_mesh_expected(t, "white space after a corner");
    t->at++;
  }
  return SOFA_OK;
}

static SofaErr end_row(ObjBuild *b, SofaIndexRows *rows) {
  const uint32_t end = (uint32_t)rows->ids.n;
  return SOFA_APPEND(b->text.ctx, &rows->end, &end);
}

static SofaErr read_face(ObjBuild *b) {
  SofaContext *ctx = b->text.ctx;
  SofaIndexRows *rows[3] = {&b->obj->faces, &b->obj->face_texcoords, &b->obj->face_normals};
  size_t n = 0;
  for (; sofa_mesh_skip_blank(&b->text); n++) {
    int v[3];
    SOFA_TRY(read_corner(b, v));
    for (int k = 0; k < 3; k++) SOFA_TRY(SOFA_APPEND(ctx, &rows[k]->ids, &v[k]));
  }
  if (rows[0]->ids.n > INT32_MAX)
    return sofa_mesh_fail(&b->text, SOFA_ERR_RANGE, "more than 2^31 corners");
  for (int k = 0; k < 3; k++) SOFA_TRY(end_row(b, rows[k]));
  const uint32_t line = (uint32_t)b->text.line;
  SOFA_TRY(SOFA_APPEND(ctx, &b->lines, &line));
  if (n == 2) b->counts[SOFA_ELEMENT_EDGE]++;
  if (n == 4 && !b->options->faces.triangulate) {
    b->counts[SOFA_ELEMENT_QUAD]++;
  } else if (n > 2) {
    b->counts[SOFA_ELEMENT_TRIANGLE] += n - 2;
  }
  return SOFA_OK;
}

/* Ends the current group: a range per kind of element that it has. */
static SofaErr end_group(ObjBuild *b) {
  SofaContext *ctx = b->text.ctx;
  for (int kind = 0; kind < SOFA_N_ELEMENT_KINDS; kind++) {
    if (b->counts[kind] == b->starts[kind]) continue;
    SofaMeshGroup group = {.first = (uint32_t)b->starts[kind], .material_id = -1};
    group.n = (uint32_t)(b->counts[kind] - b->starts[kind]);
    group.name = sofa_strdup(ctx, b->group.n ? b->group.data : "Default_Group");
    group.material = sofa_strdup(ctx, b->material.n ? b->material.data : "");
    const SofaErr err = group.name && group.material
                            ? SOFA_APPEND(ctx, &b->mesh->groups[kind], &group)
                            : SOFA_ERR_MEMORY;
    if (err != SOFA_OK) {
      sofa_free(ctx, group.name);
      sofa_free(ctx, group.material);
      return err;
    }
    b->starts[kind] = b->counts[kind];
  }
  return SOFA_OK;
}

/* The words of the line, joined by single blanks (first_only: the first one). */
static SofaErr read_words(ObjBuild *b, bool first_only, SofaText *out) {
  SofaMeshText *t = &b->text;
  out->n = 0;
  while (sofa_mesh_skip_blank(t)) {
    const size_t n = sofa_mesh_word(t);
    if (n == 0) break;
    if (out->n) SOFA_TRY(sofa_text_append(t->ctx, out, " ", 1));
    SOFA_TRY(sofa_text_append(t->ctx, out, t->at, n));
    t->at += n;
    if (first_only) break;
  }
  return SOFA_OK;
}

static SofaErr read_libraries(ObjBuild *b) {
  SofaMeshText *t = &b->text;
  while (sofa_mesh_skip_blank(t)) {
    const size_t n = sofa_mesh_word(t);
    if (n == 0) break;
    SOFA_TRY(sofa_strings_append(t->ctx, &b->obj->libraries, t->at, n));
    t->at += n;
  }
  return SOFA_OK;
}

static SofaErr read_line(ObjBuild *b) {
  SofaMeshText *t = &b->text;
  SofaContext *ctx = t->ctx;
  const char *word = t->at;
  const size_t n = sofa_mesh_word(t);
#define IS(text) (n == sizeof(text) - 1 && sofa_compare(word, text, n) == 0)
  t->at += n;
  if (IS("v")) {
    SofaVec3 x;
    SOFA_TRY(read_reals(b, 3, 3, x.v));
    return SOFA_APPEND(ctx, &b->obj->positions, &x);
  }
  if (IS("vn")) {
    SofaVec3 x;
    SOFA_TRY(read_reals(b, 3, 3, x.v));
    return SOFA_APPEND(ctx, &b->obj->normals, &x);
  }
  if (IS("vt")) {
    SofaVec2 x;
    SOFA_TRY(read_reals(b, 2, 1, x.v));
    return SOFA_APPEND(ctx, &b->obj->texcoords, &x);
  }
  if (IS("f") || IS("l")) return read_face(b);
  if (IS("mtllib")) return read_libraries(b);
  if (IS("usemtl") || IS("g")) {
    SOFA_TRY(end_group(b));
    return read_words(b, IS("usemtl"), IS("usemtl") ? &b->material : &b->group);
  }
#undef IS
  return SOFA_OK;
}

/* Indices must exist; a texture coordinate or normal that does not is dropped with a warning. */
static SofaErr check_faces(ObjBuild *b) {
  SofaObjData *obj = b->obj;
  size_t k = 0;
  for (size_t f = 0; f < obj->faces.end.n; f++) {
    b->text.line = (int)b->lines.data[f];
    for (; k < obj->faces.end.data[f]; k++) {
      if ((size_t)obj->faces.ids.data[k] >= obj->positions.n)
        return sofa_mesh_fail(&b->text, SOFA_ERR_RANGE, "vertex %d, but the file has %zu",
                              obj->faces.ids.data[k] + 1, obj->positions.n);
      int *t = &obj->face_texcoords.ids.data[k], *n = &obj->face_normals.ids.data[k];
      const bool bad_t = *t >= 0 && (size_t)*t >= obj->texcoords.n;
      const bool bad_n = *n >= 0 && (size_t)*n >= obj->normals.n;
      if ((bad_t || bad_n) && !b->warned) {
        b->warned = true;
        sofa_mesh_warn(&b->text, "a texture coordinate or normal that the file does not have");
      }
      if (bad_t) *t = -1;
      if (bad_n) *n = -1;
    }
  }
  return SOFA_OK;
}

static SofaErr read_all(ObjBuild *b) {
  SofaMeshText *t = &b->text;
  while (t->at < t->end) {
    sofa_mesh_skip(t);
    if (t->at == t->end) break;
    SOFA_TRY(read_line(b));
    sofa_mesh_next_line(t);
  }
  SOFA_TRY(end_group(b));
  SOFA_TRY(check_faces(b));
  return b->options->handle_seams ? sofa_obj_seam_points(t->ctx, b->options, b->mesh, b->obj)
                                  : sofa_obj_points(t->ctx, b->options, b->mesh, b->obj);
}

SofaErr sofa_obj_read(SofaContext *ctx, const SofaFileBytes *file, const SofaObjOptions *options,
                      SofaMeshData *mesh, SofaObjData *obj) {
  ObjBuild b = {.text = sofa_mesh_text(ctx, file), .options = options, .mesh = mesh, .obj = obj};
  const SofaErr err = read_all(&b);
  sofa_list_free(ctx, &b.lines);
  sofa_list_free(ctx, &b.group);
  sofa_list_free(ctx, &b.material);
  if (err != SOFA_OK) {
    sofa_mesh_data_free(ctx, mesh);
    sofa_obj_data_free(ctx, obj);
    *obj = (SofaObjData){0};
  }
  return err;
}
