#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "core/store/run_query.h"
#include "core/store/run_row.h"

namespace tacho::serve {

// An opaque position after `last` in the order of `query`.
std::string cursor_text(const RunQuery& query, const RunRow& last);
// Rejects a cursor of another order.
Result<RunMark> cursor_mark(std::string_view text, const RunQuery& query);

}  // namespace tacho::serve
