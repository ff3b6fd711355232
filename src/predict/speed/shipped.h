#pragma once

#include <string_view>

namespace tacho {

// Files of data/ that are compiled into the binary.
std::string_view shipped_gpus_csv();
std::string_view shipped_model_features_csv();
std::string_view shipped_transformers_csv();
std::string_view shipped_throughput_csv();
std::string_view shipped_other_models_csv();
std::string_view shipped_own_models_csv();
std::string_view shipped_model_families_csv();
std::string_view shipped_covariance_json();
std::string_view shipped_own_layers_csv();
std::string_view shipped_corpus();     // concatenated files of 'tacho sweep export'
std::string_view shipped_trainings();  // the same, for learning curves only
std::string_view shipped_own_speed();  // of Tacho's own models
std::string_view shipped_cpu_speed();  // of Tacho's own models on CPUs
std::string_view shipped_cpus_csv();
std::string_view shipped_speed_model();  // empty before the first 'script/fit'

}  // namespace tacho
