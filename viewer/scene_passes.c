/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pictures in several passes: views into textures, and shaders that put them together. */
#include <stdio.h>
#include <string.h>

#include "object/data_graph.h"
#include "viewer/scene_view_impl.h"

static const char plain_vertex[] = "void main() {\n"
                                   "  gl_TexCoord[0] = gl_MultiTexCoord0;\n"
                                   "  gl_Position = ftransform();\n"
                                   "}\n";

static bool is_secondary(const SofaObject *object) {
  return sofa_class_is_a(object->klass, &sofa_VisualManagerSecondaryPass_class);
}

static bool includes(const SofaTags *all, const SofaTags *some) {
  for (size_t i = 0; i < some->words.n; i++) {
    bool found = false;
    for (size_t j = 0; j < all->words.n; j++)
      found |= strcmp(some->words.data[i], all->words.data[j]) == 0;
    if (!found) return false;
  }
  return some->words.n > 0;
}

SofaErr scene_view_collect_pass(SceneView *view, SofaObject *object, size_t node) {
  const SceneElement pass = {.object = object, .node = node};
  if (object->klass == &sofa_CompositingVisualLoop_class && !view->compositing)
    view->compositing = (const CompositingVisualLoop *)object;
  if (object->klass == &sofa_PostProcessManager_class && !view->post.object) view->post = pass;
  if (!sofa_class_is_a(object->klass, &sofa_VisualManagerPass_class)) return SOFA_OK;
  return SOFA_APPEND(view->ctx, &view->passes, &pass);
}

/* ---- the shader of a pass ---- */

static SofaErr add_number(SceneView *view, const char *name, size_t place, size_t n) {
  const RenderUniform u = {.name = name,
                           .value = {SOFA_SCALAR_REAL, n, view->pass_numbers + place},
                           .columns = 1,
                           .rows = (unsigned)n};
  return SOFA_APPEND(view->ctx, &view->pass_shader.uniforms, &u);
}

static SofaErr add_texture(SceneView *view, const char *name, const char *ending, const void *key,
                           bool depth) {
  const size_t place = view->pass_shader.images.n;
  if (place >= SCENE_MOST_TEXTURES) return SOFA_OK;
  char *text = view->pass_names[place];
  snprintf(text, sizeof view->pass_names[place], "%s%s", name, ending);
  const RenderImage image = {.name = text, .key = key, .target = key, .target_depth = depth};
  return SOFA_APPEND(view->ctx, &view->pass_shader.images, &image);
}

/* Begins view->pass_shader as a copy of a shader of the scene, or with a file of its own. */
static SofaErr begin_shader(SceneView *view, const void *key, const OglShader *linked,
                            const char *fragment) {
  RenderShader *to = &view->pass_shader;
  to->macros.n = to->uniforms.n = to->attributes.n = to->images.n = 0;
  memset(to->paths, 0, sizeof to->paths);
  to->key = key;
  to->vertex_text = plain_vertex;
  to->geometry_in = to->geometry_out = to->geometry_most = -1;
  to->paths[1] = fragment;
  for (size_t i = 0; i < view->n_shaders && linked; i++) {
    const RenderShader *from = &view->shaders.data[i].data;
    if (view->shaders.data[i].shader != linked) continue;
    memcpy(to->paths, from->paths, sizeof to->paths);
    for (size_t k = 0; k < from->macros.n; k++)
      SOFA_TRY(SOFA_APPEND(view->ctx, &to->macros, &from->macros.data[k]));
    for (size_t k = 0; k < from->uniforms.n; k++)
      SOFA_TRY(SOFA_APPEND(view->ctx, &to->uniforms, &from->uniforms.data[k]));
    for (size_t k = 0; k < from->images.n && k < SCENE_MOST_TEXTURES; k++)
      SOFA_TRY(SOFA_APPEND(view->ctx, &to->images, &from->images.data[k]));
  }
  return SOFA_OK;
}

static const char *name_of(const VisualManagerPass *pass) {
  return pass->output && pass->output[0] ? pass->output : pass->visual.object.name;
}

/* Textures of the passes before it that its tags name; what else SOFA gives. */
static SofaErr make_shader(SceneView *view, size_t rank, const RenderView *seen) {
  const VisualManagerSecondaryPass *p =
      (const VisualManagerSecondaryPass *)view->passes.data[rank].object;
  SOFA_TRY(begin_shader(view, p, (const OglShader *)p->shader.target, p->fragment.path));
  for (size_t i = 0; i < rank; i++) {
    const SofaObject *object = view->passes.data[i].object;
    const bool second = is_secondary(object);
    const SofaTags *tags =
        second ? &((const VisualManagerSecondaryPass *)object)->outputs : &object->tags;
    if (!includes(&p->inputs, tags)) continue;
    const char *name = name_of((const VisualManagerPass *)object);
    SOFA_TRY(add_texture(view, name, "", object, false));
    if (!second) SOFA_TRY(add_texture(view, name, "_Z", object, true));
  }
  const double numbers[4] = {seen->camera.z_near, seen->camera.z_far, seen->width, seen->height};
  memcpy(view->pass_numbers, numbers, sizeof numbers);
  SOFA_TRY(add_number(view, "zNear", 0, 1));
  SOFA_TRY(add_number(view, "zFar", 1, 1));
  SOFA_TRY(add_number(view, "width", 2, 1));
  return add_number(view, "height", 3, 1);
}

