/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* csofa for applications: load a scene, step it, read it and change it, from C, C++ and any
 * language that calls C functions. The header needs no other one and has no structs: contexts and
 * scenes are opaque, objects are numbers.
 *
 *   CsofaContext *csofa;
 *   CsofaScene *scene;
 *   csofa_create("threads=2", &csofa);
 *   if (csofa_load(csofa, "beam.scn", &scene) == CSOFA_OK && csofa_step(scene, 100) == CSOFA_OK) {
 *     double x[3];
 *     CsofaObject state = csofa_find(scene, 0, "/beam/state");
 *     csofa_get_reals(scene, state, "position", 0, 3, x);
 *   }
 *   csofa_destroy(csofa);
 *
 * Errors. Functions that can fail return a CsofaErr; 0 is CSOFA_OK. csofa_last_error has the
 * message, with object, file and line. Nothing is changed by a call that fails, unless said.
 * Texts that functions return are borrowed: they live until the next call with the same context.
 * Threads. One thread at a time uses a context and its scenes; two contexts are independent.
 * Units are those of the scene (SI where the documentation of a field names a unit); positions are
 * in the world frame; frames (Rigid3) are x y z and a quaternion x y z w.
 * Versions. Functions are added, not changed: a program that was built for CSOFA_API_VERSION runs
 * with every library whose csofa_api_version() is at least that. */
#ifndef CSOFA_CSOFA_H
#define CSOFA_CSOFA_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

#define CSOFA_API_VERSION 1

typedef struct CsofaContext CsofaContext;
typedef struct CsofaScene CsofaScene;
/* An object or a node of a scene. 0: none. A number of an object that was removed finds nothing:
 * functions return CSOFA_ERR_NOT_FOUND. */
typedef uint64_t CsofaObject;
/* A field of an object, by csofa_find_field. 0: none. */
typedef uint64_t CsofaField;

typedef enum CsofaErr {
  CSOFA_OK,
  CSOFA_ERR_MEMORY,
  CSOFA_ERR_ARGUMENT,
  CSOFA_ERR_PARSE,     /* a text or file that cannot be read */
  CSOFA_ERR_NOT_FOUND, /* file, object, field, class */
  CSOFA_ERR_TYPE,
  CSOFA_ERR_RANGE,
  CSOFA_ERR_IO,
  CSOFA_ERR_SCENE,       /* the scene has errors */
  CSOFA_ERR_UNSUPPORTED, /* not supported yet */
  CSOFA_ERR_CYCLE,
  CSOFA_ERR_ABI, /* a plugin was built for another version */
  CSOFA_ERR_GEOMETRY,
  CSOFA_ERR_NOT_CONVERGED,
  CSOFA_ERR_SINGULAR,
  CSOFA_ERR_NOT_FINITE
} CsofaErr;
const char *csofa_err_text(CsofaErr err); /* static, never NULL */

const char *csofa_version(void); /* "0.1.0"; static */
int csofa_api_version(void);     /* of the library: CSOFA_API_VERSION at its build */

/* ---- contexts ---- */

/* Creates a context with all built-in components. options: words separated by spaces, or NULL:
 *   threads=N      threads of a step; results do not depend on it (default 1)
 *   isa=NAME       auto (default), baseline, avx2, avx512
 *   quirks[=A,B]   SOFA's ways, also where they contradict its documentation; all, or those named
 *   keep-going     objects that cannot be made are left out
 *   strict         a solution that does not converge is an error
 *   sandbox        scenes write below the current folder alone
 *   trust-scene    scenes may name plugins by path
 * CSOFA_ERR_ARGUMENT: an unknown word; then *out is NULL and stderr says which. */
CsofaErr csofa_create(const char *options, CsofaContext **out);
/* Destroys it with its scenes. NULL-safe. */
void csofa_destroy(CsofaContext *context);

/* Severities of messages. */
enum { CSOFA_INFO, CSOFA_DEPRECATED, CSOFA_WARNING, CSOFA_ERROR, CSOFA_FATAL };
/* Receives a message. file, path (of the object, "/body/state") and emitter may be NULL; line 0:
 * unknown. The texts live during the call. It must not call functions with the same context. */
typedef void (*CsofaMessageFn)(void *user, int severity, const char *text, const char *file,
                               int line, const char *path, const char *emitter);
/* Messages go to the function; NULL: to nobody. Until the first call they go to stderr and stdout.
 */
