/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the parts of the window share. Whatever the user does, by key, mouse, panel or script, is a
 * command: a line of text that is done as soon as the scene is free (commands.c lists them). What
 * panels show of the scene are copies made while it is free, so that they can be drawn meanwhile.
 */
#ifndef VIEWER_WINDOW_APP_H
#define VIEWER_WINDOW_APP_H

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include "simulation/convergence.h"
#include "viewer/offscreen/image_file.h"
#include "viewer/operations.h"
#include "viewer/pull.h"
#include "viewer/scene_view.h"
#include "viewer/window/log.h"
#include "viewer/window/pace.h"
#include "viewer/window/palette.h"
#include "viewer/window/past.h"
#include "viewer/window/picture.h"
#include "viewer/window/window.h"
#include "viewer/window/worker.h"

/* ---- the graph, copied ---- */

typedef struct TreeRow {
  SofaObject *object; /* only followed while the scene is free */
  char *name, *path;  /* owned */
  const char *class_name, *category;
  int level;
  bool node, activated;
  int severity; /* worst message about it, -1: none */
} TreeRow;
SOFA_LIST(TreeRow, TreeRows);

/* A field of the selected object. */
typedef struct FieldRow {
  const SofaField *field;
  SofaRange range;
  char *value;     /* text, owned */
  char *link;      /* where the value comes from, or the object it leads to; owned, or NULL */
  size_t n, width; /* entries (1: no list), reals of each */
  bool cut;        /* the value is longer than what is shown */
  bool editable;   /* now, here */
  bool linked;     /* to another field: `link` is its source */
  bool is_set;     /* by the scene */
} FieldRow;
SOFA_LIST(FieldRow, FieldRows);

/* ---- the past, for plots ---- */

enum { OWN_CURVES = 4, MOST_CURVES = OWN_CURVES + 8 };
enum { HISTORY = 2000, WATCHES = MOST_CURVES - OWN_CURVES, BATCH = 256, ROWS = 4096 };

typedef struct Sample { /* of one step */
  double step, time, seconds, kinetic, potential, residual, newton, linear;
  double watch[WATCHES];
} Sample;

typedef struct Curve { /* of one step or one solve: log10 of the residuals */
  double values[512];
  int n;
} Curve;

typedef struct Watch { /* a number of a field */
  char *path;          /* owned; NULL: free */
  char name[64], label[160];
  SofaObject *object; /* NULL: not there */
  const SofaField *field;
  size_t entry, component;
} Watch;

typedef struct TimerLine {
  char name[48];
  int level;
  double ms, calls; /* per step */
} TimerLine;
SOFA_LIST(TimerLine, TimerLines);

/* What the job of the worker gives back; read when it is done. */
typedef struct Batch {
  Sample samples[BATCH];
  int n;
  Curve newton, linear; /* of the last step, of the last solve */
  double residual, newton_count, linear_count;
  SofaErr failure;
} Batch;

/* ---- the window ---- */

typedef struct Mouse {
  double x, y; /* window units */
  bool down[3], moved;
  double press_x, press_y;
} Mouse;

typedef struct Picked { /* what is below the mouse */
  PickHit seen;         /* the first surface; state NULL: none */
  PickHit body;         /* the surface of a body that is described; state NULL: none */
  PickAnchor anchor;    /* what a pull holds; state NULL: nothing that moves */
  double depth;         /* of the place along the view direction, m */
} Picked;

typedef struct Selection { /* a point and an element of a body, by their paths */
  bool active;
  char path[256], topology[256]; /* of the state; of the element's list, "": none */
  size_t point, element;
  SofaElementKind kind;
  char text[1600];
} Selection;

enum { RECENT_FILES = 10 };

typedef struct Settings {
  char *folder; /* owned; NULL: nothing is remembered */
  char *recent[RECENT_FILES];
  int width, height;
  int x, y; /* of the window on the desktop, where has_place */
  bool has_place, maximised;
  bool panels;               /* are shown */
  double left, bottom, tree; /* width of the left panel, height of the tabs and of the tree, window
                                units; 0: the usual */
} Settings;

