# What is built for certain processors (GDBENCH_ARCH): kernel libraries, and loop/plain. Where the list has several
# entries, the narrowest first, each kernel library is built once for each, in a folder of its own below `kernels`, and
# what opens it takes the last that this processor can run (implementations/common/processor.h).
#   GDBENCH_FIRST_ARCH             the only entry, or the narrowest
#   gdbench_build_for_processor    a target's flags
#   gdbench_kernel_library         one backend's kernels as a loadable object

# Pairs of a predefined macro and the name that the feature has in implementations/common/processor.cpp. The features
# that code generators and Eigen use; a processor that has these has what comes with them. In addition, the names of
# vectors, narrowest first: the last one that the compiler may use is in the build string.
set(_feature_macros_x86_64
    __POPCNT__ popcnt __SSE3__ sse3 __SSSE3__ ssse3 __SSE4_1__ sse4.1 __SSE4_2__ sse4.2 __AVX__ avx __AVX2__ avx2
    __FMA__ fma __BMI__ bmi __BMI2__ bmi2 __SSE4A__ sse4a __AVX512F__ avx512f __AVX512BW__ avx512bw
    __AVX512CD__ avx512cd __AVX512DQ__ avx512dq __AVX512VL__ avx512vl __AVX512IFMA__ avx512ifma
    __AVX512VBMI__ avx512vbmi __AVX512VBMI2__ avx512vbmi2 __AVX512VNNI__ avx512vnni __AVX512BITALG__ avx512bitalg
    __AVX512VPOPCNTDQ__ avx512vpopcntdq __AVX512BF16__ avx512bf16)
set(_vectors_x86_64 sse2 avx avx2 avx512f)
set(_feature_macros_aarch64
    __ARM_FEATURE_ATOMICS atomics __ARM_FEATURE_CRC32 crc32 __ARM_FEATURE_DOTPROD asimddp
    __ARM_FEATURE_FP16_VECTOR_ARITHMETIC asimdhp __ARM_FEATURE_SVE sve __ARM_FEATURE_SVE2 sve2
    __ARM_FEATURE_BF16_VECTOR_ARITHMETIC bf16 __ARM_FEATURE_MATMUL_INT8 i8mm)
set(_vectors_aarch64 neon sve sve2)

list(GET GDBENCH_ARCH 0 GDBENCH_FIRST_ARCH)
list(LENGTH GDBENCH_ARCH GDBENCH_ARCH_COUNT)
set(_processors)
foreach(_arch IN LISTS GDBENCH_ARCH)
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -march=${_arch} -dM -E -x c++ /dev/null
                  OUTPUT_VARIABLE _predefined RESULT_VARIABLE _status ERROR_VARIABLE _message)
  if(NOT _status EQUAL 0)
    message(FATAL_ERROR "GDBENCH_ARCH: found \"${_arch}\", expected a value of -march: ${_message}")
  endif()

  # What the compiler may use.
  set(_features)
  set(_remaining ${_feature_macros_${GDBENCH_PROCESSOR}})
  while(_remaining)
    list(POP_FRONT _remaining _macro _feature)
    if(_predefined MATCHES "#define ${_macro} ")
      list(APPEND _features ${_feature})
    endif()
  endwhile()

  foreach(_feature IN LISTS _vectors_${GDBENCH_PROCESSOR})
    if(_feature MATCHES "^(sse2|neon)$" OR _feature IN_LIST _features)
      set(GDBENCH_PROCESSOR_VECTORS_${_arch} ${_feature})
    endif()
  endforeach()

  set(_folder)
  if(GDBENCH_ARCH_COUNT GREATER 1)
    set(_folder "/${_arch}")
  endif()
  list(TRANSFORM _features REPLACE "(.+)" "FEATURE(\"\\1\")" OUTPUT_VARIABLE _checks)
  list(JOIN _checks " " _checks)
  string(PREPEND _processors " PROCESSOR(\"${_folder}\", ${_checks})")
endforeach()