void csofa_on_message(CsofaContext *context, CsofaMessageFn function, void *user);
/* Messages of the last call that failed, one a line; "" when none did. */
const char *csofa_last_error(const CsofaContext *context);

/* Folders that are searched for files or plugins; several are separated by colons. */
CsofaErr csofa_add_data_path(CsofaContext *context, const char *folders);
CsofaErr csofa_add_plugin_path(CsofaContext *context, const char *folders);
/* By name or path. */
CsofaErr csofa_load_plugin(CsofaContext *context, const char *name);
/* Is there a component class of this name? */
int csofa_has_class(CsofaContext *context, const char *name);

/* ---- scenes ---- */

/* Reads a scene; it is not initialised, so that fields can be set first. *out is NULL on failure.
 */
CsofaErr csofa_load(CsofaContext *context, const char *path, CsofaScene **out);
/* The same from XML text; names of files are relative to `folder` (NULL: the current one). */
CsofaErr csofa_load_text(CsofaContext *context, const char *xml, const char *folder,
                         CsofaScene **out);
/* An empty scene: a root node with the default gravity and time step. */
CsofaErr csofa_new_scene(CsofaContext *context, CsofaScene **out);
/* Ends the run (exporters write their last state) and frees the scene. NULL-safe. */
void csofa_destroy_scene(CsofaScene *scene);
CsofaContext *csofa_context_of(const CsofaScene *scene);

/* Initialises the scene, or what was added since. csofa_step calls it. */
CsofaErr csofa_init(CsofaScene *scene);
/* Makes n steps of the root's dt. A step that fails leaves the state of the step before. */
CsofaErr csofa_step(CsofaScene *scene, uint64_t n);
/* Steps while time + dt/2 < t. */
CsofaErr csofa_run_until(CsofaScene *scene, double t);
CsofaErr csofa_reset(CsofaScene *scene);
double csofa_time(const CsofaScene *scene);    /* s */
double csofa_dt(const CsofaScene *scene);      /* s */
uint64_t csofa_steps(const CsofaScene *scene); /* done since the start or the last reset */
/* Kinetic and potential energy, J; either may be NULL. */
CsofaErr csofa_energies(CsofaScene *scene, double *kinetic, double *potential);
/* Writes the scene as XML: fields that were set, links, and initial positions (those of a reset).
 */
CsofaErr csofa_save_xml(CsofaScene *scene, const char *path);
/* The same as text; NULL on failure. */
const char *csofa_xml(CsofaScene *scene);
/* Writes the whole state of the run to a file (initialising the scene, when it is not): a scene of
 * the same file, with the same options and the same version of csofa, that restores it makes the
 * same steps to the bit. Contents of output files are not part of it. CSOFA_ERR_UNSUPPORTED: an
 * object's state cannot be saved; the message names it. */
CsofaErr csofa_save_state(CsofaScene *scene, const char *path);
/* Takes the state over. A file that was cut or changed, or that is of another scene, is refused
 * before anything changes. */
CsofaErr csofa_restore_state(CsofaScene *scene, const char *path);
/* Sends a key to the objects that listen to events. */
CsofaErr csofa_send_key(CsofaScene *scene, int key, int pressed);

/* ---- objects ---- */

CsofaObject csofa_root(CsofaScene *scene);
/* An object or node by its path: "/body/state" from the root, "state" or "../other" from `start`
 * (0: the root). 0: there is none; no message. */
CsofaObject csofa_find(CsofaScene *scene, CsofaObject start, const char *path);
/* NULL: the object does not exist. */
const char *csofa_name(CsofaScene *scene, CsofaObject object);
const char *csofa_path(CsofaScene *scene, CsofaObject object);
const char *csofa_class(CsofaScene *scene, CsofaObject object);    /* "Node" for nodes */
const char *csofa_template(CsofaScene *scene, CsofaObject object); /* "Vec3d"; "": has none */
/* The kind of component: "Mass", "Mapping", ... */
const char *csofa_category(CsofaScene *scene, CsofaObject object);
int csofa_is_node(CsofaScene *scene, CsofaObject object);
/* The node of an object; the first parent of a node; 0: none. */
CsofaObject csofa_parent(CsofaScene *scene, CsofaObject object);
/* Parent i of a node; 0: there is none. */
CsofaObject csofa_parent_at(CsofaScene *scene, CsofaObject node, size_t i);
/* Child nodes and objects of a node, in the order of the scene; 0: there is none. */
size_t csofa_n_children(CsofaScene *scene, CsofaObject node);
CsofaObject csofa_child(CsofaScene *scene, CsofaObject node, size_t i);
size_t csofa_n_objects(CsofaScene *scene, CsofaObject node);
CsofaObject csofa_object(CsofaScene *scene, CsofaObject node, size_t i);

