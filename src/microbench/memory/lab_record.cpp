#include "microbench/memory/lab_record.h"

namespace tacho::bandwidth {

Json to_json(const LabRecord& record) {
  return std::visit([](const auto& survey) { return to_json(survey); }, record);
}

Result<LabRecord> lab_record_from_json(const Json& json) {
  const bool is_comms = json.is_object() && json.contains("kind") && json["kind"] == "comms";
  if (is_comms) {
    TACHO_TRY(comms, comms_survey_from_json(json));
    return LabRecord(std::move(comms));
  }
  TACHO_TRY(memory, survey_from_json(json));
  return LabRecord(std::move(memory));
}

const std::string& key_of(const LabRecord& record) {
  return std::visit([](const auto& survey) -> const std::string& { return survey.key; }, record);
}

Json summary_of(const LabRecord& record) {
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