typedef struct PanelState {
  float left, top, bottom, tree; /* as they are now: width, height of the menu, heights */
  int log_level;                 /* 0 all, 1 warnings, 2 errors */
  char tab_wanted[24];           /* name or number of the tab to show next, "": as it is */
  char search[64], filter[64];   /* of the tree, of the fields */
  bool offering;                 /* the panel that offers to run without components is shown */
  bool opening;                  /* the panel that asks for a file is shown */
  char open[1024];               /* the path typed there */
  char folder[4096];             /* that it lists; "": not looked at yet */
  SofaStrings files;             /* in it */
  char entry_text[256];          /* of the small panel next to a list: new value of an entry */
  int entry;
  double zoom;             /* of plots */
  bool curve[MOST_CURVES]; /* are drawn in the plot: those of all steps, then the watched numbers */
  int curves_drawn;        /* in the last picture of the plot, and its size */
  float plot_width, plot_height;
  char restore[1024];    /* the path typed for a saved state */
  bool palette;          /* is shown */
  bool palette_focus;    /* was opened: keys go to it */
  char palette_text[80]; /* the words */
  int palette_at;        /* the marked line */
  SofaStrings closed;    /* paths of nodes whose branches are not shown */
} PanelState;

SOFA_LIST(PaletteItem, PaletteItems);

/* Of the states of the past, for the panel. */
typedef struct PastShown {
  size_t n, bytes, most;
  uint64_t first, last; /* steps */
  double span;          /* s of the scene */
  bool off;
  char refusal[300];
} PastShown;

enum { UNDO_MOST = 50 };
typedef struct Undo { /* what a field was before an edit; owned texts */
  char *path, *field, *text;
} Undo;

typedef struct Script Script;

/* What hand and keyboard did, in its order. */
typedef enum InputKind { INPUT_KEY, INPUT_CHAR, INPUT_BUTTON, INPUT_MOVE, INPUT_SCROLL } InputKind;
typedef struct InputEvent {
  InputKind kind;
  double x, y;                      /* place; scroll: by how much */
  int code, scancode, action, mods; /* key, character or button */
} InputEvent;
SOFA_LIST(InputEvent, InputEvents);

