set(LAB_APP_LIBRARIES kl_sparse)
