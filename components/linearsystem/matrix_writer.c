/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes the matrix of a linear system to a file now and then. */
#include "components/linearsystem/matrix_writer.h"
#include "object/checkpoint.h"

#include "numerics/io/output_file.h"
#include "numerics/assembly/matrix_text.h"
#include "object/event.h"
#include "simulation/schedule.h"

static const SofaLinkRule system_rule = {.interface = SOFA_LINEAR_SYSTEM,
                                         .search = SOFA_SEARCH_NONE};

static const SofaField fields[] = {
    SOFA_FIELD(MatrixWriter, filename, "filename", NULL, "",
               "files are FILENAME00001.EXTENSION, ... with the number of the step; relative to "
               "the current directory; default: the name of the component"),
    SOFA_FIELD(MatrixWriter, every, "exportEveryNumberOfSteps", "0", "1",
               "steps between two files; 0: none", .range = SOFA_AT_LEAST(0),
               .on_bad = SOFA_BAD_DEFAULT),
    SOFA_FIELD(MatrixWriter, at_begin, "exportAtBegin", "0", "",
               "write the matrix that the first step will build, as number 00000"),
    SOFA_FIELD(MatrixWriter, at_end, "exportAtEnd", "0", "",
               "write the last matrix at the end of the run"),
    SOFA_FIELD(MatrixWriter, enable, "enable", "1", "", "write at all"),
    SOFA_FIELD(MatrixWriter, pixels, "pixels", "2000", "1",
               "longer side of a picture, at most; a larger matrix is reduced (addition of "
               "csofa)",
               .range = SOFA_AT_LEAST(1), .on_bad = SOFA_BAD_DEFAULT),
    SOFA_FIELD(
        MatrixWriter, linear_system, "linearSystem", NULL, "",
        "assembled linear system; default: the first one with a matrix in the node, or above",
        .link = &system_rule),
};

static const char *const extensions[] = {"txt", "csv", "mtx", "png"};

static char *file_path(const MatrixWriter *w, uint64_t step) {
  const char *name = w->filename.text && w->filename.text[0] ? w->filename.text : w->object.name;
  return sofa_format(w->object.ctx, "%s%05llu.%s", name, (unsigned long long)step,
                     extensions[w->format]);
}

/* The class based on this one has set the format: its init comes behind ours, so the file is looked
 * at here. */
static SofaErr bwd_init(SofaObject *object) {
  MatrixWriter *w = (MatrixWriter *)object;
  for (SofaNode *node = object->node; node && !w->linear_system.target;
       node = sofa_node_parent(node)) {
    for (size_t i = 0; i < node->objects.n && !w->linear_system.target; i++) {
      SofaObject *other = node->objects.data[i];
      const SofaLinearSystemOps *ops =
          sofa_implements(other, SOFA_LINEAR_SYSTEM) && sofa_valid(other)
              ? sofa_linear_system_ops((SofaLinearSystem *)other)
              : NULL;
      if (ops && ops->matrix) w->linear_system.target = other;
    }
  }
  w->n_steps = 0;
  if (!w->enable || !(w->every || w->at_begin || w->at_end)) return SOFA_OK;
  if (!w->linear_system.target) {
    sofa_object_message(object, SOFA_WARNING,
                        "there is no assembled linear system (iterative solvers go without): "
                        "nothing is written");
    return SOFA_OK;
  }
  char *path = file_path(w, w->every);
  if (!path) return SOFA_ERR_MEMORY;
  const SofaErr err = sofa_output_file_check(object, "filename", path);
  sofa_free(object->ctx, path);
  return err;
}

static SofaErr reset(SofaObject *object) {
  ((MatrixWriter *)object)->n_steps = 0;
  return SOFA_OK;
}

static void destroy(SofaObject *object) {
  sofa_list_free(object->ctx, &((MatrixWriter *)object)->text);
}

