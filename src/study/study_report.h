#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "store/run_store.h"
#include "store/sweep_store.h"
#include "study/document.h"
#include "study/forecast_section.h"
#include "study/study.h"
#include "study/unseen_forecast.h"

namespace tacho {

struct StudyStores {
  RunStore& runs;
  SweepStore& sweeps;
  std::filesystem::path home = {};  // surveys of memory, prices of machines
};

// What foretells is handed in: not every build of Tacho has it.
struct StudyForetellers {
  LearnSpeeds learn;
  std::function<Result<std::vector<CorpusScore>>(std::int64_t folds)> corpus;
};

// Made of what the store holds of a study and of nothing else: the same store, the same report.
Result<Document> study_report(const Study& study, const StudyRow& row, StudyStores stores,
                              const StudyForetellers& foretellers);

// How a step would be done by hand.
std::string command_of(const StudyStep& step);

}  // namespace tacho
