/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Faces, edges and normals of a mesh in slices. The process whose run has the smallest point of a
 * face knows whether it was there before: it hears of the faces in the order of their elements. */
#include "topology/slice_finish.h"

#include "math/quaternion.h"
#include "topology/letters_impl.h"
#include "topology/mesh_finish.h"

/* ---- longer lists ---- */

/* Elements from number `first` on go to the processes that have them in a list of n_whole. */
static SofaErr pass_elements(SofaContext *ctx, size_t n_whole, size_t first, unsigned width,
                             const SofaIndices *from, SofaAnyList *to) {
  const size_t n = from->n / width, size = width * sizeof(uint32_t), before = to->n;
  SofaMail mail = {0};
  SofaErr err = SOFA_ERR_MEMORY;
  uint32_t *rank = sofa_alloc(ctx, n, sizeof *rank);
  if (!rank) return err;
  for (size_t i = 0; i < n; i++)
    rank[i] = sofa_slice_rank(n_whole, first + i, sofa_process_count(ctx));
  SOFA_GO(err, done, sofa_process_mail(ctx, size, n, rank, from->data, &mail));
  SOFA_GO(err, done, sofa_list_resize(ctx, to, size, before + mail.n));
  if (mail.n) sofa_copy((char *)to->data + before * size, mail.records, mail.n * size);
done:
  sofa_mail_free(ctx, &mail);
  sofa_free(ctx, rank);
  return err;
}

/* Elements of each table on the processes before this one, and on all. */
static SofaErr count_found(SofaContext *ctx, const SofaFoundElements *found, unsigned width,
                           size_t *before, size_t *total) {
  const size_t n = found->n_tables, n_processes = (size_t)sofa_process_count(ctx);
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  uint64_t *mine = SOFA_SCRATCH(ctx, uint64_t, n),
           *all = SOFA_SCRATCH(ctx, uint64_t, n * n_processes);
  SofaErr err = mine && all ? SOFA_OK : SOFA_ERR_MEMORY;
  for (size_t t = 0; err == SOFA_OK && t < n; t++) {
    mine[t] = found->tables[t].n / width;
    before[t] = total[t] = 0;
  }
  if (err == SOFA_OK) err = sofa_process_collect(ctx, n * sizeof *mine, mine, all);
  for (size_t i = 0; err == SOFA_OK && i < n * n_processes; i++) {
    if (i / n < (size_t)sofa_process_rank(ctx)) before[i % n] += (size_t)all[i];
    total[i % n] += (size_t)all[i];
  }
  sofa_scratch_release(ctx, mark);
  return err;
}

enum { MOST_TABLES = 4 };

static SofaErr append(SofaContext *ctx, SofaMeshSlice *slice, SofaElementKind kind,
                      SofaFoundElements *found) {
  const unsigned width = sofa_element_kind_info(kind)->width;
  SofaAnyList *list = sofa_mesh_list(&slice->mesh, kind), longer = {0};
  size_t before[MOST_TABLES], total[MOST_TABLES], n = slice->n_whole[kind];
  const SofaIndices old = {list->data, list->n * width, list->capacity * width};
  SOFA_TRY(count_found(ctx, found, width, before, total));
  for (size_t t = 0; t < found->n_tables; t++) n += total[t];
  if (n > UINT32_MAX)
    return sofa_fail(ctx, SOFA_ERR_RANGE, NULL, "more than 2^32 elements of one kind");
  SofaErr err = SOFA_OK;
  size_t first = slice->n_whole[kind];
  if (n > first) err = pass_elements(ctx, n, slice->first[kind], width, &old, &longer);
  for (size_t t = 0; n > slice->n_whole[kind] && t < found->n_tables && err == SOFA_OK; t++) {
    if (total[t]) err = pass_elements(ctx, n, first + before[t], width, &found->tables[t], &longer);
    first += total[t];
    sofa_list_free(ctx, &found->tables[t]);
  }
  if (err == SOFA_OK && n > slice->n_whole[kind]) {
    sofa_list_free(ctx, list);
    *list = longer;
    slice->n_whole[kind] = n;
    slice->first[kind] = sofa_slice_begin(n, sofa_process_rank(ctx), sofa_process_count(ctx));
    return SOFA_OK;
  }
  sofa_list_free(ctx, &longer);
  return err;
}

