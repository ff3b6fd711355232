#pragma once

#include <string>
#include <variant>

#include "microbench/memory/comms_survey.h"
#include "microbench/memory/survey.h"

namespace tacho::bandwidth {

// A stored result of the lab.
using LabRecord = std::variant<Survey, CommsSurvey>;

Json to_json(const LabRecord& record);
Result<LabRecord> lab_record_from_json(const Json& json);
const std::string& key_of(const LabRecord& record);

// Returns {"key", "at", "kind", "device", "machine", "complete"} for a list.
Json summary_of(const LabRecord& record);

}  // namespace tacho::bandwidth
