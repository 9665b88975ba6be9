#pragma once
// Handles have a type of their own and are not void *.
#define CURL_STRICTER
#include <curl/curl.h>

// libcurl's options go through variadic functions, which Swift does not see: here is one function for
// each type of option that the client uses.

static inline CURLcode receipts_curl_set_long(CURL *easy, CURLoption option, long value) {
  return curl_easy_setopt(easy, option, value);
}

// Copied, but for CURLOPT_ERRORBUFFER, which is no text.
static inline CURLcode receipts_curl_set_text(CURL *easy, CURLoption option, const char *value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode receipts_curl_set_pointer(CURL *easy, CURLoption option, void *value) {
  return curl_easy_setopt(easy, option, value);
}

// The body is copied.
static inline CURLcode receipts_curl_set_body(CURL *easy, const void *body, curl_off_t bytes) {
  CURLcode code = curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, bytes);
  return code ? code : curl_easy_setopt(easy, CURLOPT_COPYPOSTFIELDS, body);
}

typedef size_t (*receipts_curl_data_callback)(char *data, size_t one, size_t bytes, void *context);

// Both `body` and `head` get the context.
static inline CURLcode receipts_curl_set_receivers(
    CURL *easy, receipts_curl_data_callback body, receipts_curl_data_callback head, void *context) {
  CURLcode code = curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, body);
  if (!code) code = curl_easy_setopt(easy, CURLOPT_WRITEDATA, context);
  if (!code) code = curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, head);
  return code ? code : curl_easy_setopt(easy, CURLOPT_HEADERDATA, context);
}

static inline CURLcode receipts_curl_set_open_socket(
    CURL *easy, curl_opensocket_callback open, void *context) {
  CURLcode code = curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open);
  return code ? code : curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, context);
}

// 0: no status line has come.
static inline long receipts_curl_status(CURL *easy) {
  long status = 0;
  return curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status) ? 0 : status;
}

// In seconds from now; 0 or less: none, or none to wait for.
static inline curl_off_t receipts_curl_retry_after(CURL *easy) {
  curl_off_t seconds = 0;
  return curl_easy_getinfo(easy, CURLINFO_RETRY_AFTER, &seconds) ? 0 : seconds;
}
