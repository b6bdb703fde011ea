/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The drawing of contacts. */
#include "components/collision/response/contact_manager.h"
#include "math/vec.h"

/* Parts of the diagonal of the scene: the length of a normal, and of the arrow of the largest
 * force. */
static const double normal_length = 0.04, force_length = 0.12;

static SofaErr collect(const ContactManager *m, SofaContactReports *rows) {
  for (size_t i = 0; i < m->contacts.n; i++) {
    const SofaObject *contact = m->contacts.data[i].target;
    const SofaContactOps *ops = contact ? sofa_ops(contact, SOFA_CONTACT) : NULL;
    if (ops && ops->report) SOFA_TRY(ops->report(contact, rows));
  }
  return SOFA_OK;
}

static double largest_force(const SofaContactReports *rows) {
  double largest = 0;
  for (size_t i = 0; i < rows->n; i++) {
    const double force = sofa_vec3_norm(rows->data[i].force);
    if (force > largest) largest = force;
  }
  return largest;
}

static void draw_detection(const SofaContactReport *row, double length, SofaDrawList *list) {
  double tip[3];
  sofa_vec3_copy(row->point[1], tip);
  sofa_vec3_axpy(length, row->normal, tip);
  sofa_draw_line(list, row->point[0], row->point[1], 1, SOFA_RGB(1, 1, 0));
  sofa_draw_line(list, row->point[1], tip, 2, SOFA_RGB(0, 0.7, 0));
  for (int end = 0; end < 2; end++) sofa_draw_point(list, row->point[end], 7, SOFA_RGB(1, 1, 0));
}

/* The force on the second body, at its place. */
static void draw_force(const SofaContactReport *row, double scale, SofaDrawList *list) {
  double tip[3];
  sofa_vec3_copy(row->point[1], tip);
  sofa_vec3_axpy(scale, row->force, tip);
  if (sofa_vec3_norm(row->force) * scale > 0)
    sofa_draw_arrow(list, row->point[1], tip, 0.05 * scale * sofa_vec3_norm(row->force),
                    SOFA_RGB(0.85, 0, 0));
}

static void draw(SofaObject *object, const SofaDrawArgs *args) {
  const bool forces = sofa_display_shows(args->flags, SOFA_DISPLAY_INTERACTION_FORCE_FIELDS);
  const bool outputs = sofa_display_shows(args->flags, SOFA_DISPLAY_DETECTION_OUTPUTS);
  const double diagonal = sofa_vec3_distance(args->box->min, args->box->max);
  const SofaDrawLayer layer = args->list->layer;
  SofaContactReports rows = {0};
  if ((!forces && !outputs) || collect((const ContactManager *)object, &rows) != SOFA_OK) goto done;
  const double largest = largest_force(&rows);
  args->list->layer = SOFA_LAYER_FRONT;
  for (size_t i = 0; i < rows.n; i++) {
    if (outputs) draw_detection(&rows.data[i], normal_length * diagonal, args->list);
    if (forces && largest > 0)
      draw_force(&rows.data[i], force_length * diagonal / largest, args->list);
  }
done:
  args->list->layer = layer;
  sofa_list_free(object->ctx, &rows);
}

const SofaDrawOps contact_manager_draw = {.draw = draw};
