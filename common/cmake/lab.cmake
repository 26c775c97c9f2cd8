# kl_add_lab(FOLDER): builds one lab from what lies in labs/FOLDER and solutions/FOLDER, e.g. 02_reduction. NAME, its
# short name and symbol prefix, is FOLDER without the number.
#
# labs/FOLDER/lab.cmake, when there is one, may set
#   LAB_PROBLEM_SOURCES   more sources of the problem and its reference
#   LAB_SOURCES           more sources of the lab program
#   LAB_LIBRARIES         libraries of the problem, and so of the lab program
#   LAB_APP_LIBRARIES     libraries of the application, before those of matrices and pictures
#   LAB_CALL_LIBRARIES    libraries of the call adapter, behind the CUDA runtime
#   LAB_APP_NEEDS         steps of labs before that the application loads, where they are built
#   LAB_FILES             the kl_file_support (ladder.h) of a lab that takes files of the user's, in LAB_SOURCES
#
# Gives, in <build>/labs/FOLDER/:
#   NAME                  the lab program: problem + reference + driver; its main.c is written here
#   steps.h and the like  what lab.json says, by kl_describe_lab (describe.cmake)
#   call.so               the call adapter, for the graded runner
#   skeleton/step_<n>.so  labs/FOLDER/steps/<n>_*.cu, each a shared object of its own
#   solution/step_<n>.so  solutions/FOLDER/steps/<n>_*.cu; of a given step labs/FOLDER/steps/<n>_*.cu
#   vendor.so             labs/FOLDER/vendor.cu, when there is one
#   query, first_program, latency   labs/FOLDER/query.cu and so on, when there is one: whole programs that the page shows
#   NAME_KIND             labs/FOLDER/KIND.c with KIND.cu, KIND_*.c and KIND_*.cu, when there is such: micro, grid, sweep (the lab's
#                         steps at many sizes) and app (an application of them)
#   bugs/<n>_<bug>        labs/FOLDER/bugs/<n>_<bug>.cu, each a program of its own, and bugs/solution/ its repaired form
# adds FOLDER to the global property KL_LABS, the program and the adapter to KL_LAB_PROGRAMS, and gives the
# targets NAME, NAME_problem (static library), NAME_call, NAME_skeleton, NAME_solution, NAME_bugs, NAME_all.
#
# A step that does not compile fails its own target only: build with `ninja -k 0`.
#
# The build of everything leaves out what no test of the default tier runs: steps of the skeleton that are still to be
# written, but for the first two, and vendor.so. NAME_all has them, and so has the target ladder_full.

# Where the real libcudart lies, as RUNPATH and not RPATH: LD_LIBRARY_PATH must win, because that is how a
# program is led to the simulator. (CMake's own BUILD_RPATH leaves out the compiler's implicit folders.)
function(kl_find_runtime target)
  target_link_options(${target} PRIVATE LINKER:--enable-new-dtags
                      LINKER:-rpath,${CUDAToolkit_LIBRARY_DIR})
endfunction()

function(kl_cuda_module target source output folder include)
  add_library(${target} MODULE ${source})
  set_target_properties(
    ${target}
    PROPERTIES PREFIX ""
               OUTPUT_NAME ${output}
               SUFFIX .so
               LIBRARY_OUTPUT_DIRECTORY ${folder}
               CUDA_RUNTIME_LIBRARY Shared)
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:${LADDER_NVCC_FLAGS}>)
  target_include_directories(${target} PRIVATE ${include})
  kl_find_runtime(${target})
endfunction()

# The oldest architecture of the build; 0 for words such as native.
list(GET CMAKE_CUDA_ARCHITECTURES 0 kl_architecture)
string(REGEX MATCH "^[0-9]+" kl_architecture "${kl_architecture}")
if(NOT kl_architecture)
  set(kl_architecture 0)
endif()

