#pragma once

#include "http/message.h"
#include "serve/answer.h"
#include "serve/store_pool.h"

namespace tacho::serve {

// GET /api/v1/export/{table}: runs, epochs or steps of all runs that match, as CSV; runs also as
// JSON, whole records. Made while it is sent, so that its length does not matter.
Answer export_table(const http::Request& request, StorePool& stores);

}  // namespace tacho::serve
