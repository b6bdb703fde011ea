/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the runs of one of several processes out of a binary Gmsh file. */
#include "numerics/io/gmsh_reader.h"

#include <math.h>

#include "numerics/io/gmsh_scan_impl.h"
#include "numerics/io/gmsh_tags_impl.h"
#include "topology/letters_impl.h"

enum { PIECE = 1 << 18 };

/* Elements of a kind and a tag: their first one, and how many. */
typedef struct Group {
  uint64_t kind, first, n;
  int64_t tag;
} Group;
SOFA_LIST(Group, Groups);

typedef struct Reader {
  SofaContext *ctx;
  const SofaPartFile *file;
  SofaGmshScan scan;
  SofaMeshSlice *out;
  SofaGmshTags tags;
  SofaGmshNumbers numbers; /* of the nodes of the run; then of those of the elements of one kind */
  Groups groups;           /* of the elements of the run */
  SofaTupleMap group_ids;
  SofaElementKind kind;
  char *piece;
} Reader;

static void reader_free(Reader *r) {
  sofa_gmsh_scan_free(r->ctx, &r->scan);
  sofa_gmsh_tags_free(r->ctx, &r->tags);
  sofa_list_free(r->ctx, &r->numbers);
  sofa_list_free(r->ctx, &r->groups);
  sofa_tuple_map_free(r->ctx, &r->group_ids);
  sofa_free(r->ctx, r->piece);
}

/* ---- records ---- */

/* Takes one record; number: of the node, or of the element among those of its kind. */
typedef SofaErr (*Take)(Reader *r, const SofaGmshBlock *block, const char *record, uint64_t number);

/* Where the records are: of `step` bytes each, from byte `at` on. */
typedef struct Records {
  uint64_t at;
  uint32_t step;
  Take take;
} Records;

/* Records begin .. end - 1 of a block. */
static SofaErr take_records(Reader *r, const SofaGmshBlock *block, const Records *records,
                            uint64_t begin, uint64_t end) {
  const uint64_t most = PIECE / records->step;
  for (uint64_t i = begin; i < end;) {
    const uint64_t n = end - i < most ? end - i : most;
    SOFA_TRY(sofa_part_read(r->file, records->at + i * records->step, n * records->step, r->piece));
    for (uint64_t k = 0; k < n; k++, i++)
      SOFA_TRY(records->take(r, block, r->piece + k * records->step, block->first + i));
  }
  return SOFA_OK;
}

/* What of a block is in the run of this process: begin .. end - 1. */
static void find_run(const Reader *r, SofaElementKind kind, const SofaGmshBlock *block,
                     uint64_t *begin, uint64_t *end) {
  const int rank = sofa_process_rank(r->ctx), n = sofa_process_count(r->ctx);
  const uint64_t first = sofa_slice_begin(r->scan.n[kind], rank, n);
  const uint64_t last = sofa_slice_begin(r->scan.n[kind], rank + 1, n);
  *begin = first > block->first ? first - block->first : 0;
  *end = last > block->first ? last - block->first : 0;
  if (*end > block->n) *end = block->n;
}

/* ---- nodes ---- */

static SofaErr take_number(Reader *r, const SofaGmshBlock *block, const char *record,
                           uint64_t number) {
  (void)block, (void)number;
  const int64_t tag =
      sofa_gmsh_int(&r->scan, record, r->scan.version == 20 ? 4 : r->scan.data_size);
  return SOFA_APPEND(r->ctx, &r->numbers, &tag);
}

static SofaErr take_point(Reader *r, const SofaGmshBlock *block, const char *record,
                          uint64_t number) {
  const unsigned size = r->scan.version == 20 ? r->scan.data_size : 8;
  SofaVec3 p;
  (void)block;
  for (unsigned k = 0; k < 3; k++) {
    p.v[k] = sofa_gmsh_real(&r->scan, record + size * k, size);
    if (!isfinite(p.v[k]))
      return sofa_fail(r->ctx, SOFA_ERR_NOT_FINITE, &r->file->origin,
                       "node %lld has a coordinate that is not a number",
                       (long long)r->numbers.data[number - r->out->first[SOFA_ELEMENT_POINT]]);
  }
  return SOFA_APPEND(r->ctx, &r->out->mesh.position, &p);
}