function(kl_add_steps target kind sources lab_dir out_dir)
  add_custom_target(${target})
  include(${out_dir}/description.cmake)
  set(listing "")
  foreach(source IN LISTS sources)
    get_filename_component(file "${source}" NAME)
    if(NOT file IN_LIST lab_steps) # a copy, or a file that was renamed: the commands say so (lab_files.h)
      message(STATUS "left out, as lab.json does not name it: ${source}")
      continue()
    endif()
    string(REGEX MATCH "^[0-9]+" number ${file})
    string(APPEND listing "${number} ${source}\n")
    if(needs_cuda_${number} GREATER CUDAToolkit_VERSION_MAJOR) # the lab says so when it comes to this step
      add_custom_target(${target}_step_${number})
      continue()
    endif()
    kl_cuda_module(${target}_step_${number} ${source} step_${number} ${out_dir}/${kind} ${lab_dir})
    if(needs_exact_${number})
      set_target_properties(${target}_step_${number} PROPERTIES CUDA_ARCHITECTURES ${needs_sm_${number}}a)
    elseif(kl_architecture AND needs_sm_${number} GREATER kl_architecture) # the simulator runs it, if the card does not
      set_target_properties(${target}_step_${number} PROPERTIES CUDA_ARCHITECTURES ${needs_sm_${number}})
    endif()
    # Lines of host code, for what `ladder check` and `ladder trace` say of a step; a call at its end is one of the step, too.
    target_compile_options(${target}_step_${number} PRIVATE
                           $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-g1,-fno-optimize-sibling-calls>)
    if(kind STREQUAL "skeleton")
      if(number GREATER 1 AND NOT file IN_LIST lab_given)
        set_property(TARGET ${target}_step_${number} PROPERTY EXCLUDE_FROM_ALL ON)
      endif()
    endif()
    add_dependencies(${target} ${target}_step_${number})
  endforeach()
  file(WRITE ${out_dir}/${kind}/sources.txt "${listing}") # read by common/lab/step.c
endfunction()

