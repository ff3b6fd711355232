#include "study/study_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/shell_words.h"
#include "base/units.h"
#include "base/version.h"
#include "study/fill_in.h"
#include "study/sections.h"

namespace tacho {
namespace {

// What all runs of a report were made on and with: what differs is told side by side.
class Circumstances {
 public:
  void add(const RunRecord& record) {
    ++runs_;
    seconds_ += record.stays_seconds > 0 ? record.stays_seconds : record.totals.wall_seconds;
    if (!record.started) return;
    const RunStarted& started = *record.started;
    programs_.insert(fmt::format("tacho {} ({})", started.tacho_version, started.tacho_commit));
    if (!started.torch_version.empty()) programs_.insert("torch " + started.torch_version);
    const Host& host = started.host;
    // In a container the system is the image's; a run of a sweep may see a part of the cores.
    if (host.environment != "bare") return;
    systems_.insert(fmt::format("{}, Linux {}", host.system, host.kernel));
    Host& widest = machines_.try_emplace(host.cpu + host.gpu, host).first->second;
    widest.cores = std::max(widest.cores, host.cores);
    widest.memory_bytes = std::max(widest.memory_bytes, host.memory_bytes);
  }

  [[nodiscard]] FactList facts() const {
    FactList list;
    const auto add = [&](const char* name, const std::set<std::string>& values) {
      if (!values.empty())
        list.facts.emplace_back(name, fmt::format("{}", fmt::join(values, "; ")));
    };
    std::set<std::string> machines;
    for (const auto& [name, host] : machines_) {
      machines.insert(
          fmt::format("{}, {} {}, {}, {}", host.cpu, host.cores, host.cores == 1 ? "core" : "cores",
                      human(Bytes{host.memory_bytes}), host.gpu.empty() ? "no GPU" : host.gpu));
    }
    add("machine", machines);
    add("system", systems_);
    add("software", programs_);
    list.facts.emplace_back(
        "runs", fmt::format("{}, {} of run time", human_count(static_cast<double>(runs_)),
                            human(Seconds(seconds_))));
    return list;
  }

 private:
  std::map<std::string, Host> machines_;  // by processor and GPU
  std::set<std::string> systems_;
  std::set<std::string> programs_;
  std::size_t runs_ = 0;
  double seconds_ = 0;
};

class ReportMaker {
 public:
  ReportMaker(const Study& study, const StudyRow& row, StudyStores stores,
              const StudyForetellers& foretellers)
      : study_(study), row_(row), stores_(stores), foretellers_(foretellers) {}

  Result<Document> make() {
    Document document{.title = study_.title, .opening = {}, .sections = {}, .footer = {}};
    for (const StudyStep& step : study_.steps) {
      TACHO_TRY(section, section_of(step));
      document.sections.push_back(std::move(section));
    }
    if (!absent_.empty()) {
      document.sections.push_back(
          {.title = "What was not possible here", .blocks = {AbsentList{absent_}}});
    }
    document.sections.push_back(commands());
    if (!study_.about.empty()) document.opening.emplace_back(Paragraph{study_.about});
    FactList facts = circumstances_.facts();
    facts.facts.emplace_back(
        "begun", fmt::format("{} {} UTC", row_.started.substr(0, 10), row_.started.substr(11, 5)));
    document.opening.emplace_back(std::move(facts));
    document.footer = fmt::format("study {} ({}), written by tacho {} ({})", study_.name,
                                  kStudyLevels.of(study_.level), kVersion, kCommit);
    return document;
  }

 private:
  Result<DocumentSection> section_of(const StudyStep& step) {
    DocumentSection section{.title = step.title, .blocks = {}};
    if (!step.about.empty()) section.blocks.emplace_back(Paragraph{step.about});
    TACHO_TRY(row, stores_.runs.studies().step(row_.id, step.key));
    if (!row) {
      section.blocks.emplace_back(Paragraph{"This was not done yet.", true});
      return section;
    }
    for (const AbsentThing& thing : row->absent) {
      if (std::ranges::find(absent_, thing) == absent_.end()) absent_.push_back(thing);
    }
    if (row->state == StudyStepState::impossible) {
      section.blocks.emplace_back(AbsentList{row->absent});
      return section;
    }
    if (row->state == StudyStepState::begun) {
      section.blocks.emplace_back(Paragraph{"This was begun and is not complete.", true});
    }
    auto blocks =
        std::visit([&](const auto& work) { return blocks_of(work, step, *row); }, step.work);
    // Begun, and nothing of it is in the store yet.
    const bool nothing_yet = !blocks.ok() && blocks.error().code == ErrorCode::not_found &&
                             row->state == StudyStepState::begun;
    if (nothing_yet) return section;
    if (!blocks.ok()) return blocks.error().in(step.name);
    std::ranges::move(*blocks, std::back_inserter(section.blocks));
    return section;
  }

  Result<std::vector<Block>> blocks_of(const ComparisonStep& /*work*/, const StudyStep& step,
                                       const StudyStepRow& row) {
    TACHO_TRY(stored, stores_.runs.comparisons().find(row.record_key));
    TACHO_TRY(comparison, comparison_from_json(stored.comparison));
    for (const ComparedRun& run : comparison.runs) {
      const auto record = stores_.runs.find(run.run);
      if (!record.ok()) continue;  // removed since
      circumstances_.add(record->record);
    }
    return comparison_blocks(comparison, step.show);
  }