SofaErr sofa_mesh_slice_append(SofaContext *ctx, SofaMeshSlice *slice, SofaElementKind kind,
                               SofaFoundElements *found) {
  const SofaErr err = append(ctx, slice, kind, found);
  for (size_t t = 0; t < found->n_tables; t++) sofa_list_free(ctx, &found->tables[t]);
  return err;
}

SofaErr sofa_mesh_slice_triangulate(SofaContext *ctx, SofaMeshSlice *slice, bool flip) {
  SofaMesh cut = {.quads = slice->mesh.quads};
  slice->mesh.quads = (SofaQuads){0};
  slice->n_whole[SOFA_ELEMENT_QUAD] = slice->first[SOFA_ELEMENT_QUAD] = 0;
  const SofaErr err = sofa_mesh_triangulate(ctx, &cut, flip);
  SofaIndices table = {(uint32_t *)(void *)cut.triangles.data, 3 * cut.triangles.n,
                       3 * cut.triangles.capacity};
  sofa_list_free(ctx, &cut.quads);
  if (err != SOFA_OK) {
    sofa_list_free(ctx, &table);
    return err;
  }
  return sofa_mesh_slice_append(ctx, slice, SOFA_ELEMENT_TRIANGLE, &(SofaFoundElements){1, &table});
}

/* ---- faces ---- */

/* Faces that this process told lately, so that it need not tell most of them twice. */
enum { N_TOLD = 1 << 14 };

typedef struct Completion {
  SofaContext *ctx;
  SofaMeshSlice *slice;
  SofaElementKind kind;
  unsigned width;
  SofaTuple *told;
  SofaTupleMap known; /* faces whose smallest point is in the run of this process */
  SofaIndices tables[MOST_TABLES];
  size_t n_tables;
} Completion;

static bool is_told(Completion *c, const SofaTuple *key) {
  uint64_t hash = 0;
  for (unsigned k = 0; k < c->width; k++) hash = (hash ^ key->v[k]) * UINT64_C(0x9e3779b97f4a7c15);
  SofaTuple *slot = &c->told[hash >> 50];
  if (memcmp(slot, key, sizeof *key) == 0) return true;
  *slot = *key;
  return false;
}

static SofaErr tell(Completion *c, const uint32_t *v, bool always, SofaLetters *letters) {
  const SofaTuple key = sofa_face_key(v, c->width);
  const size_t n_points = c->slice->n_whole[SOFA_ELEMENT_POINT];
  uint32_t *words;
  if (is_told(c, &key) && !always) return SOFA_OK;
  SOFA_TRY(sofa_letters_add(
      c->ctx, letters, sofa_slice_rank(n_points, key.v[0], sofa_process_count(c->ctx)), &words));
  sofa_copy(words, v, c->width * sizeof *v);
  return SOFA_OK;
}

/* is_new: which faces of those that arrived nobody had told before. */
static SofaErr learn(Completion *c, const SofaMail *mail, bool **is_new) {
  *is_new = sofa_alloc(c->ctx, mail->n, sizeof **is_new);
  if (!*is_new) return SOFA_ERR_MEMORY;
  SOFA_TRY(sofa_tuple_map_reserve(c->ctx, &c->known, c->known.n + mail->n));
  for (size_t i = 0; i < mail->n; i++) {
    const SofaTuple key = sofa_face_key((const uint32_t *)mail->records + i * c->width, c->width);
    const uint32_t id = (uint32_t)c->known.n;
    uint32_t found;
    SOFA_TRY(sofa_tuple_map_add(c->ctx, &c->known, &key, id, &found));
    (*is_new)[i] = found == id;
  }
  return SOFA_OK;
}

