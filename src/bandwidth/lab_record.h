#pragma once

#include <string>
#include <variant>

#include "bandwidth/comms_survey.h"
#include "bandwidth/survey.h"

namespace tacho::bandwidth {

// What the lab keeps: a survey of memory, or of communication.
using LabRecord = std::variant<Survey, CommsSurvey>;

Json to_json(const LabRecord& record);
Result<LabRecord> lab_record_from_json(const Json& json);
const std::string& key_of(const LabRecord& record);

// A line of a list: {"key", "at", "kind", "device", "machine", "complete"}.
Json summary_of(const LabRecord& record);

}  // namespace tacho::bandwidth