/* Adds a child node, or an object as an element of a scene file would. attributes: names and values
 * in turn, ended by NULL (or NULL); "name" and "template" are attributes, too. In a running scene
 * call csofa_init when all is added. */
CsofaErr csofa_add_node(CsofaScene *scene, CsofaObject parent, const char *name,
                        const char *const *attributes, CsofaObject *out);
/* One more parent for a node: it is visited once, after all of them. */
CsofaErr csofa_add_parent(CsofaScene *scene, CsofaObject node, CsofaObject parent);
CsofaErr csofa_add_object(CsofaScene *scene, CsofaObject node, const char *class_name,
                          const char *const *attributes, CsofaObject *out);
/* Removes an object, or a node with all below it. Links to it become empty. */
CsofaErr csofa_remove(CsofaScene *scene, CsofaObject object);

/* ---- fields ---- */

/* Kinds of values. */
enum {
  CSOFA_TEXT, /* strings, options, files, links, and all that only has a text */
  CSOFA_REAL, /* double */
  CSOFA_INT,  /* int32_t */
  CSOFA_UINT, /* uint32_t */
  CSOFA_BOOL  /* one byte, 0 or 1 */
};
enum {                         /* flags */
       CSOFA_FIELD_SET = 1,    /* by the scene or the program */
       CSOFA_FIELD_OUTPUT = 2, /* computed */
       CSOFA_FIELD_LINKED = 4, /* the value comes from another field */
       CSOFA_FIELD_LIST = 8
};
size_t csofa_n_fields(CsofaScene *scene, CsofaObject object);
const char *csofa_field_name(CsofaScene *scene, CsofaObject object, size_t i); /* NULL: none */
/* Is there such a field? No message. */
int csofa_has_field(CsofaScene *scene, CsofaObject object, const char *field);
/* Kind, entries (1 for a single value), numbers of an entry, flags; each may be NULL. */
CsofaErr csofa_field_info(CsofaScene *scene, CsofaObject object, const char *field, int *kind,
                          size_t *n, size_t *width, unsigned *flags);
/* From the documentation: NULL when there is no such field. */
const char *csofa_field_help(CsofaScene *scene, CsofaObject object, const char *field);
const char *csofa_field_unit(CsofaScene *scene, CsofaObject object, const char *field);
const char *csofa_field_type(CsofaScene *scene, CsofaObject object, const char *field);
const char *csofa_field_default(CsofaScene *scene, CsofaObject object, const char *field);
/* "@/path.field" of the field a value comes from, "@/path" of a link's object; "": not linked. */
const char *csofa_field_link(CsofaScene *scene, CsofaObject object, const char *field);
/* The object that a link field leads to; 0: none. */
CsofaObject csofa_linked_object(CsofaScene *scene, CsofaObject object, const char *field);

/* The value as text, as an attribute of a scene file would have it. NULL on failure. */
const char *csofa_get_text(CsofaScene *scene, CsofaObject object, const char *field);
/* Sets it from such a text; "@/path.field" links. In an initialised scene the class takes the value
 * over at once; what the scene relies on (the number of points of a state, ...) is refused. */
CsofaErr csofa_set_text(CsofaScene *scene, CsofaObject object, const char *field, const char *text);
/* Copies numbers [first, first + n) of the field (number i is that of entry i / width). Numbers of
 * every numeric kind are converted; CSOFA_ERR_TYPE: the field has none; CSOFA_ERR_RANGE: it has
 * fewer. */
CsofaErr csofa_get_reals(CsofaScene *scene, CsofaObject object, const char *field, size_t first,
                         size_t n, double *out);
/* Sets all n numbers of the field; another number of entries follows the rules of csofa_set_text.
 * Kinds of integers refuse numbers that are not integers. */
CsofaErr csofa_set_reals(CsofaScene *scene, CsofaObject object, const char *field, size_t n,
                         const double *values);
CsofaErr csofa_get_ints(CsofaScene *scene, CsofaObject object, const char *field, size_t first,
                        size_t n, int64_t *out);
