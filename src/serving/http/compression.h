#pragma once

#include <string>
#include <string_view>

namespace tacho::http {

// Levels: 1 is fast, 9 is small.
std::string gzip(std::string_view bytes, int level);

// True if an Accept-Encoding header names gzip and does not exclude it with "gzip;q=0".
bool accepts_gzip(std::string_view accept_encoding);

// True for text; images and archives are compressed already.
bool is_compressible(std::string_view content_type);

// A hash for entity tags; not cryptographic.
std::string content_hash(std::string_view bytes);

}  // namespace tacho::http
