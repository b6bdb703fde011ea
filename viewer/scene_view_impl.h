/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files of a view share. */
#ifndef VIEWER_SCENE_VIEW_IMPL_H
#define VIEWER_SCENE_VIEW_IMPL_H

#include "behavior/visual_model.h"
#include "components/setting/setting.h"
#include "components/visual/DataDisplay.h"
#include "components/visual/OglViewport.h"
#include "components/visual/OrderIndependentTransparencyManager.h"
#include "components/visual/VisualStyle.h"
#include "components/visual/base_camera.h"
#include "components/visual/light.h"
#include "components/visual/passes.h"
#include "components/visual/shader.h"
#include "viewer/color_field.h"
#include "viewer/render/renderer.h"
#include "viewer/scene_view.h"

/* An object that is seen, with what its node shows. */
typedef struct SceneItem {
  SofaObject *object;
  const SofaDrawOps *draw;           /* or NULL */
  const SofaVisualModelOps *surface; /* or NULL */
  size_t node;                       /* rank in SceneView.nodes */
  SofaSurface seen;                  /* of this picture; enabled false: not seen */
  double depth;                      /* of its centre, translucent ones */
  bool here;                         /* in the view that is drawn */
  bool failed;                       /* was reported */
} SceneItem;
SOFA_LIST(SceneItem, SceneItems);

typedef struct SceneNode {
  SofaNode *node;
  const VisualStyle *style; /* or NULL */
  size_t parent;            /* rank; its own for the root */
  SofaDisplayFlags flags;   /* effective ones */
  bool colored;             /* of the body that is drawn in colours, or below it */
  size_t shader;            /* rank + 1 in SceneView.shaders of what shades it; 0: built-in */
  size_t scope, below;      /* ranks in SceneView.scopes: of its objects, of its children */
} SceneNode;
SOFA_LIST(SceneNode, SceneNodes);

/* Nodes that are moved or cut alike, and what their components draw. */
typedef struct SceneScope {
  size_t node, parent; /* ranks; scope 0 is the world */
  bool moved;
  RenderScope how;
  SofaDrawList list;
} SceneScope;
SOFA_LIST(SceneScope, SceneScopes);

SOFA_LIST(OglViewport *, SceneViewports);

/* A shader of the scene, with what is given to it. */
typedef struct SceneShader {
  OglShader *shader;
  size_t node;
  bool serves_models; /* a model gives it attributes: the first ones */
  RenderShader data;  /* lists keep their memory */
} SceneShader;
SOFA_LIST(SceneShader, SceneShaders);

/* What is given to a shader. */
typedef struct SceneElement {
  SofaObject *object;
  size_t node, shader; /* rank; rank + 1, 0: none */
} SceneElement;
SOFA_LIST(SceneElement, SceneElements);

enum { SCENE_MOST_TEXTURES = 12 };

struct SceneView {
  SofaContext *ctx;
  Renderer *renderer;
  SofaSimulation *simulation;
  uint64_t graph_version; /* of what was collected */
  bool collected;
  SceneNodes nodes;
  SceneItems items;
  SofaIndices translucent; /* items, the farthest first */
  const BackgroundSetting *background;
  const LightManager *manager;
  const OrderIndependentTransparencyManager *transparency;
  const SofaVisual *srgb;     /* OglRenderingSRGB */
  const BaseCamera *recorded; /* the camera of the scene, or NULL */
  SofaCamera camera;
  SceneViewOptions options;
  SceneScopes scopes; /* the first n_scopes are used; lists keep their memory */
  size_t n_scopes;
  SofaObjects effects; /* clip planes and transforms, in the order of the nodes */
  SceneViewports viewports;
  SceneShaders shaders; /* the first n_shaders are used */
  size_t n_shaders;
  SceneElements elements;
  const CompositingVisualLoop *compositing; /* or NULL */
  SceneElements passes;                     /* VisualManagerPass and secondary ones */
  SceneElement post;                        /* PostProcessManager; object NULL: none */
  RenderShader pass_shader;                 /* of the pass that is drawn; lists keep their memory */
  char pass_names[SCENE_MOST_TEXTURES][80];
  double pass_numbers[4];
  bool pass_reported;
  bool plain_said;  /* the message of scene_view_fill_plain */
  ColorField color; /* the body that is drawn in colours */
  SofaDrawList extra;
  SofaBox box;
  SceneViewStats stats;
};

/* Draws the topologies, springs and points of a scene in which nothing is drawn and nothing hidden.
 */
void scene_view_fill_plain(SceneView *view, const RenderView *seen);

/* Flags of every node: its parent's, overridden by its own, overridden by the view's. Without a
 * style at the root visual models are shown. */
void scene_view_flags(SceneView *view);
/* Brings displays and the ranges of maps up to date; all that share a map share its range. */
SofaErr scene_view_measure_colors(SceneView *view);

/* Lights of the scene, or the view's own; shadows; box: around what casts them. */
void scene_view_lights(const SceneView *view, const SofaBox *box, RenderFrame *frame);

/* Finds the scope of a node, whose objects are collected; ranks of its parent are known. */
SofaErr scene_view_find_scope(SceneView *view, size_t node);
/* Brings all scopes up to date with the fields of what makes them, and empties their lists. */
SofaErr scene_view_update_scopes(SceneView *view);
void scene_view_free_scopes(SceneView *view);
/* Grows a box by what is drawn in a scope within `box`. */
void scene_scope_box(const SceneScope *scope, const SofaBox *box, SofaBox *grown);

/* Takes an object when it is a shader or given to one. */
SofaErr scene_view_collect_shader(SceneView *view, SofaObject *object, size_t node);
/* Finds what belongs to which shader, when all is collected. */
void scene_view_link_shaders(SceneView *view);
/* Takes over the values of fields. */
SofaErr scene_view_update_shaders(SceneView *view);
/* What shades a surface; NULL: the built-in shading. Borrowed until the next call. */
const RenderShader *scene_view_shader(const SceneView *view, const SceneItem *item);
void scene_view_free_shaders(SceneView *view);
/* Draws what is chosen of the scene, as `seen` sees it: all (chooser NULL), or what is below the
 * node of an object and has one of its tags, if it has some. main: with the screen layer. */
SofaErr scene_view_draw_part(SceneView *view, const RenderView *seen, const SofaObject *chooser,
                             bool main);

SofaErr scene_view_collect_pass(SceneView *view, SofaObject *object, size_t node);
/* Draws the picture in passes, if the scene asks for them. */
SofaErr scene_view_draw_passes(SceneView *view, const RenderView *seen, bool *drawn);
void scene_view_free_passes(SceneView *view);
bool scene_have_common_tag(const SofaTags *a, const SofaTags *b);

#endif
