#include "serving/dashboard/predictions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/csv.h"
#include "core/store/ledger.h"
#include "predict/rent/ledger_scores.h"
#include "predict/rent/recommendation_view.h"

namespace tacho::serve {
namespace {

constexpr std::size_t kMostWords = 100;

Error without_predictions() {
  return {ErrorCode::unavailable,
          "predictions are unavailable: this server has no prediction model"};
}

// Missing measurements are not a failure of the server.
Error without_measurements(Error error) {
  if (error.code == ErrorCode::unavailable) error.code = ErrorCode::invalid;
  return error;
}

Result<std::vector<std::string>> words_of(JsonObject& object, std::string_view key) {
  std::vector<std::string> words;
  const Json* list = object.part(key, false);
  if (list == nullptr) return words;
  const bool fits = list->is_array() && list->size() <= kMostWords &&
                    std::ranges::all_of(*list, [](const Json& word) { return word.is_string(); });
  if (!fits) {
    return Error{
        ErrorCode::invalid,
        fmt::format("the request: {} must be a list of strings, {} at most", key, kMostWords)};
  }
  for (const Json& word : *list) words.push_back(word.get<std::string>());
  return words;
}

Result<void> positive(std::string_view key, const std::optional<double>& value) {
  if (!value || (*value > 0 && std::isfinite(*value))) return {};
  return Error{ErrorCode::invalid, fmt::format("the request: {} must be greater than 0", key)};
}

Json instance_json(const Instance& instance) {
  return {{"cloud", instance.cloud},
          {"region", instance.region},
          {"instance", instance.name},
          {"gpu", instance.gpu},
          {"gpus", instance.gpus},
          {"vcpus", instance.vcpus},
          {"memory_gib", instance.memory_gib},
          {"network_gbps", instance.network_gbps ? Json(*instance.network_gbps) : Json()},
          {"on_demand_usd_h", instance.on_demand_usd_h},
          {"spot_usd_h", instance.spot_usd_h ? Json(*instance.spot_usd_h) : Json()},
          {"date", instance.date},
          {"source", instance.source}};
}

Json entry_json(const LedgerEntry& entry) {
  return {{"run_key", entry.run_key},
          {"metric", entry.metric},
          {"made_at", entry.made_at},
          {"model", entry.model},
          {"data", entry.data},
          {"machine", entry.machine},
          {"basis", entry.basis},
          {"value", entry.predicted.value},
          {"low90", entry.predicted.low},
          {"high90", entry.predicted.high},
          {"outcome", entry.outcome},
          {"measured", entry.measured ? Json(*entry.measured) : Json()}};
}

std::string ledger_csv(const std::vector<LedgerEntry>& entries) {
  std::string text = csv_line({"run_key", "metric", "made_at", "model", "data", "machine", "basis",
                               "value", "low90", "high90", "outcome", "measured"});
  for (const LedgerEntry& entry : entries) {
    text += csv_line({entry.run_key, entry.metric, csv_number(entry.made_at), entry.model,
                      entry.data, entry.machine, entry.basis, csv_number(entry.predicted.value),
                      csv_number(entry.predicted.low), csv_number(entry.predicted.high),
                      entry.outcome, entry.measured ? csv_number(*entry.measured) : ""});
  }
  return text;
}

}  // namespace

Result<RecommendationRequest> read_recommendation_request(const Json& json) {
  JsonObject object(json, "the request");
  RecommendationRequest parsed;
  Requirements& requirements = parsed.requirements;
  object.read("model", requirements.job.model);
  object.read("data", requirements.job.data);
  object.read("target", requirements.target);
  object.read_optional("deadline_hours", requirements.deadline_hours);
  object.read_optional("budget_usd", requirements.budget_usd);
  object.read_optional("max_nodes", requirements.max_nodes);
  object.read_optional("spot", requirements.spot);
  object.read_optional("batches", requirements.batches);
  TACHO_TRY(clouds, words_of(object, "clouds"));
  TACHO_TRY(gpus, words_of(object, "gpus"));
  TACHO_TRY(regions, words_of(object, "regions"));
  TACHO_TRY(precisions, words_of(object, "precisions"));
  TACHO_CHECK(object.finish());
  if (!(requirements.target > 0 && requirements.target < 1)) {
    return Error{ErrorCode::invalid, "the request: target must be an accuracy between 0 and 1"};
  }
  TACHO_CHECK(positive("deadline_hours", requirements.deadline_hours));
  TACHO_CHECK(positive("budget_usd", requirements.budget_usd));
  if (requirements.max_nodes < 1 || requirements.max_nodes > 64) {
    return Error{ErrorCode::invalid, "the request: max_nodes must be between 1 and 64"};
  }
  const bool batches_fit = requirements.batches.size() <= kMostWords &&
                           std::ranges::all_of(requirements.batches, [](std::int64_t b) {
                             return b >= 1 && b <= kLargestBatch;
                           });
  if (!batches_fit) {
    return Error{ErrorCode::invalid,
                 fmt::format("the request: batches must be integers from 1 to {}, {} at most",
                             kLargestBatch, kMostWords)};
  }
  if (!precisions.empty()) requirements.precisions.clear();
  for (const std::string& word : precisions) {
    TACHO_TRY(precision, kPrecisions.parse(word).in("the request"));
    requirements.precisions.push_back(precision);
  }
  parsed.filter = {std::move(clouds), std::move(gpus), std::move(regions)};
  return parsed;
}

Answer predicted(const http::Request& request, const PredictionService* predictions,
                 RunStore& store) {
  TACHO_CHECK(check_parameters(request, {}));
  if (predictions == nullptr) return without_predictions();
  TACHO_TRY(body, body_of(request));
  TACHO_TRY(answer, predictions->predict(body, store));
  return json_answer(answer);
}

Answer training_predicted(const http::Request& request, const PredictionService* predictions,
                          RunStore& store) {
  TACHO_CHECK(check_parameters(request, {}));
  if (predictions == nullptr) return without_predictions();
  TACHO_TRY(body, body_of(request));
  const auto answer = predictions->predict_training(body, store);
  if (!answer.ok()) return without_measurements(answer.error());
  return json_answer(*answer);
}

Answer recommended(const http::Request& request, const PredictionService* predictions,
                   RunStore& store) {
  TACHO_CHECK(check_parameters(request, {"format"}));
  TACHO_TRY(format, word_parameter(request, "format", {"json", "csv"}));
  if (predictions == nullptr) return without_predictions();
  TACHO_TRY(body, body_of(request));
  TACHO_TRY(parsed, read_recommendation_request(body));
  const auto made = predictions->recommend(parsed.requirements, parsed.filter, store);
  if (!made.ok()) return without_measurements(made.error());
  if (format == "csv") {
    return file_answer(recommendation_csv(*made), "text/csv; charset=utf-8", "recommendation.csv");
  }
  return json_answer(to_json(*made));
}

std::string prediction_state(const std::filesystem::path& home) {
  std::string state;
  for (const char* name : {"catalog/instances.csv", "catalog/machines.csv", "speed-model.json"}) {
    std::error_code absent;
    const auto time = std::filesystem::last_write_time(home / name, absent);
    state += absent ? "-;" : fmt::format("{};", time.time_since_epoch().count());
  }
  return state;
}

Answer ledger(const http::Request& request, const std::filesystem::path& home, bool settle) {
  TACHO_CHECK(check_parameters(request, {"format"}));
  TACHO_TRY(format, word_parameter(request, "format", {"json", "csv"}));
  TACHO_TRY(ledger, Ledger::open(home / "tacho.db"));
  if (settle) TACHO_CHECK(ledger.settle());
  TACHO_TRY(entries, ledger.all());
  if (format == "csv") {
    return file_answer(ledger_csv(entries), "text/csv; charset=utf-8", "ledger.csv");
  }
  Json list = Json::array();
  for (const LedgerEntry& entry : entries) list.push_back(entry_json(entry));
  return json_answer(
      {{"scores", to_json(ledger_scores(entries))}, {"predictions", std::move(list)}});
}

Answer instances(const http::Request& request, const std::filesystem::path& home) {
  TACHO_CHECK(check_parameters(request, {"gpu", "cloud", "region", "format"}));
  TACHO_TRY(format, word_parameter(request, "format", {"json", "csv"}));
  TACHO_TRY(all, Catalog(home).instances());
  TACHO_TRY(found, Catalog::filtered(std::move(all), {.clouds = request.parameters("cloud"),
                                                      .gpus = request.parameters("gpu"),
                                                      .regions = request.parameters("region")}));
  if (format == "csv") {
    return file_answer(instances_csv(found), "text/csv; charset=utf-8", "instances.csv");
  }
  Json list = Json::array();
  for (const Instance& instance : found) list.push_back(instance_json(instance));
  return json_answer({{"instances", std::move(list)}});
}

}  // namespace tacho::serve
