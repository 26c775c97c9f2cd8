set(LAB_SOURCES file.c advice.c)
set(LAB_LIBRARIES kl_sparse)
set(LAB_FILES spmv_files)
