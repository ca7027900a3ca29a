# Build information that is read when building, not when configuring, so that a commit or an edit in between is seen.
#
#   include(GitRevision)
#   gdbench_git_revision(TARGET)   TARGET can #include "gdbench/git_revision.h": kGitRevision, kGitDirty, kGitKnown,
#                                  kGitCommittedAt (UTC, ISO 8601)
#
# The same file, run as a script, writes the header; it is touched only when its content changes, so that nothing is
# compiled again for an unchanged tree.
function(gdbench_write_git_revision source_directory header)
  set(known false)
  set(dirty false)
  set(revision "")
  set(committed_at "")
  find_program(GIT_PROGRAM git)
  if(GIT_PROGRAM)
    execute_process(COMMAND ${GIT_PROGRAM} rev-parse --verify HEAD WORKING_DIRECTORY ${source_directory}
                    OUTPUT_VARIABLE revision RESULT_VARIABLE failed ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
    # A release unpacked inside another repository is not that repository's revision.
    execute_process(COMMAND ${GIT_PROGRAM} rev-parse --show-prefix WORKING_DIRECTORY ${source_directory}
                    OUTPUT_VARIABLE prefix ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(failed OR NOT prefix STREQUAL "")
      set(revision "")
    else()
      set(known true)
      execute_process(COMMAND ${CMAKE_COMMAND} -E env TZ=UTC ${GIT_PROGRAM} log -1 --format=%cd
                              --date=format-local:%Y-%m-%dT%H:%M:%SZ
                      WORKING_DIRECTORY ${source_directory} OUTPUT_VARIABLE committed_at ERROR_QUIET
                      OUTPUT_STRIP_TRAILING_WHITESPACE)
      # Without optional locks: a build must not write to the index while a person commits.
      execute_process(COMMAND ${GIT_PROGRAM} --no-optional-locks status --porcelain
                      WORKING_DIRECTORY ${source_directory} OUTPUT_VARIABLE changes ERROR_QUIET)
      if(NOT changes STREQUAL "")
        set(dirty true)
      endif()
    endif()
  endif()
  file(CONFIGURE OUTPUT ${header} CONTENT [[
// Written by scripts/cmake/GitRevision.cmake at build time.
#pragma once

namespace gdbench::machine {
constexpr bool kGitKnown = @known@;
constexpr bool kGitDirty = @dirty@;
constexpr const char* kGitRevision = "@revision@";
constexpr const char* kGitCommittedAt = "@committed_at@";
}  // namespace gdbench::machine
]] @ONLY)
endfunction()

function(gdbench_git_revision target)
  set(folder ${PROJECT_BINARY_DIR}/generated)
  set(header ${folder}/gdbench/git_revision.h)
  add_custom_target(${target}_git_revision
    COMMAND ${CMAKE_COMMAND} -DSOURCE_DIRECTORY=${PROJECT_SOURCE_DIR} -DHEADER=${header}
            -P ${CMAKE_CURRENT_FUNCTION_LIST_FILE}
    BYPRODUCTS ${header} VERBATIM)
  add_dependencies(${target} ${target}_git_revision)
  target_include_directories(${target} PRIVATE ${folder})
endfunction()

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  gdbench_write_git_revision(${SOURCE_DIRECTORY} ${HEADER})
endif()
