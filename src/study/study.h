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

// quick: within five minutes on two cores.
enum class StudyLevel { quick, full };
inline constexpr Names<StudyLevel, 2> kStudyLevels{
    "level", {{{StudyLevel::quick, "quick"}, {StudyLevel::full, "full"}}}};

// What a step cannot do without, beside what its own words ask for.
enum class StudyNeed { gpu, two_gpus, redis };
inline constexpr Names<StudyNeed, 3> kStudyNeeds{
    "need",
    {{{StudyNeed::gpu, "gpu"}, {StudyNeed::two_gpus, "two-gpus"}, {StudyNeed::redis, "redis"}}}};

// The words behind 'tacho compare'.
struct ComparisonStep {
  std::vector<std::string> words;
};

// A picture of a sweep: a line for each value of one option, over another.
struct SweepPicture {
  std::string x;      // an option
  std::string y;      // a metric
  std::string lines;  // an option; "" for one line
};

// A grid as docs/sweeps.md has it.
struct GridStep {
  YamlNode grid;
  std::optional<SweepPicture> picture;
};

// The words behind 'tacho train'.
struct TrainingStep {
  std::vector<std::string> words;
};

// The model of a training step, asked over HTTP.
struct ServingStep {
  std::string model;               // the step's name
  std::vector<std::string> infer;  // the words behind 'tacho infer RUN'; {redis} is a Redis's place
  std::vector<std::string> load;   // … and behind 'tacho load URL'
};

// Runs that a sweep has made, each foretold by those of other configurations.
struct ForecastStep {
  std::string sweep;  // the step's name; "": the runs that come with Tacho
  std::int64_t folds = 5;
  std::optional<double> target_top1;  // of the recommendation
};

// The words behind 'tacho lab memory'.
struct SurveyStep {
  std::vector<std::string> words;
};

// Where the time went that training on several takes beyond that on one: the parts of a step.
struct MissingStep {
  std::string of;     // a comparison of one process against several
  std::string apart;  // a sweep of as many that exchange nothing; "" where there is none
};

// What the best of each comparison saved against what stood first.
struct SavingsStep {
  std::vector<std::string> of;
};

// What trainings would have cost on rented machines of their kind.
struct CostStep {
  std::vector<std::string> of;
};

using StudyWork = std::variant<ComparisonStep, GridStep, TrainingStep, ServingStep, ForecastStep,
                               SurveyStep, MissingStep, SavingsStep, CostStep>;

// One thing that is done, and the section of the report that says what came of it.
struct StudyStep {
  std::string name;   // no other step's
  std::string place;  // "study.yaml:12:5", for messages
  std::string title;
  std::string about;
  StudyWork work;
  std::vector<std::string> show;  // metrics, in the order of the report's columns
  std::vector<StudyNeed> needs;
  // Names what is done, by its hash: prose and columns may change, and it is found again.
  std::string key;
};

struct Study {
  std::string file;  // its name in messages
  std::string name;
  StudyLevel level = StudyLevel::quick;
  std::string title;
  std::string about;
  std::vector<StudyStep> steps;
};

// What a study.yaml asks for, with {name} replaced by the level's values and by `given` ones.
// `file` is the text's name in messages, which say line and column. Words and grids are not looked
// into: their readers belong to the command line.
Result<Study> read_study(std::string_view text, std::string_view file, StudyLevel level,
                         const std::map<std::string, std::string>& given = {});

const StudyStep* find_step(const Study& study, std::string_view name);

}  // namespace tacho
