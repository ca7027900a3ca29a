# Settings that hold for every target of the project: language, warnings, sanitizers, where products go.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# What is not exported on purpose stays inside its library: plugins must not see each other's symbols.
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

# What lies in a folder of this name is for this processor alone.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  set(GDBENCH_PROCESSOR x86_64)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  set(GDBENCH_PROCESSOR aarch64)
  # Every processor of this kind has fused multiply-adds: outside of kernels, where results must not depend on the
  # processor, there are none, as on x86-64. Kernels allow them again.
  add_compile_options($<$<COMPILE_LANGUAGE:C,CXX>:-ffp-contract=off>)
else()
  message(FATAL_ERROR "found the processor ${CMAKE_SYSTEM_PROCESSOR}, expected x86_64 or aarch64")
endif()

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(GDBENCH_PLUGIN_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib/gdbench)

set(GDBENCH_ENVIRONMENTS ${PROJECT_SOURCE_DIR}/build/frameworks CACHE PATH
    "The environments that scripts/frameworks makes, which all presets share")

# The binary finds its plugins relative to itself; so does an installed one.
set(GDBENCH_INSTALL_PLUGIN_DIR ${CMAKE_INSTALL_LIBDIR}/gdbench)

# Where ccache is installed, nothing is compiled twice. Precompiled headers need its leave not to look at defines and times.
find_program(GDBENCH_CCACHE ccache)
if(GDBENCH_CCACHE)
  foreach(language C CXX CUDA)
    if(NOT DEFINED CMAKE_${language}_COMPILER_LAUNCHER)
      set(CMAKE_${language}_COMPILER_LAUNCHER
          ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${GDBENCH_CCACHE})
    endif()
  endforeach()
endif()

add_library(gdbench_settings INTERFACE)
target_compile_options(gdbench_settings INTERFACE
  "$<$<COMPILE_LANGUAGE:C,CXX>:-Wall;-Wextra;-Wconversion;-Wshadow;-Werror>"
  "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-Werror all-warnings -Xcompiler=-Wall,-Wextra,-Wconversion,-Wshadow,-Werror>")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 sees overlapping copies in std::string's operator+ that are not there (GCC bug 105651).
  target_compile_options(gdbench_settings INTERFACE $<$<COMPILE_LANGUAGE:C,CXX>:-Wno-restrict>)
