#include "microbench/memory/survey_record.h"

namespace tacho::bandwidth {

Json to_json(const SurveyRecord& record) {
  return std::visit([](const auto& survey) { return to_json(survey); }, record);
}

Result<SurveyRecord> survey_record_from_json(const Json& json) {
  const bool is_comms = json.is_object() && json.contains("kind") && json["kind"] == "comms";
  if (is_comms) {
    TACHO_TRY(comms, comms_survey_from_json(json));
    return SurveyRecord(std::move(comms));
  }
  TACHO_TRY(memory, survey_from_json(json));
  return SurveyRecord(std::move(memory));
}

const std::string& key_of(const SurveyRecord& record) {
  return std::visit([](const auto& survey) -> const std::string& { return survey.key; }, record);
}

Json summary_of(const SurveyRecord& record) {
  const auto* memory = std::get_if<Survey>(&record);
  return std::visit(
      [&](const auto& survey) {
        return Json{{"key", survey.key},
                    {"at", survey.at},
                    {"kind", memory != nullptr ? "memory" : "comms"},
                    {"device", memory != nullptr ? Json(memory->device) : Json(nullptr)},
                    {"machine", survey.machine},
                    {"complete", survey.complete}};
      },
      record);
}

}  // namespace tacho::bandwidth
