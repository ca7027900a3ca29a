# What a package has and other installations have not: the manual, shell completion, the licence; and how CPack
# makes a Debian package of it all. scripts/package calls it.
if(GDBENCH_SANITIZE)
  return()  # it is never installed, and the program would run under the sanitizers for each page
endif()
set(generated ${PROJECT_BINARY_DIR}/generated)

add_custom_command(OUTPUT ${generated}/completion/gdbench DEPENDS gdbench VERBATIM
                   COMMAND ${CMAKE_COMMAND} -E make_directory ${generated}/completion
                   COMMAND $<TARGET_FILE:gdbench> completion bash > ${generated}/completion/gdbench)
set(documents ${generated}/completion/gdbench)
install(FILES ${generated}/completion/gdbench DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)

find_program(GDBENCH_HELP2MAN help2man)
if(GDBENCH_HELP2MAN)
  add_custom_command(OUTPUT ${generated}/manual/gdbench.1.gz DEPENDS gdbench ${CMAKE_CURRENT_LIST_DIR}/make-manual
                     COMMAND ${CMAKE_CURRENT_LIST_DIR}/make-manual $<TARGET_FILE:gdbench> ${PROJECT_VERSION}
                             ${generated}/manual VERBATIM)
  list(APPEND documents ${generated}/manual/gdbench.1.gz)
  install(DIRECTORY ${generated}/manual/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
else()
  message(STATUS "help2man not found: there will be no manual pages")
endif()
add_custom_target(gdbench_documents ALL DEPENDS ${documents})

set(CPACK_GENERATOR DEB)
# Without the component "frameworks": those adapters need environments that only a source tree makes.
set(CPACK_INSTALL_CMAKE_PROJECTS "${PROJECT_BINARY_DIR};gdbench;Unspecified;/")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
                                                WORLD_READ WORLD_EXECUTE)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_CONTACT "The developers of gdbench")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# What is opened at run time is no dependency that shlibdeps finds.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libopenblas0-openmp")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libblis4-serial, libblas3, openmpi-bin, mpich")
set(CPACK_VERBATIM_VARIABLES ON)
include(CPack)
