#pragma once
#include <zlib.h>

// inflateInit2 is a macro, which Swift does not see. 16 + 15: gzip framing only, the largest window.
static inline int receipts_inflate_init_gzip(z_stream *stream) {
  return inflateInit2(stream, 16 + 15);
}