CsofaErr csofa_set_ints(CsofaScene *scene, CsofaObject object, const char *field, size_t n,
                        const int64_t *values);

/* The memory of a numeric field, without a copy: *data has *n entries of *width numbers of *kind
 * without gaps. It is valid while csofa_view_is_valid says so; calls that only read keep it valid,
 * and so do steps that change neither the graph nor the number of entries. Linked and computed
 * values are brought up to date by this call, not by reading. After writing, call csofa_touch. */
CsofaErr csofa_view(CsofaScene *scene, CsofaObject object, const char *field, void **data,
                    size_t *n, size_t *width, int *kind);
int csofa_view_is_valid(CsofaScene *scene, CsofaObject object, const char *field, const void *data,
                        size_t n);
/* Says that a value was written through a view: the class takes it over. */
CsofaErr csofa_touch(CsofaScene *scene, CsofaObject object, const char *field);

/* ---- fields by number ---- */

/* The same for programs that use a field often: it is found once, and no call searches its name.
 * The number is good as long as the object lives, whatever happens to its value: also when the
 * object is made again by an edit, and after a reset. After the object was removed, or its scene
 * destroyed, it finds nothing for ever: calls return CSOFA_ERR_NOT_FOUND (NULL, 0). A field of an
 * object has one number. It needs not be freed. 0: there is none; csofa_last_error says why. */
CsofaField csofa_find_field(CsofaScene *scene, CsofaObject object, const char *name);
CsofaObject csofa_field_object(CsofaField field); /* removed or not */
const char *csofa_field_get_text(CsofaScene *scene, CsofaField field);
CsofaErr csofa_field_set_text(CsofaScene *scene, CsofaField field, const char *text);
CsofaErr csofa_field_get_reals(CsofaScene *scene, CsofaField field, size_t first, size_t n,
                               double *out);
CsofaErr csofa_field_set_reals(CsofaScene *scene, CsofaField field, size_t n, const double *values);
CsofaErr csofa_field_get_ints(CsofaScene *scene, CsofaField field, size_t first, size_t n,
                              int64_t *out);
CsofaErr csofa_field_set_ints(CsofaScene *scene, CsofaField field, size_t n, const int64_t *values);
CsofaErr csofa_field_view(CsofaScene *scene, CsofaField field, void **data, size_t *n,
                          size_t *width, int *kind);
int csofa_field_view_is_valid(CsofaScene *scene, CsofaField field, const void *data, size_t n);
CsofaErr csofa_field_touch(CsofaScene *scene, CsofaField field);

/* ---- forces ---- */

/* Adds to the external force of a point (N; frames: force and torque, N m) for the next step only.
 * n: numbers of `force`, the width of the state's velocities. */
CsofaErr csofa_add_force(CsofaScene *scene, CsofaObject state, size_t point, size_t n,
                         const double *force);

/* ---- topological changes ---- */

/* Between steps, in an initialised scene. topology: a ...SetTopologyContainer with a modifier in
 * its node, or that modifier. kind: "point", "edge", "triangle", "quad", "tetrahedron",
 * "hexahedron". Adds n elements, whose vertices exist; "point": n points, vertices is not used. */
CsofaErr csofa_add_elements(CsofaScene *scene, CsofaObject topology, const char *kind, size_t n,
                            const uint32_t *vertices);
/* Removes n elements or points, in any order, by their current indices; with elements their
 * triangles, quads, edges and points that no other element has. */
CsofaErr csofa_remove_elements(CsofaScene *scene, CsofaObject topology, const char *kind, size_t n,
                               const uint32_t *ids);

/* ---- force fields of the application ---- */

/* Functions of an object ApplicationForceField, which csofa_add_object makes in the node of a
 * state. x: n * c positions, v, f, dx, df: n * d numbers (c, d: numbers of a position and a
 * velocity of the state). A result that is not 0 fails the step. They must not change the scene.
 * CsofaForceFn adds the forces [N] at x, v and time [s] to f. */
typedef int (*CsofaForceFn)(void *user, size_t n, const double *x, const double *v, double time,
                            double *f);
/* Adds k dF/dx dx + b dF/dv dx at x, v to df; factors: k, b. */
typedef int (*CsofaForceChangeFn)(void *user, size_t n, const double *x, const double *v,
                                  const double *factors, const double *dx, double *df);
