# find_package(OpenSHMEM) defines OpenSHMEM::openshmem, and OpenSHMEM::openshmem_static if the static library is
# installed. All paths are relative to this file, so the installation can be moved.
#
# Sets OpenSHMEM_VERSION (of the specification), OpenSHMEM_FERRITE_VERSION, OpenSHMEM_INCLUDE_DIRS, OpenSHMEM_LIBRARIES,
# OpenSHMEM_RUN (the launcher).

get_filename_component(_openshmem_libdir "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
get_filename_component(_openshmem_prefix "${_openshmem_libdir}/.." ABSOLUTE)

set(OpenSHMEM_VERSION "1.6")
set(OpenSHMEM_FERRITE_VERSION "@VERSION@")
set(OpenSHMEM_INCLUDE_DIRS "${_openshmem_prefix}/include")
set(OpenSHMEM_RUN "${_openshmem_prefix}/bin/oshrun")

foreach(_openshmem_language IN LISTS OpenSHMEM_FIND_COMPONENTS)
  if(_openshmem_language MATCHES "^(C|CXX|Fortran)$")
    set(OpenSHMEM_${_openshmem_language}_FOUND TRUE)
  elseif(OpenSHMEM_FIND_REQUIRED_${_openshmem_language})
    set(OpenSHMEM_FOUND FALSE)
    set(OpenSHMEM_NOT_FOUND_MESSAGE
      "there is no component '${_openshmem_language}': C, CXX and Fortran are the components")
  endif()
endforeach()

if(NOT EXISTS "${OpenSHMEM_INCLUDE_DIRS}/shmem.h")
  set(OpenSHMEM_FOUND FALSE)
  set(OpenSHMEM_NOT_FOUND_MESSAGE "there is no ${OpenSHMEM_INCLUDE_DIRS}/shmem.h: the installation is not whole")
endif()

if(EXISTS "${_openshmem_libdir}/libsma.so" AND NOT TARGET OpenSHMEM::openshmem)
  add_library(OpenSHMEM::openshmem SHARED IMPORTED)
  set_target_properties(OpenSHMEM::openshmem PROPERTIES
    IMPORTED_LOCATION "${_openshmem_libdir}/libsma.so"
    IMPORTED_SONAME "libsma.so.1"
    INTERFACE_INCLUDE_DIRECTORIES "${OpenSHMEM_INCLUDE_DIRS}")
endif()

if(EXISTS "${_openshmem_libdir}/libsma.a")
  if(NOT TARGET OpenSHMEM::openshmem_static)
    add_library(OpenSHMEM::openshmem_static STATIC IMPORTED)
    set_target_properties(OpenSHMEM::openshmem_static PROPERTIES
      IMPORTED_LOCATION "${_openshmem_libdir}/libsma.a"
      IMPORTED_LINK_INTERFACE_LANGUAGES "C"
      INTERFACE_INCLUDE_DIRECTORIES "${OpenSHMEM_INCLUDE_DIRS}"
      INTERFACE_LINK_LIBRARIES "pthread;dl;m")
  endif()
  if(NOT TARGET OpenSHMEM::openshmem)
    add_library(OpenSHMEM::openshmem INTERFACE IMPORTED)
    set_target_properties(OpenSHMEM::openshmem PROPERTIES INTERFACE_LINK_LIBRARIES OpenSHMEM::openshmem_static)
  endif()
endif()

if(NOT TARGET OpenSHMEM::openshmem)
  set(OpenSHMEM_FOUND FALSE)
  set(OpenSHMEM_NOT_FOUND_MESSAGE "there is neither libsma.so nor libsma.a in ${_openshmem_libdir}")
endif()
set(OpenSHMEM_LIBRARIES OpenSHMEM::openshmem)

unset(_openshmem_language)
unset(_openshmem_libdir)
unset(_openshmem_prefix)