set(GDBENCH_PROCESSOR_GENERATED_DIR ${PROJECT_BINARY_DIR}/generated/processor)
list(JOIN GDBENCH_ARCH ", " _names)
file(CONFIGURE OUTPUT ${GDBENCH_PROCESSOR_GENERATED_DIR}/gdbench_processor_features.h CONTENT
"// Generated: the folders of what -march=${_names} made, the widest first, and what each needs.
#pragma once
#define GDBENCH_PROCESSORS(PROCESSOR, FEATURE)@_processors@
" @ONLY)

# gdbench_build_for_processor(TARGET ARCH OPTIMISATION -O2 [FLAGS ...] [LIBRARY_VERSION "Eigen 3.4.0"]): its flags, and
# GDBENCH_KERNEL_BUILD, the string that says them. ARCH is an entry of GDBENCH_ARCH.
function(gdbench_build_for_processor target arch)
  cmake_parse_arguments(ARG "" "OPTIMISATION;LIBRARY_VERSION" "FLAGS" ${ARGN})
  # Contraction of a*b+c into one rounding is allowed, reordering of sums is not. Functions and loops begin where a
  # cache line does: a loop that happened to lie across one more of them took up to a quarter longer on Zen.
  set(flags -march=${arch} -ffp-contract=fast -falign-functions=64 -falign-loops=64 ${ARG_FLAGS})
  set(optimisation "$<IF:$<CONFIG:Debug>,-O0,${ARG_OPTIMISATION}>")
  if(GDBENCH_SANITIZE)
    set(optimisation -O1)  # a fifth of the time to compile; it is not measured
  endif()
  target_compile_options(${target} PRIVATE ${optimisation} ${flags})

  set(compiler ${CMAKE_CXX_COMPILER_ID})
  if(compiler STREQUAL "GNU")
    set(compiler "g++")
  elseif(compiler MATCHES "Clang")
    set(compiler "clang++")
  endif()
  list(JOIN flags " " flag_text)
  string(STRIP "${CMAKE_CXX_FLAGS}" user_flags)
  set(sanitized)
  if(GDBENCH_SANITIZE)
    set(sanitized -fsanitize=${GDBENCH_SANITIZE})
  endif()
  set(padded)
  if(GDBENCH_CODE_PADDING GREATER 0)
    set(padded "padded by ${GDBENCH_CODE_PADDING} bytes")
  endif()
  string(JOIN " " build ${compiler} ${CMAKE_CXX_COMPILER_VERSION} ${user_flags}
         ${optimisation} ${flag_text} ${sanitized} ${padded} "(${GDBENCH_PROCESSOR_VECTORS_${arch}})"
         ${ARG_LIBRARY_VERSION})
  target_compile_definitions(${target} PRIVATE "GDBENCH_KERNEL_BUILD=\"${build}\"")
endfunction()

# gdbench_kernel_library(BACKEND OPTIMISATION -O2 SOURCES ... [FLAGS ...] [LINK ...] [LIBRARY_VERSION "Eigen 3.4.0"]):
# libgdbench_kernels_BACKEND.so in the plugins' folder `kernels`, by the target gdbench_kernels_BACKEND. What a
# backend adds to the target is for one entry of GDBENCH_ARCH; settings of its folder are for all.
# REGIONS_ONLY: its single ops are another backend's, and tested there; or it has none (implementations/autodiff).
# ONCE: built for the first entry of GDBENCH_ARCH alone.
function(gdbench_kernel_library backend)
  cmake_parse_arguments(ARG "REGIONS_ONLY;ONCE" "OPTIMISATION;LIBRARY_VERSION" "SOURCES;FLAGS;LINK" ${ARGN})
  set(architectures ${GDBENCH_ARCH})
  if(ARG_ONCE)
    set(architectures ${GDBENCH_FIRST_ARCH})
  endif()
  foreach(arch IN LISTS architectures)
    set(target gdbench_kernels_${backend})
    if(NOT arch STREQUAL GDBENCH_FIRST_ARCH)
      string(APPEND target _${arch})
    endif()
    set(folder kernels)
    if(GDBENCH_ARCH_COUNT GREATER 1 AND NOT ARG_ONCE)
      string(APPEND folder /${arch})
    endif()
    add_library(${target} MODULE ${ARG_SOURCES})
    target_link_libraries(${target} PRIVATE gdbench_settings gdbench_abi ${ARG_LINK})
    gdbench_build_for_processor(${target} ${arch} OPTIMISATION ${ARG_OPTIMISATION} FLAGS ${ARG_FLAGS}
                                LIBRARY_VERSION ${ARG_LIBRARY_VERSION})
    set_target_properties(${target} PROPERTIES OUTPUT_NAME gdbench_kernels_${backend}
                          LIBRARY_OUTPUT_DIRECTORY ${GDBENCH_PLUGIN_OUTPUT_DIRECTORY}/${folder})
    install(TARGETS ${target} LIBRARY DESTINATION ${GDBENCH_INSTALL_PLUGIN_DIR}/${folder})
    if(NOT arch STREQUAL GDBENCH_FIRST_ARCH)
      add_dependencies(gdbench_kernels_${backend} ${target})
    endif()
  endforeach()

  if(NOT ARG_REGIONS_ONLY)
    set_property(GLOBAL APPEND PROPERTY GDBENCH_BACKENDS ${backend})  # for the tests of single ops
  endif()
endfunction()