/* Those of the faces told that are new; found NULL: they are elements already. */
static SofaErr pass_faces(Completion *c, const SofaLetters *letters, SofaIndices *found) {
  SofaMail mail = {0};
  bool *is_new = NULL, *mine = NULL;
  SofaErr err;
  SOFA_GO(err, done,
          sofa_process_mail(c->ctx, c->width * sizeof(uint32_t), letters->rank.n,
                            letters->rank.data, letters->words.data, &mail));
  SOFA_GO(err, done, learn(c, &mail, &is_new));
  sofa_free(c->ctx, mail.records);
  mail.records = NULL;
  if (!found) goto done;
  mine = sofa_alloc(c->ctx, mail.n_sent, sizeof *mine);
  SOFA_GO(err, done, mine ? SOFA_OK : SOFA_ERR_MEMORY);
  SOFA_GO(err, done, sofa_process_answer(c->ctx, &mail, sizeof *mine, is_new, mine));
  for (size_t i = 0; i < mail.n_sent; i++)
    for (unsigned k = 0; mine[i] && k < c->width; k++)
      SOFA_GO(err, done, SOFA_APPEND(c->ctx, found, &letters->words.data[i * c->width + k]));
done:
  sofa_mail_free(c->ctx, &mail);
  sofa_free(c->ctx, is_new);
  sofa_free(c->ctx, mine);
  return err;
}

static SofaErr tell_listed(Completion *c) {
  const SofaElements list = sofa_mesh_elements(&c->slice->mesh, c->kind);
  SofaLetters letters = {.width = c->width};
  SofaErr err = SOFA_OK;
  for (size_t i = 0; i < list.n && err == SOFA_OK; i++)
    err = tell(c, list.v + i * list.width, true, &letters);
  if (err == SOFA_OK) err = pass_faces(c, &letters, NULL);
  sofa_letters_free(c->ctx, &letters);
  return err;
}

static SofaErr complete(Completion *c, const SofaFaceTable *table) {
  const SofaElements list = sofa_mesh_elements(&c->slice->mesh, table->of);
  SofaLetters letters = {.width = c->width};
  SofaErr err = SOFA_OK;
  for (size_t i = 0; i < list.n * table->n && err == SOFA_OK; i++) {
    const uint32_t *v = list.v + i / table->n * list.width;
    const uint8_t *row = table->points + i % table->n * c->width;
    uint32_t face[4];
    for (unsigned k = 0; k < c->width; k++) face[k] = v[row[k]];
    err = tell(c, face, false, &letters);
  }
  if (err == SOFA_OK) err = pass_faces(c, &letters, &c->tables[c->n_tables++]);
  sofa_letters_free(c->ctx, &letters);
  return err;
}

static SofaErr complete_all(Completion *c) {
  if (c->slice->n_whole[c->kind]) SOFA_TRY(tell_listed(c));
  for (int t = 0; t < SOFA_N_FACE_TABLES; t++) {
    const SofaFaceTable *table = &sofa_face_tables[t];
    if (table->face == c->kind && c->slice->n_whole[table->of]) SOFA_TRY(complete(c, table));
  }
  return SOFA_OK;
}

SofaErr sofa_mesh_slice_add_faces(SofaContext *ctx, SofaMeshSlice *slice, SofaElementKind kind) {
  Completion c = {.ctx = ctx, .slice = slice, .kind = kind};
  size_t n = 0;
  for (int t = 0; t < SOFA_N_FACE_TABLES; t++)
    if (sofa_face_tables[t].face == kind) n += slice->n_whole[sofa_face_tables[t].of];
  if (!n) return SOFA_OK;
  c.width = sofa_element_kind_info(kind)->width;
  c.told = sofa_alloc(ctx, N_TOLD, sizeof *c.told);
  if (c.told) sofa_fill(c.told, 0xff, N_TOLD * sizeof *c.told); /* no point has this number */
  SofaErr err = c.told ? complete_all(&c) : SOFA_ERR_MEMORY;
  sofa_free(ctx, c.told);
  sofa_tuple_map_free(ctx, &c.known);
  SofaFoundElements found = {c.n_tables, c.tables};
  if (err == SOFA_OK) err = sofa_mesh_slice_append(ctx, slice, kind, &found);
  for (size_t t = 0; t < MOST_TABLES; t++) sofa_list_free(ctx, &c.tables[t]);
  return err;
}

