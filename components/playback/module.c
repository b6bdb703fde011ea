/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Recording and replaying states, topologies, events and quantities. */
#include "object/factory.h"

extern const SofaClass sofa_WriteState_class, sofa_ReadState_class, sofa_CompareState_class,
    sofa_WriteTopology_class, sofa_ReadTopology_class, sofa_CompareTopology_class,
    sofa_CSVRecorder_class, sofa_InputEventReader_class;

static const SofaClass *const classes[] = {
    &sofa_WriteState_class,       &sofa_ReadState_class,    &sofa_CompareState_class,
    &sofa_WriteTopology_class,    &sofa_ReadTopology_class, &sofa_CompareTopology_class,
    &sofa_InputEventReader_class, &sofa_CSVRecorder_class,  NULL,
};

extern const SofaModule sofa_module_playback;
const SofaModule sofa_module_playback = {SOFA_ABI, "playback", CSOFA_VERSION, classes};
