#pragma once

#include "serving/dashboard/answer.h"
#include "serving/dashboard/store_pool.h"
#include "serving/http/message.h"

namespace tacho::serve {

// GET /api/v1/export/{table}: runs, epochs or steps of all matching runs as CSV; runs also as JSON
// with full records. Generated while it is sent, so its size is not limited.
Answer export_table(const http::Request& request, StorePool& stores);

}  // namespace tacho::serve