endif()
target_include_directories(gdbench_settings INTERFACE ${PROJECT_SOURCE_DIR})
# The standard library checks its preconditions where nothing is measured.
add_compile_definitions($<$<CONFIG:Debug>:_GLIBCXX_ASSERTIONS>)
if(GDBENCH_SANITIZE)
  add_compile_options(-fsanitize=${GDBENCH_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${GDBENCH_SANITIZE})
endif()
if(GDBENCH_SANITIZE MATCHES "undefined")
  # Without those checks of undefined behaviour that every access through a pointer has: they take a third of the time
  # that compiling takes, and what they find mostly crashes, or is found by the address sanitizer.
  add_compile_options(-fno-sanitize-recover=undefined
                      -fno-sanitize=null,alignment,object-size,vptr,nonnull-attribute,returns-nonnull-attribute)
endif()
if(GDBENCH_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# Where a program calls other libraries is written before anything of others is loaded into it, and read-only then: a
# plugin cannot put its own clock there.
add_link_options($<$<LINK_LANGUAGE:C,CXX>:-Wl,-z,relro,-z,now>)

if(GDBENCH_CODE_PADDING GREATER 0)
  # So many bytes of no-operations before each function, where nothing runs them.
  add_compile_options("$<$<COMPILE_LANGUAGE:C,CXX>:-fpatchable-function-entry=${GDBENCH_CODE_PADDING},${GDBENCH_CODE_PADDING}>")
endif()

# gdbench_compile_together(NAME): several sources make one compilation, which parses large headers and instantiates their
# templates once.
function(gdbench_compile_together name)
  set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 18)
endfunction()

# gdbench_target_of(VARIABLE FOLDER): the name of a folder's library: harness/questions/compare is
# gdbench_questions_compare.
function(gdbench_target_of variable folder)
  string(REGEX REPLACE "^(harness|implementations|reports)/" "" name ${folder})
  string(REPLACE "/" "_" name ${name})
  set(${variable} gdbench_${name} PARENT_SCOPE)
endfunction()

# gdbench_library(FOLDER [QUICKLY] [WITH_SUBFOLDERS] [LINK ...]): the static library of a folder below the one that
# calls, "." for that one itself, out of all its sources. It is linked to the libraries of the folders that its row of
# scripts/dependencies.txt names, and to what LINK names in addition. QUICKLY: see gdbench_compile_quickly.
function(gdbench_library folder)
  cmake_parse_arguments(ARG "QUICKLY;WITH_SUBFOLDERS" "" "LINK" ${ARGN})
  cmake_path(ABSOLUTE_PATH folder NORMALIZE OUTPUT_VARIABLE path)
  cmake_path(RELATIVE_PATH path BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE row)
  string(REGEX REPLACE "/$" "" row ${row})
  gdbench_target_of(name ${row})
  set(glob GLOB)
  if(ARG_WITH_SUBFOLDERS)
    set(glob GLOB_RECURSE)
  endif()
  file(${glob} sources CONFIGURE_DEPENDS ${path}/*.cpp)
  add_library(${name} STATIC ${sources})
  target_link_libraries(${name} PUBLIC gdbench_settings ${ARG_LINK})

  file(READ ${PROJECT_SOURCE_DIR}/scripts/dependencies.txt table)
  string(REPLACE "\n " " " table "${table}")
  string(REGEX REPLACE "/[^/]*$" "/[*]" wildcard ${row})
  string(REGEX MATCH "\n${row}( [^\n]*)?\n" match "${table}")
  if(NOT match)
    string(REGEX MATCH "\n${wildcard}( [^\n]*)?\n" match "${table}")
  endif()
  if(NOT match)
    message(FATAL_ERROR "${row} has no row in scripts/dependencies.txt")
  endif()
  string(REGEX MATCHALL "[^ ]+" dependencies "${CMAKE_MATCH_1}")
  foreach(dependency IN LISTS dependencies)
    if(dependency STREQUAL "<nlohmann/>")
      target_link_libraries(${name} PUBLIC nlohmann_json::nlohmann_json)
    elseif(NOT dependency MATCHES "^<")
      gdbench_target_of(library ${dependency})
      target_link_libraries(${name} PUBLIC $<TARGET_NAME_IF_EXISTS:${library}>)
    endif()
  endforeach()

  if(ARG_QUICKLY)
    gdbench_compile_quickly(${name})
  endif()
  # Not in a debug build, where each source has to include what it uses.
  if(NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
    gdbench_compile_together(${name})
  endif()
endfunction()

# Defines in `source` the hash of all sources of this folder: what is kept on disk must not outlive a change of what
# computed it.
function(gdbench_hash_sources source definition)
  file(GLOB sources CONFIGURE_DEPENDS *.cpp *.h)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${sources})
  set(hashes "")
  foreach(one ${sources})
    file(SHA256 ${one} hash)
    string(APPEND hashes ${hash})
  endforeach()
  string(SHA256 hash "${hashes}")
  set_source_files_properties(${source} PROPERTIES COMPILE_DEFINITIONS ${definition}="${hash}")
endfunction()

# gdbench_compile_quickly(NAME): for code that never runs inside the clock and is long to optimise (JSON, command line).
# The sanitizers double what compiling it takes, so that there it is not optimised at all. The headers that most of it
# includes are parsed once for all libraries, but not in a debug build, where each source has to include what it uses.
function(gdbench_compile_quickly name)
  if(GDBENCH_SANITIZE)
    target_compile_options(${name} PRIVATE -O0)
  else()
    # With g++ 12 -O1 takes a quarter longer, and -O0 longer, too, as it writes out all that is instantiated.
    target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-Og>)
  endif()
  get_target_property(type ${name} TYPE)
  if(CMAKE_BUILD_TYPE STREQUAL "Debug")
    return()
  elseif(name STREQUAL "gdbench_large_headers" OR type STREQUAL "EXECUTABLE")  # a program is compiled otherwise
    target_precompile_headers(${name} PRIVATE <nlohmann/json.hpp> <algorithm> <filesystem> <functional> <map>
                                              <optional> <string> <vector>)
  else()
    target_precompile_headers(${name} REUSE_FROM gdbench_large_headers)
  endif()
endfunction()
