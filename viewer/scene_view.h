/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A view of a simulation: collects what there is to see (visual models, what components draw,
 * lights, background, camera) and draws it. What a window or a picture file shows is made here.
 *
 * Between scene_view_create and scene_view_destroy the functions marked [GL] need the same OpenGL
 * 3.3 core context to be current. No other global OpenGL state is expected; after a call, programs,
 * buffers and textures are unbound. */
#ifndef VIEWER_SCENE_VIEW_H
#define VIEWER_SCENE_VIEW_H

#include "draw/draw.h"
#include "behavior/state.h"
#include "components/visual/camera_math.h"
#include "components/visual/color_map.h"
#include "simulation/simulation.h"
#include "viewer/pick.h"

typedef struct SceneView SceneView;

/* What the picture shows instead of what the scene asks for. */
typedef enum SceneBackground {
  SCENE_BACKGROUND_SCENE, /* BackgroundSetting, else SCENE_BACKGROUND_GRADIENT */
  SCENE_BACKGROUND_GRADIENT,
  SCENE_BACKGROUND_BLACK,
  SCENE_BACKGROUND_WHITE,
  SCENE_N_BACKGROUNDS
} SceneBackground;

typedef struct SceneViewOptions {
  SofaDisplayFlags flags; /* override the flags of every node where they are not 0 */
  SceneBackground background;
  bool axes;        /* infinite lines through the origin */
  bool box;         /* bounding box of the scene */
  SofaObject *mark; /* object or node whose bounding box is drawn, NULL: none; set to NULL by
                       scene_view_open. The caller takes back what it removes from the scene */
} SceneViewOptions;

/* [GL] Compiles the programs. SOFA_ERR_UNSUPPORTED with a message: no OpenGL 3.3. */
SofaErr scene_view_create(SofaContext *ctx, SceneView **out);
void scene_view_destroy(SceneView **view); /* [GL] NULL-safe */

/* [GL] Shows an initialised simulation, or nothing (NULL). Everything kept of the former one is
 * dropped, so call it with NULL before that one is destroyed. The camera is placed again (the
 * scene's camera, else the default view of its box), or stays where it is with keep_camera. */
SofaErr scene_view_open(SceneView *view, SofaSimulation *simulation, bool keep_camera);

/* Takes over what steps or edits changed: bounding box, recorded cameras, trails. After init, after
 * every step, after edits. Cheap when nothing changed. */
SofaErr scene_view_update(SceneView *view);

/* [GL] Draws into the bound framebuffer, over the whole viewport of width x height pixels
 * (background and depth are cleared). What cannot be drawn (a texture without a file, ...) is
 * reported once and left out. */
SofaErr scene_view_draw(SceneView *view, int width, int height);

/* Borrowed; the caller may change them between calls. */
SofaCamera *scene_view_camera(SceneView *view);
SceneViewOptions *scene_view_options(SceneView *view);
/* Items drawn with the next picture and then forgotten: what the window itself wants to show
 * (a pulling spring, marks). */
SofaDrawList *scene_view_extra(SceneView *view);
/* Bounding box of the scene; invalid (min > max) when there is nothing. */
const SofaBox *scene_view_box(const SceneView *view);
/* The body of a field in the colours of its numbers (color_field.h), in place of what the scene
 * shows of it, but for flags that the options set; NULL: none any more. An error was reported, and
 * the body is as before. */
SofaErr scene_view_color(SceneView *view, const char *text, SofaColorRange range);
/* The numbers at the ends of its colours; false: nothing is coloured. */
bool scene_view_color_range(const SceneView *view, double *low, double *high);
/* Colours of numbers without limits take the range of the present numbers. */
void scene_view_rescale(SceneView *view);
/* For a series of pictures: the ranges of the present numbers widen those of the list, one for each
 * display and each map in the order of the graph, then of the coloured body. The list is of the
 * context `ctx`. */
SofaErr scene_view_measure_ranges(SceneView *view, SofaContext *ctx, SofaColorRanges *ranges);
/* The displays and maps have these ranges from now on, when they are as many. */
void scene_view_share_ranges(SceneView *view, const SofaColorRanges *ranges);
/* After a series of pictures: reports colours whose range was not the same in all of them. */
void scene_view_report_ranges(const SceneView *view);
/* Default view of the scene again; fit: only the distance. */
void scene_view_reset_camera(SceneView *view, int width, int height, bool fit_only);

/* The surface below the mouse (x right, y down from the upper left corner): of bodies, also of
 * those that are not drawn, and of visual models that were seen in the last picture. */
SofaErr scene_view_pick_surface(SceneView *view, SofaViewport viewport, double x, double y,
                                unsigned what, PickHit *hit);

/* What is below the mouse: the nearest point of a mechanical state seen within the radius (pixels),
 * the front-most one among them; x right, y down from the upper left corner. */
typedef struct ScenePick {
  SofaState *state; /* NULL: nothing */
  size_t point;
  double position[3]; /* of the point, m */
  double depth;       /* along the view direction, m: where a plane for dragging goes */
} ScenePick;
void scene_view_pick(SceneView *view, SofaViewport viewport, double x, double y, double radius,
                     ScenePick *out);

/* Numbers of the last picture, for a performance display. */
typedef struct SceneViewStats {
  double seconds;        /* of scene_view_draw, wall time */
  double call_seconds;   /* processor time inside OpenGL's draw calls */
  size_t triangles;      /* of surfaces and drawn elements */
  size_t uploaded_bytes; /* to the graphics card */
} SceneViewStats;
SceneViewStats scene_view_stats(const SceneView *view);

#endif