# Bug hunts: <name>_<kind>_bug_<bug>, to be run by `ladder check NAME BUG`.
function(kl_add_bugs name kind folder out_dir)
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/bugs/*.cu)
  foreach(source IN LISTS sources)
    get_filename_component(file ${source} NAME_WE)
    set(target ${name}_${kind}_bug_${file})
    add_executable(${target} ${source})
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:${LADDER_NVCC_FLAGS};-Xcompiler=-g1>)
    target_include_directories(${target} PRIVATE ${lab_dir})
    set_target_properties(${target} PROPERTIES OUTPUT_NAME ${file} RUNTIME_OUTPUT_DIRECTORY ${out_dir}
                                               CUDA_RUNTIME_LIBRARY Shared)
    kl_find_runtime(${target})
    add_dependencies(${name}_bugs ${target})
  endforeach()
endfunction()

# LAB_VENDOR_LIBRARIES: what vendor.cu is linked with, by the headers that it includes.
function(kl_vendor_libraries lab_dir)
  set(libraries "")
  if(EXISTS ${lab_dir}/vendor.cu)
    file(STRINGS ${lab_dir}/vendor.cu headers REGEX "^#include <cu(blas|sparse)")
    list(TRANSFORM headers REPLACE "^#include <(cublasLt|cublas|cusparse).*" "CUDA::\\1" OUTPUT_VARIABLE libraries)
  endif()
  set(LAB_VENDOR_LIBRARIES "${libraries}" PARENT_SCOPE)
endfunction()

# Whether vendor.cu is there and the toolkit has the libraries it needs: Debian's packages can do without.
function(kl_has_vendor lab_dir out)
  set(${out} OFF PARENT_SCOPE)
  foreach(library IN LISTS LAB_VENDOR_LIBRARIES)
    if(NOT TARGET ${library})
      return()
    endif()
  endforeach()
  if(EXISTS ${lab_dir}/vendor.cu)
    set(${out} ON PARENT_SCOPE)
  endif()
endfunction()

# The problem and the reference: for the lab program and for the judge.
function(kl_add_problem name lab_dir out_dir)
  list(TRANSFORM LAB_PROBLEM_SOURCES PREPEND ${lab_dir}/)
  add_library(${name}_problem STATIC ${lab_dir}/problem.c ${lab_dir}/reference.c ${LAB_PROBLEM_SOURCES})
  target_include_directories(${name}_problem PUBLIC ${lab_dir} PRIVATE ${out_dir})
  target_link_libraries(${name}_problem PRIVATE ladder_c_options ladder_hot_options PUBLIC kl_host ${LAB_LIBRARIES})
endfunction()

function(kl_add_program name folder lab_dir out_dir)
  set(files NULL)
  set(declaration "")
  set(has_vendor false)
  kl_has_vendor(${lab_dir} has)
  if(has)
    set(has_vendor true)
  endif()
  if(LAB_FILES)
    set(files "&${LAB_FILES}")
    set(declaration "extern const kl_file_support ${LAB_FILES};\n")
  endif()
  file(CONFIGURE OUTPUT ${out_dir}/main.c @ONLY CONTENT
"// Made by CMake (common/cmake/lab.cmake); do not edit. The program of lab @folder@. Try --help.
#include \"ladder.h\"

extern const kl_problem @name@_problem;
extern const kl_adapter kl_lab_adapter;
@declaration@
int main(int argc, char **argv) {
    return kl_lab_main(argc, argv, &@name@_problem, &kl_lab_adapter, @files@, @has_vendor@);
}
")
  list(TRANSFORM LAB_SOURCES PREPEND ${lab_dir}/)
  add_executable(${name} ${out_dir}/main.c ${lab_dir}/call.c ${LAB_SOURCES})
  target_link_libraries(${name} PRIVATE ladder_c_options ${name}_problem kl_lab)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${out_dir}
                                           CUDA_RUNTIME_LIBRARY Shared)
  kl_find_runtime(${name})
endfunction()

# NAME_KIND in OUT_DIR from the sources that follow.
function(kl_other_program name kind lab_dir out_dir)
  set(target ${name}_${kind})
  add_executable(${target} ${ARGN})
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:${LADDER_NVCC_FLAGS}>)
  target_include_directories(${target} PRIVATE ${lab_dir})
  target_link_libraries(${target} PRIVATE ladder_c_options kl_lab)
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${out_dir} CUDA_RUNTIME_LIBRARY Shared)
  kl_find_runtime(${target})
  add_dependencies(${name}_all ${target})
endfunction()

function(kl_add_lab folder)
  string(REGEX REPLACE "^[0-9]+_" "" name ${folder})
  set_property(GLOBAL APPEND PROPERTY KL_LABS ${folder})
  set_property(GLOBAL APPEND PROPERTY KL_LAB_PROGRAMS ${name} ${name}_call)
  set(lab_dir ${PROJECT_SOURCE_DIR}/labs/${folder})
  set(solution_dir ${PROJECT_SOURCE_DIR}/solutions/${folder})
  set(out_dir ${PROJECT_BINARY_DIR}/labs/${folder})
  include(${lab_dir}/lab.cmake OPTIONAL)
  kl_vendor_libraries(${lab_dir})
  kl_describe_lab(${folder})
  kl_add_problem(${name} ${lab_dir} ${out_dir})
  kl_add_program(${name} ${folder} ${lab_dir} ${out_dir})

  add_library(${name}_call MODULE ${lab_dir}/call.c)
  target_include_directories(${name}_call PRIVATE ${lab_dir} ${PROJECT_SOURCE_DIR}/common/host
                             ${PROJECT_SOURCE_DIR}/common/gpu)
  target_link_libraries(${name}_call PRIVATE ladder_c_options CUDA::cudart ${LAB_CALL_LIBRARIES})
  set_target_properties(${name}_call PROPERTIES PREFIX "" OUTPUT_NAME call SUFFIX .so
                                                LIBRARY_OUTPUT_DIRECTORY ${out_dir})
  add_custom_target(${name}_all DEPENDS ${name} ${name}_call)
  add_dependencies(ladder_full ${name}_all)

  file(GLOB skeleton CONFIGURE_DEPENDS ${lab_dir}/steps/*.cu)
  kl_add_steps(${name}_skeleton skeleton "${skeleton}" ${lab_dir} ${out_dir})
  add_dependencies(${name}_all ${name}_skeleton)

  file(GLOB solution CONFIGURE_DEPENDS ${solution_dir}/steps/*.cu)
  if(solution) # a handout has no solutions
    include(${out_dir}/description.cmake)
    list(TRANSFORM lab_given PREPEND ${lab_dir}/steps/)
    foreach(given IN LISTS lab_given)
      if(EXISTS ${given})
        list(APPEND solution ${given})
      endif()
    endforeach()
    kl_add_steps(${name}_solution solution "${solution}" ${lab_dir} ${out_dir})
    add_dependencies(${name}_all ${name}_solution)
  endif()

  if(IS_DIRECTORY ${lab_dir}/bugs)
    add_custom_target(${name}_bugs)
    kl_add_bugs(${name} skeleton ${lab_dir} ${out_dir}/bugs)
    kl_add_bugs(${name} solution ${solution_dir} ${out_dir}/bugs/solution)
    add_dependencies(${name}_all ${name}_bugs)
  endif()

  foreach(program query first_program latency) # whole programs that the page shows
    if(EXISTS ${lab_dir}/${program}.cu)
      add_executable(${name}_${program} ${lab_dir}/${program}.cu)
      target_compile_options(${name}_${program} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:${LADDER_NVCC_FLAGS}>)
      set_target_properties(${name}_${program} PROPERTIES OUTPUT_NAME ${program} RUNTIME_OUTPUT_DIRECTORY ${out_dir}
                                                          CUDA_RUNTIME_LIBRARY Shared)
      kl_find_runtime(${name}_${program})
      add_dependencies(${name}_all ${name}_${program})
    endif()
  endforeach()
  if(TARGET ${name}_query)
    set_property(GLOBAL APPEND PROPERTY KL_LAB_PROGRAMS ${name}_query)
  endif()

  # Programs of the lab's beside its ladder, `ladder run NAME --KIND`: given kernels at many sizes, the steps over many shapes and
  # at many sizes, and what they are good for.
  foreach(kind micro grid sweep app)
    if(EXISTS ${lab_dir}/${kind}.c)
      file(GLOB sources CONFIGURE_DEPENDS ${lab_dir}/${kind}.c ${lab_dir}/${kind}.cu ${lab_dir}/${kind}_*.c ${lab_dir}/${kind}_*.cu)
      if(NOT kind STREQUAL "micro")
        list(APPEND sources ${lab_dir}/call.c)
      endif()
      kl_other_program(${name} ${kind} ${lab_dir} ${out_dir} ${sources})
    endif()
  endforeach()
  if(TARGET ${name}_app)
    target_link_libraries(${name}_app PRIVATE ${LAB_APP_LIBRARIES} kl_sparse kl_drawing)
    foreach(needed IN LISTS LAB_APP_NEEDS) # steps of labs before; a handout has no solutions
      if(TARGET ${needed})
        add_dependencies(${name}_app ${needed})
      endif()
    endforeach()
  endif()

  kl_has_vendor(${lab_dir} has_vendor)
  if(has_vendor)
    kl_cuda_module(${name}_vendor ${lab_dir}/vendor.cu vendor ${out_dir} ${lab_dir})
    if(LAB_VENDOR_LIBRARIES)
      target_link_libraries(${name}_vendor PRIVATE ${LAB_VENDOR_LIBRARIES})
    endif()
    set_property(TARGET ${name}_vendor PROPERTY EXCLUDE_FROM_ALL ON)
    add_dependencies(${name}_all ${name}_vendor)
  elseif(EXISTS ${lab_dir}/vendor.cu) # ladder builds the target of this name
    add_custom_target(${name}_vendor COMMAND ${CMAKE_COMMAND} -E echo "the toolkit has no ${LAB_VENDOR_LIBRARIES}")
  endif()
endfunction()
