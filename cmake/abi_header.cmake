# SPDX-License-Identifier: LGPL-2.1-or-later
# Writes base/abi.h, the hash of the installed headers:
#   cmake -DROOT=folder -DLIST=file -DOUT=base/abi.h -P abi_header.cmake
# LIST has the headers' paths, relative to ROOT, a line each. The file is written when it changes.
file(STRINGS ${LIST} headers)
list(SORT headers)
set(text "")
foreach(header ${headers})
  file(SHA256 ${ROOT}/${header} hash)
  string(APPEND text "${header} ${hash}\n")
endforeach()
string(SHA256 hash "${text}")
string(SUBSTRING ${hash} 0 16 hash)
set(text "/* Made by cmake/abi_header.cmake: the hash of all installed headers. */
#ifndef SOFA_BASE_ABI_H
#define SOFA_BASE_ABI_H

#include <stdint.h>

/* The interface a plugin is built for: one that was built with other headers is refused. */
#define SOFA_ABI UINT64_C(0x${hash})

#endif
")
if(EXISTS ${OUT})
  file(READ ${OUT} old)
  if(old STREQUAL text)
    return()
  endif()
endif()
file(WRITE ${OUT} "${text}")
