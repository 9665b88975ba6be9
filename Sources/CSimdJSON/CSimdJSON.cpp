#include "CSimdJSON.h"

#include <simdjson.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <string_view>
#include <vector>

using namespace simdjson;

struct receipts_json_parser {
  dom::parser parser;
  size_t max_depth;
  // Holds the rewritten text where numbers were too wide.
  std::string rewritten;
};

namespace {

static_assert(sizeof(dom::element) == sizeof(receipts_json_value), "an element is a tape reference");
static_assert(std::is_trivially_copyable<dom::element>::value, "values cross the C face as bytes");

dom::element element_of(receipts_json_value value) {
  dom::element element;
  std::memcpy(static_cast<void *>(&element), &value, sizeof element);
  return element;
}

template <typename Reference>
receipts_json_value value_of(const Reference &reference) {
  static_assert(sizeof(Reference) == sizeof(receipts_json_value), "a tape reference");
  receipts_json_value value;
  std::memcpy(&value, static_cast<const void *>(&reference), sizeof value);
  return value;
}

// Objects up to this size are compared key by key, larger ones are sorted.
constexpr size_t small_object = 24;

bool has_duplicate_key(const dom::object &object) {
  std::string_view keys[small_object];
  size_t count = 0;
  for (auto member : object) {
    if (count == small_object) break;
    for (size_t i = 0; i < count; i++)
      if (keys[i] == member.key) return true;
    keys[count++] = member.key;
  }
  if (object.size() <= small_object) return false;
  std::vector<std::string_view> all;
  for (auto member : object) all.push_back(member.key);
  std::sort(all.begin(), all.end());
  return std::adjacent_find(all.begin(), all.end()) != all.end();
}

// Depth is bounded by the parser, so recursion is too.
receipts_json_status check(const dom::element &element, size_t depth_left) {
  if (element.is_object()) {
    if (depth_left == 0) return RECEIPTS_JSON_TOO_DEEP;
    dom::object object = element.get_object().value_unsafe();
    if (has_duplicate_key(object)) return RECEIPTS_JSON_DUPLICATE_KEY;
    for (auto member : object) {
      auto status = check(member.value, depth_left - 1);
      if (status != RECEIPTS_JSON_OK) return status;
    }
  } else if (element.is_array()) {
    if (depth_left == 0) return RECEIPTS_JSON_TOO_DEEP;
    dom::array array = element.get_array().value_unsafe();
    for (auto child : array) {
      auto status = check(child, depth_left - 1);
      if (status != RECEIPTS_JSON_OK) return status;
    }
  }
  return RECEIPTS_JSON_OK;
}

int hex_of(const uint8_t *digits) {
  int value = 0;
  for (int i = 0; i < 4; i++) {
    int c = digits[i], digit;
    if (c >= '0' && c <= '9') digit = c - '0';
    else if (c >= 'a' && c <= 'f') digit = c - 'a' + 10;
    else if (c >= 'A' && c <= 'F') digit = c - 'A' + 10;
    else return -1;
    value = value * 16 + digit;
  }
  return value;
}

bool is_high(int unit) { return unit >= 0xD800 && unit <= 0xDBFF; }
bool is_low(int unit) { return unit >= 0xDC00 && unit <= 0xDFFF; }

// Backslashes stand only inside strings in valid JSON, and anything else is refused by the second
// parse. Returns whether anything was rewritten.
bool rewrite_lone_surrogates(uint8_t *bytes, size_t count) {
  bool changed = false;
  for (size_t i = 0; i + 1 < count; i++) {
    if (bytes[i] != '\\') continue;
    if (bytes[i + 1] != 'u' || i + 6 > count) {
      i++;
      continue;
    }
    int unit = hex_of(bytes + i + 2);
    if (is_high(unit) && i + 12 <= count && bytes[i + 6] == '\\' && bytes[i + 7] == 'u' &&
        is_low(hex_of(bytes + i + 8))) {
      i += 11;
      continue;
    }
    if (is_high(unit) || is_low(unit)) {
      std::memcpy(bytes + i + 2, "0001", 4);
      changed = true;
    }
    i += 5;
  }
  return changed;
}

// The end of the number that starts at `i`, or `i` where JSON's grammar allows none there.
size_t end_of_number(const uint8_t *bytes, size_t count, size_t i) {
  auto digit = [&](size_t at) { return at < count && bytes[at] >= '0' && bytes[at] <= '9'; };
  size_t at = i;
  if (at < count && bytes[at] == '-') at++;
  if (!digit(at)) return i;
  if (bytes[at] == '0') at++;
  else while (digit(at)) at++;
  if (at < count && bytes[at] == '.') {
    if (!digit(++at)) return i;
    while (digit(at)) at++;
  }
  if (at < count && (bytes[at] == 'e' || bytes[at] == 'E')) {
    at++;
    if (at < count && (bytes[at] == '+' || bytes[at] == '-')) at++;
    if (!digit(at)) return i;
    while (digit(at)) at++;
  }
  return at;
}

bool is_beyond_double(std::string_view number) {
  return std::isinf(std::strtod(std::string(number).c_str(), nullptr));
}

// Copies the text with what simdjson refuses and JSON does not: integers that 64 bits may not hold
// (18 digits always fit) go in quotes; other numbers beyond every double stay numbers, as 1e308, which
// is no longer than any of them. False: a number that is none, or nothing to rewrite.
bool rewrite_wide_numbers(const uint8_t *bytes, size_t count, std::string &out) {
  out.clear();
  out.reserve(count + 64 + simdjson::SIMDJSON_PADDING);
  bool changed = false;
  for (size_t i = 0; i < count;) {
    uint8_t c = bytes[i];
    if (c == '"') {
      size_t end = i + 1;
      while (end < count && bytes[end] != '"') end += bytes[end] == '\\' ? 2 : 1;
      end = std::min(end + 1, count);
      out.append(reinterpret_cast<const char *>(bytes) + i, end - i);
      i = end;
    } else if (c == '-' || (c >= '0' && c <= '9')) {
      size_t end = end_of_number(bytes, count, i);
      if (end == i) return false;
      std::string_view number(reinterpret_cast<const char *>(bytes) + i, end - i);
      bool is_integer = number.find_first_of(".eE") == std::string_view::npos;
      bool is_wide = is_integer ? number.size() > 18 : is_beyond_double(number);
      if (is_wide && is_integer) {
        out.append(1, '"').append(number).append(1, '"');
      } else if (is_wide) {
        out.append(c == '-' ? "-" : "").append("1e308");
      } else {
        out.append(number);
      }
      changed = changed || is_wide;
      i = end;
    } else {
      out.push_back(static_cast<char>(c));
      i++;
    }
  }
  return changed;
}

receipts_json_status status_of(error_code error) {
  switch (error) {
    case SUCCESS: return RECEIPTS_JSON_OK;
    case UTF8_ERROR: return RECEIPTS_JSON_INVALID_UTF8;
    case DEPTH_ERROR: return RECEIPTS_JSON_TOO_DEEP;
    case MEMALLOC: return RECEIPTS_JSON_OUT_OF_MEMORY;
    default: return RECEIPTS_JSON_MALFORMED;
  }
}

receipts_json_status parse(
    receipts_json_parser *parser, uint8_t *bytes, size_t count, receipts_json_value *root) {
  // One level more than allowed, since simdjson counts a scalar's own level; check() is exact.
  if (parser->parser.capacity() < count || parser->parser.max_depth() != parser->max_depth + 2) {
    auto error = parser->parser.allocate(std::max<size_t>(count, 4096), parser->max_depth + 2);
    if (error) return status_of(error);
  }
  dom::element element;
  auto error = parser->parser.parse(bytes, count, false).get(element);
  if (error == STRING_ERROR && rewrite_lone_surrogates(bytes, count))
    error = parser->parser.parse(bytes, count, false).get(element);
  if (error == NUMBER_ERROR && rewrite_wide_numbers(bytes, count, parser->rewritten)) {
    auto wide_count = parser->rewritten.size();
    parser->rewritten.resize(wide_count + SIMDJSON_PADDING);
    auto wide = reinterpret_cast<uint8_t *>(&parser->rewritten[0]);
    if (parser->parser.capacity() < wide_count) {
      auto grown = parser->parser.allocate(wide_count, parser->max_depth + 2);
      if (grown) return status_of(grown);
    }
    error = parser->parser.parse(wide, wide_count, false).get(element);
    if (error == STRING_ERROR && rewrite_lone_surrogates(wide, wide_count))
      error = parser->parser.parse(wide, wide_count, false).get(element);
  }
  if (error) return status_of(error);
  auto status = check(element, parser->max_depth);
  if (status == RECEIPTS_JSON_OK) *root = value_of(element);
  return status;
}

// Reads a value until it is wrong; the document then knows where.
error_code walk(ondemand::value value, size_t depth_left) {
  ondemand::json_type type;
  if (auto error = value.type().get(type)) return error;
  if (depth_left == 0) return DEPTH_ERROR;
  switch (type) {
    case ondemand::json_type::array: {
      ondemand::array array;
      if (auto error = value.get_array().get(array)) return error;
      for (auto child : array) {
        ondemand::value element;
        if (auto error = child.get(element)) return error;
        if (auto error = walk(element, depth_left - 1)) return error;
      }
      return SUCCESS;
    }
    case ondemand::json_type::object: {
      ondemand::object object;
      if (auto error = value.get_object().get(object)) return error;
      for (auto member : object) {
        ondemand::value child;
        if (auto error = member.value().get(child)) return error;
        if (auto error = walk(child, depth_left - 1)) return error;
      }
      return SUCCESS;
    }
    case ondemand::json_type::number: return value.get_number().error();
    case ondemand::json_type::string: return value.get_string().error();
    case ondemand::json_type::boolean: return value.get_bool().error();
    case ondemand::json_type::null: {
      bool is_null;
      if (auto error = value.is_null().get(is_null)) return error;
      return is_null ? SUCCESS : N_ATOM_ERROR;
    }
  }
  return SUCCESS;
}

size_t locate_error(const uint8_t *bytes, size_t count) {
  ondemand::parser parser;
  ondemand::document document;
  padded_string_view text(bytes, count, count + SIMDJSON_PADDING);
  if (parser.iterate(text).get(document)) return SIZE_MAX;
  ondemand::value root;
  // Where nothing is wrong with the value, it is what stands behind it.
  if (!document.get_value().get(root)) (void)walk(root, 64);
  const char *place;
  if (document.current_location().get(place)) return SIZE_MAX;
  auto start = reinterpret_cast<const char *>(bytes);
  return place < start || place > start + count ? SIZE_MAX : static_cast<size_t>(place - start);
}

}  // namespace