static SofaErr read_nodes(Reader *r) {
  const SofaGmshBlocks *blocks = &r->scan.nodes;
  const bool mixed = r->scan.version == 20;
  for (size_t i = 0; i < blocks->n; i++) {
    const SofaGmshBlock *b = &blocks->data[i];
    const Records numbers = {b->at, mixed ? b->step : r->scan.data_size, take_number};
    /* in version 2 the last one reads over the number behind it, or the end of the section */
    const Records points = {b->points, b->step, take_point};
    uint64_t begin, end;
    find_run(r, SOFA_ELEMENT_POINT, b, &begin, &end);
    SOFA_TRY(take_records(r, b, &numbers, begin, end));
    SOFA_TRY(take_records(r, b, &points, begin, end));
  }
  return SOFA_OK;
}

static SofaErr number_nodes(Reader *r) {
  const SofaGmshBlocks *blocks = &r->scan.nodes;
  const unsigned size = r->scan.version == 20 ? 4 : r->scan.data_size;
  char bytes[8] = "";
  r->tags = (SofaGmshTags){.file = r->file, .n_nodes = r->scan.n[SOFA_ELEMENT_POINT]};
  if (blocks->n) SOFA_TRY(sofa_part_read(r->file, blocks->data[0].at, size, bytes));
  r->tags.first = sofa_gmsh_int(&r->scan, bytes, size);
  return sofa_gmsh_tags_make(&r->tags, r->out->first[SOFA_ELEMENT_POINT], &r->numbers);
}

/* ---- elements ---- */

/* Adds n elements to the group of a kind and a tag, behind those that it has. */
static SofaErr add_group(SofaContext *ctx, const Group *group, SofaTupleMap *ids, Groups *groups) {
  const SofaTuple key = {
      {(uint32_t)((uint64_t)group->tag >> 32), (uint32_t)group->tag, (uint32_t)group->kind, 0}};
  uint32_t id;
  SOFA_TRY(sofa_tuple_map_add(ctx, ids, &key, (uint32_t)groups->n, &id));
  if (id == groups->n) return SOFA_APPEND(ctx, groups, group);
  groups->data[id].n += group->n;
  return SOFA_OK;
}

static SofaErr count_in_group(Reader *r, uint64_t number, int64_t tag) {
  Group *last = r->groups.n ? &r->groups.data[r->groups.n - 1] : NULL;
  if (last && last->kind == (uint64_t)r->kind && last->tag == tag) {
    last->n++;
    return SOFA_OK;
  }
  return add_group(r->ctx, &(Group){(uint64_t)r->kind, number, 1, tag}, &r->group_ids, &r->groups);
}

static SofaErr take_element(Reader *r, const SofaGmshBlock *block, const char *record,
                            uint64_t number) {
  const unsigned size = r->scan.version == 20 ? 4 : r->scan.data_size;
  const unsigned n_tags = r->scan.version == 20 ? block->n_tags : 0;
  const char *node = record + size * (1 + n_tags);
  int64_t tag = r->scan.version == 20 ? -1 : block->entity;
  if (n_tags) tag = sofa_gmsh_int(&r->scan, node - size, size);
  for (unsigned k = 0; k < block->n_nodes; k++) {
    const int64_t name = sofa_gmsh_int(&r->scan, node + size * k, size);
    SOFA_TRY(SOFA_APPEND(r->ctx, &r->numbers, &name));
  }
  return count_in_group(r, number, tag);
}

/* The nodes are looked up together: where that takes messages, all processes do it. */
static SofaErr find_nodes(Reader *r) {
  const unsigned width = sofa_element_kind_info(r->kind)->width;
  SofaAnyList *list = sofa_mesh_list(&r->out->mesh, r->kind);
  const size_t before = list->n;
  SOFA_TRY(sofa_list_resize(r->ctx, list, width * sizeof(uint32_t), before + r->numbers.n / width));
  SOFA_TRY(
      sofa_gmsh_tags_find(&r->tags, r->kind, &r->numbers, (uint32_t *)list->data + before * width));
  r->numbers.n = 0;
  return SOFA_OK;
}

static SofaErr read_kind(Reader *r) {
  const SofaGmshBlocks *blocks = &r->scan.elements;
  const unsigned width = sofa_element_kind_info(r->kind)->width;
  enum { MANY = 1 << 16 }; /* numbers, which are looked up when there are more */
  r->numbers.n = 0;
  SOFA_TRY(
      sofa_list_reserve(r->ctx, sofa_mesh_list(&r->out->mesh, r->kind), width * sizeof(uint32_t),
                        sofa_slice_begin(r->out->n_whole[r->kind], sofa_process_rank(r->ctx) + 1,
                                         sofa_process_count(r->ctx)) -
                            r->out->first[r->kind]));
  for (size_t i = 0; i < blocks->n; i++) {
    const SofaGmshBlock *b = &blocks->data[i];
    const Records records = {b->at, b->step, take_element};
    uint64_t begin, end;
    if (b->kind != r->kind) continue;
    for (find_run(r, r->kind, b, &begin, &end); begin < end; begin += MANY) {
      SOFA_TRY(take_records(r, b, &records, begin, end - begin < MANY ? end : begin + MANY));
      if (r->tags.consecutive) SOFA_TRY(find_nodes(r));
    }
  }
  return find_nodes(r);
}

