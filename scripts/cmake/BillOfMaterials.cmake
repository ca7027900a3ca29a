# An SPDX 2.3 bill of materials: what is linked here, with versions as CMake found them, and licences. What is opened at
# run time by name (a BLAS, cuBLAS) is another package's. A row's fields: name, target that has it, folder and variable
# that know its version, how it is linked, licence (an SPDX expression, as Debian's copyright file for it says).
set(_backends implementations/backends)
set(_components
    "Boost.Math|gdbench_stats|harness/stats|Boost_VERSION_STRING|STATIC_LINK|BSL-1.0"
    "nlohmann_json|gdbench_base|.|nlohmann_json_VERSION|STATIC_LINK|MIT"
    "CLI11|gdbench|app|CLI11_VERSION|STATIC_LINK|BSD-3-Clause"
    "Google Benchmark|gdbench_worker|harness/worker|benchmark_VERSION|DYNAMIC_LINK|Apache-2.0"
    "GCC runtime libraries|gdbench|.|CMAKE_CXX_COMPILER_VERSION|DYNAMIC_LINK|GPL-3.0-or-later WITH GCC-exception-3.1"
    "Open MPI|gdbench_ranks_openmpi|.||DYNAMIC_LINK|BSD-3-Clause-Open-MPI"
    "MPICH|gdbench_ranks_mpich|.||DYNAMIC_LINK|mpich2"
    "Eigen|gdbench_kernels_eigen|${_backends}/eigen|EIGEN3_VERSION_STRING|STATIC_LINK|MPL-2.0"
    "oneDNN|gdbench_kernels_onednn|${_backends}/onednn|dnnl_VERSION|DYNAMIC_LINK|Apache-2.0 AND BSD-3-Clause"
    "LLVM|gdbench_kernels_jit|${_backends}/jit|LLVM_PACKAGE_VERSION|STATIC_LINK|Apache-2.0 WITH LLVM-exception"
    "zlib|gdbench_data|harness/data|ZLIB_VERSION_STRING|DYNAMIC_LINK|Zlib"
    "zstd|gdbench_data|.||DYNAMIC_LINK|BSD-3-Clause OR GPL-2.0-only"
    "ncurses|gdbench_kernels_jit|.||DYNAMIC_LINK|X11-distribute-modifications-variant"
    "CUDA runtime|gdbench_kernels_cuda|${_backends}/cuda|CUDAToolkit_VERSION|STATIC_LINK|LicenseRef-NVIDIA-CUDA"
    "ADOL-C|gdbench_kernels_adolc|implementations/autodiff|adolc_version|DYNAMIC_LINK|EPL-1.0 OR GPL-2.0-or-later"
    "Sacado|gdbench_kernels_sacado|implementations/autodiff|sacado_version|STATIC_LINK|LGPL-2.1-or-later"
    "Stan Math|gdbench_kernels_stan|implementations/autodiff|stan_version|STATIC_LINK|BSD-3-Clause"
    "CasADi|gdbench_kernels_casadi|implementations/autodiff|casadi_version|DYNAMIC_LINK|LGPL-3.0-or-later"
    "libtorch|gdbench_kernels_torch_cpp|implementations/torch_cpp|version|DYNAMIC_LINK|BSD-3-Clause"
    "GoogleTest|gdbench_test_headers|tests|GTest_VERSION|TEST_DEPENDENCY_OF|BSD-3-Clause")
# libxsmm lies in the kernels of a BLAS where it was found.
if(GDBENCH_LIBXSMM)
  file(STRINGS ${GDBENCH_LIBXSMM_INCLUDE}/libxsmm_version.h _libxsmm REGEX "LIBXSMM_CONFIG_VERSION \"")
  string(REGEX REPLACE ".*\"(.*)\"" "\\1" _libxsmm "${_libxsmm}")
  list(APPEND _components "libxsmm|gdbench_kernels_blas|.|_libxsmm|STATIC_LINK|BSD-3-Clause")
endif()

# gdbench_spdx_package(NAME VERSION LICENCE): appends it to _packages; an unknown version is left out.
function(gdbench_spdx_package name version licence)
  string(REGEX REPLACE "[^A-Za-z0-9]+" "-" id ${name})
  set(known)
  if(version)
    set(known "\"versionInfo\": \"${version}\", ")
  endif()
  list(APPEND _packages "{\"name\": \"${name}\", \"SPDXID\": \"SPDXRef-${id}\", ${known}\"filesAnalyzed\": false,
   \"licenseConcluded\": \"${licence}\", \"licenseDeclared\": \"${licence}\",
   \"copyrightText\": \"NOASSERTION\", \"downloadLocation\": \"NOASSERTION\"}")
  set(_packages "${_packages}" PARENT_SCOPE)
  set(_id SPDXRef-${id} PARENT_SCOPE)
endfunction()

# gdbench_spdx_relation(FROM TYPE TO): appends it to _relations.
macro(gdbench_spdx_relation from type to)
  list(APPEND _relations "{\"spdxElementId\": \"${from}\", \"relationshipType\": \"${type}\",
   \"relatedSpdxElement\": \"${to}\"}")
endmacro()

set(_packages)
set(_relations)
gdbench_spdx_package(gdbench ${PROJECT_VERSION} Apache-2.0)
gdbench_spdx_relation(SPDXRef-DOCUMENT DESCRIBES SPDXRef-gdbench)
foreach(_component IN LISTS _components)
  string(REPLACE "|" ";" _component "${_component}")
  list(POP_FRONT _component _name _target _folder _variable _relation _licence)
  if(NOT TARGET ${_target})
    continue()
  endif()
  set(_version)
  if(_variable)
    get_directory_property(_version DIRECTORY ${PROJECT_SOURCE_DIR}/${_folder} DEFINITION ${_variable})
  endif()
  gdbench_spdx_package("${_name}" "${_version}" "${_licence}")
  if(_relation STREQUAL "TEST_DEPENDENCY_OF")
    gdbench_spdx_relation(${_id} ${_relation} SPDXRef-gdbench)
  else()
    gdbench_spdx_relation(SPDXRef-gdbench ${_relation} ${_id})
  endif()
endforeach()

list(JOIN _packages ",\n  " _packages)
list(JOIN _relations ",\n  " _relations)
string(TIMESTAMP _created "%Y-%m-%dT%H:%M:%SZ" UTC)  # SOURCE_DATE_EPOCH where that is set
set(_bill ${PROJECT_BINARY_DIR}/generated/gdbench.spdx.json)
file(CONFIGURE OUTPUT ${_bill} @ONLY CONTENT [[
{"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": "gdbench-@PROJECT_VERSION@",
 "documentNamespace": "https://spdx.org/spdxdocs/gdbench-@PROJECT_VERSION@-@_created@",
 "creationInfo": {"created": "@_created@", "creators": ["Tool: CMake-@CMAKE_VERSION@"]},
 "hasExtractedLicensingInfos": [
  {"licenseId": "LicenseRef-NVIDIA-CUDA", "name": "CUDA Toolkit End User License Agreement",
   "extractedText": "Proprietary; https://docs.nvidia.com/cuda/eula/ has the text."}],
 "packages": [
  @_packages@],
 "relationships": [
  @_relations@]}
]])
install(FILES ${_bill} DESTINATION ${CMAKE_INSTALL_DOCDIR})