size_t receipts_json_locate_error(const uint8_t *bytes, size_t count) {
  try {
    return locate_error(bytes, count);
  } catch (const std::exception &) {
    return SIZE_MAX;
  }
}

size_t receipts_json_padding(void) { return SIMDJSON_PADDING; }

receipts_json_parser *receipts_json_parser_create(size_t max_depth) {
  auto parser = new (std::nothrow) receipts_json_parser;
  if (parser) parser->max_depth = max_depth;
  return parser;
}

void receipts_json_parser_destroy(receipts_json_parser *parser) { delete parser; }

receipts_json_status receipts_json_parse(
    receipts_json_parser *parser, uint8_t *bytes, size_t count, receipts_json_value *root) {
  try {
    return parse(parser, bytes, count, root);
  } catch (const std::bad_alloc &) {
    return RECEIPTS_JSON_OUT_OF_MEMORY;
  }
}

receipts_json_kind receipts_json_kind_of(receipts_json_value value) {
  switch (element_of(value).type()) {
    case dom::element_type::ARRAY: return RECEIPTS_JSON_ARRAY;
    case dom::element_type::OBJECT: return RECEIPTS_JSON_OBJECT;
    case dom::element_type::INT64: return RECEIPTS_JSON_INTEGER;
    case dom::element_type::UINT64: return RECEIPTS_JSON_UNSIGNED;
    case dom::element_type::DOUBLE: return RECEIPTS_JSON_DOUBLE;
    case dom::element_type::STRING: return RECEIPTS_JSON_STRING;
    case dom::element_type::BOOL: return RECEIPTS_JSON_BOOL;
    case dom::element_type::NULL_VALUE: return RECEIPTS_JSON_NULL;
  }
  return RECEIPTS_JSON_NULL;
}

