#pragma once

#include <cstdint>

#include "base/names.h"
#include "core/record/metric.h"

namespace tacho {

// Names in the JSON of a comparison, shared by its writer and reader.
inline constexpr std::int64_t kFormatVersion = 1;

inline constexpr Names<Unit, 7> kUnits{"unit",
                                       {{{Unit::none, "none"},
                                         {Unit::share, "share"},
                                         {Unit::seconds, "seconds"},
                                         {Unit::bytes, "bytes"},
                                         {Unit::bytes_per_second, "bytes_per_second"},
                                         {Unit::per_second, "per_second"},
                                         {Unit::count, "count"}}}};
inline constexpr Names<Better, 3> kBetter{
    "better direction",
    {{{Better::higher, "higher"}, {Better::lower, "lower"}, {Better::neither, "neither"}}}};

}  // namespace tacho
