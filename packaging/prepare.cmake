# SPDX-License-Identifier: LGPL-2.1-or-later
# CPack runs this between the installation to a folder per component and the making of the packages.
# It adds the files that Debian asks of every package, compresses manuals and removes search paths of
# libraries.
foreach(component ${CPACK_COMPONENTS_ALL})
  string(TOUPPER ${component} upper)
  set(root ${CPACK_TEMPORARY_DIRECTORY}/${component}/usr)
  set(doc ${root}/share/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  # copyright and changelog, which gzip makes without its time
  configure_file(${CPACK_CSOFA_SOURCE}/packaging/copyright ${doc}/copyright COPYONLY)
  string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
  file(WRITE ${doc}/changelog "csofa (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * Version ${CPACK_PACKAGE_VERSION}.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
  file(GLOB manuals ${root}/share/man/man1/*.1)
  foreach(file ${doc}/changelog ${manuals})
    execute_process(COMMAND gzip -9nf ${file} COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
  # the libraries are where the loader searches
  file(GLOB programs ${root}/bin/*)
  foreach(program ${programs})
    file(RPATH_REMOVE FILE ${program})
  endforeach()
endforeach()
