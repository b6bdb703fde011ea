/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The built-in modules: one line SOFA_MODULE(sofa_module_<folder>) per folder of components. */
SOFA_MODULE(sofa_module_animationloop)
SOFA_MODULE(sofa_module_constraint_projective)
SOFA_MODULE(sofa_module_engine)
SOFA_MODULE(sofa_module_io)
SOFA_MODULE(sofa_module_mass)
SOFA_MODULE(sofa_module_odesolver)
SOFA_MODULE(sofa_module_playback)
SOFA_MODULE(sofa_module_setting)
SOFA_MODULE(sofa_module_solidmechanics)
SOFA_MODULE(sofa_module_statecontainer)
SOFA_MODULE(sofa_module_topology)
SOFA_MODULE(sofa_module_visual)
