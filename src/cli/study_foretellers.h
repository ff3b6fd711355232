#pragma once

#include "study/study_report.h"

namespace tacho {

// What this Tacho foretells runs with; where it was built without, both say so.
StudyForetellers study_foretellers();

}  // namespace tacho
