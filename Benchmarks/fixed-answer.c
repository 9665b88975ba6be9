// The ceiling of single-receipt requests: libmicrohttpd reads each request and answers 202, nothing
// else. Two threads, as the collector has. Argument: the port on 127.0.0.1.
#include <arpa/inet.h>
#include <microhttpd.h>
#include <stdlib.h>
#include <unistd.h>

static enum MHD_Result answer(
    void *context, struct MHD_Connection *connection, const char *url, const char *method,
    const char *version, const char *piece, size_t *size, void **request) {
  static int seen;
  (void)context, (void)url, (void)method, (void)version, (void)piece;
  if (!*request) {
    *request = &seen;
    return MHD_YES;
  }
  if (*size) {
    *size = 0;
    return MHD_YES;
  }
  struct MHD_Response *response =
      MHD_create_response_from_buffer(2, (void *)"{}", MHD_RESPMEM_PERSISTENT);
  enum MHD_Result result = MHD_queue_response(connection, 202, response);
  MHD_destroy_response(response);
  return result;
}

int main(int count, char **arguments) {
  struct sockaddr_in address = {
      .sin_family = AF_INET,
      .sin_port = htons(count > 1 ? atoi(arguments[1]) : 8090),
      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  if (!MHD_start_daemon(
          MHD_USE_EPOLL_INTERNAL_THREAD, 0, NULL, NULL, answer, NULL, MHD_OPTION_SOCK_ADDR,
          &address, MHD_OPTION_THREAD_POOL_SIZE, 2u, MHD_OPTION_END))
    return 1;
  for (;;) pause();
}