static SofaErr make_text(MatrixWriter *w, const SofaBlockRows *rows) {
  SofaContext *ctx = w->object.ctx;
  const bool dense = w->format == MATRIX_TXT || w->format == MATRIX_CSV;
  w->text.n = 0;
  if (dense && rows->n_scalar_rows > MATRIX_TEXT_ROWS)
    return sofa_field_fail(&w->object, "format", SOFA_ERR_RANGE,
                           "%s writes all zeros of a matrix of %zu rows (at most %d): take mtx",
                           extensions[w->format], rows->n_scalar_rows, MATRIX_TEXT_ROWS);
  if (dense) return sofa_matrix_text_dense(ctx, rows, w->format == MATRIX_TXT, w->digits, &w->text);
  if (w->format == MATRIX_MTX) return sofa_matrix_text_market(ctx, rows, w->digits, &w->text);
  return sofa_matrix_picture(ctx, rows, w->pixels, &w->text);
}

static SofaErr write_now(MatrixWriter *w) {
  SofaLinearSystem *system = (SofaLinearSystem *)w->linear_system.target;
  const SofaBlockMatrix *matrix = system ? sofa_linear_system_matrix(system) : NULL;
  SofaBlockRows rows;
  if (!matrix) {
    w->enable = false;
    sofa_object_message(&w->object, SOFA_WARNING,
                        "the linear system '%s' has no matrix: nothing is written",
                        system ? system->object.name : "");
    return SOFA_OK;
  }
  sofa_block_matrix_rows(matrix, &rows);
  SOFA_TRY(make_text(w, &rows));
  char *path = file_path(w, w->n_steps);
  if (!path) return SOFA_ERR_MEMORY;
  SofaErr err = sofa_output_file_check(&w->object, "filename", path);
  if (err == SOFA_OK) err = sofa_output_file_replace(&w->object, path, w->text.data, w->text.n);
  if (err == SOFA_OK && w->object.print_log)
    sofa_object_message(&w->object, SOFA_INFO, "%zu x %zu matrix of '%s' written to %s",
                        rows.n_scalar_rows, rows.n_scalar_columns, system->object.name, path);
  sofa_free(w->object.ctx, path);
  return err;
}

/* The plans go, so that the first step finds nothing of it. */
static SofaErr write_first(MatrixWriter *w, double dt) {
  SofaSchedule *schedule = NULL;
  SOFA_TRY(sofa_schedule_create(sofa_node_root(w->object.node), &schedule));
  SofaErr err = sofa_schedule_assemble(schedule, dt);
  if (err == SOFA_OK) err = write_now(w);
  sofa_schedule_drop_plans(schedule);
  sofa_schedule_destroy(&schedule);
  return err;
}

/* A run that shall go on goes on without the files. */
static SofaErr handle_event(SofaObject *object, const SofaEvent *event) {
  MatrixWriter *w = (MatrixWriter *)object;
  const bool first = event->type == SOFA_EVENT_READY && w->at_begin;
  if (event->type == SOFA_EVENT_ANIMATE_END) w->n_steps++;
  const bool due = w->every && w->n_steps && w->n_steps % w->every == 0;
  const bool now = event->type == SOFA_EVENT_ANIMATE_END ? due
                   : event->type == SOFA_EVENT_END       ? w->at_end && w->n_steps && !due
                                                         : first;
  if (!w->enable || !w->linear_system.target || !now) return SOFA_OK;
  const SofaErr err = first ? write_first(w, event->dt) : write_now(w);
  if (err == SOFA_OK || !object->ctx->keep_going) return err;
  w->enable = false;
  return SOFA_OK;
}

static const SofaKeptMember kept[] = {
    SOFA_KEEP(MatrixWriter, n_steps),
};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(MatrixWriter, text),
};

const SofaClass matrix_writer_class = {
    .name = "MatrixWriter",
    .module = "SofaMatrix",
    .category = "Exporter",
    .help = "Writes the matrix of a linear system.",
    .base = &sofa_object_class,
    SOFA_SPARES(spared),
    SOFA_KEEPS(kept),
    .size = sizeof(MatrixWriter),
    SOFA_FIELDS(fields),
    .listening = true,
    .bwd_init = bwd_init,
    .reset = reset,
    .handle_event = handle_event,
    .destroy = destroy,
    .abstract = true,
};
