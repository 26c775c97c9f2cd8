set(LAB_PROBLEM_SOURCES layers.c bounds.c bounds_training.c inputs.c)
# The network on the steps, for this lab's application and lab 10's.
file(GLOB model CONFIGURE_DEPENDS ${lab_dir}/model/*.c)
add_library(cnn_model STATIC ${model})
target_link_libraries(cnn_model PRIVATE ladder_c_options PUBLIC cnn_problem kl_training kl_lab m)
set(LAB_APP_LIBRARIES cnn_model)
