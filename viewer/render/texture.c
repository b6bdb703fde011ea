/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads images into textures. */
#include "viewer/render/texture.h"

#include <limits.h>
#include <string.h>

#include "base/files.h"
#include "viewer/render/stb.h"

/* false: it was reported */
static bool read_image(SofaContext *ctx, Texture *texture) {
  char *bytes = NULL;
  size_t size = 0;
  int channels = 0;
  GLint largest = 0;
  if (sofa_read_file(ctx, texture->path, (size_t)1 << 30, &bytes, &size) != SOFA_OK) return false;
  uint8_t *pixels = size > INT_MAX
                        ? NULL
                        : stbi_load_from_memory((const uint8_t *)bytes, (int)size, &texture->width,
                                                &texture->height, &channels, 4);
  sofa_free(ctx, bytes);
  glGetIntegerv(GL_MAX_TEXTURE_SIZE, &largest);
  if (!pixels || texture->width > largest || texture->height > largest) {
    sofa_message(ctx, SOFA_WARNING, &(SofaOrigin){.file = texture->path},
                 "the image is not shown: %s",
                 pixels ? "it is too large for a texture" : stbi_failure_reason());
    stbi_image_free(pixels);
    return false;
  }
  glGenTextures(1, &texture->name);
  glBindTexture(GL_TEXTURE_2D, texture->name);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
  // rows of an image file go down, v goes up
  glTexImage2D(GL_TEXTURE_2D, 0, texture->srgb ? GL_SRGB8_ALPHA8 : GL_RGBA8, texture->width,
               texture->height, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
  for (int y = 0; y < texture->height; y++)
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, texture->height - 1 - y, texture->width, 1, GL_RGBA,
                    GL_UNSIGNED_BYTE, pixels + 4 * (size_t)y * (size_t)texture->width);
  glGenerateMipmap(GL_TEXTURE_2D);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
  glBindTexture(GL_TEXTURE_2D, 0);
  stbi_image_free(pixels);
  return true;
}

const Texture *texture_of(SofaContext *ctx, Textures *textures, const char *path, bool srgb) {
  for (size_t i = 0; i < textures->n; i++)
    if (textures->data[i].srgb == srgb && strcmp(textures->data[i].path, path) == 0)
      return &textures->data[i];
  Texture texture = {.path = sofa_strdup(ctx, path), .srgb = srgb};
  if (!texture.path) return NULL;
  if (SOFA_APPEND(ctx, textures, &texture) != SOFA_OK) {
    sofa_free(ctx, texture.path);
    return NULL;
  }
  read_image(ctx, &textures->data[textures->n - 1]);
  return &textures->data[textures->n - 1];
}

void textures_free(SofaContext *ctx, Textures *textures) {
  for (size_t i = 0; i < textures->n; i++) {
    if (textures->data[i].name) glDeleteTextures(1, &textures->data[i].name);
    sofa_free(ctx, textures->data[i].path);
  }
  sofa_list_free(ctx, textures);
}
