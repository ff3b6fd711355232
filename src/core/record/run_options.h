#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json_object.h"
#include "base/result.h"
#include "core/record/environment_spec.h"
#include "core/record/run_spec.h"

namespace tacho {

// A training with its environment and limits.
struct TrainRequest {
  RunSpec spec;
  EnvironmentSpec environment;
  std::optional<double> time_limit_s;
  std::optional<double> line_mbit;  // bandwidth between simulated machines
};

// Names and values of options as a user writes them: {{"model", "mlp"}, {"batch", "32"}}. The last
// value of an option counts.
using RunSettings = std::vector<std::pair<std::string, std::string>>;

enum class OptionType { flag, integer, number, choice, text };
inline constexpr Names<OptionType, 5> kOptionTypes{"type",
                                                   {{{OptionType::flag, "flag"},
                                                     {OptionType::integer, "integer"},
                                                     {OptionType::number, "number"},
                                                     {OptionType::choice, "choice"},
                                                     {OptionType::text, "text"}}}};

// NaN is outside every range.
struct OptionRange {
  double low = -std::numeric_limits<double>::max();
  double high = std::numeric_limits<double>::max();
  bool above = false;  // `low` itself is outside
};

enum OptionUse : unsigned {
  kOnForm = 1,       // the dashboard's form shows it
  kLocal = 2,        // names files or processes of this machine: not for the API, not exported
  kPerRank = 4,      // may differ between the ranks of a run
  kFromModel = 8,    // the default depends on the model
  kNeeded = 16,      // a spec.json without it is incomplete
  kRepeatable = 32,  // several values add up
  kRecipe = 64,      // changes the learning curve; so do the model, the data, and the batch
};

// One option of a training. The command line, spec.json, grids, the API, the dashboard's form and
// exports are derived from the table of these.
struct RunOption {
  std::string_view name;         // "train-samples": --train-samples, and the key in a grid
  std::string_view letter = {};  // "b": -b
  std::string_view group = {};   // heading in help
  std::string_view json = {};    // path in spec.json: "optimizer.momentum"
  std::string_view value = {};   // placeholder in help: "FILE"
  std::string_view help = {};
  OptionRange range = {};
  unsigned uses = 0;
  OptionType type = OptionType::text;
  std::vector<std::string_view> choices = {};
  std::function<Result<void>(TrainRequest&, std::string_view text)> set = {};
  std::function<Json(const TrainRequest&)> get = {};  // null if there is no value
  std::function<Result<void>(JsonObject&, std::string_view key, TrainRequest&)> read = {};

  [[nodiscard]] bool is(OptionUse use) const { return (uses & use) != 0; }
  // "train_samples", the key in requests to the API.
  [[nodiscard]] std::string api_key() const;
  // The default as text; "" if there is none or if it depends on the model.
  [[nodiscard]] std::string default_text() const;
};

// In the order of help. A model comes before its optimizer, and that before its parameters: setting
// one changes the defaults of those after it.
std::span<const RunOption> run_options();
const RunOption* find_run_option(std::string_view name);
// Returns the names of the options without any of these uses.
std::vector<std::string> run_option_names(unsigned without = 0);

// "25" for 25.0, without quotes for strings.
std::string plain_text(const Json& value);

// Sets the options of a request in the order of the table. An unknown name is an error.
Result<void> apply_settings(const RunSettings& settings, TrainRequest& request);
// Returns the checked request: the defaults of the model, then the settings.
Result<TrainRequest> train_request(const RunSettings& settings);
// Returns an error that names the option whose value is out of its range.
Result<void> check_ranges(const RunSpec& spec);

}  // namespace tacho
