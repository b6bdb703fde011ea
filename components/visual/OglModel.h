/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The struct of OglModel, for the classes based on it. */
#ifndef SOFA_VISUAL_OGLMODEL_H
#define SOFA_VISUAL_OGLMODEL_H

#include "behavior/loader.h"
#include "behavior/visual_model.h"

SOFA_LIST(SofaSurfacePart, SofaSurfaceParts);

typedef struct OglModel {
  SofaState state;
  SofaVec3s rest_position, normal, vertices, tangents, bitangents;
  SofaVec2s texcoords;
  SofaEdges edges;
  SofaTriangles triangles;
  SofaQuads quads;
  SofaIndices vertex_position_index, vertex_normal_index;
  SofaFileName filename, texture;
  SofaVec3 translation, rotation, scale3d;
  SofaVec2 texture_scale, texture_translation;
  SofaMaterial material;
  SofaMaterials materials;
  char *groups, *color, *flip;
  bool colored; /* the attribute color was given: own_color wins over material */
  SofaColor own_color;
  bool enable, init_rest, use_normals, update_normals, compute_tangents, update_tangents,
      compute_texcoords, dynamic_topology, fix_seams, keep_lines, only_texcoords, srgb, blend,
      premultiplied, write_z, alpha_blend, depth_test, line_smooth, point_smooth, normals;
  int cull_face, cast_shadow;
  double line_width, point_size;
  SofaOption primitive_type, blend_equation, source_factor, destination_factor;
  SofaLink topology;
  /* legacy attributes: each group given replaces the whole vector */
  SofaFloat scale, s[3], r[3], d[3], uv[4];
  uint32_t normals_version;      /* of the positions that the normals belong to; 0: none */
  bool from_topology;            /* faces are the topology's */
  uint32_t revision;             /* of the topology when they were taken */
  SofaMeshGroups part_groups[2]; /* of the triangles and the quads of a file */
  SofaSurfaceParts parts;        /* of them, with their materials */
  uint64_t elements_version;     /* sum of the versions of what is drawn, see elements_version() */
} OglModel;

extern const SofaClass sofa_OglModel_class;

#endif