  Result<std::vector<Block>> blocks_of(const GridStep& work, const StudyStep& step,
                                       const StudyStepRow& row) {
    TACHO_TRY(sweep, stores_.sweeps.find(row.record_key));
    TACHO_TRY(tasks, stores_.sweeps.tasks(sweep.id));
    TACHO_TRY(results, stores_.sweeps.results(sweep.id));
    std::vector<SweptRun> runs;
    for (SweepTask& task : tasks) {
      SweptRun run{.task = std::move(task), .run = {}};
      const auto found = results.find(run.task.result_key.value_or(""));
      if (found != results.end()) {
        run.run = found->second;
        TACHO_TRY(record, stores_.runs.find(found->first));
        circumstances_.add(record.record);
      }
      runs.push_back(std::move(run));
    }
    return sweep_blocks(runs, step.show, work.picture);
  }

  Result<std::vector<Block>> blocks_of(const TrainingStep& /*work*/, const StudyStep& step,
                                       const StudyStepRow& row) {
    return single_run(step, row);
  }
  Result<std::vector<Block>> blocks_of(const ServingStep& /*work*/, const StudyStep& step,
                                       const StudyStepRow& row) {
    return single_run(step, row);
  }
  Result<std::vector<Block>> single_run(const StudyStep& step, const StudyStepRow& row) {
    TACHO_TRY(run, stores_.runs.find(row.record_key));
    circumstances_.add(run.record);
    return run_blocks(run.record, step.show);
  }

  Result<std::vector<Block>> blocks_of(const ForecastStep& work, const StudyStep& /*step*/,
                                       const StudyStepRow& /*row*/) {
    if (work.sweep.empty()) {
      TACHO_TRY(scores, foretellers_.corpus(work.folds));
      return corpus_blocks(scores);
    }
    TACHO_TRY(runs, runs_of_sweep(*find_step(study_, work.sweep)));
    TACHO_TRY(unseen, foretell_unseen(runs, work.folds, foretellers_.learn));
    return forecast_blocks(unseen, work.target_top1);
  }

  Result<std::vector<JudgedRun>> runs_of_sweep(const StudyStep& step) {
    std::vector<JudgedRun> runs;
    TACHO_TRY(row, stores_.runs.studies().step(row_.id, step.key));
    if (!row || row->record_key.empty()) return runs;
    TACHO_TRY(sweep, stores_.sweeps.find(row->record_key));
    TACHO_TRY(tasks, stores_.sweeps.tasks(sweep.id, SweepTaskState::done));
    std::vector<const Configuration*> configurations;
    for (const SweepTask& task : tasks) configurations.push_back(&task.configuration);
    std::vector<std::string> options = options_that_differ(configurations);
    std::erase(options, "seed");
    for (const SweepTask& task : tasks) {
      TACHO_TRY(run, stores_.runs.find(task.result_key.value_or("")));
      runs.push_back({to_text(task.configuration, options), std::move(run.record)});
    }
    return runs;
  }

  [[nodiscard]] DocumentSection commands() const {
    CommandLines lines;
    lines.lines.push_back(
        fmt::format("tacho study {} --{}", study_.name, kStudyLevels.of(study_.level)));
    DocumentSection section{.title = "The commands", .blocks = {std::move(lines)}};
    CommandLines steps;
    for (const StudyStep& step : study_.steps) {
      if (std::string line = command_of(step); !line.empty())
        steps.lines.push_back(std::move(line));
    }
    section.blocks.emplace_back(
        Paragraph{"makes all of this, and what is left of it after an "
                  "interruption. Step by step it is:"});
    section.blocks.emplace_back(std::move(steps));
    return section;
  }

  const Study& study_;
  const StudyRow& row_;
  StudyStores stores_;
  const StudyForetellers& foretellers_;
  Circumstances circumstances_;
  std::vector<AbsentThing> absent_;
};

}  // namespace

std::string command_of(const StudyStep& step) {
  if (const auto* work = std::get_if<ComparisonStep>(&step.work)) {
    return "tacho compare " + shell_quoted(work->words);
  }
  if (const auto* work = std::get_if<TrainingStep>(&step.work)) {
    return "tacho train " + shell_quoted(work->words);
  }
  if (const auto* work = std::get_if<GridStep>(&step.work)) {
    return fmt::format("echo {} > grid.yaml; tacho sweep grid.yaml",
                       shell_quoted(flow_text(work->grid)));
  }
  if (const auto* work = std::get_if<ServingStep>(&step.work)) {
    return fmt::format("tacho infer RUN {} & tacho load http://127.0.0.1:8500 {}",
                       shell_quoted(work->infer), shell_quoted(work->load));
  }
  return "";
}

Result<Document> study_report(const Study& study, const StudyRow& row, StudyStores stores,
                              const StudyForetellers& foretellers) {
  return ReportMaker(study, row, stores, foretellers).make();
}

}  // namespace tacho
