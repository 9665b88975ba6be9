#pragma once
#include <microhttpd.h>
#include <stdint.h>

// libmicrohttpd configures a daemon through a variadic function, which Swift does not see: this
// header names the few options that the server needs.

typedef struct {
  int listen_socket;
  unsigned int threads;
  unsigned int max_connections;
  unsigned int idle_timeout_seconds;
  size_t connection_memory_bytes;
} receipts_mhd_options;

static inline struct MHD_Daemon *receipts_mhd_start(
    const receipts_mhd_options *options, MHD_AccessHandlerCallback handler, void *context,
    MHD_RequestCompletedCallback completed) {
  return MHD_start_daemon(
      MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, handler, context,
      MHD_OPTION_LISTEN_SOCKET, options->listen_socket,
      MHD_OPTION_THREAD_POOL_SIZE, options->threads,
      MHD_OPTION_CONNECTION_LIMIT, options->max_connections,
      MHD_OPTION_CONNECTION_TIMEOUT, options->idle_timeout_seconds,
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, options->connection_memory_bytes,
      MHD_OPTION_NOTIFY_COMPLETED, completed, context,
      MHD_OPTION_STRICT_FOR_CLIENT, 1,
      MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1,
      MHD_OPTION_END);
}

static inline int receipts_mhd_socket(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info ? info->connect_fd : -1;
}
