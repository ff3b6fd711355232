#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/nearest.h"
#include "base/sha256.h"
#include "base/shell_words.h"
#include "base/yaml_object.h"
#include "core/record/metric.h"
#include "experiments/study/fill_in.h"
#include "experiments/study/study.h"

namespace tacho {
namespace {

constexpr std::array<std::string_view, 9> kWorks = {
    "compare", "sweep", "train", "serve", "prediction", "memory", "missing", "savings", "cost"};

bool is_plain_name(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

YamlNode scalar_of(const std::string& text) {
  YamlNode node;
  node.kind = YamlNode::Kind::scalar;
  node.text = text;
  return node;
}

class StudyReader {
 public:
  StudyReader(std::string_view file, StudyLevel level,
              const std::map<std::string, std::string>& given)
      : file_(file), given_(given) {
    study_.level = level;
    study_.file = file;
    for (const auto& [name, text] : given) {
      values_[name] = scalar_of(text);
    }
  }

  Result<Study> read(const YamlNode& root) {
    YamlObject object(root, file_);
    object.read("name", study_.name);
    object.read("title", study_.title);
    object.read("about", study_.about);
    const YamlNode* values = object.part("values");
    const YamlNode* steps = object.part("steps");
    TACHO_CHECK(object.finish());
    if (!is_plain_name(study_.name)) {
      return wrong(root, "'name' is missing or has characters other than a-z, 0-9 and '-'");
    }
    if (study_.title.empty()) {
      return wrong(root, "'title' is missing: the question that the study answers");
    }
    if (values != nullptr) TACHO_CHECK(read_values(*values));
    TACHO_TRY(about, filled(scalar_of(study_.about), root));
    study_.about = about.text;
    if (steps == nullptr || steps->kind != YamlNode::Kind::list || steps->items.empty()) {
      return wrong(steps == nullptr ? root : *steps, "'steps' must be a list of steps");
    }
    for (const YamlNode& step : steps->items) {
      TACHO_TRY(whole, filled(step, step));
      TACHO_CHECK(read_step(whole));
    }
    return std::move(study_);
  }

 private:
  // Fills in the values read so far; `place` is the position for messages.
  Result<YamlNode> filled(const YamlNode& node, const YamlNode& place) {
    auto whole = filled_in(node, values_, room_);
    if (!whole.ok()) return wrong(place, whole.error().message);
    return whole;
  }

  Error wrong(const YamlNode& at, std::string_view what) const {
    return yaml_error(file_, at, what);
  }

  // {steps: {quick: 20, full: 200}, seed: 1}. A value may refer to values above it.
  Result<void> read_values(const YamlNode& node) {
    if (node.kind != YamlNode::Kind::map) {
      return wrong(node, fmt::format("expected names with values, not {}", kind_name(node.kind)));
    }
    const std::string_view level = kStudyLevels.of(study_.level);
    for (const auto& [key, value] : node.entries) {
      if (value.kind != YamlNode::Kind::map) {
        TACHO_TRY(whole, filled(value, value));
        values_[key.text] = std::move(whole);
        continue;
      }
      const YamlNode* chosen = value.find(level);
      if (chosen == nullptr || value.entries.size() != kStudyLevels.table.size()) {
        return wrong(value,
                     fmt::format("'{}' needs a value for 'quick' and one for 'full'", key.text));
      }
      TACHO_TRY(whole, filled(*chosen, *chosen));
      values_[key.text] = std::move(whole);
    }
    return {};
  }

  Result<void> read_step(const YamlNode& node) {
    YamlObject object(node, file_);
    StudyStep step;
    step.place = fmt::format("{}:{}:{}", file_, node.line, node.column);
    object.read("name", step.name);
    object.read("title", step.title);
    object.read("about", step.about);
    const YamlNode* show = object.part("show");
    const YamlNode* needs = object.part("needs");
    const YamlNode* picture = object.part("picture");
    std::string_view kind;
    const YamlNode* body = nullptr;
    for (const std::string_view each : kWorks) {
      const YamlNode* found = object.part(each);
      if (found == nullptr) continue;
      if (body != nullptr)
        return wrong(*found, "a step does one thing; move this into another step");
      kind = each;
      body = found;
    }
    TACHO_CHECK(object.finish());
    if (!is_plain_name(step.name)) {
      return wrong(node,
                   "the step's 'name' is missing or has characters other than a-z, 0-9 and '-'");
    }
    if (find_step(study_, step.name) != nullptr) {
      return wrong(node, fmt::format("there is already a step '{}'", step.name));
    }
    if (body == nullptr) {
      return wrong(node, fmt::format("step '{}' does nothing; add one of {}", step.name,
                                     fmt::join(kWorks, ", ")));
    }
    if (step.title.empty()) step.title = step.name;
    if (show != nullptr) TACHO_CHECK(read_metrics(*show, step.show));
    if (needs != nullptr) TACHO_CHECK(read_needs(*needs, step.needs));
    TACHO_TRY(work, read_work(kind, *body));
    step.work = std::move(work);
    if (picture != nullptr) TACHO_CHECK(read_picture(*picture, step));
    step.key = key_of(step.name, kind, *body);
    study_.steps.push_back(std::move(step));
    return {};
  }

  Result<StudyWork> read_work(std::string_view kind, const YamlNode& body) const {
    if (kind == "compare") {
      TACHO_TRY(words, words_of(body));
      return StudyWork(ComparisonStep{std::move(words)});
    }
    if (kind == "train") {
      TACHO_TRY(words, words_of(body));
      return StudyWork(TrainingStep{std::move(words)});
    }
    if (kind == "memory") {
      TACHO_TRY(words, words_of(body));
      return StudyWork(SurveyStep{std::move(words)});
    }
    if (kind == "missing") return read_missing(body);
    if (kind == "savings") return read_names<SavingsStep, ComparisonStep>(body);
    if (kind == "cost") return read_names<CostStep, TrainingStep>(body);
    if (kind == "sweep") return StudyWork(GridStep{.grid = body, .picture = {}});
    return kind == "serve" ? read_serving(body) : read_prediction(body);
  }

  // Splits a command line as a shell does, or takes a list of words.
  Result<std::vector<std::string>> words_of(const YamlNode& node) const {
    std::vector<std::string> words;
    if (node.kind == YamlNode::Kind::scalar) {
      auto split = split_words(node.text);
      if (!split.ok()) return wrong(node, split.error().message);
      words = *std::move(split);
    } else if (node.kind == YamlNode::Kind::list) {
      for (const YamlNode& item : node.items) {
        if (item.kind != YamlNode::Kind::scalar) return wrong(item, "expected a single word");
        words.push_back(item.text);
      }
    }
    if (words.empty()) return wrong(node, "expected the arguments of a command");
    return words;
  }

  // The named step must be an earlier one.
  template <class Work>
  Result<void> check_earlier(const YamlNode& at, const std::string& name) const {
    const StudyStep* step = find_step(study_, name);
    if (step != nullptr && std::holds_alternative<Work>(step->work)) return {};
    std::vector<std::string_view> known;
    for (const StudyStep& each : study_.steps) {
      if (std::holds_alternative<Work>(each.work)) known.push_back(each.name);
    }
    return wrong(at, unknown_name("earlier step", name, known));
  }

  Result<StudyWork> read_serving(const YamlNode& node) const {
    YamlObject object(node, file_);
    ServingStep step;
    object.read("model", step.model);
    const YamlNode* infer = object.part("infer");
    const YamlNode* load = object.part("load");
    TACHO_CHECK(object.finish());
    TACHO_CHECK(check_earlier<TrainingStep>(node, step.model));
    if (load == nullptr) return wrong(node, "'load' is missing: the arguments of 'tacho load URL'");
    TACHO_TRY(load_words, words_of(*load));
    step.load = std::move(load_words);
    if (infer != nullptr) {
      TACHO_TRY(infer_words, words_of(*infer));
      step.infer = std::move(infer_words);
    }
    return StudyWork(std::move(step));
  }

  Result<StudyWork> read_prediction(const YamlNode& node) const {
    YamlObject object(node, file_);
    PredictionStep step;
    std::optional<std::int64_t> folds;
    std::string of;
    object.read("of", of);
    object.read("folds", folds);
    object.read("target", step.target_top1);
    TACHO_CHECK(object.finish());
    if (of.empty()) return wrong(node, "'of' is missing: the name of a sweep step, or 'corpus'");
    if (of != "corpus") {
      TACHO_CHECK(check_earlier<GridStep>(node, of));
      step.sweep = of;
    }
    step.folds = folds.value_or(step.folds);
    if (step.folds < 2 || step.folds > 50) return wrong(node, "'folds' must be between 2 and 50");
    if (step.target_top1 && (*step.target_top1 <= 0 || *step.target_top1 >= 1)) {
      return wrong(node, "'target' must be an accuracy between 0 and 1");
    }
    return StudyWork(std::move(step));
  }

  Result<StudyWork> read_missing(const YamlNode& node) const {
    YamlObject object(node, file_);
    MissingStep step;
    object.read("of", step.of);
    object.read("independent", step.independent);
    TACHO_CHECK(object.finish());
    TACHO_CHECK(check_earlier<ComparisonStep>(node, step.of));
    if (!step.independent.empty()) TACHO_CHECK(check_earlier<GridStep>(node, step.independent));
    return StudyWork(std::move(step));
  }

  // Reads a list of earlier steps of kind `Work`.
  template <class Step, class Work>
  Result<StudyWork> read_names(const YamlNode& node) const {
    TACHO_TRY(names, words_of(node));
    for (const std::string& name : names) TACHO_CHECK(check_earlier<Work>(node, name));
    return StudyWork(Step{std::move(names)});
  }

  Result<void> read_picture(const YamlNode& node, StudyStep& step) const {
    auto* grid = std::get_if<GridStep>(&step.work);
    if (grid == nullptr) return wrong(node, "'picture' is for sweeps only");
    YamlObject object(node, file_);
    SweepPicture picture;
    object.read("x", picture.x);
    object.read("y", picture.y);
    object.read("lines", picture.lines);
    TACHO_CHECK(object.finish());
    if (picture.x.empty() || picture.y.empty()) {
      return wrong(node, "a picture needs 'x', an option, and 'y', a metric");
    }
    if (const auto known = find_metric(picture.y); !known.ok()) {
      return wrong(node, known.error().message);
    }
    grid->picture = std::move(picture);
    return {};
  }

  Result<void> read_metrics(const YamlNode& node, std::vector<std::string>& out) const {
    if (node.kind != YamlNode::Kind::list) return wrong(node, "expected a list of metrics");
    for (const YamlNode& item : node.items) {
      const auto known = find_metric(item.text);
      if (!known.ok()) return wrong(item, known.error().message);
      out.push_back(item.text);
    }
    return {};
  }

  Result<void> read_needs(const YamlNode& node, std::vector<StudyNeed>& out) const {
    if (node.kind != YamlNode::Kind::list) return wrong(node, "expected a list such as [gpu]");
    for (const YamlNode& item : node.items) {
      const auto need = kStudyNeeds.parse(item.text);
      if (!need.ok()) return wrong(item, need.error().message);
      out.push_back(*need);
    }
    return {};
  }

  // Paths in the home are replaced before hashing, so that a store that was moved finds its steps
  // again.
  std::string key_of(std::string_view name, std::string_view kind, const YamlNode& body) const {
    std::string does = flow_text(body);
    for (const auto& [given, text] : given_)
      does = replaced(does, text, fmt::format("{{{}}}", given));
    return hex(Sha256::of(fmt::format("{}\n{}\n{}", name, kind, does))).substr(0, 16);
  }

  std::string_view file_;
  const std::map<std::string, std::string>& given_;
  StudyValues values_;
  std::size_t room_ = 4U << 20U;  // total number of bytes that values may insert
  Study study_;
};

}  // namespace

Result<Study> read_study(std::string_view text, std::string_view file, StudyLevel level,
                         const std::map<std::string, std::string>& given) {
  TACHO_TRY(root, parse_yaml(text, file));
  return StudyReader(file, level, given).read(root);
}

const StudyStep* find_step(const Study& study, std::string_view name) {
  const auto found = std::ranges::find(study.steps, name, &StudyStep::name);
  return found == study.steps.end() ? nullptr : &*found;
}

}  // namespace tacho
