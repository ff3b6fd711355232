#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "predict/decoder/decoder_time.h"

namespace tacho {

// A published job with its speed.
struct DecoderExample {
  std::string model;
  std::string gpu;
  std::string architecture;
  double sequence = 0;
  double num_gpus = 0;
  double parameters = 0;
  DecoderWork work;
  double tokens_per_s = 0;  // per GPU
};

// llm_throughput.csv, with the shapes and GPUs that it names.
Result<std::vector<DecoderExample>> read_decoder_examples(std::string_view csv,
                                                          const DecoderCatalog& shapes,
                                                          const GpuCatalog& gpus);

// Rows of throughput.csv: fine-tuning of BERT-base on one GPU. There are no decoder models on most
// types of GPUs; these tell how well their layers run there. The software is another one.
Result<std::vector<DecoderExample>> read_encoder_examples(std::string_view throughput_csv,
                                                          const GpuCatalog& gpus);

// Rows of throughput.csv from another publication, with other software: Llama 3 in bf16, of which
// it does not say what was recomputed; here everything is. Never fitted, only predicted.
Result<std::vector<DecoderExample>> read_other_examples(std::string_view throughput_csv,
                                                        const DecoderCatalog& shapes,
                                                        const GpuCatalog& gpus);

}  // namespace tacho
