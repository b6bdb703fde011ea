/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The engines. */
#include "object/factory.h"

extern const SofaClass sofa_BoxROI_class, sofa_ComplementaryROI_class, sofa_IndexValueMapper_class,
    sofa_IndicesFromValues_class, sofa_MergeROIs_class, sofa_MeshBoundaryROI_class,
    sofa_MeshROI_class, sofa_MeshSplittingEngine_class, sofa_MeshSubsetEngine_class,
    sofa_NearestPointROI_class, sofa_PairBoxROI_class, sofa_PlaneROI_class,
    sofa_PointsFromIndices_class, sofa_ProximityROI_class, sofa_SelectConnectedLabelsROI_class,
    sofa_SelectLabelROI_class, sofa_SphereROI_class, sofa_SubsetTopology_class,
    sofa_TransformEngine_class, sofa_ValuesFromIndices_class, sofa_ValuesFromPositions_class;

static const SofaClass *const classes[] = {
    &sofa_BoxROI_class,
    &sofa_ComplementaryROI_class,
    &sofa_IndexValueMapper_class,
    &sofa_IndicesFromValues_class,
    &sofa_MergeROIs_class,
    &sofa_MeshBoundaryROI_class,
    &sofa_MeshROI_class,
    &sofa_MeshSplittingEngine_class,
    &sofa_MeshSubsetEngine_class,
    &sofa_NearestPointROI_class,
    &sofa_PairBoxROI_class,
    &sofa_PlaneROI_class,
    &sofa_PointsFromIndices_class,
    &sofa_ProximityROI_class,
    &sofa_SelectConnectedLabelsROI_class,
    &sofa_SelectLabelROI_class,
    &sofa_SphereROI_class,
    &sofa_SubsetTopology_class,
    &sofa_TransformEngine_class,
    &sofa_ValuesFromIndices_class,
    &sofa_ValuesFromPositions_class,
    NULL,
};

extern const SofaModule sofa_module_engine;
const SofaModule sofa_module_engine = {SOFA_ABI, "engine", CSOFA_VERSION, classes};