/* ---- drawing ---- */

static SofaErr draw_pass(SceneView *view, size_t rank, const RenderView *seen,
                         const RenderView *part) {
  SofaObject *object = view->passes.data[rank].object;
  if (!is_secondary(object)) return scene_view_draw_part(view, part, object, false);
  SOFA_TRY(make_shader(view, rank, seen));
  renderer_view(view->renderer, part);
  (void)renderer_screen(view->renderer, &view->pass_shader); // else the pass is empty
  return SOFA_OK;
}

static SofaErr draw_passes(SceneView *view, const RenderView *seen) {
  for (size_t i = 0; i < view->passes.n; i++) {
    SofaObject *object = view->passes.data[i].object;
    const VisualManagerPass *pass = (const VisualManagerPass *)object;
    RenderView part = *seen;
    SOFA_TRY(sofa_data_pull(object, NULL));
    if (!pass->visual.enable) continue;
    if (pass->to_screen) return draw_pass(view, i, seen, seen);
    part.width = (int)(pass->factor * seen->width);
    part.height = (int)(pass->factor * seen->height);
    if (part.width < 1) part.width = 1;
    if (part.height < 1) part.height = 1;
    if (!renderer_target_begin(view->renderer, object, part.width, part.height)) continue;
    const SofaErr err = draw_pass(view, i, seen, &part);
    renderer_target_end(view->renderer);
    if (err != SOFA_OK) return err;
  }
  if (!view->pass_reported)
    sofa_object_message(&view->compositing->loop.object, SOFA_WARNING,
                        "no pass has renderToScreen: there is nothing to see");
  view->pass_reported = true;
  renderer_view(view->renderer, seen);
  return SOFA_OK;
}

static SofaErr draw_post(SceneView *view, const RenderView *seen, const OglShader *shader) {
  SofaObject *object = view->post.object;
  if (!renderer_target_begin(view->renderer, object, seen->width, seen->height))
    return scene_view_draw_part(view, seen, NULL, false);
  const SofaErr err = scene_view_draw_part(view, seen, NULL, false);
  renderer_target_end(view->renderer);
  if (err != SOFA_OK) return err;
  SOFA_TRY(begin_shader(view, object, shader, NULL));
  SOFA_TRY(add_texture(view, "colorTexture", "", object, false));
  SOFA_TRY(add_texture(view, "depthTexture", "", object, true));
  view->pass_numbers[0] = 1. / seen->width;
  view->pass_numbers[1] = 1. / seen->height;
  SOFA_TRY(add_number(view, "pixelSize", 0, 2));
  renderer_view(view->renderer, seen);
  if (renderer_screen(view->renderer, &view->pass_shader)) return SOFA_OK;
  // a broken shader: the picture as it is without
  return scene_view_draw_part(view, seen, NULL, false);
}

SofaErr scene_view_draw_passes(SceneView *view, const RenderView *seen, bool *drawn) {
  const CompositingVisualLoop *loop = view->compositing;
  const SofaDisplayFlags *flags = view->nodes.n ? &view->nodes.data[0].flags : NULL;
  *drawn = false;
  if (!flags) return SOFA_OK;
  if (loop && loop->loop.enable && view->passes.n &&
      sofa_display_shows(flags, SOFA_DISPLAY_ADVANCED_RENDERING)) {
    *drawn = true;
    return draw_passes(view, seen);
  }
  const SofaVisual *post = (const SofaVisual *)view->post.object;
  if (!post || !post->enable || !view->post.shader) return SOFA_OK;
  const OglShader *shader = view->shaders.data[view->post.shader - 1].shader;
  for (int stage = 0; stage < 2; stage++)
    if (!sofa_ogl_shader_path(shader, stage)) return SOFA_OK; // was reported
  *drawn = true;
  return draw_post(view, seen, shader);
}

void scene_view_free_passes(SceneView *view) {
  sofa_list_free(view->ctx, &view->passes);
  sofa_list_free(view->ctx, &view->pass_shader.macros);
  sofa_list_free(view->ctx, &view->pass_shader.uniforms);
  sofa_list_free(view->ctx, &view->pass_shader.attributes);
  sofa_list_free(view->ctx, &view->pass_shader.images);
}