typedef struct CsofaMatrix CsofaMatrix;
/* Adds dF/dx at x by csofa_matrix_add. */
typedef int (*CsofaStiffnessFn)(void *user, size_t n, const double *x, CsofaMatrix *matrix);
/* Adds n numbers; row and column d * point + component. Those outside of the matrix are an error of
 * the step. */
void csofa_matrix_add(CsofaMatrix *matrix, size_t n, const uint32_t *rows, const uint32_t *columns,
                      const double *values);
/* change NULL: the force has no derivatives. stiffness NULL: where a solver assembles a matrix, it
 * is made of `change`, a column at a time. */
CsofaErr csofa_set_force(CsofaScene *scene, CsofaObject object, CsofaForceFn force,
                         CsofaForceChangeFn change, CsofaStiffnessFn stiffness, void *user);

/* ---- controllers, engines and mappings of the application ---- */

/* Objects ApplicationController, ApplicationEngine and ApplicationMapping. A controller or an
 * engine has the fields that its attribute `data` lists: "name:type", of engines also
 * "name:type:in" and "name:type:out"; types are real, reals, int, ints, indices, bool, string,
 * vec3, vec3s, ... Functions return 0; another number fails the step, or the call that made them
 * run. */

/* An event: "animateBegin", "animateEnd", "keyPressed", "keyReleased", ...; key: of keys; dt: of
 * the step, s. The function may change the scene. */
typedef int (*CsofaEventFn)(void *user, const char *event, int key, double dt);
CsofaErr csofa_set_controller(CsofaScene *scene, CsofaObject object, CsofaEventFn function,
                              void *user);
/* All events of the scene, before its objects get them; of keys, too. */
CsofaErr csofa_on_event(CsofaScene *scene, CsofaEventFn function, void *user);
/* The application's own part of saved states (csofa_save_state, runcsofa --save-state). `save` adds
 * bytes by csofa_put_bytes; `restore` gets them after all objects have their values, n 0: the file
 * has none. Either of them: another value than 0 makes the call fail. Give both before the scene is
 * initialised. */
typedef struct CsofaBytes CsofaBytes;
void csofa_put_bytes(CsofaBytes *to, const void *bytes, size_t n);
typedef int (*CsofaSaveFn)(void *user, CsofaBytes *to);
typedef int (*CsofaRestoreFn)(void *user, const void *bytes, size_t n);
CsofaErr csofa_on_save(CsofaScene *scene, CsofaSaveFn save, CsofaRestoreFn restore, void *user);
/* A picture is made, of the window or of runcsofa --picture; `to` is valid during the call. The
 * function adds to the picture by csofa_draw_... and leaves the scene as it is. Another result than
 * 0 is reported, and the function is not called any more. Give it when the scene has no picture
 * yet, or between two of them; NULL: none. csofa_set_draw: of an ApplicationController;
 * csofa_on_draw: of the scene. */
typedef struct CsofaDrawing CsofaDrawing;
typedef int (*CsofaDrawFn)(void *user, CsofaDrawing *to);
CsofaErr csofa_set_draw(CsofaScene *scene, CsofaObject object, CsofaDrawFn function, void *user);
CsofaErr csofa_on_draw(CsofaScene *scene, CsofaDrawFn function, void *user);
/* What is drawn, copied during the call. n counts shapes; x: their points, 3 numbers each, in the
 * world frame and the unit of its lengths (1 point of a point, 2 of a line, 3 of a triangle, the
 * centre of a sphere). rgba: 4 numbers from 0 to 1, not premultiplied; NULL: white. Nearer shapes
 * hide others. Nothing fails: without memory, shapes are left out and the picture fails. */
void csofa_draw_points(CsofaDrawing *to, size_t n, const double *x, double pixels,
                       const double *rgba);
void csofa_draw_lines(CsofaDrawing *to, size_t n, const double *x, double pixels,
                      const double *rgba);
void csofa_draw_triangles(CsofaDrawing *to, size_t n, const double *x, const double *rgba);
void csofa_draw_spheres(CsofaDrawing *to, size_t n, const double *x, double radius,
                        const double *rgba);
/* Arrows in red, green and blue along the axes of frames: 7 numbers each. size: lengths of the
 * three arrows. */
void csofa_draw_frames(CsofaDrawing *to, size_t n, const double *frames, const double *size);
/* A line of text in UTF-8, turned to the viewer; p: left end of its base line; height: in the unit
 * of lengths. */
