/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parts of appended arrays, raw or in base64, plain or in blocks of zlib. */
#include "numerics/io/vtk_part_impl.h"

#include <zlib.h>

#include "numerics/io/base64.h"

static uint64_t header_number(const SofaVtkLayout *layout, const char *at) {
  const SofaVtkType *type =
      layout->header_size == 8 ? sofa_vtk_type("UInt64", 6) : sofa_vtk_type("UInt32", 6);
  return (uint64_t)sofa_vtk_int(type, at, layout->big_endian);
}

static SofaErr too_early(const SofaVtkPart *p, uint64_t at) {
  return sofa_part_fail(p->file, SOFA_ERR_PARSE, at, "an array ends too early");
}

/* ---- bytes, also those that the file has as base64: four characters for three of them ---- */

/* Of the file, for the first n bytes of what is encoded together. */
static uint64_t places(const SofaVtkLayout *layout, uint64_t n) {
  return layout->base64 ? (n + 2) / 3 * 4 : n;
}

/* Bytes that there is room for from byte `at` of the file on. */
static uint64_t most_bytes(const SofaVtkPart *p, uint64_t at) {
  const uint64_t left = p->file->size - at;
  return p->layout->base64 ? left / 4 * 3 : left;
}

/* Three bytes of four characters; those behind the end are 0. */
static bool decode(const char *text, char bytes[3]) {
  uint32_t bits = 0;
  for (int k = 0; k < 4; k++) {
    const int digit = sofa_base64_digit(text[k]);
    if (digit < 0 && !(text[k] == '=' && k >= 2)) return false;
    bits = bits << 6 | (uint32_t)(digit < 0 ? 0 : digit);
  }
  bytes[0] = (char)(bits >> 16), bytes[1] = (char)(bits >> 8), bytes[2] = (char)bits;
  return true;
}

static SofaErr read_base64(const SofaVtkPart *p, uint64_t begin, uint64_t at, size_t n, char *out) {
  const uint64_t first = begin + at / 3 * 4;
  const size_t skip = (size_t)(at % 3), n_groups = (skip + n + 2) / 3;
  SofaText text = {0};
  SofaErr err = SOFA_RESIZE(p->file->ctx, &text, 4 * n_groups);
  if (err == SOFA_OK) err = sofa_part_read(p->file, first, text.n, text.data);
  for (size_t i = 0; i < n_groups && err == SOFA_OK; i++) {
    char bytes[3];
    if (!decode(text.data + 4 * i, bytes))
      err = sofa_part_fail(p->file, SOFA_ERR_PARSE, first + 4 * i,
                           "an array is not base64 without white space");
    for (size_t k = 0; k < 3 && err == SOFA_OK; k++)
      if (3 * i + k >= skip && 3 * i + k < skip + n) out[3 * i + k - skip] = bytes[k];
  }
  sofa_list_free(p->file->ctx, &text);
  return err;
}

/* Bytes at .. at + n - 1 of what begins at byte `begin` of the file. */
static SofaErr read_bytes(const SofaVtkPart *p, uint64_t begin, uint64_t at, size_t n, char *out) {
  if (p->layout->base64) return read_base64(p, begin, at, n, out);
  return sofa_part_read(p->file, begin + at, n, out);
}

/* ---- headers ---- */

/* The first n words of the header at byte `at` of the file. */
static SofaErr read_words(const SofaVtkPart *p, uint64_t at, size_t n, uint64_t *out) {
  char bytes[3 * 8];
  const size_t size = n * p->layout->header_size;
  if (at > p->file->size || size > most_bytes(p, at)) return too_early(p, at);
  SOFA_TRY(read_bytes(p, at, 0, size, bytes));
  for (size_t i = 0; i < n; i++)
    out[i] = header_number(p->layout, bytes + i * p->layout->header_size);
  return SOFA_OK;
}

/* Sizes of the compressed blocks, which stand behind the first three words of the header at `at`.
 */
static SofaErr read_sizes(SofaVtkPart *p, uint64_t n, uint64_t at) {
  SofaContext *ctx = p->file->ctx;
  const size_t word = p->layout->header_size;
  uint64_t place = 0;
  SofaText bytes = {0};
  SofaErr err;
  p->begin = at + places(p->layout, (3 + n) * word);
  if (p->begin > p->file->size) return too_early(p, at);
  SOFA_GO(err, done, SOFA_RESIZE(ctx, &bytes, (size_t)n * word));
  SOFA_GO(err, done, read_bytes(p, at, 3 * word, bytes.n, bytes.data));
  SOFA_GO(err, done, SOFA_APPEND(ctx, &p->blocks, &place));
  for (size_t i = 0; i < n; i++) {
    const uint64_t size = header_number(p->layout, bytes.data + i * word);
    if (size > most_bytes(p, p->begin) - place) {
      err = sofa_part_fail(p->file, SOFA_ERR_PARSE, p->begin + places(p->layout, place),
                           "a compressed block ends too early");
      goto done;
    }
    place += size;
    SOFA_GO(err, done, SOFA_APPEND(ctx, &p->blocks, &place));
  }
done:
  sofa_list_free(ctx, &bytes);
  return err;
}

