#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/names.h"
#include "base/result.h"
#include "base/yaml.h"

namespace tacho {

// quick: at most five minutes on two cores.
enum class StudyLevel { quick, full };
inline constexpr Names<StudyLevel, 2> kStudyLevels{
    "level", {{{StudyLevel::quick, "quick"}, {StudyLevel::full, "full"}}}};

// A requirement of a step beyond those that follow from its arguments.
enum class StudyNeed { gpu, two_gpus, redis };
inline constexpr Names<StudyNeed, 3> kStudyNeeds{
    "need",
    {{{StudyNeed::gpu, "gpu"}, {StudyNeed::two_gpus, "two-gpus"}, {StudyNeed::redis, "redis"}}}};

// The arguments of 'tacho compare'.
struct ComparisonStep {
  std::vector<std::string> words;
};

// A chart of a sweep: one line per value of an option, over another option.
struct SweepPicture {
  std::string x;      // an option
  std::string y;      // a metric
  std::string lines;  // an option; "" for one line
};

// A grid as in docs/sweeps.md.
struct GridStep {
  YamlNode grid;
  std::optional<SweepPicture> picture;
};

// The arguments of 'tacho train'.
struct TrainingStep {
  std::vector<std::string> words;
};

// Serves the model of a training step over HTTP.
struct ServingStep {
  std::string model;               // the name of the step
  std::vector<std::string> infer;  // arguments of 'tacho infer RUN'; {redis}: address of a Redis
  std::vector<std::string> load;   // arguments of 'tacho load URL'
};

// Predicts the runs of a sweep, each from those of other configurations.
struct PredictionStep {
  std::string sweep;  // the name of the step; "": the runs that come with Tacho
  std::int64_t folds = 5;
  std::optional<double> target_top1;  // for the recommendation
};

// The arguments of 'tacho bench memory'.
struct SurveyStep {
  std::vector<std::string> words;
};

// Explains why a step on several processes takes longer than on one.
struct MissingStep {
  std::string of;           // a comparison of one process with several
  std::string independent;  // a sweep of as many processes without exchange; "" if absent
};

// Reports how much the best variant of each comparison saved relative to the first.
struct SavingsStep {
  std::vector<std::string> of;
};

// Reports what trainings would have cost on comparable rented machines.
struct CostStep {
  std::vector<std::string> of;
};

using StudyWork = std::variant<ComparisonStep, GridStep, TrainingStep, ServingStep, PredictionStep,
                               SurveyStep, MissingStep, SavingsStep, CostStep>;

// One step of a study, which becomes one section of its report.
struct StudyStep {
  std::string name;   // unique in the study
  std::string place;  // "study.yaml:12:5", for messages
  std::string title;
  std::string about;
  StudyWork work;
  std::vector<std::string> show;  // metrics, in the order of the report's columns
  std::vector<StudyNeed> needs;
  // Hash of the work: a step is found again although its texts and columns have changed.
  std::string key;
};

struct Study {
  std::string file;  // for messages
  std::string name;
  StudyLevel level = StudyLevel::quick;
  std::string title;
  std::string about;
  std::vector<StudyStep> steps;
};

// Reads a study.yaml and replaces {name} by the values of the level and by `given`. Error messages
// give `file` with line and column. Arguments and grids are not checked here, because their parsers
// are in src/cli.
Result<Study> read_study(std::string_view text, std::string_view file, StudyLevel level,
                         const std::map<std::string, std::string>& given = {});

const StudyStep* find_step(const Study& study, std::string_view name);

}  // namespace tacho