void csofa_draw_text(CsofaDrawing *to, const double *p, double height, const char *text,
                     const double *rgba);
/* The same in front of the picture; xy: left end of the upper edge, in pixels from the picture's
 * upper left corner, y down; pixels: size of the letters. */
void csofa_draw_overlay_text(CsofaDrawing *to, const double *xy, double pixels, const char *text,
                             const double *rgba);
/* An input has changed, and an output is wanted: sets the outputs by csofa_set_... . Give it before
 * the scene is initialised. */
typedef int (*CsofaUpdateFn)(void *user);
CsofaErr csofa_set_engine(CsofaScene *scene, CsofaObject object, CsofaUpdateFn function,
                          void *user);
/* Positions of the output from those of the input; n_in, n_out: points. The output has as many
 * points as the attribute `points` of the mapping says; 0: as many as its state. */
typedef int (*CsofaApplyFn)(void *user, size_t n_in, const double *x_in, size_t n_out,
                            double *x_out);
/* Adds the entries of J at x_in, v_out = J v_in, by csofa_jacobian_add. Row: d point + component of
 * the output's velocities, column: of the input's. */
typedef struct CsofaJacobian CsofaJacobian;
typedef int (*CsofaJacobianFn)(void *user, size_t n_in, const double *x_in,
                               CsofaJacobian *jacobian);
void csofa_jacobian_add(CsofaJacobian *jacobian, size_t n, const uint32_t *rows,
                        const uint32_t *columns, const double *values);
/* Before the scene is initialised. The derivative of J (geometric stiffness) is left out. */
CsofaErr csofa_set_mapping(CsofaScene *scene, CsofaObject object, CsofaApplyFn apply,
                           CsofaJacobianFn jacobian, void *user);

/* ---- matrices ---- */

/* m M + b B + k K of the solver of the object's node (the nearest one above), at the present state:
 * M the mass, B = dF/dv, K = dF/dx of the forces F, those of mapped states through their mappings.
 * Rows and columns: velocities of the solver's independent states, see csofa_sparse_row. project:
 * 1: rows and columns of what projective constraints hold are zero, with 1 on the diagonal. The
 * caller frees it before its context. */
typedef struct CsofaSparse CsofaSparse;
CsofaErr csofa_assemble(CsofaScene *scene, CsofaObject object, double m, double b, double k,
                        int project, CsofaSparse **out);
void csofa_free_sparse(CsofaSparse *matrix);         /* NULL-safe */
size_t csofa_sparse_size(const CsofaSparse *matrix); /* rows, and columns */
/* Compressed rows: row i has the entries start[i] to start[i + 1] - 1. Borrowed. */
const uint32_t *csofa_sparse_start(const CsofaSparse *matrix);
const uint32_t *csofa_sparse_columns(const CsofaSparse *matrix);
const double *csofa_sparse_values(const CsofaSparse *matrix);
/* The first row of a state in such matrices; -1: it is mapped, or no solver moves it. */
int64_t csofa_sparse_row(CsofaScene *scene, CsofaObject state);

/* What solvers made in the last step, a copy. kind: "A" of a linear system or linear solver that
 * assembles: the matrix of its last build, with constraints; "W" of a constraint solver: the
 * compliance of its rows; "J" of a mechanical state: the rows of the constraints that act on it
 * (csofa_sparse_size rows, columns: its velocities). CSOFA_ERR_NOT_FOUND: there is none. */
CsofaErr csofa_solved_matrix(CsofaScene *scene, CsofaObject object, const char *kind,
                             CsofaSparse **out);
/* The same as vectors: "b" and "x" of the solver of the object's node (the right-hand side and the
 * solution of its system), "lambda" of a constraint solver: the multipliers of its rows. *values
 * is borrowed until the next step. */
CsofaErr csofa_solved_vector(CsofaScene *scene, CsofaObject object, const char *kind,
                             const double **values, size_t *n);

/* ---- modes ---- */

/* The n lowest modes of the scene's one ODE solver at the present state. buckling 0: vibrations
 * K x = value M x, values in 1/s^2; 1: linear buckling, values are factors of the scene's loads,
 * fewer than n where there are fewer. The caller frees them before the scene. */
typedef struct CsofaModes CsofaModes;
CsofaErr csofa_modes(CsofaScene *scene, size_t n, int buckling, CsofaModes **out);
void csofa_free_modes(CsofaModes *modes); /* NULL-safe */
size_t csofa_modes_count(const CsofaModes *modes);
/* Mode i < count: its value; 1: a rigid motion, whose value is a rounding error; three effective
 * masses along x, y, z, kg (of buckling zeros). */
