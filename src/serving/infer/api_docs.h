#pragma once

#include <string>

#include "base/json_object.h"
#include "core/record/model_catalog.h"
#include "serving/infer/options.h"

namespace tacho::infer {

// The OpenAPI 3.1 description of the server.
Json openapi_json(InputKind input, Compat compat);

// A page about an OpenAPI description that needs no other files and no network.
std::string docs_page(const Json& openapi);

}  // namespace tacho::infer
