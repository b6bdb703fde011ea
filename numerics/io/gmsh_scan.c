/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the blocks of a binary Gmsh file, version 2 or 4.1, without reading them. */
#include "numerics/io/gmsh_scan_impl.h"

#include "numerics/io/gmsh_build_impl.h"

enum { MOST_BLOCKS = 1 << 16, LINE = 64 };

int64_t sofa_gmsh_int(const SofaGmshScan *scan, const char *bytes, unsigned size) {
  uint64_t value = 0;
  for (unsigned k = 0; k < size; k++)
    value |= (uint64_t)(unsigned char)bytes[scan->swap ? size - 1 - k : k] << (8 * k);
  return size == 4 ? (int64_t)(int32_t)(uint32_t)value : (int64_t)value;
}

double sofa_gmsh_real(const SofaGmshScan *scan, const char *bytes, unsigned size) {
  const uint64_t bits = (uint64_t)sofa_gmsh_int(scan, bytes, size);
  const uint32_t half = (uint32_t)bits;
  double value;
  float single;
  memcpy(&value, &bits, sizeof value);
  memcpy(&single, &half, sizeof single);
  return size == 4 ? (double)single : value;
}

void sofa_gmsh_scan_free(SofaContext *ctx, SofaGmshScan *scan) {
  sofa_list_free(ctx, &scan->nodes);
  sofa_list_free(ctx, &scan->elements);
}

/* ---- the beginning ---- */

/* "$MeshFormat", version, 1, data size, the integer 1: *at is behind them. */
static bool read_format(const char *bytes, size_t n, SofaGmshScan *out, size_t *at) {
  SofaMeshText text = sofa_mesh_text(NULL, &(SofaFileBytes){NULL, bytes, n});
  double version;
  int64_t binary, size;
  sofa_mesh_skip(&text);
  if (!sofa_mesh_word_is(&text, "$MeshFormat")) return false;
  text.at += strlen("$MeshFormat");
  if (!sofa_mesh_real(&text, &version) || !sofa_mesh_int(&text, &binary) || binary != 1 ||
      !sofa_mesh_int(&text, &size) || (size != 4 && size != 8))
    return false;
  out->version = version >= 2 && version < 3 ? 20 : version >= 4.1 && version < 4.2 ? 41 : 0;
  out->data_size = (unsigned)size;
  sofa_mesh_next_line(&text);
  *at = (size_t)(text.at - bytes);
  return out->version && n - *at >= 4;
}

bool sofa_gmsh_may_scan(const char *bytes, size_t n) {
  SofaGmshScan scan = {0};
  size_t at;
  return read_format(bytes, n, &scan, &at);
}

static SofaErr read_beginning(SofaGmshScan *s, uint64_t *at) {
  char bytes[256];
  const size_t n = s->file->size < sizeof bytes ? (size_t)s->file->size : sizeof bytes;
  size_t order;
  SOFA_TRY(sofa_part_read(s->file, 0, n, bytes));
  if (!read_format(bytes, n, s, &order))
    return sofa_part_fail(s->file, SOFA_ERR_PARSE, 0, "expected a binary Gmsh file");
  const int64_t one = sofa_gmsh_int(s, bytes + order, 4);
  s->swap = one == 0x01000000;
  if (one != 1 && !s->swap)
    return sofa_part_fail(s->file, SOFA_ERR_PARSE, order,
                          "the integer 1 is expected after the format line");
  *at = order + 4;
  return SOFA_OK;
}

/* Moves behind the line of a section's name. */
static SofaErr find_section(SofaGmshScan *s, const char *name, uint64_t *at) {
  uint64_t found;
  SOFA_TRY(sofa_part_find_line(s->file, *at, name, &found));
  if (found == UINT64_MAX)
    return sofa_part_fail(s->file, SOFA_ERR_PARSE, *at, "no section %s from here on", name);
  *at = found;
  return SOFA_OK;
}

/* The word that ends a section, behind white space. */
static SofaErr expect(SofaGmshScan *s, const char *word, uint64_t *at) {
  char bytes[LINE] = "";
  const uint64_t left = s->file->size - *at;
  const size_t n = left < LINE - 1 ? (size_t)left : LINE - 1;
  size_t skipped = 0;
  SOFA_TRY(sofa_part_read(s->file, *at, n, bytes));
  while (skipped < n && bytes[skipped] && (unsigned char)bytes[skipped] <= ' ') skipped++;
  if (strncmp(bytes + skipped, word, strlen(word)) != 0)
    return sofa_part_fail(s->file, SOFA_ERR_PARSE, *at, "expected %s", word);
  *at += skipped + strlen(word);
  return SOFA_OK;
}

static SofaErr truncated(const SofaGmshScan *s, uint64_t at, const char *what) {
  return sofa_part_fail(s->file, SOFA_ERR_PARSE, at, "the file ends within %s", what);
}

/* n records of `step` bytes at *at, which moves behind them. */
static SofaErr skip(const SofaGmshScan *s, uint64_t n, uint64_t step, const char *what,
                    uint64_t *at) {
  if (n > (s->file->size - *at) / step) return truncated(s, *at, what);
  *at += n * step;
  return SOFA_OK;
}

