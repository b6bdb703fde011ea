/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the binary sections of Gmsh files, versions 2, 3, 4.0 and 4.1, of either byte order. */
#include "numerics/io/gmsh_build_impl.h"

static size_t bytes_left(const SofaGmshBuild *b) {
  return (size_t)(b->text.end - b->text.at);
}

static SofaErr truncated(SofaGmshBuild *b, const char *what) {
  return sofa_mesh_fail(&b->text, SOFA_ERR_PARSE, "the file ends within %s", what);
}

/* Takes `size` (4 or 8) bytes; the caller has checked that they are there. */
static uint64_t take(SofaGmshBuild *b, unsigned size) {
  uint64_t value = 0;
  const unsigned char *p = (const unsigned char *)b->text.at;
  // little-endian unless swapped; the file's order was found by its integer 1
  for (unsigned k = 0; k < size; k++) value |= (uint64_t)p[b->swap ? size - 1 - k : k] << (8 * k);
  b->text.at += size;
  return value;
}

static int64_t take_int(SofaGmshBuild *b) {
  return (int32_t)(uint32_t)take(b, 4);
}

/* A real of `size` bytes, 4 or 8. */
static double take_real(SofaGmshBuild *b, unsigned size) {
  const uint64_t bits = take(b, size);
  const uint32_t half = (uint32_t)bits;
  double value;
  float single;
  memcpy(&value, &bits, sizeof value);
  memcpy(&single, &half, sizeof single);
  return size == 4 ? (double)single : value;
}

SofaErr sofa_gmsh_binary_order(SofaGmshBuild *b) {
  b->text.binary = true;
  if (bytes_left(b) < 4) return truncated(b, "the format");
  const int64_t one = take_int(b);
  if (one == 0x01000000) b->swap = true;
  if (one != 1 && !b->swap)
    return sofa_mesh_fail(&b->text, SOFA_ERR_PARSE,
                          "the integer 1 is expected after the format line");
  return SOFA_OK;
}

/* ---- version 2 ---- */

/* The count of a section is on a text line of its own. */
static SofaErr count2(SofaGmshBuild *b, size_t bytes, const char *what, size_t *count) {
  int64_t n;
  if (!sofa_mesh_int(&b->text, &n) || n < 0)
    return sofa_mesh_fail(&b->text, SOFA_ERR_PARSE, "expected the number of %s", what);
  sofa_mesh_next_line(&b->text);
  if ((uint64_t)n > bytes_left(b) / bytes)
    return sofa_mesh_fail(&b->text, SOFA_ERR_RANGE, "%lld %s do not fit the rest of the file",
                          (long long)n, what);
  *count = (size_t)n;
  return SOFA_OK;
}

static SofaErr nodes2(SofaGmshBuild *b) {
  size_t n;
  SOFA_TRY(count2(b, 4 + 3 * (size_t)b->data_size, "nodes", &n));
  SOFA_TRY(SOFA_RESERVE(b->text.ctx, &b->out->mesh.position, n));
  for (size_t i = 0; i < n; i++) {
    const int64_t number = take_int(b);
    double x[3];
    for (int k = 0; k < 3; k++) x[k] = take_real(b, b->data_size);
    SOFA_TRY(sofa_gmsh_add_node(b, number, x));
  }
  return SOFA_OK;
}

static SofaErr elements2(SofaGmshBuild *b) {
  size_t n;
  SOFA_TRY(count2(b, 8, "elements", &n));
  while (n > 0) {
    if (bytes_left(b) < 12) return truncated(b, "a block of elements");
    const int64_t type = take_int(b), count = take_int(b), n_tags = take_int(b);
    const unsigned n_nodes = sofa_gmsh_type_nodes(type);
    if (n_nodes == 0 || count <= 0 || (uint64_t)count > n || n_tags < 0 || n_tags > 64)
      return sofa_mesh_fail(&b->text, SOFA_ERR_PARSE,
                            "block of %lld elements of type %lld, %lld tags", (long long)count,
                            (long long)type, (long long)n_tags);
    const size_t bytes = 4 * (1 + (size_t)n_tags + n_nodes);
    if ((size_t)count > bytes_left(b) / bytes) return truncated(b, "a block of elements");
    for (int64_t e = 0; e < count; e++) {
      int64_t tag = -1, nodes[SOFA_GMSH_MAX_NODES];
      take_int(b);
      for (int64_t k = 0; k < n_tags; k++) tag = take_int(b);
      for (unsigned k = 0; k < n_nodes; k++) nodes[k] = take_int(b);
      SOFA_TRY(sofa_gmsh_add_element(b, type, tag, nodes));
    }
    n -= (size_t)count;
  }
  return SOFA_OK;
}

/* ---- version 3 ---- */

/* Number, point, entity; when there is one its dimension and a parameter per dimension. */
static SofaErr nodes3(SofaGmshBuild *b) {
  size_t n;
  SOFA_TRY(count2(b, 8 + 3 * (size_t)b->data_size, "nodes", &n));
  SOFA_TRY(SOFA_RESERVE(b->text.ctx, &b->out->mesh.position, n));
  for (size_t i = 0; i < n; i++) {
    double x[3];
    if (bytes_left(b) < 8 + 3 * (size_t)b->data_size) return truncated(b, "the nodes");
    const int64_t number = take_int(b);
    for (int k = 0; k < 3; k++) x[k] = take_real(b, b->data_size);
    if (take_int(b) != 0) {
      if (bytes_left(b) < 4) return truncated(b, "the nodes");
      const int64_t dim = take_int(b);
      if (dim < 0 || dim > 3 || bytes_left(b) < (size_t)dim * b->data_size)
        return sofa_mesh_fail(&b->text, SOFA_ERR_RANGE, "node %lld of dimension %lld",
                              (long long)number, (long long)dim);
      b->text.at += (size_t)dim * b->data_size;
    }
    SOFA_TRY(sofa_gmsh_add_node(b, number, x));
  }
  return SOFA_OK;
}

