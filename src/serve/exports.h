#pragma once

#include "http/message.h"
#include "serve/answer.h"
#include "serve/store_pool.h"

namespace tacho::serve {

// GET /api/v1/export/{table}: runs, epochs or steps of all matching runs as CSV; runs also as JSON
// with full records. Generated while it is sent, so its size is not limited.
Answer export_table(const http::Request& request, StorePool& stores);

}  // namespace tacho::serve
