#include "predict/shipped.h"

// The assembler copies a file in; a compiler takes minutes for literals of this size.
// NOLINTBEGIN: names the assembler makes
#define TACHO_SHIPPED(name, file)                                               \
  asm(".pushsection .rodata\n.globl " #name "_begin\n.globl " #name "_end\n" #name "_begin:\n.incbin \"" TACHO_DATA "/" file  \
      "\"\n" #name "_end:\n.byte 0\n.popsection\n");                            \
  extern "C" const char name##_begin[] __attribute__((visibility("hidden")));   \
  extern "C" const char name##_end[] __attribute__((visibility("hidden")));     \
  namespace tacho {                                                             \
  std::string_view name() {                                                     \
    return {name##_begin, static_cast<std::size_t>(name##_end - name##_begin)}; \
  }                                                                             \
  }

TACHO_SHIPPED(shipped_gpus_csv, "catalog/gpus.csv")
TACHO_SHIPPED(shipped_model_features_csv, "catalog/model_features.csv")
TACHO_SHIPPED(shipped_transformers_csv, "catalog/transformers.csv")
TACHO_SHIPPED(shipped_throughput_csv, "catalog/throughput.csv")
TACHO_SHIPPED(shipped_speed_model, "model/speed.json")
// NOLINTEND
