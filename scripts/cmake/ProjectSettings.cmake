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

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(GDBENCH_PLUGIN_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib/gdbench)

# The binary finds its plugins relative to itself; so does an installed one.
set(GDBENCH_INSTALL_PLUGIN_DIR ${CMAKE_INSTALL_LIBDIR}/gdbench)

add_library(gdbench_settings INTERFACE)
target_compile_options(gdbench_settings INTERFACE
  "$<$<COMPILE_LANGUAGE:C,CXX>:-Wall;-Wextra;-Wconversion;-Wshadow;-Werror>"
  "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-Werror all-warnings -Xcompiler=-Wall,-Wextra,-Wconversion,-Wshadow,-Werror>")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 sees overlapping copies in std::string's operator+ that are not there (GCC bug 105651).
  target_compile_options(gdbench_settings INTERFACE $<$<COMPILE_LANGUAGE:C,CXX>:-Wno-restrict>)
endif()
target_include_directories(gdbench_settings INTERFACE ${PROJECT_SOURCE_DIR})
if(GDBENCH_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
endif()

if(GDBENCH_CODE_PADDING GREATER 0)
  # So many bytes of no-operations before each function, where nothing runs them.
  add_compile_options("$<$<COMPILE_LANGUAGE:C,CXX>:-fpatchable-function-entry=${GDBENCH_CODE_PADDING},${GDBENCH_CODE_PADDING}>")
endif()

# gdbench_compile_together(NAME): several sources make one compilation, which parses large headers and instantiates their
# templates once.
function(gdbench_compile_together name)
  set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 6)
endfunction()

# gdbench_library(NAME SOURCES ... LINK ... [PRECOMPILE ...]): a static library of the harness or the reports. LINK names
# the arrows that lead out of its folder. PRECOMPILE names large headers that most of its sources include: they are parsed
# once. A source still includes what it uses (CMAKE_DISABLE_PRECOMPILE_HEADERS checks that).
function(gdbench_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK;PRIVATE_LINK;PRECOMPILE" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC gdbench_settings ${ARG_LINK} PRIVATE ${ARG_PRIVATE_LINK})
  target_precompile_headers(${name} PRIVATE ${ARG_PRECOMPILE})
  # Only there, where everything takes twice as long; elsewhere each source has to include what it uses.
  if(GDBENCH_SANITIZE)
    gdbench_compile_together(${name})
  endif()
endfunction()

# gdbench_compile_quickly(NAME): for code that never runs inside the clock and is long to optimise (JSON, command line).
# The sanitizers double what compiling it takes, so that there it is not optimised at all.
function(gdbench_compile_quickly name)
  if(GDBENCH_SANITIZE)
    target_compile_options(${name} PRIVATE -O0)
  else()
    target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
endfunction()
