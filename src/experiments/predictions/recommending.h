#pragma once

#include <filesystem>

#include "base/result.h"
#include "core/store/run_store.h"
#include "predict/rent/catalog.h"
#include "predict/rent/recommend.h"

namespace tacho {

// Recommends with everything that is available: the catalog of machines, the speed model, and
// learning curves of own runs, of data/corpus and of published trainings.
Result<Recommendation> recommend_here(const std::filesystem::path& home, RunStore& store,
                                      const Requirements& requirements,
                                      const InstanceFilter& filter);

}  // namespace tacho
