#pragma once

#include <string_view>

namespace tacho {

// Files of data/ that are compiled in, so that the program finds them wherever it lies.
std::string_view shipped_gpus_csv();
std::string_view shipped_model_features_csv();
std::string_view shipped_transformers_csv();
std::string_view shipped_throughput_csv();
std::string_view shipped_other_models_csv();
std::string_view shipped_own_models_csv();
std::string_view shipped_corpus();       // files of 'tacho sweep export', one behind the other
std::string_view shipped_speed_model();  // empty before the first 'script/fit'

}  // namespace tacho
