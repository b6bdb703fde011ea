/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lights of a view. */
#include <string.h>

#include "math/vec.h"
#include "viewer/scene_view_impl.h"

/* What the view lights a scene with that has no LightManager: from the upper left behind the
 * viewer, and a weaker one from the right. */
static void own_lights(RenderFrame *frame) {
  static const RenderLight lights[] = {
      {.of_eye = true, .position = {-0.4, 0.6, 0.8, 0}, .color = {0.66, 0.66, 0.66}, .cutoff = 180},
      {.of_eye = true, .position = {0.8, -0.1, 0.5, 0}, .color = {0.22, 0.22, 0.25}, .cutoff = 180},
  };
  memcpy(frame->lights, lights, sizeof lights);
  frame->n_lights = 2;
  for (int k = 0; k < 3; k++) frame->ambient[k] = 1;
}

static RenderLight light_of(const LightManager *manager, const SofaLight *light) {
  const SofaClass *klass = light->visual.object.klass;
  RenderLight out = {.cutoff = 180};
  for (int k = 0; k < 3; k++) out.color[k] = light->color.rgba[k];
  out.shadow = (RenderShadow){.on = manager->shadows && light->shadows,
                              .soft = manager->soft_shadows || light->soft_shadows,
                              .size = light->shadow_size,
                              .z_near = light->z_near,
                              .z_far = light->z_far,
                              .darkness = light->shadow_factor,
                              .bleeding = light->light_bleeding,
                              .least_variance = light->min_variance};
  if (klass == &sofa_DirectionalLight_class) {
    const DirectionalLight *d = (const DirectionalLight *)light;
    for (int k = 0; k < 3; k++) out.position[k] = -d->direction.v[k];
    return out;
  }
  const PositionalLight *p = (const PositionalLight *)light;
  out.of_eye = p->fixed;
  out.attenuation = p->attenuation;
  sofa_vec3_copy(p->position.v, out.position);
  out.position[3] = 1;
  if (klass != &sofa_SpotLight_class) return out;
  const SpotLight *s = (const SpotLight *)light;
  out.cutoff = s->cutoff;
  out.exponent = s->exponent;
  sofa_vec3_copy(s->direction.v, out.direction);
  if (s->look_at) sofa_vec3_sub(s->direction.v, p->position.v, out.direction);
  return out;
}

static void scene_lights(const SceneView *view, RenderFrame *frame) {
  for (int k = 0; k < 3; k++) frame->ambient[k] = view->manager->ambient.rgba[k];
  for (size_t i = 0; i < view->items.n && frame->n_lights < RENDER_MAX_LIGHTS; i++) {
    const SofaObject *object = view->items.data[i].object;
    if (sofa_class_is_a(object->klass, &sofa_light_class) && ((const SofaVisual *)object)->enable)
      frame->lights[frame->n_lights++] = light_of(view->manager, (const SofaLight *)object);
  }
}

void scene_view_lights(const SceneView *view, const SofaBox *box, RenderFrame *frame) {
  frame->box = *box;
  if (view->manager && view->manager->visual.enable) scene_lights(view, frame);
  else own_lights(frame);
}
