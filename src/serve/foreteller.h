#pragma once

#include "advise/catalog.h"
#include "advise/recommend.h"
#include "base/json_object.h"
#include "base/result.h"
#include "store/run_store.h"

namespace tacho::serve {

// What predicts and recommends. Whoever starts the dashboard brings it, as not every build has a
// speed model. Any number of threads may ask.
class Foreteller {
 public:
  virtual ~Foreteller() = default;
  // How fast the job would be that the JSON object names.
  [[nodiscard]] virtual Result<Json> predict(const Json& job) const = 0;
  [[nodiscard]] virtual Result<Recommendation> recommend(const Wish& wish,
                                                         const InstanceFilter& filter,
                                                         RunStore& store) const = 0;
};

}  // namespace tacho::serve
