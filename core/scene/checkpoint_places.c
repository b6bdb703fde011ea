/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Indices that a checkpoint has brought: they name points and elements that are there. */
#include "change/topology_listeners_impl.h"
#include "scene/checkpoint_impl.h"

/* Are the first n_ends numbers of each entry points of these states? */
static bool fits_states(const SofaListenerRow *row) {
  const SofaAnyList *list = row->list;
  for (unsigned e = 0; e < row->belongs->n_ends; e++) {
    const size_t n = row->ends[e] ? sofa_state_size(row->ends[e]) : SIZE_MAX;
    const char *at = list->data;
    for (size_t k = 0; k < list->n; k++) {
      const uint32_t point = ((const uint32_t *)(const void *)(at + k * row->size))[e];
      if (point >= n && point != SOFA_NO_ELEMENT) return false;
    }
  }
  return true;
}

/* The tables of an object, such as springs. */
static SofaErr check_tables(SofaObject *object, bool *fits) {
  SofaListenerRows rows = {0};
  const SofaErr err = sofa_listener_rows_find(object, &rows);
  for (size_t i = 0; err == SOFA_OK && i < rows.n && *fits; i++)
    if (rows.data[i].belongs->role == SOFA_ROLE_TABLE) *fits = fits_states(&rows.data[i]);
  sofa_list_free(object->ctx, &rows);
  return err;
}

SofaErr sofa_checkpoint_check_places(SofaObject *object, bool *fits) {
  *fits = true;
  if (!sofa_valid(object)) return SOFA_OK;
  if (!sofa_implements(object, SOFA_TOPOLOGY)) return check_tables(object, fits);
  const SofaTopology *topology = (const SofaTopology *)object;
  const size_t n = topology->n_points > topology->mesh.position.n ? topology->n_points
                                                                  : topology->mesh.position.n;
  *fits = sofa_mesh_vertex_count(&topology->mesh) <= n;
  return SOFA_OK;
}
