/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* PythonController: reads scenes that are Python programs, and passes events to the controllers of
 * such a scene. The reader makes it; a scene has one. */
#include <csofa/csofa.h>

#include "python.h"
#include "object/checkpoint.h"
#include "scene/builder.h"
#include "scene/reader.h"

typedef struct PythonController {
  SofaObject object;
  Python python;
  CsofaScene *scene; /* adopted; NULL: not made by the reader */
} PythonController;

/* ---- the scene ---- */

static SofaErr read(SofaSimulation *simulation, const char *path) {
  static const char *const attributes[] = {"name", "PythonController", NULL};
  SofaObject *object = NULL;
  if (simulation->ctx->sandbox)
    return sofa_fail(simulation->ctx, SOFA_ERR_UNSUPPORTED, &(SofaOrigin){.file = path},
                     "a scene in Python is a program: it does not run in the sandbox");
  SOFA_TRY(sofa_scene_add_object(simulation->root, "PythonController", attributes, &object));
  PythonController *controller = (PythonController *)object;
  SOFA_TRY(python_open(object, &controller->python));
  if (csofa_adopt(simulation, &controller->scene) != CSOFA_OK) return SOFA_ERR_MEMORY;
  return python_load(object, &controller->python, path, controller->scene);
}

static SofaErr init(SofaObject *object) {
  const PythonController *controller = (const PythonController *)object;
  if (controller->scene) return SOFA_OK;
  return sofa_object_fail(object, SOFA_ERR_UNSUPPORTED,
                          "it is made by scenes that are Python programs alone");
}

static void destroy(SofaObject *object) {
  PythonController *controller = (PythonController *)object;
  if (!controller->scene) return;
  python_end(&controller->python, controller->scene);
  csofa_release(controller->scene);
}

/* ---- events ---- */

/* What controllers see of an event; NULL: nothing. */
static const char *kind_of(SofaEventType type) {
  switch (type) {
  case SOFA_EVENT_READY:
    return "init";
  case SOFA_EVENT_ANIMATE_BEGIN:
    return "AnimateBeginEvent";
  case SOFA_EVENT_ANIMATE_END:
    return "AnimateEndEvent";
  case SOFA_EVENT_KEY_PRESSED:
    return "KeypressedEvent";
  case SOFA_EVENT_KEY_RELEASED:
    return "KeyreleasedEvent";
  case SOFA_EVENT_COLLISION_BEGIN:
    return "CollisionBeginEvent";
  case SOFA_EVENT_COLLISION_END:
    return "CollisionEndEvent";
  case SOFA_EVENT_INTEGRATE_BEGIN:
    return "IntegrateBeginEvent";
  case SOFA_EVENT_INTEGRATE_END:
    return "IntegrateEndEvent";
  case SOFA_EVENT_UPDATE_MAPPING_END:
    return "UpdateMappingEndEvent";
  case SOFA_EVENT_CONSTRAINTS_BUILT:
    return "BuildConstraintSystemEndEvent";
  case SOFA_EVENT_CONSTRAINTS_SOLVED:
    return "SolveConstraintSystemEndEvent";
  default:
    return NULL;
  }
}

static SofaErr send(PythonController *controller, const PythonEvent *event) {
  if (!controller->scene || !event->kind) return SOFA_OK;
  return python_event(&controller->object, &controller->python, controller->scene, event);
}

static SofaErr handle_event(SofaObject *object, const SofaEvent *event) {
  return send((PythonController *)object,
              &(PythonEvent){.kind = kind_of(event->type), .dt = event->dt, .key = event->key});
}

static SofaErr reset(SofaObject *object) {
  return send((PythonController *)object, &(PythonEvent){.kind = "reset"});
}

static const char *const extensions[] = {"py", "py3", "pyscn", "py3scn", NULL};
static const SofaSceneReaderOps reader = {.extensions = extensions, .read = read};

static SofaErr save(const SofaObject *object, SofaCheckpointWriter *to) {
  const PythonController *controller = (const PythonController *)object;
  SofaText names = {0};
  (void)to;
  if (!controller->scene) return SOFA_OK;
  SofaErr err = python_unsaved(object, &controller->python, controller->scene, &names);
  if (err == SOFA_OK && names.n)
    sofa_object_message(object, SOFA_WARNING,
                        "the saved state has no attributes of these objects written in Python: %s; "
                        "objects with the methods saveState() and restoreState(value) are saved",
                        names.data);
  sofa_list_free(object->ctx, &names);
  return err;
}

static SofaErr restore(SofaObject *object, SofaCheckpointReader *from) {
  (void)object, (void)from;
  return SOFA_OK;
}

static const SofaCheckpointOps checkpoint = {.save = save, .restore = restore};

SOFA_CLASS(PythonController) = {
    .checkpoint = &checkpoint,
    SOFA_NAMED(PythonController),
    .module = "SofaPython3",
    .category = "Controller",
    .help = "Passes events to the controllers of a scene that is a Python program. Such a scene "
            "makes it.",
    .listening = true,
    .init = init,
    .reset = reset,
    .handle_event = handle_event,
    .destroy = destroy,
    SOFA_IMPLEMENTS({SOFA_SCENE_READER, &reader}),
};
