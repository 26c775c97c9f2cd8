# SPDX-License-Identifier: MIT
# Everything above engine.h. SIM_RUNTIME_SOURCES: the drop-in libcudart.so.13.
# SIM_ENGINE_REMOTE_SOURCES: the engine's public functions and the client of an engine process.
# SIM_SERVER_SOURCES: that process.
set(SIM_RUNTIME_SOURCES
  runtime_array.c runtime_array_copy.c runtime_batch.c runtime_driver.c
  runtime_capture.c runtime_graph.c runtime_graph_work.c runtime_graph_nodes.c runtime_graph_exec.c
  runtime_graph_memory.c runtime_graph_update.c runtime_user_object.c
  runtime_check.c runtime_clock.c runtime_context.c runtime_copy.c runtime_copy_api.c runtime_device.c
  runtime_errors.c runtime_event.c runtime_function.c runtime_guard.c runtime_launch.c
  runtime_library.c runtime_logs.c runtime_map.c runtime_memory.c runtime_module.c
  runtime_per_thread.c runtime_pool.c runtime_properties.c runtime_query.c runtime_ranges.c
  runtime_register.c runtime_shared.c runtime_stream.c runtime_texture.c runtime_unified.c
  runtime_unsupported.c)
set(SIM_ENGINE_REMOTE_SOURCES
  engine_dispatch.c engine_remote.c wire.c wire_messages.c wire_report.c wire_check.c)
set(SIM_SERVER_SOURCES
  engine_main.c engine_requests.c engine_server.c)
