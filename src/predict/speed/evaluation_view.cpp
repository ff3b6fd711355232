#include "predict/speed/evaluation_view.h"

#include <fmt/format.h>

#include <cmath>

#include "base/csv.h"
#include "base/table.h"
#include "base/units.h"

namespace tacho {
namespace {

Json own_json(const OwnScore& score) {
  return Json{{"machine", score.machine},
              {"part", score.part},
              {"configurations", score.configurations},
              {"refused", score.refused},
              {"median_error", score.median_error},
              {"mean_error", score.mean_error},
              {"p95_error", score.p95_error},
              {"most_too_low", score.most_too_low},
              {"coverage_of_90_percent_intervals", score.coverage},
              {"repeated_configurations", score.repeated},
              {"median_between_repetitions", score.repeat_median},
              {"p95_between_repetitions", score.repeat_p95}};
}

Json part_json(const PartScore& part) {
  return Json{
      {"jobs", part.jobs}, {"median_error", part.median_error}, {"mean_error", part.mean_error}};
}

Json scale_json(const ScaleScore& scale) {
  Json json = part_json(scale.errors);
  json["coverage_of_90_percent_intervals"] = scale.coverage;
  json["out_of_domain"] = scale.out_of_domain;
  return json;
}

Json score_json(const SplitScore& score) {
  Json json{{"split", kSplitKinds.of(score.kind)},
            {"jobs", score.jobs},
            {"median_error", score.median_error},
            {"mean_error", score.mean_error},
            {"p90_error", score.p90_error},
            {"coverage_of_90_percent_intervals", score.coverage},
            {"out_of_domain", score.out_of_domain},
            {"out_of_domain_median_error", score.out_median_error}};
  json["one_node"] = scale_json(score.one_node);
  json["several_nodes"] = scale_json(score.several_nodes);
  json["sources"] = Json::array();
  for (const SourceScore& of : score.of_sources) {
    json["sources"].push_back(Json{{"source", of.source},
                                   {"jobs", of.jobs},
                                   {"median_error", of.median_error},
                                   {"mean_error", of.mean_error}});
  }
  json["abstentions_included"] = part_json(score.of_all);
  if (score.with_one_run.jobs > 0) {
    json["after_one_run_of_the_model"] = part_json(score.with_one_run);
    json["after_one_run_on_one_node"] = part_json(score.on_one_node);
  }
  return json;
}

}  // namespace

std::string own_scores_table(std::string_view whose, const OwnEvaluation& own,
                             const Terminal& terminal) {
  Table table({{fmt::format("{} runs, same machine, held-out configuration", whose), Align::left},
               {"configurations"},
               {"median"},
               {"95th"},
               {"largest underestimate"},
               {"covered"},
               {"difference between repeats"}});
  const auto add = [&](const char* figure, const std::vector<OwnScore>& scores) {
    for (const OwnScore& score : scores) {
      table.add({fmt::format("{} on {}: {}", figure, score.machine, score.part),
                 fmt::format("{}", score.configurations), human_share(score.median_error),
                 human_share(score.p95_error), human_share(score.most_too_low),
                 human_share(score.coverage),
                 score.repeated == 0 ? "-"
                                     : fmt::format("{}, 95th {}", human_share(score.repeat_median),
                                                   human_share(score.repeat_p95))});
    }
  };
  add("step", own.step);
  add("peak memory", own.memory);
  return table.text(terminal);
}

std::string published_scores_table(const std::vector<SplitScore>& scores,
                                   const Terminal& terminal) {
  Table table({{"published jobs, …", Align::left},
               {"jobs"},
               {"median"},
               {"mean"},
               {"90th"},
               {"covered"},
               {"abstained"}});
  for (const SplitScore& score : scores) {
    table.add({std::string(kSplitKinds.of(score.kind)), fmt::format("{}", score.jobs),
               human_share(score.median_error), human_share(score.mean_error),
               human_share(score.p90_error), human_share(score.coverage),
               fmt::format("{}", score.out_of_domain)});
    const auto add_scale = [&](const char* name, const ScaleScore& scale) {
      const PartScore& part = scale.errors;
      if (part.jobs + scale.out_of_domain == 0) return;
      table.add({name, fmt::format("{}", part.jobs), human_share(part.median_error),
                 human_share(part.mean_error), human_share(part.p90_error),
                 human_share(scale.coverage), fmt::format("{}", scale.out_of_domain)});
    };
    add_scale("  on one node", score.one_node);
    add_scale("  on several nodes", score.several_nodes);
    for (const SourceScore& of : score.of_sources) {
      table.add({"  " + of.source, fmt::format("{}", of.jobs), human_share(of.median_error),
                 human_share(of.mean_error), "", "", ""});
    }
    const auto add = [&](const char* name, const PartScore& part) {
      if (part.jobs == 0) return;
      table.add({name, fmt::format("{}", part.jobs), human_share(part.median_error),
                 human_share(part.mean_error), human_share(part.p90_error), "-", "-"});
    };
    add("  abstentions included", score.of_all);
    add("  after one run of the model on the GPU", score.with_one_run);
    add("  the same, on one node", score.on_one_node);
  }
  return table.text(terminal);
}

std::string predicted_csv_headings() {
  return csv_line({"split", "fold", "source", "model", "stack", "precision", "layout", "gpu",
                   "num_gpus", "num_nodes", "batch_per_gpu", "step_s", "modelled_step_s",
                   "predicted_step_s", "deviation", "times_off_90", "cost_known", "in_domain"});
}

std::string predicted_csv_lines(const std::vector<TrainingExample>& examples, SplitKind kind,
                                const std::vector<HeldOutJob>& predicted) {
  std::string out;
  for (const HeldOutJob& job : predicted) {
    const TrainingExample& example = examples[job.example];
    const JobPoint& point = example.point;
    const auto& labels = point.labels;
    out += csv_line({std::string(kSplitKinds.of(kind)), fmt::format("{}", job.fold), example.source,
                     labels[Label::model], labels[Label::stack], labels[Label::precision],
                     labels[Label::layout], labels[Label::gpu], csv_number(point.gpus),
                     csv_number(example.nodes), csv_number(point.batch / point.units),
                     csv_number(std::exp(example.error + point.log_modelled_step)),
                     csv_number(std::exp(point.log_modelled_step)),
                     csv_number(std::exp(job.posterior.log_seconds)),
                     csv_number(job.posterior.deviation), csv_number(std::exp(job.posterior.reach)),
                     point.cost_known ? "true" : "false", job.in_domain ? "true" : "false"});
  }
  return out;
}

Json evaluation_json(const OwnEvaluation& own, const OwnEvaluation& shipped,
                     const std::vector<SplitScore>& scores) {
  const auto all = [](const std::vector<OwnScore>& list) {
    Json json = Json::array();
    for (const OwnScore& score : list) json.push_back(own_json(score));
    return json;
  };
  Json json{{"own_step", all(own.step)},
            {"own_memory", all(own.memory)},
            {"shipped_step", all(shipped.step)},
            {"shipped_memory", all(shipped.memory)},
            {"published", Json::array()}};
  for (const SplitScore& score : scores) json["published"].push_back(score_json(score));
  return json;
}

}  // namespace tacho
