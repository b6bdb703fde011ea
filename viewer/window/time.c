/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The time of the scene in the window: its pace, states of the past, saved states. */
#include <string.h>

#include "base/profiler.h"
#include "base/text.h"
#include "scene/checkpoint.h"
#include "viewer/window/app.h"

/* ---- pace ---- */

bool time_allows_step(const App *app) {
  const SofaSimulation *s = app->simulation;
  return !app->animate || !s || pace_ahead(&app->pace, sofa_now(), s->root->time) <= 0;
}

void time_follow(App *app) {
  const SofaSimulation *s = app->simulation;
  if (s) pace_follow(&app->pace, app->animate, sofa_now(), s->root->time);
}

double time_until_step(const App *app) {
  const double ahead = pace_ahead(&app->pace, sofa_now(), app->time_shown);
  return app->animate && ahead > 0 ? ahead / app->pace.factor : 0;
}

void time_set_pace(App *app, const char *text) {
  double factor = 0;
  const char *at = text;
  const bool most = !*text || strcmp(text, "max") == 0;
  if (!most && (!sofa_read_real(&at, &factor) || !(factor > 0) || !(factor <= 1000))) {
    app_say(app, SOFA_ERROR,
            "expected pace max (as fast as possible) or a factor of real time, such as 1 or 0.1, "
            "up to 1000, not '%s'",
            text);
    return;
  }
  app->pace.factor = most ? 0 : factor;
  if (app->simulation) pace_start(&app->pace, sofa_now(), app->simulation->root->time);
}

/* ---- the past ---- */

/* In the worker: after a step, or before the first one. A state with springs of the mouse could not
 * be restored without them. */
void time_record(App *app, double seconds) {
  if (app->pull.grip || operations_held(&app->operations)) return;
  past_record(&app->past, app->simulation, seconds);
}

/* In the worker. */
static void go_job(void *user) {
  App *app = user;
  app->went.err = app->went.file ? sofa_checkpoint_restore(app->simulation, app->went.file)
                                 : past_go(&app->past, app->simulation, app->went.state);
}

static void start_job(App *app) {
  app->animate = false;
  app->steps_wanted = 0;
  pull_end(&app->pull);
  operations_release(&app->operations, app->ctx);
  app->went.going = true;
  worker_give(&app->worker, go_job);
}

void time_go(App *app, const char *step) {
  const Past *p = &app->past;
  int64_t wanted = 0;
  const bool relative = step[0] == '-' || step[0] == '+';
  const char *at = step + (step[0] == '+');
  if (!app->simulation) return;
  if (!sofa_read_int(&at, &wanted)) {
    app_say(app, SOFA_ERROR, "expected go-to and the number of a step, or -N states, not '%s'",
            step);
  } else if (!p->states.n) {
    app_say(app, SOFA_WARNING, "there is no state to go to%s%s", p->refusal[0] ? ": " : "",
            p->refusal);
  } else {
    size_t i = past_find(p, relative ? app->simulation->steps : (uint64_t)wanted);
    if (relative && wanted < 0) {
      // one back from between two states is the earlier one
      const bool between = p->states.data[i].step < app->simulation->steps;
      const size_t back = (size_t)-wanted - between;
      i = i > back ? i - back : 0;
    } else if (relative) {
      i = i + (size_t)wanted < p->states.n ? i + (size_t)wanted : p->states.n - 1;
    }
    app->went.file = NULL;
    app->went.state = i;
    start_job(app);
  }
}

void time_restore(App *app, const char *path) {
  if (!app->simulation) return;
  sofa_free(app->ui, app->went.path);
  app->went.file = app->went.path = sofa_strdup(app->ui, path);
  if (app->went.file) start_job(app);
}

/* The state is there; objects that a run makes are others now. */
void time_take(App *app) {
  SofaSimulation *s = app->simulation;
  app->went.going = false;
  s->root->animate = app->animate_given = app->animate = false;
  app->tree_stale = true;
  tree_refresh(app);
  watch_resolve(app);
  const TreeRow *row = app->selected ? tree_find(app, app->selected) : NULL;
  scene_view_options(app->view)->mark = row ? row->object : NULL;
  app->video_next = s->root->time;
  scene_view_update(app->view);
  fields_refresh(app, true);
  app->picture_stale = true;
  if (app->went.err == SOFA_OK && app->went.file)
    app_say(app, SOFA_INFO, "the state of %s: step %llu, time %.6g s", app->went.file,
            (unsigned long long)s->steps, s->root->time);
}

void time_save(App *app, const char *path) {
  char *own = *path ? NULL : record_name(app, "state");
  const char *used = *path ? path : own;
  if (!app->simulation) app_say(app, SOFA_WARNING, "there is no scene to save");
  else if (used && sofa_checkpoint_save(app->simulation, used) == SOFA_OK)
    app_say(app, SOFA_INFO, "wrote %s; runcsofa --restore goes on from it", used);
  sofa_free(app->ui, own);
}
