/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The pattern of an assembled matrix as a PNG (Portable Network Graphics, W3C, 2003): one bit a
 * pixel, one compressed data chunk. */
#include <zlib.h>

#include "numerics/assembly/matrix_text.h"

typedef struct Picture {
  uint32_t width, height, scale; /* scale: entries a pixel, along each axis */
  size_t stride;                 /* bytes of a line; the first one is the filter, none */
  uint8_t *bits;                 /* 1: white */
} Picture;

static void blacken(Picture *p, size_t r, size_t c) {
  const size_t x = c / p->scale, y = r / p->scale;
  p->bits[y * p->stride + 1 + x / 8] &= (uint8_t) ~(0x80u >> (x % 8));
}

static void draw(Picture *p, const SofaBlockRows *a) {
  for (size_t i = 0; i < a->n_rows; i++) {
    for (size_t k = a->start[i]; k < a->start[i + 1]; k++) {
      const double *v = sofa_block_values(a, k);
      const size_t j = a->column[k];
      for (size_t r = a->row_scalar[i]; r < a->row_scalar[i + 1]; r++)
        for (size_t c = a->column_scalar[j]; c < a->column_scalar[j + 1]; c++)
          if (*v++ != 0) blacken(p, r, c);
    }
  }
}

static void put_number(uint8_t *to, uint32_t n) {
  for (int i = 0; i < 4; i++) to[i] = (uint8_t)(n >> (24 - 8 * i));
}

/* Length, type, data and checksum of type and data. */
static SofaErr append_chunk(SofaContext *ctx, const char *type, const uint8_t *data, size_t n,
                            SofaText *out) {
  uint8_t word[4];
  uLong sum = crc32(0, (const Bytef *)type, 4);
  put_number(word, (uint32_t)n);
  SOFA_TRY(sofa_text_append(ctx, out, (const char *)word, 4));
  SOFA_TRY(sofa_text_append(ctx, out, type, 4));
  if (n) {
    SOFA_TRY(sofa_text_append(ctx, out, (const char *)data, n));
    sum = crc32(sum, data, (uInt)n);
  }
  put_number(word, (uint32_t)sum);
  return sofa_text_append(ctx, out, (const char *)word, 4);
}

static SofaErr append_picture(SofaContext *ctx, const Picture *p, SofaText *out) {
  static const char signature[] = "\x89PNG\r\n\x1a\n";
  const size_t bytes = p->stride * p->height;
  uLongf packed_size = compressBound((uLong)bytes);
  SofaErr err = SOFA_OK;
  uint8_t head[13] = {0}, *packed = sofa_alloc(ctx, packed_size, 1);
  if (!packed) return SOFA_ERR_MEMORY;
  if (compress2(packed, &packed_size, p->bits, (uLong)bytes, Z_BEST_COMPRESSION) != Z_OK)
    SOFA_GO(err, done, SOFA_ERR_MEMORY);
  put_number(head, p->width);
  put_number(head + 4, p->height);
  head[8] = 1; /* bits; grey */
  SOFA_GO(err, done, sofa_text_append(ctx, out, signature, 8));
  SOFA_GO(err, done, append_chunk(ctx, "IHDR", head, sizeof head, out));
  SOFA_GO(err, done, append_chunk(ctx, "IDAT", packed, packed_size, out));
  err = append_chunk(ctx, "IEND", NULL, 0, out);
done:
  sofa_free(ctx, packed);
  return err;
}

SofaErr sofa_matrix_picture(SofaContext *ctx, const SofaBlockRows *a, uint32_t pixels,
                            SofaText *out) {
  const size_t longest =
      a->n_scalar_rows > a->n_scalar_columns ? a->n_scalar_rows : a->n_scalar_columns;
  Picture p = {.scale = (uint32_t)((longest + pixels - 1) / pixels)};
  if (p.scale == 0) p.scale = 1;
  p.width = (uint32_t)((a->n_scalar_columns + p.scale - 1) / p.scale);
  p.height = (uint32_t)((a->n_scalar_rows + p.scale - 1) / p.scale);
  p.stride = 1 + ((size_t)p.width + 7) / 8;
  p.bits = sofa_alloc(ctx, p.stride * p.height + 1, 1);
  if (!p.bits) return SOFA_ERR_MEMORY;
  sofa_fill(p.bits, 0xff, p.stride * p.height);
  for (size_t y = 0; y < p.height; y++) p.bits[y * p.stride] = 0;
  draw(&p, a);
  const SofaErr err = append_picture(ctx, &p, out);
  sofa_free(ctx, p.bits);
  return err;
}
