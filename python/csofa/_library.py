# SPDX-License-Identifier: LGPL-2.1-or-later
"""The shared library: its place, and the types of its functions (csofa/csofa.h)."""
import ctypes
import os
from ctypes import (POINTER, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint, c_uint32,
                    c_uint64, c_void_p)

NAME = "libcsofa.so.0"
API_VERSION = 1

MessageFunction = ctypes.CFUNCTYPE(None, c_void_p, c_int, c_char_p, c_char_p, c_int, c_char_p,
                                   c_char_p)

_N = c_size_t
ForceFunction = ctypes.CFUNCTYPE(c_int, c_void_p, _N, c_void_p, c_void_p, c_double, c_void_p)
ForceChangeFunction = ctypes.CFUNCTYPE(c_int, c_void_p, _N, c_void_p, c_void_p, POINTER(c_double),
                                       c_void_p, c_void_p)
StiffnessFunction = ctypes.CFUNCTYPE(c_int, c_void_p, _N, c_void_p, c_void_p)
EventFunction = ctypes.CFUNCTYPE(c_int, c_void_p, c_char_p, c_int, c_double)
SaveFunction = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p)
RestoreFunction = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p, _N)
DrawFunction = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p)
UpdateFunction = ctypes.CFUNCTYPE(c_int, c_void_p)
ApplyFunction = ctypes.CFUNCTYPE(c_int, c_void_p, _N, c_void_p, _N, c_void_p)
JacobianFunction = ctypes.CFUNCTYPE(c_int, c_void_p, _N, c_void_p, c_void_p)

SolveFunction = ctypes.CFUNCTYPE(None, c_void_p, c_char_p, c_uint64, c_int, c_int, c_double)

_HANDLE = c_void_p  # CsofaContext *, CsofaScene *
_OBJECT = c_uint64
_FIELD = c_uint64
_TEXTS = POINTER(c_char_p)
_REALS = POINTER(c_double)

