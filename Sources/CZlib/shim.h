#pragma once
#include <zlib.h>

// inflateInit2 is a macro, which Swift does not see. 16 + 15: gzip framing only, the largest window.
static inline int receipts_inflate_init_gzip(z_stream *stream) {
  return inflateInit2(stream, 16 + 15);
}

// deflateInit2 is one, too. A small window and hash: some 32 KiB of memory where the usual ones take 256.
static inline int receipts_deflate_init_gzip(z_stream *stream) {
  return deflateInit2(stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 16 + 12, 5, Z_DEFAULT_STRATEGY);
}
