#pragma once

#include <filesystem>

#include "advise/catalog.h"
#include "advise/recommend.h"
#include "base/result.h"
#include "store/run_store.h"

namespace tacho {

// With all that this Tacho knows: its catalogue of machines, the speed model, learning curves of
// the store's own runs and of published trainings.
Result<Recommendation> recommend_here(const std::filesystem::path& home, RunStore& store,
                                      const Wish& wish, const InstanceFilter& filter);

}  // namespace tacho