double csofa_mode_value(const CsofaModes *modes, size_t i);
int csofa_mode_is_rigid(const CsofaModes *modes, size_t i);
const double *csofa_mode_mass(const CsofaModes *modes, size_t i);
/* Its n numbers in the order of csofa_sparse_row, with x . M x = 1, of buckling x . K x = 1.
 * Borrowed. */
const double *csofa_mode_shape(const CsofaModes *modes, size_t i, size_t *n);

/* ---- timers ---- */

/* Of the context's scenes: on clears them and begins to measure. */
void csofa_time_phases(CsofaContext *context, int on);
/* Row i of nested timers, parents before children; name: NULL: there is none. seconds: of all
 * calls since the start. */
const char *csofa_timer(CsofaContext *context, size_t i, int *level, uint64_t *calls,
                        double *seconds);
/* Newton iterations and solves as they are made. kind: "newton", "linear" or "constraint";
 * iteration: of Newton; iterations: of the linear solver in it, or sweeps over the constraints;
 * seconds: it took. */
typedef void (*CsofaSolveFn)(void *user, const char *kind, CsofaObject solver, int iteration,
                             int iterations, double seconds);
/* NULL: nobody. */
void csofa_on_solve(CsofaContext *context, CsofaSolveFn function, void *user);

/* ---- equations of a step ---- */

/* A step of a solver as functions, for derivatives of its end by loads, parameters and the start.
 * r(x, v, s) = 0 gives s, and x, v, s the end of the step. P: the projective constraints.
 *   EulerImplicitSolver: r = P (b - A P s) - (I - P) s for a step that solves A s = b
 *   StaticSolver, StaticODESolver, LegacyStaticODESolver: r = P f(x + P s) - (I - P) s; s = 0 at
 *     an equilibrium x
 *   BackwardEulerODESolver: r = P (f' - M a - C v') - (I - P) s, a = P s, v' = v + h a, forces f',
 *     masses and Rayleigh damping C at x' = x + h v'
 *   BDFOdeSolver of order 1: the same times h, P s = h a
 * x, v: positions and velocities of the independent states, n_x and n_v numbers, in the order of
 * csofa_sparse_row; s, r: n_v numbers. The calls leave the scene as it is. */
typedef struct CsofaEquations CsofaEquations;
/* Of the solver of the object's node (the nearest one above), in an initialised scene. Good until
 * the graph changes. The caller frees it before the scene. */
CsofaErr csofa_equations(CsofaScene *scene, CsofaObject object, CsofaEquations **out);
void csofa_free_equations(CsofaEquations *equations); /* NULL-safe */
size_t csofa_equations_n_x(const CsofaEquations *equations);
size_t csofa_equations_n_v(const CsofaEquations *equations);
/* What s is: 0 a displacement, 1 a change of velocities, 2 accelerations. */
int csofa_equations_order(const CsofaEquations *equations);
int csofa_equations_are_linear(const CsofaEquations *equations); /* is r linear in s? */
/* The node of the solver. */
CsofaObject csofa_equations_node(const CsofaEquations *equations);
/* The present state of the scene, and s of the last step (zeros: of order 0); s may be NULL. */
CsofaErr csofa_equations_state(CsofaEquations *equations, double *x, double *v, double *s);
/* The start of the step that the next calls ask for: copies x, v; time in s. */
CsofaErr csofa_equations_begin(CsofaEquations *equations, double time, const double *x,
                               const double *v);
/* External forces on the independent states in the next residuals, n_v numbers, in addition to
 * those of the scene; NULL: none. */
void csofa_equations_forces(CsofaEquations *equations, const double *f);
CsofaErr csofa_equations_residual(CsofaEquations *equations, const double *s, double *r);
/* x, v at the end, with what projective constraints do. */
CsofaErr csofa_equations_end(CsofaEquations *equations, const double *s, double *x, double *v);
/* ---- plugins that run programs in another language ---- */

struct SofaSimulation;
/* A scene, with a context, of a simulation that somebody else owns, initialises and steps. */
CsofaErr csofa_adopt(struct SofaSimulation *simulation, CsofaScene **out);
/* Ends it, before the simulation is destroyed. NULL-safe. */
void csofa_release(CsofaScene *scene);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
