/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* OglTexture: an image, a cube of images or made-up pixels for a shader; OglTexture2D is the same.
 */
#include "components/visual/shader.h"

typedef OglTexture SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_DISPLAY(filename, "filename", NULL, "image"),
    SOFA_ROW_DISPLAY(unit, "textureUnit", "1", "unit of the texture; the view chooses itself"),
    SOFA_ROW_DISPLAY(enabled, "enabled", "1", "give it to the shader"),
    SOFA_ROW_DISPLAY(repeat, "repeat", "0", "repeat the image outside 0..1; off: repeat its edge"),
    SOFA_ROW_DISPLAY(linear, "linearInterpolation", "1", "interpolate between pixels"),
    SOFA_ROW_DISPLAY(mipmaps, "generateMipmaps", "1", "smaller images for distant surfaces"),
    SOFA_ROW_DISPLAY(srgb, "srgbColorspace", "0", "the image is sRGB; shaders get linear light"),
    SOFA_ROW_DISPLAY(min_lod, "minLod", "-1000", "least level of detail"),
    SOFA_ROW_DISPLAY(max_lod, "maxLod", "1000", "greatest level of detail"),
    SOFA_ROW_DISPLAY(width, "proceduralTextureWidth", "0", "width of made-up pixels",
                     .range = SOFA_WITHIN(0, 16384)),
    SOFA_ROW_DISPLAY(height, "proceduralTextureHeight", "0", "height of made-up pixels",
                     .range = SOFA_WITHIN(0, 16384)),
    SOFA_ROW_DISPLAY(
        n_bits, "proceduralTextureNbBits", "1",
        "bits per pixel: 8 grey, 16 two channels, 24 colour, 32 with alpha; less: grey",
        .range = SOFA_WITHIN(0, 32)),
    SOFA_ROW_DISPLAY(pixels, "proceduralTextureData", NULL,
                     "channels of the pixels, 0 to 255, row by row"),
    SOFA_ROW_DISPLAY(sides[0], "cubemapFilenamePosX", NULL, "side of a cube; all six make a cube"),
    SOFA_ROW_DISPLAY(sides[2], "cubemapFilenamePosY", NULL, "side of a cube"),
    SOFA_ROW_DISPLAY(sides[4], "cubemapFilenamePosZ", NULL, "side of a cube"),
    SOFA_ROW_DISPLAY(sides[1], "cubemapFilenameNegX", NULL, "side of a cube"),
    SOFA_ROW_DISPLAY(sides[3], "cubemapFilenameNegY", NULL, "side of a cube"),
    SOFA_ROW_DISPLAY(sides[5], "cubemapFilenameNegZ", NULL, "side of a cube"),
};

unsigned sofa_ogl_texture_channels(const OglTexture *t) {
  const unsigned channels = t->n_bits <= 8 ? 1 : t->n_bits <= 16 ? 2 : t->n_bits <= 24 ? 3 : 4;
  return t->width && t->height ? channels : 0;
}

static void warn_missing(const SofaObject *object, const char *field, const SofaFileName *file) {
  if (file->text && file->text[0] && !file->path)
    sofa_object_message(object, SOFA_WARNING, "%s: no file '%s'; the texture is black", field,
                        file->text);
}

static SofaErr init(SofaObject *object) {
  OglTexture *t = (OglTexture *)object;
  const unsigned channels = sofa_ogl_texture_channels(t);
  const size_t wanted = (size_t)t->width * t->height * channels;
  warn_missing(object, "filename", &t->filename);
  for (int i = 0; i < 6; i++) warn_missing(object, "cubemapFilename", &t->sides[i]);
  if (channels && !t->filename.path && t->pixels.n != wanted)
    return sofa_field_fail(object, "proceduralTextureData", SOFA_ERR_RANGE,
                           "%zu numbers, expected %zu: %u x %u pixels of %u channels", t->pixels.n,
                           wanted, t->width, t->height, channels);
  return SOFA_OK;
}

SOFA_CLASS(OglTexture) = {
    SOFA_NAMED(OglTexture),
    .module = "Sofa.GL.Component.Shader",
    .category = "VisualModel",
    .help = "An image for a sampler of a shader.",
    .base = &sofa_shader_element_class,
    SOFA_FIELDS(fields),
    .init = init,
    .reinit = init,
};

/* ---- OglTexture2D ---- */

static const SofaField fields_2d[] = {
    SOFA_ROW_DISPLAY(filename_2d, "texture2DFilename", NULL, "image; old name of filename"),
};

static SofaErr init_2d(SofaObject *object) {
  warn_missing(object, "texture2DFilename", &((OglTexture *)object)->filename_2d);
  return SOFA_OK;
}

SOFA_CLASS(OglTexture2D) = {
    .name = "OglTexture2D",
    .module = "Sofa.GL.Component.Shader",
    .category = "VisualModel",
    .help = "An image for a sampler of a shader.",
    .base = &sofa_OglTexture_class,
    .size = sizeof(OglTexture),
    SOFA_FIELDS(fields_2d),
    .init = init_2d,
    .reinit = init_2d,
};
