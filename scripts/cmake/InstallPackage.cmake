# Installs the programs and exports the headers of harness/abi/gdbench as the CMake package "gdbench":
#   find_package(gdbench REQUIRED)
#   target_link_libraries(my_plugin PRIVATE gdbench::plugin_abi)
include(CMakePackageConfigHelpers)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/harness/abi/gdbench DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h")
install(TARGETS gdbench_abi EXPORT gdbench-targets)
install(EXPORT gdbench-targets NAMESPACE gdbench:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/gdbench)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/gdbench-config.cmake.in
                              ${PROJECT_BINARY_DIR}/gdbench-config.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/gdbench)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/gdbench-config-version.cmake COMPATIBILITY SameMajorVersion
                                 ARCH_INDEPENDENT)
install(FILES ${PROJECT_BINARY_DIR}/gdbench-config.cmake ${PROJECT_BINARY_DIR}/gdbench-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/gdbench)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/scenarios/ DESTINATION ${CMAKE_INSTALL_DATADIR}/gdbench/scenarios
        FILES_MATCHING PATTERN "*.json" PATTERN "*.md")