typedef struct App {
  SofaContext *ctx; /* of the scene: only while the scene is free */
  SofaContext *ui;  /* of the window */
  const WindowOptions *options;
  GLFWwindow *window;
  SceneView *view;
  Worker worker;
  Log log;
  Picture picture;
  Settings settings;
  Script *script; /* NULL: none */

  SofaSimulation *simulation; /* NULL: nothing could be loaded */
  char *file;                 /* owned, NULL: none */
  bool loading, keep_camera;
  uint64_t load_errors; /* messages of errors before loading */
  uint64_t load_number; /* of the first message of this scene: those before are not its */
  double load_seconds;

  bool glfw;                  /* was started */
  char *layout;               /* file of the widgets, owned */
  bool animate, quit, failed; /* failed: of the script */
  bool animate_given;         /* what was last written to `animate` of the root */
  bool step_started;          /* the worker makes steps, or has made them */
  uint64_t steps_wanted;      /* single steps still to be made */
  double batch_seconds;       /* a batch of steps ends after that time */
  bool sample_energies, timers;
  uint64_t timer_steps; /* steps the timers have added up */
  Batch batch;

  SofaStrings queue; /* commands not done yet */
  bool picture_stale, frame_stale;
  double last_frame;

  TreeRows tree;
  uint64_t tree_graph, tree_log;
  bool tree_stale;
  char *selected; /* path, owned; NULL: nothing */
  FieldRows fields;
  double fields_made;
  char refusal[512];       /* why the last edit was refused; "" */
  char refusal_field[128]; /* of which field */

  Sample history[HISTORY]; /* ring */
  int history_at, history_n;
  Curve newton, linear;
  Watch watches[WATCHES];
  TimerLines timer_lines;
  double step_ms; /* mean of the last batch */

  InputEvents events;            /* not delivered yet */
  int ui_wait;                   /* frames to draw before the next one */
  bool ui_down[N_MOUSE_BUTTONS]; /* as delivered */
  Mouse mouse;
  Pull pull;
  bool pull_active, pull_moves; /* a button is down for it; the mouse has moved since */
  double pull_stiffness;        /* 0: the scene's */
  int pull_button;              /* that is down for it */
  Operations operations;
  Operation buttons[N_MOUSE_BUTTONS];  /* what they do with Shift */
  bool button_chosen[N_MOUSE_BUTTONS]; /* by the user, not by the scene */
  bool removing[N_MOUSE_BUTTONS];      /* the button is down and removes what it goes over */
  Selection selection;
  int view_x, view_y, view_width, view_height; /* of the picture in the window: framebuffer pixels,
                                                  from the upper left corner */

  Pace pace;
  Past past;
  struct {
    bool going; /* the worker restores a state, or has restored it */
    const char *file;
    char *path;   /* owned */
    size_t state; /* of the past, where file is NULL */
    SofaErr err;
  } went;
  Undo undo[UNDO_MOST]; /* the last edits, the newest last */
  int n_undo;
  bool keep_going;   /* of the program's options */
  uint64_t n_faults; /* components with errors, of this scene */

  char *color; /* what is drawn in colours, owned; NULL: nothing */
  SofaColorRange color_range;
  bool looked; /* the options' wishes for the view were applied */

  VideoFile *video;
  char *video_path; /* owned */
  int video_width, video_height;
  double video_next; /* time of the scene of the next frame */
  double video_step;
  int n_screenshots;
  char *window_shot; /* file to write the next frame to, owned */
  bool show_help;
  int windowed[4]; /* place before it filled the screen */

  PanelState panels;
  PaletteItems palette; /* what was found */
  PastShown past_shown;
  uint64_t left_out_shown; /* components with errors, when the scene runs without them */
  uint64_t step_shown;     /* of the simulation, as of the last time the scene was free */
  double time_shown, dt_shown;
  size_t held_shown;               /* places that operations hold */
  uint64_t gl_errors, busy_frames; /* busy: drawn while the worker worked */
  uint64_t n_frames;
  double first_frame; /* when it was drawn */
} App;