SofaErr sofa_mesh_slice_add_subelements(SofaContext *ctx, SofaMeshSlice *slice) {
  SOFA_TRY(sofa_mesh_slice_add_faces(ctx, slice, SOFA_ELEMENT_QUAD));
  SOFA_TRY(sofa_mesh_slice_add_faces(ctx, slice, SOFA_ELEMENT_TRIANGLE));
  return sofa_mesh_slice_add_faces(ctx, slice, SOFA_ELEMENT_EDGE);
}

/* ---- normals ---- */

/* Each face goes once to every process that has one of its points. */
static SofaErr send_faces(SofaContext *ctx, const SofaMeshSlice *slice, SofaElementKind kind,
                          SofaMail *out) {
  const SofaElements list = sofa_mesh_elements(&slice->mesh, kind);
  const size_t n_points = slice->n_whole[SOFA_ELEMENT_POINT];
  SofaLetters letters = {.width = list.width};
  SofaErr err = SOFA_OK;
  uint32_t homes[4], *words;
  for (size_t i = 0; i < list.n * list.width; i++) {
    const unsigned k = (unsigned)(i % list.width);
    unsigned before = 0;
    homes[k] = sofa_slice_rank(n_points, list.v[i], sofa_process_count(ctx));
    while (homes[before] != homes[k]) before++;
    if (before < k) continue;
    SOFA_GO(err, done, sofa_letters_add(ctx, &letters, homes[k], &words));
    sofa_copy(words, list.v + i - k, list.width * sizeof *words);
  }
  err = sofa_letters_send(ctx, &letters, out);
done:
  sofa_letters_free(ctx, &letters);
  return err;
}

/* Adds the normal of a face at corner k to the point there, if it is in the run. */
static void add_normal(const SofaSliceValues *points, const uint32_t *v, unsigned n, unsigned k,
                       SofaVec3s *normals) {
  const unsigned at = n == 3 ? 0 : k; /* a quad has a normal of each corner */
  if (v[k] - points->first >= points->n) return;
  const SofaVec3 normal = sofa_mesh_unit_normal(sofa_slice_value(points, v[at]),
                                                sofa_slice_value(points, v[(at + 1) % n]),
                                                sofa_slice_value(points, v[(at + n - 1) % n]));
  sofa_vec3_axpy(1, normal.v, normals->data[v[k] - points->first].v);
}

static SofaErr add_normals(SofaContext *ctx, const SofaMeshSlice *slice, SofaElementKind kind,
                           SofaVec3s *normals) {
  const unsigned width = sofa_element_kind_info(kind)->width;
  SofaMail faces = {0};
  SofaSliceValues points = {0};
  SofaErr err;
  if (!slice->n_whole[kind]) return SOFA_OK;
  SOFA_GO(err, done, send_faces(ctx, slice, kind, &faces));
  const uint32_t *v = faces.records;
  SOFA_GO(err, done,
          sofa_slice_values(ctx,
                            &(SofaSliceRun){slice->n_whole[SOFA_ELEMENT_POINT], sizeof(SofaVec3),
                                            slice->mesh.position.data},
                            faces.n * width, v, &points));
  for (size_t i = 0; i < faces.n * width; i++)
    add_normal(&points, v + i / width * width, width, (unsigned)(i % width), normals);
done:
  sofa_mail_free(ctx, &faces);
  sofa_slice_values_free(ctx, &points);
  return err;
}

SofaErr sofa_mesh_slice_normals(SofaContext *ctx, const SofaMeshSlice *slice, SofaVec3s *normals) {
  SOFA_TRY(SOFA_RESIZE(ctx, normals, slice->mesh.position.n));
  SOFA_TRY(add_normals(ctx, slice, SOFA_ELEMENT_TRIANGLE, normals));
  SOFA_TRY(add_normals(ctx, slice, SOFA_ELEMENT_QUAD, normals));
  for (size_t i = 0; i < normals->n; i++) sofa_vec3_normalize(normals->data[i].v);
  return SOFA_OK;
}
