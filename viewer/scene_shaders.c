/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shaders of a view: which surfaces they shade, and what is given to them. */
#include <string.h>

#include "object/data_graph.h"
#include "viewer/scene_view_impl.h"

static bool is_element(const SofaObject *object) {
  return sofa_class_is_a(object->klass, &sofa_shader_element_class);
}

bool scene_have_common_tag(const SofaTags *a, const SofaTags *b) {
  for (size_t i = 0; i < a->words.n; i++)
    for (size_t j = 0; j < b->words.n; j++)
      if (strcmp(a->words.data[i], b->words.data[j]) == 0) return true;
  return false;
}

SofaErr scene_view_collect_shader(SceneView *view, SofaObject *object, size_t node) {
  if (is_element(object)) {
    const SceneElement element = {.object = object, .node = node};
    return SOFA_APPEND(view->ctx, &view->elements, &element);
  }
  if (!sofa_class_is_a(object->klass, &sofa_OglShader_class)) return SOFA_OK;
  if (view->n_shaders == view->shaders.n) {
    const SceneShader empty = {.shader = NULL};
    SOFA_TRY(SOFA_APPEND(view->ctx, &view->shaders, &empty));
  }
  SceneShader *shader = &view->shaders.data[view->n_shaders++];
  shader->shader = (OglShader *)object;
  shader->node = node;
  shader->serves_models = false;
  return SOFA_OK;
}

/* Rank + 1 of the nearest shader above with a common tag, if `tags` has some; 0: there is none.
 * active: passive ones do not count. */
static size_t nearest(const SceneView *view, size_t node, const SofaTags *tags, bool active) {
  for (;; node = view->nodes.data[node].parent) {
    for (size_t i = 0; i < view->n_shaders; i++) {
      const SceneShader *s = &view->shaders.data[i];
      if (s->node != node || (active && s->shader->passive)) continue;
      if (!tags || !tags->words.n || scene_have_common_tag(tags, &s->shader->visual.object.tags))
        return i + 1;
    }
    if (node == 0) return 0;
  }
}

void scene_view_link_shaders(SceneView *view) {
  for (size_t i = 0; i < view->nodes.n; i++) {
    const size_t above = i ? view->nodes.data[view->nodes.data[i].parent].shader : 0;
    view->nodes.data[i].shader = above;
    for (size_t s = view->n_shaders; s-- > 0;)
      if (view->shaders.data[s].node == i && !view->shaders.data[s].shader->passive)
        view->nodes.data[i].shader = s + 1;
  }
  for (size_t i = 0; i < view->elements.n; i++) {
    SceneElement *e = &view->elements.data[i];
    e->shader = nearest(view, e->node, &e->object->tags, false);
  }
  if (view->post.object) view->post.shader = nearest(view, view->post.node, NULL, false);
  for (size_t i = 0; i < view->items.n; i++) {
    const SceneItem *item = &view->items.data[i];
    const size_t shader = view->nodes.data[item->node].shader;
    if (shader && item->object->klass == &sofa_OglShaderVisualModel_class)
      view->shaders.data[shader - 1].serves_models = true;
  }
}

/* ---- values ---- */

static RenderValue value_of(const SofaObject *object, const char *field) {
  const OglNumbers n = sofa_ogl_numbers(object, field);
  return (RenderValue){n.scalar, n.n, n.data};
}

static SofaErr add_variable(SceneView *view, RenderShader *to, const OglVariable *v) {
  RenderUniform u = {.name = sofa_ogl_element_id(&v->element),
                     .value = value_of(&v->element.visual.object, "value"),
                     .transpose = v->transpose};
  sofa_ogl_variable_shape(v, &u.columns, &u.rows);
  return SOFA_APPEND(view->ctx, &to->uniforms, &u);
}

static SofaErr add_attribute(SceneView *view, RenderShader *to, const OglAttribute *a) {
  const RenderAttribute out = {.key = a,
                               .name = sofa_ogl_element_id(&a->element),
                               .value = value_of(&a->element.visual.object, "value"),
                               .width = sofa_ogl_attribute_width(a),
                               .version = sofa_ogl_version(&a->element.visual.object, "value")};
  return SOFA_APPEND(view->ctx, &to->attributes, &out);
}

static SofaErr add_texture(SceneView *view, RenderShader *to, const OglTexture *t,
                           const char *name) {
  static const char *const fields[] = {"filename", "proceduralTextureData",
                                       "proceduralTextureWidth", "proceduralTextureHeight",
                                       "proceduralTextureNbBits"};
  RenderImage image = {.name = name,
                       .key = t,
                       .cube = true,
                       .repeat = t->repeat,
                       .nearest = !t->linear,
                       .no_mipmaps = !t->mipmaps,
                       .srgb = t->srgb,
                       .min_lod = t->min_lod,
                       .max_lod = t->max_lod,
                       .width = t->width,
                       .height = t->height,
                       .channels = sofa_ogl_texture_channels(t),
                       .version = 1};
  for (int i = 0; i < 6; i++) {
    image.paths[i] = t->sides[i].path;
    image.cube &= t->sides[i].path != NULL;
  }
  if (!image.cube) image.paths[0] = t->filename.path ? t->filename.path : t->filename_2d.path;
  const size_t n = (size_t)image.width * image.height * image.channels;
  image.pixels = n && t->pixels.n == n ? t->pixels.data : NULL;
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
    image.version += sofa_ogl_version(&t->element.visual.object, fields[i]);
  return t->enabled ? SOFA_APPEND(view->ctx, &to->images, &image) : SOFA_OK;
}

