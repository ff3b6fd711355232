#include "cli/study_foretellers.h"

namespace tacho {
namespace {

Error absent() {
  return {ErrorCode::unavailable, "this tacho was built without what foretells (XGBoost)"};
}

}  // namespace

StudyForetellers study_foretellers() {
  return {.learn = [](const auto&) -> Result<std::unique_ptr<RunPredictor>> { return absent(); },
          .corpus = [](std::int64_t) -> Result<std::vector<CorpusScore>> { return absent(); }};
}

}  // namespace tacho
