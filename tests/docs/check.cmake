# SPDX-License-Identifier: LGPL-2.1-or-later
# Runs the scene with the plugin and compares the rest position with m g / k.
execute_process(COMMAND ${RUN} -g batch -n 2000 -l ${PLUGIN} --states ${OUT} --states-at 2000 ${SCENE}
  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "runcsofa ended with ${status}: ${output}")
endif()
file(STRINGS ${OUT} lines REGEX "^x ")
list(GET lines -1 last)
if(NOT last MATCHES "^x [-0-9.e]+ -0\\.098(0999|1)")
  message(FATAL_ERROR "the ball rests at '${last}', expected y = -0.0981")
endif()
