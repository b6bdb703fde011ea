/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shaders of a scene and what is given to them. A shader shades the surfaces of its node and of the
 * nodes below; variables, attributes, textures and macros go to the nearest shader above (with a
 * common tag, when they have tags). All of it is data; compiling is the view's. */
#ifndef SOFA_VISUAL_SHADER_H
#define SOFA_VISUAL_SHADER_H

#include "components/visual/OglModel.h"
#include "components/visual/visual.h"

SOFA_BEGIN_DECLS

enum { OGL_N_STAGES = 5 }; /* vertex, fragment, geometry, tessellation control, evaluation */

typedef struct OglShader {
  SofaVisual visual;
  SofaStrings files[OGL_N_STAGES]; /* as written, one per version of the shader */
  SofaStrings paths[OGL_N_STAGES]; /* where they are; "" one that is not there */
  bool turn_on, passive, backface, clamp;
  int geometry_in, geometry_out, geometry_most;
  double outer_level, inner_level;
  uint32_t active; /* version that is used */
} OglShader;

typedef struct OglShaderElement {
  SofaVisual visual;
  char *id;
  uint32_t index; /* of the version of the shader */
} OglShaderElement;

/* Numbers of a field: double, int or uint32_t. */
typedef struct OglNumbers {
  SofaScalar scalar;
  size_t n;
  const void *data;
} OglNumbers;

typedef struct OglVariable {
  OglShaderElement element;
  bool transpose;
  union { /* field `value` */
    double real;
    int integer;
    SofaInts2 ints2;
    SofaInts3 ints3;
    SofaVec2 vec2;
    SofaVec3 vec3;
    SofaReals reals;
    SofaInts ints;
    SofaVec2s vec2s;
    SofaVec3s vec3s;
    SofaVec4s vec4s;
    SofaMat4s mat4s;
  };
} OglVariable;

typedef struct OglAttribute {
  OglShaderElement element;
  bool dynamic;
  union { /* field `value` */
    SofaReals reals;
    SofaVec2s vec2s;
    SofaVec3s vec3s;
    SofaVec4s vec4s;
    SofaInts ints;
    SofaIndices indices;
  };
} OglAttribute;

typedef struct OglTexture {
  OglShaderElement element;
  SofaFileName filename, sides[6]; /* +x -x +y -y +z -z of a cube */
  SofaFileName filename_2d;        /* OglTexture2D: its old name */
  int unit;
  bool enabled, repeat, linear, mipmaps, srgb;
  double min_lod, max_lod;
  uint32_t width, height, n_bits;
  SofaIndices pixels;
} OglTexture;

typedef struct OglTexturePointer {
  OglShaderElement element;
  int unit;
  bool enabled;
  SofaLink texture;
} OglTexturePointer;

typedef struct OglShaderDefineMacro {
  OglShaderElement element;
  char *value;
} OglShaderDefineMacro;

/* OglModel that gives its rest positions and normals to the shader as attributes. */
typedef struct OglShaderVisualModel {
  OglModel model;
  SofaVec3s rest_normal;
} OglShaderVisualModel;

extern const SofaClass sofa_shader_element_class; /* abstract: id, indexShader */
extern const SofaClass sofa_ogl_variable_class;   /* abstract */
extern const SofaClass sofa_ogl_attribute_class;  /* abstract */
extern const SofaClass sofa_OglShader_class, sofa_OglTexture_class, sofa_OglTexturePointer_class,
    sofa_OglShaderVisualModel_class;

/* The name in the shader: the field id, else the object's name. */
const char *sofa_ogl_element_id(const OglShaderElement *element);
/* Columns and rows of a variable, 1 and n of a vector of n; numbers per vertex of an attribute. */
void sofa_ogl_variable_shape(const OglVariable *variable, unsigned *columns, unsigned *rows);
unsigned sofa_ogl_attribute_width(const OglAttribute *attribute);
/* The numbers of a field. */
OglNumbers sofa_ogl_numbers(const SofaObject *object, const char *field);
/* Version of a field's value. */
uint64_t sofa_ogl_version(const SofaObject *object, const char *field);
/* File of a stage in the active version; NULL: none, or it is not there. */
const char *sofa_ogl_shader_path(const OglShader *shader, int stage);
/* Channels of made-up pixels, 1 to 4; 0: there are none. */
unsigned sofa_ogl_texture_channels(const OglTexture *texture);

SOFA_END_DECLS

#endif
