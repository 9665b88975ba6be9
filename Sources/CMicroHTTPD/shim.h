#pragma once
#include <microhttpd.h>
#include <stdint.h>
#include <sys/socket.h>

// libmicrohttpd configures a daemon through variadic functions and anonymous enums, which Swift
// does not see: this header names the few that the server needs.

typedef struct {
  const struct sockaddr *address;
  unsigned int threads;
  unsigned int max_connections;
  unsigned int idle_timeout_seconds;
  size_t connection_memory_bytes;
  int ipv6;
} receipts_mhd_options;

static inline struct MHD_Daemon *receipts_mhd_start(
    const receipts_mhd_options *options, MHD_AccessHandlerCallback handler, void *context,
    MHD_RequestCompletedCallback completed) {
  unsigned int flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME;
  if (options->ipv6) flags |= MHD_USE_IPv6;
  return MHD_start_daemon(
      flags, 0, NULL, NULL, handler, context,
      MHD_OPTION_SOCK_ADDR, options->address,
      MHD_OPTION_THREAD_POOL_SIZE, options->threads,
      MHD_OPTION_CONNECTION_LIMIT, options->max_connections,
      MHD_OPTION_CONNECTION_TIMEOUT, options->idle_timeout_seconds,
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, options->connection_memory_bytes,
      MHD_OPTION_NOTIFY_COMPLETED, completed, NULL,
      MHD_OPTION_STRICT_FOR_CLIENT, 1,
      MHD_OPTION_LISTEN_BACKLOG_SIZE, 1024u,
      MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1,
      MHD_OPTION_END);
}

static inline int receipts_mhd_socket(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info ? info->connect_fd : -1;
}

// The port that the kernel chose when 0 was asked for; 0 where it cannot be told.
static inline uint16_t receipts_mhd_port(struct MHD_Daemon *daemon) {
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
  return info ? info->port : 0;
}

static inline enum MHD_Result receipts_mhd_copying_response(
    struct MHD_Connection *connection, unsigned int status, const void *body, size_t count,
    const char *const *headers, size_t header_count) {
  struct MHD_Response *response =
      MHD_create_response_from_buffer(count, (void *)body, MHD_RESPMEM_MUST_COPY);
  if (!response) return MHD_NO;
  enum MHD_Result result = MHD_YES;
  for (size_t i = 0; i + 1 < header_count && result == MHD_YES; i += 2)
    result = MHD_add_response_header(response, headers[i], headers[i + 1]);
  if (result == MHD_YES) result = MHD_queue_response(connection, status, response);
  MHD_destroy_response(response);
  return result;
}
