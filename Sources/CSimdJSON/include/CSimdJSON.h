#pragma once
// A small C face over simdjson's DOM: strict documents with bounded depth, read by value and cursor.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct receipts_json_parser receipts_json_parser;

// A value inside a parsed document; valid until its parser parses again or is destroyed.
typedef struct {
  const void *document;
  size_t index;
} receipts_json_value;

// A position in an array or an object.
typedef struct {
  receipts_json_value current;
  size_t end;
} receipts_json_cursor;

typedef struct {
  const uint8_t *bytes;
  size_t count;
} receipts_json_text;

typedef enum {
  RECEIPTS_JSON_NULL,
  RECEIPTS_JSON_BOOL,
  RECEIPTS_JSON_INTEGER,
  RECEIPTS_JSON_UNSIGNED,
  RECEIPTS_JSON_DOUBLE,
  RECEIPTS_JSON_STRING,
  RECEIPTS_JSON_ARRAY,
  RECEIPTS_JSON_OBJECT,
} receipts_json_kind;

typedef enum {
  RECEIPTS_JSON_OK,
  RECEIPTS_JSON_MALFORMED,
  RECEIPTS_JSON_INVALID_UTF8,
  RECEIPTS_JSON_TOO_DEEP,
  RECEIPTS_JSON_DUPLICATE_KEY,
  RECEIPTS_JSON_OUT_OF_MEMORY,
} receipts_json_status;

// Bytes that must be allocated behind every document handed to receipts_json_parse.
size_t receipts_json_padding(void);

// max_depth: the document itself is 1. NULL when memory is short.
receipts_json_parser *receipts_json_parser_create(size_t max_depth);
void receipts_json_parser_destroy(receipts_json_parser *parser);

// Parses `count` bytes, followed by receipts_json_padding() writable ones. The text may be rewritten
// in place: an unpaired surrogate escape becomes \u0001, which spoils the string it stands in and
// nothing else. A number that no 64 bits hold becomes a string of its own digits.
receipts_json_status receipts_json_parse(
    receipts_json_parser *parser, uint8_t *bytes, size_t count, receipts_json_value *root);

// Where a text stops being JSON, in bytes from its start; SIZE_MAX where that cannot be told. The text is
// followed by receipts_json_padding() bytes.
size_t receipts_json_locate_error(const uint8_t *bytes, size_t count);

receipts_json_kind receipts_json_kind_of(receipts_json_value value);
bool receipts_json_bool(receipts_json_value value);
int64_t receipts_json_integer(receipts_json_value value);
uint64_t receipts_json_unsigned(receipts_json_value value);
double receipts_json_double(receipts_json_value value);
receipts_json_text receipts_json_string(receipts_json_value value);
size_t receipts_json_count(receipts_json_value container);

// The cursor stands before the first element; the next functions return false behind the last.
receipts_json_cursor receipts_json_elements(receipts_json_value array);
bool receipts_json_next_element(receipts_json_cursor *cursor, receipts_json_value *value);
receipts_json_cursor receipts_json_members(receipts_json_value object);
bool receipts_json_next_member(
    receipts_json_cursor *cursor, receipts_json_text *key, receipts_json_value *value);

#ifdef __cplusplus
}
#endif
