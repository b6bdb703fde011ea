# SPDX-License-Identifier: LGPL-2.1-or-later
# Debian packages: ./dev package, or cpack in a build folder with the prefix /usr.
set(examples ${CMAKE_INSTALL_DATADIR}/csofa/examples)
install(DIRECTORY scenes/ DESTINATION ${examples} COMPONENT program EXCLUDE_FROM_ALL)
foreach(plugin SofaCaribou IncrementalPotentialContact ArticulatedSystemPlugin)
  install(DIRECTORY plugins/${plugin}/scenes/ DESTINATION ${examples}/${plugin} COMPONENT program
    EXCLUDE_FROM_ALL)
endforeach()
install(FILES packaging/csofa.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications
  COMPONENT program)
install(FILES packaging/csofa.svg DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps
  COMPONENT program)
install(FILES packaging/csofa-mime.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/mime/packages
  COMPONENT program RENAME csofa.xml)
# the site of ./dev docs, where it has been made
install(DIRECTORY out/site/ DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/csofa-doc/html
  OPTIONAL COMPONENT documentation EXCLUDE_FROM_ALL)
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/csofa-doc
  COMPONENT documentation EXCLUDE_FROM_ALL)
install(FILES README.md CHANGELOG.md CONTRIBUTING.md
  DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/csofa-doc COMPONENT documentation EXCLUDE_FROM_ALL)
install(FILES tests/install/project/fall.c plugins/uniform_drag/UniformDrag.c
  DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/csofa-doc/examples COMPONENT documentation
  EXCLUDE_FROM_ALL)

set(CPACK_GENERATOR DEB)
set(CPACK_COMPONENTS_ALL library development program documentation)
# Debian keeps pure modules of Python in a folder of its own
file(GLOB PYTHON_MODULE CONFIGURE_DEPENDS python/csofa/*.py)
if(PYTHON_MODULE)
  install(DIRECTORY python/csofa python/Sofa python/SofaRuntime python/SofaImGui
    python/SofaTypes
    DESTINATION lib/python3/dist-packages COMPONENT python EXCLUDE_FROM_ALL
    FILES_MATCHING PATTERN "*.py" PATTERN "__pycache__" EXCLUDE)
  install(DIRECTORY examples/python/ DESTINATION
    ${CMAKE_INSTALL_DATADIR}/doc/python3-csofa/examples COMPONENT python EXCLUDE_FROM_ALL
    PATTERN "__pycache__" EXCLUDE)
  list(APPEND CPACK_COMPONENTS_ALL python)
endif()
set(CPACK_CSOFA_SOURCE ${PROJECT_SOURCE_DIR})
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/packaging/prepare.cmake)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ
  GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CSOFA_MAINTAINER "csofa developers <maintainers@users.noreply.a-seed-5415ea93.example>"
  CACHE STRING "Maintainer of the packages")
set(CPACK_PACKAGE_NAME csofa)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "${CSOFA_MAINTAINER}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR}/lib)

# csofa_package(COMPONENT NAME SECTION SUMMARY DESCRIPTION [KEY VALUE ...])
macro(csofa_package component name section summary description)
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name})
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section})
  set(CPACK_DEBIAN_${upper}_DESCRIPTION "${summary}\n${description}")
  set(CPACK_COMPONENT_${upper}_DESCRIPTION "${summary}\n${description}")
endmacro()
set(about "csofa reads scenes of the SOFA framework (.scn, XML) and simulates them:
deformable and rigid bodies, mappings, constraints and contacts, with implicit
and explicit integration.

")
csofa_package(library libcsofa0 libs "simulation framework that runs SOFA scenes - library"
  "${about}This package contains the shared library.")
csofa_package(development libcsofa-dev libdevel
  "simulation framework that runs SOFA scenes - development files"
  "${about}This package contains the headers and the CMake package with the
function that builds plugins.")
csofa_package(program csofa science "simulation framework that runs SOFA scenes - program"
  "${about}This package contains the program runcsofa, its plugins and example scenes.")
csofa_package(documentation csofa-doc doc
  "simulation framework that runs SOFA scenes - documentation"
  "${about}This package contains the guides, the reference of components and examples.")
csofa_package(python python3-csofa python "simulation framework that runs SOFA scenes - Python 3"
  "${about}This package contains the module csofa of Python 3, the modules with the
names of SofaPython3 for scenes that are Python programs, and examples.")

set(CPACK_DEBIAN_LIBRARY_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/packaging/triggers)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS
  "libegl1, libgl1-mesa-dri, fonts-dejavu-core")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS
  "csofa-doc, ffmpeg, paraview, python3-csofa, libpython3.11")
set(CPACK_COMPONENT_PROGRAM_DEPENDS library)
set(CPACK_COMPONENT_DEVELOPMENT_DEPENDS library)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_RECOMMENDS "cmake, pkg-config, csofa")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS csofa-doc)
set(CPACK_DEBIAN_DOCUMENTATION_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/packaging/python/postinst
  ${PROJECT_SOURCE_DIR}/packaging/python/prerm)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3, python3-numpy")
set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS "python3-scipy")
set(CPACK_COMPONENT_PYTHON_DEPENDS library)
if(TARGET SofaPETSc)
  list(APPEND CPACK_COMPONENTS_ALL petsc)
  install(DIRECTORY plugins/SofaPETSc/scenes/ DESTINATION ${examples}/SofaPETSc COMPONENT petsc
    EXCLUDE_FROM_ALL)
  csofa_package(petsc csofa-petsc science "simulation framework that runs SOFA scenes - PETSc"
    "${about}This package contains the plugin SofaPETSc: linear solvers of PETSc.")
  set(CPACK_DEBIAN_PETSC_PACKAGE_SHLIBDEPS ON)
  set(CPACK_COMPONENT_PETSC_DEPENDS program library)
endif()
include(CPack)
