#pragma once

#include <string>
#include <string_view>

namespace tacho::http {

// 1 is quick, 9 small.
std::string gzip(std::string_view bytes, int level);

// Whether an Accept-Encoding names gzip and does not refuse it: "gzip;q=0".
bool takes_gzip(std::string_view accept_encoding);

// Text gets smaller; pictures and archives do not.
bool is_compressible(std::string_view content_type);

// Of the bytes, for entity tags: it tells contents apart and keeps no secret.
std::string content_mark(std::string_view bytes);

}  // namespace tacho::http