bool receipts_json_bool(receipts_json_value value) {
  return element_of(value).get_bool().value_unsafe();
}
int64_t receipts_json_integer(receipts_json_value value) {
  return element_of(value).get_int64().value_unsafe();
}
uint64_t receipts_json_unsigned(receipts_json_value value) {
  return element_of(value).get_uint64().value_unsafe();
}
double receipts_json_double(receipts_json_value value) {
  return element_of(value).get_double().value_unsafe();
}

receipts_json_text receipts_json_string(receipts_json_value value) {
  auto text = element_of(value).get_string().value_unsafe();
  return {reinterpret_cast<const uint8_t *>(text.data()), text.size()};
}

size_t receipts_json_count(receipts_json_value container) {
  dom::element element = element_of(container);
  if (element.is_array()) {
    dom::array array = element.get_array().value_unsafe();
    return array.size();
  }
  dom::object object = element.get_object().value_unsafe();
  return object.size();
}

receipts_json_cursor receipts_json_elements(receipts_json_value array) {
  dom::array elements = element_of(array).get_array().value_unsafe();
  return {value_of(elements.begin()), value_of(elements.end()).index};
}

bool receipts_json_next_element(receipts_json_cursor *cursor, receipts_json_value *value) {
  if (cursor->current.index == cursor->end) return false;
  dom::array::iterator position;
  std::memcpy(static_cast<void *>(&position), &cursor->current, sizeof position);
  *value = value_of(*position);
  cursor->current = value_of(++position);
  return true;
}

receipts_json_cursor receipts_json_members(receipts_json_value object) {
  dom::object members = element_of(object).get_object().value_unsafe();
  return {value_of(members.begin()), value_of(members.end()).index};
}

bool receipts_json_next_member(
    receipts_json_cursor *cursor, receipts_json_text *key, receipts_json_value *value) {
  if (cursor->current.index == cursor->end) return false;
  dom::object::iterator position;
  std::memcpy(static_cast<void *>(&position), &cursor->current, sizeof position);
  auto name = position.key();
  *key = {reinterpret_cast<const uint8_t *>(name.data()), name.size()};
  *value = value_of(position.value());
  cursor->current = value_of(++position);
  return true;
}
