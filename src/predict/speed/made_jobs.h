#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "base/random.h"
#include "predict/speed/learning_set.h"
#include "predict/speed/predictor.h"

// Simulated jobs of a known law: the cost model's time, times a factor per model, software and GPU,
// with little noise.
namespace tacho::made {

inline GpuSpec gpu(const std::string& name, double speed) {
  return {.name = name,
          .architecture = "Made",
          .multiprocessors = 50 * speed,
          .fp32_tflops = 10 * speed,
          .tf32_tflops = 20 * speed,
          .half_tflops = 40 * speed,
          .memory_gb = 24,
          .memory_gb_per_s = 500 * speed,
          .nvlink_gb_per_s = 0,
          .pcie_generation = 4,
          .power_w = 300};
}

inline GpuCatalog gpus() {
  GpuCatalog catalog;
  for (int i = 0; i < 8; ++i) catalog.add(gpu("G" + std::to_string(i), 1 + 0.5 * i));
  return catalog;
}

inline ModelCosts costs() {
  return *ModelCosts::parse("model,img_size,gmacs,macts_M,params_M\nlisted,224,2,5,10\n",
                            "model,layers,width,heads,params_M,sequence,finetuned_sequence\n");
}

inline TrainingJob job(int model, int gpu_number, double batch, const std::string& framework) {
  TrainingJob out;
  out.model = "net" + std::string(1, static_cast<char>('a' + model));
  out.family = "cnn";
  out.framework = framework;
  out.precision = "amp";
  out.gpu = "G" + std::to_string(gpu_number);
  out.batch_per_gpu = batch;
  out.gmacs = 1 + model;
  out.macts_m = 3 + 2 * model;
  out.params_m = 10 + 5 * model;
  out.input_shape = "3x224x224";
  return out;
}

inline std::vector<MeasuredJob> jobs() {
  const GpuCatalog catalog = gpus();
  const ModelCosts known = costs();
  const PointMaker points(catalog, known);
  Random random(5, 1);
  std::vector<MeasuredJob> out;
  for (int model = 0; model < 8; ++model) {
    for (int number = 0; number < 8; ++number) {
      for (const double batch : {16.0, 64.0, 256.0}) {
        for (const int stack : {0, 1}) {
          const std::string framework = stack == 0 ? "PyTorch (made)" : "TensorFlow (made)";
          const TrainingJob one = job(model, number, batch, framework);
          const double factor =
              std::exp(0.2 * std::sin(3.0 * model) + 0.3 * stack + 0.05 * std::cos(2.0 * number) +
                       random.between(-0.03, 0.03));
          const double seconds = std::exp(points.of(one).log_modelled_step) * factor;
          out.push_back({one, batch / seconds, stack == 0 ? "one" : "two"});
        }
      }
    }
  }
  return out;
}

inline std::vector<TrainingExample> examples() {
  const GpuCatalog catalog = gpus();
  const ModelCosts known = costs();
  return make_examples(jobs(), PointMaker(catalog, known));
}

inline constexpr SpeedModel::Effort kEffort{
    .examples = 400, .of_a_source = 200, .cross_validation = 200, .threads = 2};

}  // namespace tacho::made