/* Number of blocks, bytes of a block, of the last one when it is smaller (else 0). */
static SofaErr open_compressed(SofaVtkPart *p, uint64_t at) {
  uint64_t head[3];
  SOFA_TRY(read_words(p, at, 3, head));
  const uint64_t left = most_bytes(p, at) - 3 * p->layout->header_size;
  // a block of zlib is at most about 1032 times as large as compressed
  if (head[0] > left / p->layout->header_size || head[2] > head[1] ||
      (head[0] && head[1] > left * 1100 / head[0] + 1100) || (head[0] && !head[1]))
    return sofa_part_fail(p->file, SOFA_ERR_PARSE, at,
                          "the header of a compressed array is broken");
  p->block = head[1];
  p->n_bytes = head[0] * head[1] - (head[0] && head[2] ? head[1] - head[2] : 0);
  return read_sizes(p, head[0], at);
}

/* In base64 the header is encoded together with the bytes. */
static SofaErr open_plain(SofaVtkPart *p, uint64_t at) {
  p->begin = at;
  p->head = p->layout->header_size;
  SOFA_TRY(read_words(p, at, 1, &p->n_bytes));
  return p->n_bytes > most_bytes(p, at) - p->head ? too_early(p, at) : SOFA_OK;
}

SofaErr sofa_vtk_part_open(const SofaPartFile *file, const SofaVtkLayout *layout,
                           const SofaVtkType *type, uint64_t offset, SofaVtkPart *out) {
  *out = (SofaVtkPart){.file = file, .layout = layout, .type = type};
  if (offset >= file->size - layout->appended)
    return sofa_part_fail(file, SOFA_ERR_RANGE, layout->appended,
                          "there is no appended data at offset %llu", (unsigned long long)offset);
  const uint64_t at = layout->appended + offset;
  const SofaErr err = (layout->compressed ? open_compressed : open_plain)(out, at);
  out->n = out->n_bytes / type->size;
  if (err != SOFA_OK) sofa_vtk_part_close(out);
  return err;
}

void sofa_vtk_part_close(SofaVtkPart *part) {
  if (part->file) sofa_list_free(part->file->ctx, &part->blocks);
}

/* Block i as it is in the file, and the bytes of it. */
typedef struct Block {
  SofaText packed, bytes;
} Block;

static SofaErr read_block(const SofaVtkPart *p, size_t i, Block *block) {
  SofaContext *ctx = p->file->ctx;
  const uint64_t at = p->blocks.data[i], rest = p->n_bytes - i * p->block;
  uLongf room = (uLongf)(rest < p->block ? rest : p->block);
  const uLongf size = room;
  SOFA_TRY(SOFA_RESIZE(ctx, &block->packed, (size_t)(p->blocks.data[i + 1] - at)));
  SOFA_TRY(SOFA_RESIZE(ctx, &block->bytes, (size_t)room));
  SOFA_TRY(read_bytes(p, p->begin, at, block->packed.n, block->packed.data));
  if (uncompress((Bytef *)block->bytes.data, &room, (const Bytef *)block->packed.data,
                 block->packed.n) == Z_OK &&
      room == size)
    return SOFA_OK;
  return sofa_part_fail(p->file, SOFA_ERR_PARSE, p->begin + places(p->layout, at),
                        "a compressed block is broken");
}

static SofaErr read_blocks(const SofaVtkPart *p, uint64_t begin, uint64_t end, SofaText *bytes) {
  SofaContext *ctx = p->file->ctx;
  Block block = {0};
  SofaErr err = SOFA_OK;
  for (uint64_t at = begin; at < end && err == SOFA_OK;) {
    const uint64_t i = at / p->block, from = at - i * p->block;
    const uint64_t to = end - i * p->block < p->block ? end - i * p->block : p->block;
    err = read_block(p, (size_t)i, &block);
    if (err == SOFA_OK)
      err = sofa_text_append(ctx, bytes, block.bytes.data + from, (size_t)(to - from));
    at = i * p->block + to;
  }
  sofa_list_free(ctx, &block.packed);
  sofa_list_free(ctx, &block.bytes);
  return err;
}

SofaErr sofa_vtk_part_read(const SofaVtkPart *part, uint64_t first, uint64_t n, SofaText *bytes) {
  const uint64_t begin = first * part->type->size, end = (first + n) * part->type->size;
  bytes->n = 0;
  if (part->layout->compressed) return read_blocks(part, begin, end, bytes);
  SOFA_TRY(SOFA_RESIZE(part->file->ctx, bytes, (size_t)(end - begin)));
  return read_bytes(part, part->begin, part->head + begin, bytes->n, bytes->data);
}
