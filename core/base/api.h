/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What C and C++ write in different ways in the headers: exported declarations, and tables inside
 * other tables. */
#ifndef SOFA_BASE_API_H
#define SOFA_BASE_API_H

#include <stddef.h>

/* Exports one function or variable. Everything is compiled with -fvisibility=hidden; the headers
 * declare their functions and variables between SOFA_BEGIN_DECLS and SOFA_END_DECLS. */
#define SOFA_API __attribute__((visibility("default")))

#ifdef __cplusplus
#define SOFA_EXTERN extern "C" /* of one declaration */
#define SOFA_BEGIN_DECLS _Pragma("GCC visibility push(default)") extern "C" {
#define SOFA_END_DECLS                                                                             \
  }                                                                                                \
  _Pragma("GCC visibility pop")
#else
#define SOFA_EXTERN extern
#define SOFA_BEGIN_DECLS _Pragma("GCC visibility push(default)")
#define SOFA_END_DECLS _Pragma("GCC visibility pop")
#endif

/* The address of a value or of an array that lives as long as the program, for tables at file
 * scope; the address of an array for the call that it is an argument of; the number of entries. */
#ifdef __cplusplus
#define SOFA_KEPT(T, ...)                                                                          \
  []() -> const T * {                                                                              \
    static const T kept = {__VA_ARGS__};                                                           \
    return &kept;                                                                                  \
  }()
#define SOFA_KEPT_ARRAY(T, ...)                                                                    \
  []() -> const T * {                                                                              \
    static const T kept[] = {__VA_ARGS__};                                                         \
    return kept;                                                                                   \
  }()
template <class T, size_t n> constexpr const T *sofa_array(const T (&array)[n]) {
  return array;
}
template <class T, size_t n> constexpr size_t sofa_length(const T (&)[n]) {
  return n;
}
#define SOFA_ARRAY(T, ...) sofa_array<T>({__VA_ARGS__})
#define SOFA_LENGTH_OF(T, ...) sofa_length<T>({__VA_ARGS__})
#else
#define SOFA_KEPT(T, ...) (&(const T){__VA_ARGS__})
#define SOFA_KEPT_ARRAY(T, ...) ((const T[]){__VA_ARGS__})
#define SOFA_ARRAY(T, ...) ((const T[]){__VA_ARGS__})
#define SOFA_LENGTH_OF(T, ...) (sizeof((const T[]){__VA_ARGS__}) / sizeof(T))
#endif

#endif