/* ---- version 2 ---- */

/* The count of a section, on a line of its own. */
static SofaErr read_count(SofaGmshScan *s, const char *what, uint64_t *at, uint64_t *count) {
  char bytes[LINE];
  const uint64_t left = s->file->size - *at;
  const size_t size = left < LINE ? (size_t)left : LINE;
  int64_t n;
  SOFA_TRY(sofa_part_read(s->file, *at, size, bytes));
  SofaMeshText text = sofa_mesh_text(NULL, &(SofaFileBytes){NULL, bytes, size});
  if (!sofa_mesh_int(&text, &n) || n < 0)
    return sofa_part_fail(s->file, SOFA_ERR_PARSE, *at, "expected the number of %s", what);
  sofa_mesh_next_line(&text);
  *at += (uint64_t)(text.at - bytes);
  *count = (uint64_t)n;
  return SOFA_OK;
}

static SofaErr nodes2(SofaGmshScan *s, uint64_t *at) {
  SofaGmshBlock block = {.step = 4 + 3 * s->data_size};
  SOFA_TRY(read_count(s, "nodes", at, &block.n));
  block.at = *at;
  block.points = *at + 4;
  s->n[SOFA_ELEMENT_POINT] = block.n;
  SOFA_TRY(skip(s, block.n, block.step, "the nodes", at));
  return block.n ? SOFA_APPEND(s->file->ctx, &s->nodes, &block) : SOFA_OK;
}

/* Adds a block of elements of a type, unless its elements are left out. */
static SofaErr add_block(SofaGmshScan *s, int64_t type, SofaGmshBlock *block) {
  bool first_order = false;
  if (!sofa_gmsh_kind(type, &block->kind, &first_order)) {
    const uint64_t bit = (uint64_t)1 << (type & 63);
    if (type != 15 && !(s->left_out & bit))
      sofa_message(s->file->ctx, SOFA_WARNING, &s->file->origin,
                   "elements of Gmsh type %lld are left out", (long long)type);
    s->left_out |= bit;
    return SOFA_OK;
  }
  if (!first_order || s->elements.n == MOST_BLOCKS) s->has_slices = false;
  block->first = s->n[block->kind];
  s->n[block->kind] += block->n;
  return s->has_slices ? SOFA_APPEND(s->file->ctx, &s->elements, block) : SOFA_OK;
}

static SofaErr block2(SofaGmshScan *s, uint64_t left, uint64_t *at, uint64_t *count) {
  char bytes[12];
  if (s->file->size - *at < sizeof bytes) return truncated(s, *at, "a block of elements");
  SOFA_TRY(sofa_part_read(s->file, *at, sizeof bytes, bytes));
  const int64_t type = sofa_gmsh_int(s, bytes, 4), n = sofa_gmsh_int(s, bytes + 4, 4),
                n_tags = sofa_gmsh_int(s, bytes + 8, 4);
  const unsigned n_nodes = sofa_gmsh_type_nodes(type);
  if (n_nodes == 0 || n <= 0 || (uint64_t)n > left || n_tags < 0 || n_tags > 64)
    return sofa_part_fail(s->file, SOFA_ERR_PARSE, *at,
                          "block of %lld elements of type %lld, %lld tags", (long long)n,
                          (long long)type, (long long)n_tags);
  *at += sizeof bytes;
  SofaGmshBlock block = {.at = *at,
                         .n = (uint64_t)n,
                         .step = 4 * (1 + (uint32_t)n_tags + n_nodes),
                         .n_nodes = n_nodes,
                         .n_tags = (unsigned)n_tags};
  *count = block.n;
  SOFA_TRY(skip(s, block.n, block.step, "a block of elements", at));
  return add_block(s, type, &block);
}

static SofaErr elements2(SofaGmshScan *s, uint64_t *at) {
  uint64_t n, count = 0;
  SOFA_TRY(read_count(s, "elements", at, &n));
  for (; n > 0; n -= count) SOFA_TRY(block2(s, n, at, &count));
  return SOFA_OK;
}

/* ---- version 4.1 ---- */

static SofaErr header4(SofaGmshScan *s, uint64_t *at, uint64_t *n_blocks, uint64_t *n) {
  char bytes[32];
  const size_t size = 4 * (size_t)s->data_size;
  if (s->file->size - *at < size) return truncated(s, *at, "a section's header");
  SOFA_TRY(sofa_part_read(s->file, *at, size, bytes));
  *n_blocks = (uint64_t)sofa_gmsh_int(s, bytes, s->data_size);
  *n = (uint64_t)sofa_gmsh_int(s, bytes + s->data_size, s->data_size);
  *at += size;
  if (*n_blocks > (s->file->size - *at) / 16 || *n > (s->file->size - *at) / 8)
    return sofa_part_fail(s->file, SOFA_ERR_RANGE, *at,
                          "%llu blocks with %llu entries do not fit the rest of the file",
                          (unsigned long long)*n_blocks, (unsigned long long)*n);
  return SOFA_OK;
}

