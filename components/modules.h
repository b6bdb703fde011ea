/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The built-in modules: one line SOFA_MODULE(sofa_module_<folder>) per folder of components. */
