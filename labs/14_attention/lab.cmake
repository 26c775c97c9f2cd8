set(LAB_PROBLEM_SOURCES explain.c backward_reference.c)
set(LAB_CALL_LIBRARIES CUDA::cudart) # tensor maps, by the driver that the runtime finds
# The application reads a text, which lies here packed, multiplies on lab 13's steps, and has a problem of its own beside the
# ladder: backward.cu.
add_library(attention_text INTERFACE)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${lab_dir}/as_you_like_it.tar.xz)
file(ARCHIVE_EXTRACT INPUT ${lab_dir}/as_you_like_it.tar.xz DESTINATION ${out_dir})
target_compile_definitions(attention_text INTERFACE LM_TEXT="${out_dir}/as_you_like_it.txt")
kl_cuda_module(attention_skeleton_backward ${lab_dir}/backward.cu backward ${out_dir}/skeleton ${lab_dir})
set(backward attention_skeleton_backward)
if(EXISTS ${solution_dir}/backward.cu AND CUDAToolkit_VERSION_MAJOR GREATER_EQUAL 12)
  kl_cuda_module(attention_solution_backward ${solution_dir}/backward.cu backward ${out_dir}/solution ${lab_dir})
  set_target_properties(attention_solution_backward PROPERTIES CUDA_ARCHITECTURES 90a)
  list(APPEND backward attention_solution_backward)
endif()
if(kl_architecture EQUAL 90 AND CUDAToolkit_VERSION_MAJOR GREATER_EQUAL 12) # products of warp groups
  set_target_properties(attention_skeleton_backward PROPERTIES CUDA_ARCHITECTURES 90a)
endif()
set(LAB_APP_LIBRARIES attention_text attention_problem tensor_gemm_products m)
# It compares with step 0, and `run attention 4 --app` builds step 4 alone; of lab 13 it takes the last step that is built.
set(LAB_APP_NEEDS ${backward} attention_skeleton_step_0 attention_solution_step_0 tensor_gemm_skeleton_step_0
                  tensor_gemm_solution)