static SofaErr read_elements(Reader *r) {
  for (int k = SOFA_ELEMENT_EDGE; k < SOFA_N_ELEMENT_KINDS; k++) {
    r->kind = (SofaElementKind)k;
    if (r->scan.n[k]) SOFA_TRY(read_kind(r));
  }
  return SOFA_OK;
}

/* ---- groups ---- */

/* The groups of all runs, joined in the order of the ranks: on process 0. */
static SofaErr join_groups(Reader *r, const Groups *mine, Groups *all) {
  SofaTupleMap ids = {0};
  SofaMail mail = {0};
  SofaErr err = SOFA_ERR_MEMORY;
  uint32_t *rank = sofa_alloc(r->ctx, mine->n, sizeof *rank);
  if (!rank) return err;
  SOFA_GO(err, done,
          sofa_process_mail(r->ctx, sizeof *mine->data, mine->n, rank, mine->data, &mail));
  for (size_t i = 0; i < mail.n; i++)
    SOFA_GO(err, done, add_group(r->ctx, (const Group *)mail.records + i, &ids, all));
done:
  sofa_mail_free(r->ctx, &mail);
  sofa_tuple_map_free(r->ctx, &ids);
  sofa_free(r->ctx, rank);
  return err;
}

static SofaErr name_group(SofaContext *ctx, const Group *from, SofaMeshData *out) {
  SofaMeshGroup group = {.first = (uint32_t)from->first, .n = (uint32_t)from->n, .material_id = -1};
  group.name = sofa_format(ctx, "%lld", (long long)from->tag);
  group.material = sofa_strdup(ctx, "");
  const SofaErr err = group.name && group.material
                          ? SOFA_APPEND(ctx, &out->groups[from->kind], &group)
                          : SOFA_ERR_MEMORY;
  if (err == SOFA_OK) return err;
  sofa_free(ctx, group.name);
  sofa_free(ctx, group.material);
  return err;
}

static SofaErr share_groups(Reader *r, SofaMeshData *out) {
  Groups all = {0};
  uint64_t n;
  SofaErr err;
  SOFA_GO(err, done, join_groups(r, &r->groups, &all));
  n = all.n;
  SOFA_GO(err, done, sofa_process_spread(r->ctx, 0, sizeof n, &n));
  SOFA_GO(err, done, SOFA_RESIZE(r->ctx, &all, (size_t)n));
  SOFA_GO(err, done, sofa_process_spread(r->ctx, 0, all.n * sizeof *all.data, all.data));
  for (size_t i = 0; i < all.n; i++) SOFA_GO(err, done, name_group(r->ctx, &all.data[i], out));
done:
  sofa_list_free(r->ctx, &all);
  return err;
}

/* ---- the file ---- */

static SofaErr read_runs(Reader *r, SofaMeshData *groups) {
  for (int k = 0; k < SOFA_N_ELEMENT_KINDS; k++) {
    r->out->n_whole[k] = (size_t)r->scan.n[k];
    r->out->first[k] =
        sofa_slice_begin(r->out->n_whole[k], sofa_process_rank(r->ctx), sofa_process_count(r->ctx));
  }
  r->piece = sofa_alloc(r->ctx, PIECE, 1);
  if (!r->piece) return SOFA_ERR_MEMORY;
  SOFA_TRY(read_nodes(r));
  SOFA_TRY(number_nodes(r));
  SOFA_TRY(read_elements(r));
  return share_groups(r, groups);
}

bool sofa_gmsh_has_slices(const char *bytes, size_t n) {
  return sofa_gmsh_may_scan(bytes, n);
}

SofaErr sofa_gmsh_read_slice(SofaContext *ctx, const SofaPartFile *file, SofaMeshSlice *out,
                             SofaMeshData *groups, bool *found) {
  Reader r = {.ctx = ctx, .file = file, .out = out};
  SofaErr err = sofa_gmsh_scan(file, &r.scan);
  *found = err == SOFA_OK && r.scan.has_slices;
  if (*found) err = read_runs(&r, groups);
  reader_free(&r);
  if (err != SOFA_OK) sofa_mesh_slice_free(ctx, out);
  return err;
}