static SofaErr add_element(SceneView *view, RenderShader *to, const SofaObject *object) {
  const OglShaderElement *e = (const OglShaderElement *)object;
  if (sofa_class_is_a(object->klass, &sofa_ogl_variable_class))
    return add_variable(view, to, (const OglVariable *)object);
  if (sofa_class_is_a(object->klass, &sofa_ogl_attribute_class))
    return add_attribute(view, to, (const OglAttribute *)object);
  if (sofa_class_is_a(object->klass, &sofa_OglTexture_class))
    return add_texture(view, to, (const OglTexture *)object, sofa_ogl_element_id(e));
  if (object->klass == &sofa_OglTexturePointer_class) {
    const OglTexturePointer *p = (const OglTexturePointer *)object;
    if (!p->enabled || !p->texture.target) return SOFA_OK;
    return add_texture(view, to, (const OglTexture *)p->texture.target, sofa_ogl_element_id(e));
  }
  const char *value = ((const OglShaderDefineMacro *)object)->value;
  const RenderMacro macro = {sofa_ogl_element_id(e), value ? value : ""};
  return SOFA_APPEND(view->ctx, &to->macros, &macro);
}

/* Names of what models give; the values are set for each. */
static SofaErr add_model_values(SceneView *view, RenderShader *to) {
  static const double identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  const RenderUniform matrix = {
      .name = "modelMatrix", .value = {SOFA_SCALAR_REAL, 16, identity}, .columns = 4, .rows = 4};
  const RenderAttribute attributes[2] = {
      {.name = "restPosition", .width = 3, .value = {.scalar = SOFA_SCALAR_REAL}},
      {.name = "restNormal", .width = 3, .value = {.scalar = SOFA_SCALAR_REAL}}};
  for (int i = 0; i < 2; i++) SOFA_TRY(SOFA_APPEND(view->ctx, &to->attributes, &attributes[i]));
  return SOFA_APPEND(view->ctx, &to->uniforms, &matrix);
}

SofaErr scene_view_update_shaders(SceneView *view) {
  for (size_t i = 0; i < view->n_shaders; i++) {
    SceneShader *s = &view->shaders.data[i];
    RenderShader *to = &s->data;
    SOFA_TRY(sofa_data_pull(&s->shader->visual.object, NULL));
    to->key = s->shader;
    to->macros.n = to->uniforms.n = to->attributes.n = to->images.n = 0;
    to->geometry_in = s->shader->geometry_in;
    to->geometry_out = s->shader->geometry_out;
    to->geometry_most = s->shader->geometry_most;
    to->outer_level = s->shader->outer_level;
    to->inner_level = s->shader->inner_level;
    for (int k = 0; k < RENDER_N_STAGES; k++) to->paths[k] = sofa_ogl_shader_path(s->shader, k);
    if (s->serves_models) SOFA_TRY(add_model_values(view, to));
  }
  for (size_t i = 0; i < view->elements.n; i++) {
    const SceneElement *e = &view->elements.data[i];
    const OglShaderElement *element = (const OglShaderElement *)e->object;
    if (!e->shader) continue;
    SceneShader *s = &view->shaders.data[e->shader - 1];
    SOFA_TRY(sofa_data_pull(e->object, NULL));
    if (!element->visual.enable || element->index != s->shader->active) continue;
    SOFA_TRY(add_element(view, &s->data, e->object));
  }
  return SOFA_OK;
}

const RenderShader *scene_view_shader(const SceneView *view, const SceneItem *item) {
  const size_t rank = view->nodes.data[item->node].shader;
  if (!rank) return NULL;
  SceneShader *s = &view->shaders.data[rank - 1];
  const OglShader *shader = s->shader;
  if (!shader->turn_on || !shader->visual.enable) return NULL;
  // shaders whose shading is the view's own; a stage whose file is missing (that was reported)
  if (shader->visual.object.klass != &sofa_OglShader_class) return NULL;
  for (int k = 0; k < RENDER_N_STAGES; k++)
    if (shader->paths[k].n && !s->data.paths[k]) return NULL;
  if (!s->data.paths[0] || !s->data.paths[1]) return NULL;
  if (!s->serves_models) return &s->data;
  const bool gives = item->object->klass == &sofa_OglShaderVisualModel_class;
  const OglShaderVisualModel *m = (const OglShaderVisualModel *)item->object;
  for (int i = 0; i < 2; i++) {
    RenderAttribute *a = &s->data.attributes.data[i];
    const SofaVec3s *v = gives ? (i ? &m->rest_normal : &m->model.rest_position) : NULL;
    a->key = v ? (const void *)v : (const void *)a;
    a->value.n = v ? 3 * v->n : 0;
    a->value.data = v && v->n ? v->data->v : NULL;
    a->version = gives ? sofa_ogl_version(item->object, "restPosition") : 0;
  }
  return &s->data;
}

void scene_view_free_shaders(SceneView *view) {
  for (size_t i = 0; i < view->shaders.n; i++) {
    RenderShader *s = &view->shaders.data[i].data;
    sofa_list_free(view->ctx, &s->macros);
    sofa_list_free(view->ctx, &s->uniforms);
    sofa_list_free(view->ctx, &s->attributes);
    sofa_list_free(view->ctx, &s->images);
  }
  sofa_list_free(view->ctx, &view->shaders);
  sofa_list_free(view->ctx, &view->elements);
}