# name: (result, arguments)
_FUNCTIONS = {
    "csofa_err_text": (c_char_p, [c_int]),
    "csofa_version": (c_char_p, []),
    "csofa_api_version": (c_int, []),
    "csofa_create": (c_int, [c_char_p, POINTER(_HANDLE)]),
    "csofa_destroy": (None, [_HANDLE]),
    "csofa_on_message": (None, [_HANDLE, MessageFunction, c_void_p]),
    "csofa_last_error": (c_char_p, [_HANDLE]),
    "csofa_add_data_path": (c_int, [_HANDLE, c_char_p]),
    "csofa_add_plugin_path": (c_int, [_HANDLE, c_char_p]),
    "csofa_load_plugin": (c_int, [_HANDLE, c_char_p]),
    "csofa_has_class": (c_int, [_HANDLE, c_char_p]),
    "csofa_load": (c_int, [_HANDLE, c_char_p, POINTER(_HANDLE)]),
    "csofa_load_text": (c_int, [_HANDLE, c_char_p, c_char_p, POINTER(_HANDLE)]),
    "csofa_new_scene": (c_int, [_HANDLE, POINTER(_HANDLE)]),
    "csofa_destroy_scene": (None, [_HANDLE]),
    "csofa_context_of": (_HANDLE, [_HANDLE]),
    "csofa_init": (c_int, [_HANDLE]),
    "csofa_step": (c_int, [_HANDLE, c_uint64]),
    "csofa_run_until": (c_int, [_HANDLE, c_double]),
    "csofa_reset": (c_int, [_HANDLE]),
    "csofa_time": (c_double, [_HANDLE]),
    "csofa_dt": (c_double, [_HANDLE]),
    "csofa_steps": (c_uint64, [_HANDLE]),
    "csofa_energies": (c_int, [_HANDLE, _REALS, _REALS]),
    "csofa_save_xml": (c_int, [_HANDLE, c_char_p]),
    "csofa_save_state": (c_int, [_HANDLE, c_char_p]),
    "csofa_restore_state": (c_int, [_HANDLE, c_char_p]),
    "csofa_xml": (c_char_p, [_HANDLE]),
    "csofa_send_key": (c_int, [_HANDLE, c_int, c_int]),
    "csofa_root": (_OBJECT, [_HANDLE]),
    "csofa_find": (_OBJECT, [_HANDLE, _OBJECT, c_char_p]),
    "csofa_name": (c_char_p, [_HANDLE, _OBJECT]),
    "csofa_path": (c_char_p, [_HANDLE, _OBJECT]),
    "csofa_class": (c_char_p, [_HANDLE, _OBJECT]),
    "csofa_template": (c_char_p, [_HANDLE, _OBJECT]),
    "csofa_category": (c_char_p, [_HANDLE, _OBJECT]),
    "csofa_is_node": (c_int, [_HANDLE, _OBJECT]),
    "csofa_parent": (_OBJECT, [_HANDLE, _OBJECT]),
    "csofa_n_children": (c_size_t, [_HANDLE, _OBJECT]),
    "csofa_child": (_OBJECT, [_HANDLE, _OBJECT, c_size_t]),
    "csofa_n_objects": (c_size_t, [_HANDLE, _OBJECT]),
    "csofa_object": (_OBJECT, [_HANDLE, _OBJECT, c_size_t]),
    "csofa_add_node": (c_int, [_HANDLE, _OBJECT, c_char_p, _TEXTS, POINTER(_OBJECT)]),
    "csofa_add_object": (c_int, [_HANDLE, _OBJECT, c_char_p, _TEXTS, POINTER(_OBJECT)]),
    "csofa_remove": (c_int, [_HANDLE, _OBJECT]),
    "csofa_n_fields": (c_size_t, [_HANDLE, _OBJECT]),
    "csofa_field_name": (c_char_p, [_HANDLE, _OBJECT, c_size_t]),
    "csofa_has_field": (c_int, [_HANDLE, _OBJECT, c_char_p]),
    "csofa_field_info": (c_int, [_HANDLE, _OBJECT, c_char_p, POINTER(c_int), POINTER(c_size_t),
                                 POINTER(c_size_t), POINTER(c_uint)]),
    "csofa_field_help": (c_char_p, [_HANDLE, _OBJECT, c_char_p]),
    "csofa_field_unit": (c_char_p, [_HANDLE, _OBJECT, c_char_p]),
    "csofa_field_type": (c_char_p, [_HANDLE, _OBJECT, c_char_p]),
    "csofa_field_default": (c_char_p, [_HANDLE, _OBJECT, c_char_p]),
    "csofa_field_link": (c_char_p, [_HANDLE, _OBJECT, c_char_p]),
    "csofa_linked_object": (_OBJECT, [_HANDLE, _OBJECT, c_char_p]),
    "csofa_get_text": (c_char_p, [_HANDLE, _OBJECT, c_char_p]),
    "csofa_set_text": (c_int, [_HANDLE, _OBJECT, c_char_p, c_char_p]),
    "csofa_get_reals": (c_int, [_HANDLE, _OBJECT, c_char_p, c_size_t, c_size_t, _REALS]),
    "csofa_set_reals": (c_int, [_HANDLE, _OBJECT, c_char_p, c_size_t, _REALS]),
    "csofa_get_ints": (c_int, [_HANDLE, _OBJECT, c_char_p, c_size_t, c_size_t, POINTER(c_int64)]),
    "csofa_set_ints": (c_int, [_HANDLE, _OBJECT, c_char_p, c_size_t, POINTER(c_int64)]),
    "csofa_view": (c_int, [_HANDLE, _OBJECT, c_char_p, POINTER(c_void_p), POINTER(c_size_t),
                           POINTER(c_size_t), POINTER(c_int)]),
    "csofa_view_is_valid": (c_int, [_HANDLE, _OBJECT, c_char_p, c_void_p, c_size_t]),
    "csofa_touch": (c_int, [_HANDLE, _OBJECT, c_char_p]),
    "csofa_find_field": (_FIELD, [_HANDLE, _OBJECT, c_char_p]),
    "csofa_field_object": (_OBJECT, [_FIELD]),
    "csofa_field_get_text": (c_char_p, [_HANDLE, _FIELD]),
    "csofa_field_set_text": (c_int, [_HANDLE, _FIELD, c_char_p]),
    "csofa_field_get_reals": (c_int, [_HANDLE, _FIELD, c_size_t, c_size_t, _REALS]),
    "csofa_field_set_reals": (c_int, [_HANDLE, _FIELD, c_size_t, _REALS]),
    "csofa_field_get_ints": (c_int, [_HANDLE, _FIELD, c_size_t, c_size_t, POINTER(c_int64)]),
    "csofa_field_set_ints": (c_int, [_HANDLE, _FIELD, c_size_t, POINTER(c_int64)]),
    "csofa_field_view": (c_int, [_HANDLE, _FIELD, POINTER(c_void_p), POINTER(c_size_t),
                                 POINTER(c_size_t), POINTER(c_int)]),
    "csofa_field_view_is_valid": (c_int, [_HANDLE, _FIELD, c_void_p, c_size_t]),
    "csofa_field_touch": (c_int, [_HANDLE, _FIELD]),
    "csofa_add_elements": (c_int, [_HANDLE, _OBJECT, c_char_p, c_size_t, c_void_p]),
    "csofa_remove_elements": (c_int, [_HANDLE, _OBJECT, c_char_p, c_size_t, c_void_p]),
    "csofa_matrix_add": (None, [c_void_p, c_size_t, c_void_p, c_void_p, c_void_p]),
    "csofa_set_force": (c_int, [_HANDLE, _OBJECT, ForceFunction, ForceChangeFunction,
                                StiffnessFunction, c_void_p]),
    "csofa_set_controller": (c_int, [_HANDLE, _OBJECT, EventFunction, c_void_p]),
    "csofa_set_engine": (c_int, [_HANDLE, _OBJECT, UpdateFunction, c_void_p]),
    "csofa_jacobian_add": (None, [c_void_p, c_size_t, c_void_p, c_void_p, c_void_p]),
    "csofa_set_mapping": (c_int, [_HANDLE, _OBJECT, ApplyFunction, JacobianFunction, c_void_p]),
    "csofa_assemble": (c_int, [_HANDLE, _OBJECT, c_double, c_double, c_double, c_int,
                               POINTER(c_void_p)]),
    "csofa_free_sparse": (None, [c_void_p]),
    "csofa_sparse_size": (c_size_t, [c_void_p]),
    "csofa_sparse_start": (POINTER(c_uint32), [c_void_p]),
    "csofa_sparse_columns": (POINTER(c_uint32), [c_void_p]),
    "csofa_sparse_values": (_REALS, [c_void_p]),
    "csofa_modes": (c_int, [_HANDLE, c_size_t, c_int, POINTER(c_void_p)]),
    "csofa_free_modes": (None, [c_void_p]),
    "csofa_modes_count": (c_size_t, [c_void_p]),
    "csofa_mode_value": (c_double, [c_void_p, c_size_t]),
    "csofa_mode_is_rigid": (c_int, [c_void_p, c_size_t]),
    "csofa_mode_mass": (_REALS, [c_void_p, c_size_t]),
    "csofa_mode_shape": (_REALS, [c_void_p, c_size_t, POINTER(c_size_t)]),
    "csofa_sparse_row": (c_int64, [_HANDLE, _OBJECT]),
    "csofa_parent_at": (_OBJECT, [_HANDLE, _OBJECT, c_size_t]),
    "csofa_add_parent": (c_int, [_HANDLE, _OBJECT, _OBJECT]),
    "csofa_on_event": (c_int, [_HANDLE, EventFunction, c_void_p]),
    "csofa_on_save": (c_int, [_HANDLE, SaveFunction, RestoreFunction, c_void_p]),
    "csofa_on_draw": (c_int, [_HANDLE, DrawFunction, c_void_p]),
    "csofa_set_draw": (c_int, [_HANDLE, _OBJECT, DrawFunction, c_void_p]),
    "csofa_draw_points": (None, [c_void_p, _N, c_void_p, c_double, _REALS]),
    "csofa_draw_lines": (None, [c_void_p, _N, c_void_p, c_double, _REALS]),
    "csofa_draw_triangles": (None, [c_void_p, _N, c_void_p, _REALS]),
    "csofa_draw_spheres": (None, [c_void_p, _N, c_void_p, c_double, _REALS]),
    "csofa_draw_frames": (None, [c_void_p, _N, c_void_p, c_void_p]),
    "csofa_draw_text": (None, [c_void_p, c_void_p, c_double, c_char_p, _REALS]),
    "csofa_draw_overlay_text": (None, [c_void_p, c_void_p, c_double, c_char_p, _REALS]),
    "csofa_put_bytes": (None, [c_void_p, c_char_p, c_size_t]),
    "csofa_solved_matrix": (c_int, [_HANDLE, _OBJECT, c_char_p, POINTER(c_void_p)]),
    "csofa_solved_vector": (c_int, [_HANDLE, _OBJECT, c_char_p, POINTER(_REALS),
                                    POINTER(c_size_t)]),
    "csofa_time_phases": (None, [_HANDLE, c_int]),
    "csofa_timer": (c_char_p, [_HANDLE, c_size_t, POINTER(c_int), POINTER(c_uint64), _REALS]),
    "csofa_on_solve": (None, [_HANDLE, SolveFunction, c_void_p]),
    "csofa_equations": (c_int, [_HANDLE, _OBJECT, POINTER(c_void_p)]),
    "csofa_free_equations": (None, [c_void_p]),
    "csofa_equations_n_x": (c_size_t, [c_void_p]),
    "csofa_equations_n_v": (c_size_t, [c_void_p]),
    "csofa_equations_order": (c_int, [c_void_p]),
    "csofa_equations_are_linear": (c_int, [c_void_p]),
    "csofa_equations_node": (_OBJECT, [c_void_p]),
    "csofa_equations_state": (c_int, [c_void_p, c_void_p, c_void_p, c_void_p]),
    "csofa_equations_begin": (c_int, [c_void_p, c_double, c_void_p, c_void_p]),
    "csofa_equations_residual": (c_int, [c_void_p, c_void_p, c_void_p]),
    "csofa_equations_end": (c_int, [c_void_p, c_void_p, c_void_p, c_void_p]),
    "csofa_equations_forces": (None, [c_void_p, c_void_p]),
    "csofa_add_force": (c_int, [_HANDLE, _OBJECT, c_size_t, c_size_t, _REALS]),
}


def places():
    """Files that are tried, best first."""
    named = os.environ.get("CSOFA_LIBRARY")
    if named:
        return [named]
    here = os.path.dirname(os.path.abspath(__file__))
    source = os.path.dirname(os.path.dirname(here))
    found = [os.path.join(here, NAME), os.path.join(source, "build", "lib", NAME)]
    return [path for path in found if os.path.exists(path)] + [NAME]


def in_process():
    """Does the program that runs Python have the library?"""
    return hasattr(ctypes.CDLL(None), "csofa_api_version")


def open_library():
    tried = [None] if in_process() else places()
    for path in tried:
        try:
            # the symbols are visible to plugins, which csofa opens
            library = ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)
            break
        except OSError as error:
            reason = error
    else:
        raise ImportError(
            f"{NAME} was not found ({reason}). Tried: {', '.join(tried)}. Set CSOFA_LIBRARY to its "
            "path, or install the package libcsofa0.")
    library.csofa_api_version.restype = c_int
    if library.csofa_api_version() < API_VERSION:
        raise ImportError(f"{path} has version {library.csofa_api_version()} of the interface, "
                          f"this module needs {API_VERSION}")
    for name, (result, arguments) in _FUNCTIONS.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


lib = open_library()
