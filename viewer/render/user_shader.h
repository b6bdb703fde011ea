/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shaders of scenes on the graphics card: compiled programs, buffers of attributes, textures. */
#ifndef VIEWER_RENDER_USER_SHADER_H
#define VIEWER_RENDER_USER_SHADER_H

#include <epoxy/gl.h>

#include "viewer/render/mesh.h"
#include "viewer/render/renderer.h"

typedef struct UserProgram {
  const void *key;
  uint64_t recipe; /* of files, macros and names: what it was made from */
  GLuint name;     /* 0: it does not compile (was reported) */
  bool patches;    /* it tessellates */
} UserProgram;
SOFA_LIST(UserProgram, UserPrograms);

typedef struct UserBuffer {
  const void *key;
  uint64_t version;
  size_t n; /* numbers */
  GLuint name;
  bool reported; /* as too short for a surface */
} UserBuffer;
SOFA_LIST(UserBuffer, UserBuffers);

typedef struct UserTexture {
  const void *key;
  uint64_t version;
  GLuint name; /* 0: it could not be read */
} UserTexture;
SOFA_LIST(UserTexture, UserTextures);

typedef struct UserShaders {
  UserPrograms programs;
  UserBuffers buffers;
  UserTextures textures;
  SofaReals numbers; /* scratch for what is uploaded */
  GLuint state;      /* buffer of GlslState */
} UserShaders;

void user_shaders_free(SofaContext *ctx, UserShaders *user);

/* Makes the program of a shader current, with its uniforms, attributes (of the mesh, whose vertex
 * array is bound; NULL: none) and textures. NULL: there is none that works. */
const UserProgram *user_shader_begin(Renderer *renderer, const RenderShader *shader,
                                     const Mesh *mesh);
/* The state that old shaders read, for a part in this material. */
void user_shader_material(Renderer *renderer, const SofaMaterial *material);
void user_shader_end(Renderer *renderer, const RenderShader *shader);

#endif
