#pragma once

#include <string>
#include <variant>

#include "microbench/memory/comms_survey.h"
#include "microbench/memory/survey.h"

namespace tacho::bandwidth {

// A stored result of tacho bench.
using SurveyRecord = std::variant<Survey, CommsSurvey>;

Json to_json(const SurveyRecord& record);
Result<SurveyRecord> survey_record_from_json(const Json& json);
const std::string& key_of(const SurveyRecord& record);

// Returns {"key", "at", "kind", "device", "machine", "complete"} for a list.
Json summary_of(const SurveyRecord& record);

}  // namespace tacho::bandwidth
