/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* OglShader: a shading of the scene's own, from files of GLSL; what all elements of it share. */
#include <stdio.h>
#include <string.h>

#include "base/files.h"
#include "components/visual/shader.h"

#define FILES(stage, xml, def, words, old)                                                         \
  SOFA_ROW_DISPLAY(files[stage], xml, def, "files of the " words " shader, one per version",       \
                   .aliases = old)

typedef OglShader SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_DISPLAY(turn_on, "turnOn", "1", "use it"),
    SOFA_ROW_DISPLAY(passive, "passive", "0", "do not use it for the surfaces of its node"),
    FILES(0, "fileVertexShaders", "shaders/toonShading.vert", "vertex",
          "fileVertexShader vertFilename"),
    FILES(1, "fileFragmentShaders", "shaders/toonShading.frag", "fragment",
          "fileFragmentShader fragFilename"),
    FILES(2, "fileGeometryShaders", NULL, "geometry", "fileGeometryShader geoFilename"),
    FILES(3, "fileTessellationControlShaders", NULL, "tessellation control",
          "fileTessellationControlShader"),
    FILES(4, "fileTessellationEvaluationShaders", NULL, "tessellation evaluation",
          "fileTessellationEvaluationShader"),
    SOFA_ROW_DISPLAY(
        geometry_in, "geometryInputType", "-1",
        "OpenGL's number of the primitive that a geometry shader without layouts reads"),
    SOFA_ROW_DISPLAY(geometry_out, "geometryOutputType", "-1", "the same of its output"),
    SOFA_ROW_DISPLAY(geometry_most, "geometryVerticesOut", "-1", "most vertices that it writes"),
    SOFA_ROW_DISPLAY(outer_level, "tessellationOuterLevel", "1",
                     "parts of an edge without a control shader", .aliases = "tessellationLevel"),
    SOFA_ROW_DISPLAY(inner_level, "tessellationInnerLevel", "1",
                     "parts of a face without a control shader"),
    SOFA_ROW_DISPLAY(active, "indexActiveShader", "0", "version that is used, from 0"),
    SOFA_ROW_DISPLAY(backface, "backfaceWriting", "0",
                     "gl_BackColor colours the other side; never needed here"),
    SOFA_ROW_DISPLAY(clamp, "clampVertexColor", "1",
                     "colours of vertices end at 1; never needed here"),
};

/* Looks for the files of a stage; those that are not there are reported and empty. */
static SofaErr find_files(OglShader *s, int stage, const char *folder) {
  SofaObject *object = &s->visual.object;
  SofaContext *ctx = object->ctx;
  sofa_strings_free(ctx, &s->paths[stage]);
  for (size_t i = 0; i < s->files[stage].n; i++) {
    const char *name = s->files[stage].data[i];
    char *path = NULL;
    const SofaErr err = sofa_find_file(ctx, folder, name, &path);
    if (err == SOFA_ERR_NOT_FOUND)
      sofa_object_message(object, SOFA_WARNING, "no file '%s'; drawn with the built-in shading",
                          name);
    else if (err != SOFA_OK) return err;
    const char *text = path ? path : "";
    const SofaErr added = sofa_strings_append(ctx, &s->paths[stage], text, strlen(text));
    sofa_free(ctx, path);
    SOFA_TRY(added);
  }
  return SOFA_OK;
}

static SofaErr init(SofaObject *object) {
  OglShader *s = (OglShader *)object;
  SofaContext *ctx = object->ctx;
  size_t n = 0;
  for (int i = 0; i < OGL_N_STAGES; i++)
    if (s->files[i].n > n) n = s->files[i].n;
  if (n && s->active >= n)
    return sofa_field_fail(object, "indexActiveShader", SOFA_ERR_RANGE,
                           "%u, but there are %zu versions: expected 0 to %zu", s->active, n,
                           n - 1);
  // classes whose shading is the view's own read no files
  if (object->klass != &sofa_OglShader_class) return SOFA_OK;
  char *folder = object->file ? sofa_path_folder(ctx, object->file) : NULL;
  SofaErr err = object->file && !folder ? SOFA_ERR_MEMORY : SOFA_OK;
  for (int i = 0; i < OGL_N_STAGES && err == SOFA_OK; i++) err = find_files(s, i, folder);
  sofa_free(ctx, folder);
  return err;
}

static void destroy(SofaObject *object) {
  OglShader *s = (OglShader *)object;
  for (int i = 0; i < OGL_N_STAGES; i++) sofa_strings_free(object->ctx, &s->paths[i]);
}

const char *sofa_ogl_shader_path(const OglShader *s, int stage) {
  const SofaStrings *paths = &s->paths[stage];
  if (paths->n == 0) return NULL;
  const char *path = paths->data[s->active < paths->n ? s->active : paths->n - 1];
  return path[0] ? path : NULL;
}

SOFA_CLASS(OglShader) = {
    SOFA_NAMED(OglShader),
    .module = "Sofa.GL.Component.Shader",
    .category = "VisualModel",
    .help = "Shades the surfaces of its node and of the nodes below with GLSL. Shaders of the "
            "compatibility profile (gl_Vertex, ftransform(), varying, ...) are translated.",
    .base = &sofa_visual_class,
    SOFA_FIELDS(fields),
    .init = init,
    .reinit = init,
    .destroy = destroy,
};

/* ---- elements ---- */

static const SofaField element_fields[] = {
    SOFA_FIELD(OglShaderElement, id, "id", NULL, "", "name in the shader; empty: the object's name",
               .flags = SOFA_FIELD_DISPLAY),
    SOFA_FIELD(OglShaderElement, index, "indexShader", "0", "",
               "version of the shader it belongs to", .flags = SOFA_FIELD_DISPLAY),
};

const SofaClass sofa_shader_element_class = {
    .name = "ShaderElement",
    .module = "csofa",
    .category = "VisualModel",
    .help = "Something that is given to a shader.",
    .base = &sofa_visual_class,
    .size = sizeof(OglShaderElement),
    SOFA_FIELDS(element_fields),
    .abstract = true,
};

const char *sofa_ogl_element_id(const OglShaderElement *element) {
  return element->id && element->id[0] ? element->id : element->visual.object.name;
}

OglNumbers sofa_ogl_numbers(const SofaObject *object, const char *name) {
  const SofaField *field = sofa_class_field(object->klass, name);
  const char *value = (const char *)object + field->offset;
  OglNumbers out = {field->type->scalar, field->type->width, value};
  if (!field->type->list) return out;
  const SofaIndices *list = (const SofaIndices *)(const void *)value; // any list begins alike
  out.n *= list->n;
  out.data = list->data;
  return out;
}

uint64_t sofa_ogl_version(const SofaObject *object, const char *name) {
  return sofa_field_state(object, sofa_class_field(object->klass, name))->version;
}