/* app.c */
static inline bool app_free(App *app) {
  return worker_idle(&app->worker);
}
static inline SofaViewport app_viewport(const App *app) {
  return (SofaViewport){app->view_width, app->view_height};
}
/* A message with its place: file, line where it is known. */
void app_entry_text(const LogEntry *entry, bool name_only, char *out, size_t size);
void app_say(App *app, SofaSeverity severity, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void app_load(App *app, const char *path, bool keep_camera); /* scene free; starts a job */
void app_center(const App *app, double *center);             /* what the camera turns around */

/* commands.c */
/* Puts a command at the end of the queue. */
void app_command(App *app, const char *format, ...) __attribute__((format(printf, 2, 3)));
void commands_run(App *app); /* scene free; stops when a job begins */

/* tree.c: scene free, but for the last */
void tree_refresh(App *app);
void tree_free(App *app);
const TreeRow *tree_find(const App *app, const char *path);

/* selection.c: scene free */
/* At a pixel of the picture. A click near a point without a surface finds the point. */
void picked_find(App *app, double x, double y, Picked *out);
void selection_take(App *app, const Picked *picked);
void selection_refresh(App *app); /* what is told of it; not any more there: nothing is selected */
void selection_draw(App *app);

/* fields.c: scene free */
void fields_refresh(App *app, bool now);
void fields_free(App *app);

/* edit.c: scene free */
/* Sets a field as the inspector does. What the class refuses, or what the scene relies on, is told
 * with the reason, and everything is as before. */
SofaErr edit_field(App *app, SofaObject *object, const char *field, const char *text);
/* Sets entry i of a list. */
SofaErr edit_entry(App *app, SofaObject *object, const char *field, size_t i, const char *text);

/* Sets the field of the last edit as it was. */
void edit_undo(App *app);
void edit_forget(App *app); /* there is nothing to undo */

/* time.c: scene free, but for time_record (in the worker) and time_until_step */
bool time_allows_step(const App *app);  /* the pace does */
double time_until_step(const App *app); /* seconds */
void time_follow(App *app);
void time_set_pace(App *app, const char *text); /* max, or a factor of real time */
void time_record(App *app, double seconds);
/* Starts a job: to the last state of at most a step; "-1": the state before. */
void time_go(App *app, const char *step);
void time_restore(App *app, const char *path); /* starts a job */
void time_take(App *app);                      /* the job is done */
void time_save(App *app, const char *path);    /* "": <scene>_NNNN.state */

/* faults.c: scene free */
void faults_count(App *app); /* after loading */
/* Reads the scene again, without the components that have errors, or with all. */
void faults_leave_out(App *app, bool leave_out);
/* Calls a function for each of them, in the order of the messages. */
void faults_each(App *app, void (*each)(void *user, const LogEntry *entry), void *user);

/* run.c */
void run_step_job(void *user); /* WorkerJob */
void run_take(App *app);       /* scene free: what the job found goes to the history */
void run_clear(App *app);
bool watch_add(App *app, const char *path, const char *field, size_t entry, size_t component);
void watch_remove(App *app, size_t i);
void watch_resolve(App *app);

/* mouse.c: scene free, but for the first */
const char *mouse_button_word(int button);
void mouse_of_scene(App *app); /* the scene's buttons, where the user has not chosen */
void mouse_choose(App *app, const char *button, const char *operation);
/* A click at a pixel of the picture; of other operations than pulling. over: the mouse only goes
 * over it, and it is no mistake when nothing is there. */
void mouse_operate(App *app, Operation operation, const char *x, const char *y, bool over);
void mouse_stiffness(App *app, const char *what, const char *value); /* fix, suture */
void mouse_snap(App *app, const char *path, const char *end);

/* look.c: scene free */
void look_opened(App *app); /* a scene was opened */
/* PATH.FIELD, NULL: nothing is coloured. What is wrong is told, and all stays as it is. */
void look_color(App *app, const char *text, SofaColorRange range);
void look_range(App *app, const char *low, const char *high); /* "": that of the numbers */
void look_at(App *app, const char *what, const char *text);   /* camera, show, look-at */

/* input.c */
void input_attach(App *app);
/* Delivers the events of the queue, as far as the panels are up to date. */
void input_deliver(App *app);
void input_scene(App *app); /* scene free: what the mouse does to it */
void input_key(App *app, int key, int action, int mods);
void input_button(App *app, int button, int action, int mods);
void input_move(App *app, double x, double y);
void input_scroll(App *app, double dy);

/* settings.c */
void settings_read(App *app);
void settings_write(App *app);
void settings_recent(App *app, const char *path);
void settings_free(App *app);

/* overlay.c: text in the picture, when there are no panels */
void overlay_draw(App *app);

/* plots.c */
/* Writes what was recorded of the steps, or how the last step and solve converged, as CSV; path
 * NULL: <scene>_NNNN.csv. */
void plots_save(App *app, const char *path);
void plots_save_convergence(App *app, const char *path);

/* panels.c */
void panels_layout(App *app, int width, int height);
void panels_draw(App *app, int width, int height);

/* record.c: pictures and videos; the context of OpenGL is current */
/* <scene>_NNNN.<extension> in the current folder, the first one that does not exist; owned. */
char *record_name(App *app, const char *extension);
void record_screenshot(App *app, const char *path);
void record_video(App *app, const char *path);
void record_frame(App *app);

/* script.c */
SofaErr script_open(App *app, const char *path);
void script_tick(App *app);          /* scene free */
bool script_is_over(const App *app); /* true when there is none */
void script_close(App *app);

#endif
