set(LAB_CALL_LIBRARIES CUDA::cudart) # tensor maps, by the driver that the runtime finds
# Products of float matrices on this lab's steps, for its application and for lab 14's, whose program has an adapter of its
# own: this lab's gets another name.
add_library(tensor_gemm_products STATIC ${lab_dir}/products/products.c ${lab_dir}/products/matrices.cu ${lab_dir}/call.c)
target_include_directories(tensor_gemm_products PUBLIC ${lab_dir})
target_compile_definitions(tensor_gemm_products PRIVATE kl_lab_adapter=tensor_gemm_adapter)
target_compile_options(tensor_gemm_products PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:${LADDER_NVCC_FLAGS}>)
target_link_libraries(tensor_gemm_products PRIVATE ladder_c_options PUBLIC kl_lab)
# The application is lab 09's network.
set(LAB_APP_LIBRARIES tensor_gemm_products cnn_model m)
set(LAB_APP_NEEDS cnn_solution)