/* Number, type, entity, count of what follows: the nodes, then partitions and the like. */
static SofaErr elements3(SofaGmshBuild *b) {
  size_t n;
  SOFA_TRY(count2(b, 16, "elements", &n));
  for (size_t i = 0; i < n; i++) {
    int64_t nodes[SOFA_GMSH_MAX_NODES];
    if (bytes_left(b) < 16) return truncated(b, "the elements");
    const int64_t number = take_int(b), type = take_int(b), entity = take_int(b);
    const int64_t count = take_int(b);
    const unsigned n_nodes = sofa_gmsh_type_nodes(type);
    if (n_nodes == 0 || count < n_nodes || (uint64_t)count > bytes_left(b) / 4)
      return sofa_mesh_fail(&b->text, SOFA_ERR_PARSE, "element %lld of type %lld with %lld numbers",
                            (long long)number, (long long)type, (long long)count);
    for (unsigned k = 0; k < n_nodes; k++) nodes[k] = take_int(b);
    b->text.at += 4 * ((size_t)count - n_nodes);
    SOFA_TRY(sofa_gmsh_add_element(b, type, entity, nodes));
  }
  return SOFA_OK;
}

/* ---- versions 4.0 and 4.1: the former has tags of 4 bytes, the latter of data_size ---- */

/* Bytes of a count. */
static unsigned count_size(const SofaGmshBuild *b, int version) {
  return version < 41 ? 8 : b->data_size;
}

static SofaErr header4(SofaGmshBuild *b, int version, size_t *n_blocks, size_t *n) {
  const unsigned size = count_size(b, version);
  if (bytes_left(b) < 32) return truncated(b, "a section's header");
  const uint64_t blocks = take(b, size), entries = take(b, size);
  if (version >= 41) take(b, size), take(b, size);
  if (blocks > bytes_left(b) / 16 || entries > bytes_left(b) / 8)
    return sofa_mesh_fail(&b->text, SOFA_ERR_RANGE,
                          "%llu blocks with %llu entries do not fit the rest of the file",
                          (unsigned long long)blocks, (unsigned long long)entries);
  *n_blocks = (size_t)blocks;
  *n = (size_t)entries;
  return SOFA_OK;
}

static SofaErr node_block4(SofaGmshBuild *b, int version, size_t limit) {
  if (bytes_left(b) < 20) return truncated(b, "a block's header");
  const int64_t first = take_int(b), second = take_int(b);
  const int64_t dim = version < 41 ? second : first;
  const int64_t parametric = take_int(b);
  const uint64_t n = take(b, count_size(b, version));
  if (dim < 0 || dim > 3 || n > limit)
    return sofa_mesh_fail(&b->text, SOFA_ERR_RANGE, "block of %llu nodes of dimension %lld",
                          (unsigned long long)n, (long long)dim);
  const size_t width = 8 * (3 + (parametric ? (size_t)dim : 0)),
               tag = version < 41 ? 4 : b->data_size;
  if (n > bytes_left(b) / (tag + width)) return truncated(b, "a block of nodes");
  // 4.0: tag and coordinates of each node; since 4.1 all tags come before the coordinates
  const char *tags = b->text.at, *points = tags + (version < 41 ? tag : tag * n);
  const size_t tag_step = version < 41 ? tag + width : tag, step = version < 41 ? tag_step : width;
  for (uint64_t i = 0; i < n; i++) {
    double x[3];
    b->text.at = tags + tag_step * i;
    const int64_t number = version < 41 ? take_int(b) : (int64_t)take(b, b->data_size);
    b->text.at = points + step * i;
    for (int k = 0; k < 3; k++) x[k] = take_real(b, 8);
    SOFA_TRY(sofa_gmsh_add_node(b, number, x));
  }
  b->text.at = tags + (tag + width) * n;
  return SOFA_OK;
}

static SofaErr element_block4(SofaGmshBuild *b, int version, size_t *total) {
  if (bytes_left(b) < 20) return truncated(b, "a block's header");
  const int64_t first = take_int(b), second = take_int(b), type = take_int(b);
  const int64_t entity = version < 41 ? first : second;
  const unsigned word = version < 41 ? 4 : b->data_size;
  const uint64_t count = take(b, count_size(b, version));
  unsigned n_nodes;
  SOFA_TRY(sofa_gmsh_read_type(b, type, &n_nodes));
  if (count > bytes_left(b) / (word + word * n_nodes)) return truncated(b, "a block of elements");
  for (uint64_t e = 0; e < count; e++) {
    int64_t nodes[SOFA_GMSH_MAX_NODES];
    take(b, word);
    for (unsigned k = 0; k < n_nodes; k++) nodes[k] = (int64_t)take(b, word);
    SOFA_TRY(sofa_gmsh_add_element(b, type, entity, nodes));
  }
  *total += (size_t)count;
  return SOFA_OK;
}

static SofaErr nodes(SofaGmshBuild *b, int version) {
  return version == 20 ? nodes2(b) : nodes3(b);
}

static SofaErr elements(SofaGmshBuild *b, int version) {
  return version == 20 ? elements2(b) : elements3(b);
}

const SofaGmshForm sofa_gmsh_binary_form = {.nodes = nodes,
                                            .elements = elements,
                                            .header4 = header4,
                                            .node_block4 = node_block4,
                                            .element_block4 = element_block4};