/* Three integers and a count in front of a block. */
static SofaErr block_header4(SofaGmshScan *s, uint64_t *at, int64_t out[3], uint64_t *n) {
  char bytes[20];
  const size_t size = 12 + (size_t)s->data_size;
  if (s->file->size - *at < size) return truncated(s, *at, "a block's header");
  SOFA_TRY(sofa_part_read(s->file, *at, size, bytes));
  for (int k = 0; k < 3; k++) out[k] = sofa_gmsh_int(s, bytes + 4 * k, 4);
  *n = (uint64_t)sofa_gmsh_int(s, bytes + 12, s->data_size);
  *at += size;
  return SOFA_OK;
}

static SofaErr node_block4(SofaGmshScan *s, uint64_t n_all, uint64_t *at) {
  int64_t head[3];
  SofaGmshBlock block = {.first = s->n[SOFA_ELEMENT_POINT]};
  SOFA_TRY(block_header4(s, at, head, &block.n));
  if (head[0] < 0 || head[0] > 3 || block.n > n_all - block.first)
    return sofa_part_fail(s->file, SOFA_ERR_RANGE, *at, "block of %llu nodes of dimension %lld",
                          (unsigned long long)block.n, (long long)head[0]);
  block.step = 8 * (3 + (head[2] ? (uint32_t)head[0] : 0));
  block.at = *at;
  SOFA_TRY(skip(s, block.n, s->data_size, "a block of nodes", at));
  block.points = *at;
  SOFA_TRY(skip(s, block.n, block.step, "a block of nodes", at));
  s->n[SOFA_ELEMENT_POINT] += block.n;
  if (s->nodes.n == MOST_BLOCKS) s->has_slices = false;
  return block.n && s->has_slices ? SOFA_APPEND(s->file->ctx, &s->nodes, &block) : SOFA_OK;
}

static SofaErr nodes4(SofaGmshScan *s, uint64_t *at) {
  uint64_t n_blocks, n;
  SOFA_TRY(header4(s, at, &n_blocks, &n));
  for (uint64_t i = 0; i < n_blocks; i++) SOFA_TRY(node_block4(s, n, at));
  if (s->n[SOFA_ELEMENT_POINT] == n) return SOFA_OK;
  return sofa_part_fail(s->file, SOFA_ERR_PARSE, *at, "%llu nodes announced, %llu given",
                        (unsigned long long)n, (unsigned long long)s->n[SOFA_ELEMENT_POINT]);
}

static SofaErr elements4(SofaGmshScan *s, uint64_t *at) {
  uint64_t n_blocks, n, total = 0;
  SOFA_TRY(header4(s, at, &n_blocks, &n));
  for (uint64_t i = 0; i < n_blocks; i++) {
    int64_t head[3];
    SofaGmshBlock block = {0};
    SOFA_TRY(block_header4(s, at, head, &block.n));
    block.n_nodes = sofa_gmsh_type_nodes(head[2]);
    if (!block.n_nodes)
      return sofa_part_fail(s->file, SOFA_ERR_PARSE, *at, "element type %lld does not exist",
                            (long long)head[2]);
    block.entity = head[1];
    block.step = s->data_size * (1 + block.n_nodes);
    block.at = *at;
    SOFA_TRY(skip(s, block.n, block.step, "a block of elements", at));
    total += block.n;
    if (block.n) SOFA_TRY(add_block(s, head[2], &block));
  }
  if (total == n) return SOFA_OK;
  return sofa_part_fail(s->file, SOFA_ERR_PARSE, *at, "%llu elements announced, %llu given",
                        (unsigned long long)n, (unsigned long long)total);
}

static SofaErr scan(SofaGmshScan *s) {
  uint64_t at;
  SOFA_TRY(read_beginning(s, &at));
  SOFA_TRY(find_section(s, "$Nodes", &at));
  SOFA_TRY(s->version == 20 ? nodes2(s, &at) : nodes4(s, &at));
  SOFA_TRY(expect(s, "$EndNodes", &at));
  SOFA_TRY(find_section(s, "$Elements", &at));
  SOFA_TRY(s->version == 20 ? elements2(s, &at) : elements4(s, &at));
  SOFA_TRY(expect(s, "$EndElements", &at));
  for (int k = 0; k < SOFA_N_ELEMENT_KINDS; k++)
    if (s->n[k] >= INT32_MAX)
      return sofa_part_fail(s->file, SOFA_ERR_RANGE, at, "more than 2^31 %s",
                            k == SOFA_ELEMENT_POINT ? "nodes" : "elements of one kind");
  return SOFA_OK;
}

SofaErr sofa_gmsh_scan(const SofaPartFile *file, SofaGmshScan *out) {
  *out = (SofaGmshScan){.file = file, .has_slices = true};
  const SofaErr err = scan(out);
  if (err != SOFA_OK) sofa_gmsh_scan_free(file->ctx, out);
  return err;
}
