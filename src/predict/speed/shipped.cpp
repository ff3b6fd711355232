#include "predict/speed/shipped.h"

// Uses the assembler, because a compiler takes minutes for literals of this size.
// NOLINTBEGIN: names the assembler makes
#define TACHO_SHIPPED(name, file)                                                  \
  asm(".pushsection .rodata\n.globl " #name "_begin\n.globl " #name "_end\n" #name \
      "_begin:\n.incbin \"" file "\"\n" #name "_end:\n.byte 0\n.popsection\n");    \
  extern "C" const char name##_begin[] __attribute__((visibility("hidden")));      \
  extern "C" const char name##_end[] __attribute__((visibility("hidden")));        \
  namespace tacho {                                                                \
  std::string_view name() {                                                        \
    return {name##_begin, static_cast<std::size_t>(name##_end - name##_begin)};    \
  }                                                                                \
  }

TACHO_SHIPPED(shipped_gpus_csv, TACHO_DATA "/catalog/gpus.csv")
TACHO_SHIPPED(shipped_model_features_csv, TACHO_DATA "/catalog/model_features.csv")
TACHO_SHIPPED(shipped_transformers_csv, TACHO_DATA "/catalog/transformers.csv")
TACHO_SHIPPED(shipped_other_models_csv, TACHO_DATA "/catalog/other_models.csv")
TACHO_SHIPPED(shipped_own_models_csv, TACHO_DATA "/catalog/own_models.csv")
TACHO_SHIPPED(shipped_model_families_csv, TACHO_DATA "/catalog/model_families.csv")
TACHO_SHIPPED(shipped_covariance_json, TACHO_DATA "/model/covariance.json")
TACHO_SHIPPED(shipped_own_layers_csv, TACHO_DATA "/catalog/own_layers.csv")
TACHO_SHIPPED(shipped_corpus, TACHO_CORPUS)
TACHO_SHIPPED(shipped_trainings, TACHO_DATA "/corpus/training.csv")
TACHO_SHIPPED(shipped_throughput_csv, TACHO_DATA "/catalog/throughput.csv")
TACHO_SHIPPED(shipped_own_speed, TACHO_DATA "/model/own_speed.json")
TACHO_SHIPPED(shipped_cpu_speed, TACHO_DATA "/model/cpu_speed.json")
TACHO_SHIPPED(shipped_cpus_csv, TACHO_DATA "/catalog/cpus.csv")
TACHO_SHIPPED(shipped_speed_model, TACHO_DATA "/model/speed.json")
// NOLINTEND
