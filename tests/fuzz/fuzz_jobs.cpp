// Files of jobs to predict, and the data sheet of a GPU.
#include <string>

#include "fuzz_loop.h"
#include "made_yaml.h"
#include "predict/speed/gpu_spec_file.h"
#include "predict/speed/shipped.h"
#include "predict/speed/training_job.h"

namespace tacho {
namespace {

bool read_all(const std::string& text) {
  static const GpuCatalog gpus = *GpuCatalog::parse(shipped_gpus_csv());
  bool accepted = read_gpu_spec(text, "gpu.yaml").ok();
  if (auto records = read_csv(text); records.ok()) {
    accepted = accepted || read_jobs(*records, gpus).ok();
  }
  return accepted || read_measured_jobs(text).ok() || GpuCatalog::parse(text).ok();
}

}  // namespace
}  // namespace tacho

int main(int argc, char** argv) {
  const std::string jobs =
      "model,family,framework,precision,layout,gpu,num_gpus,num_nodes,batch_per_gpu,gmacs,macts_M,"
      "params_M,input_shape,data_kind,samples_per_s,source_id\n"
      "resnet50,cnn,\"PyTorch, "
      "\"\"own\"\"\",amp,nhwc,H100,8,1,64,4.1,11.1,25.6,3x224x224,real,5,x\n"
      "bert,transformer,,,,RTX3090,,,,,,,seq128,,7,y\n";
  const std::string sheet =
      "name: X\nmultiprocessors: 10\nfp32_tflops: 3\nmemory_gb: 3\nmemory_gb_per_s: 100\n";
  const std::string gpus(tacho::shipped_gpus_csv().substr(0, 1200));
  // Many lines, many columns, one long field, and data sheets of any size.
  const auto generate = [&](tacho::Random& random) {
    const std::size_t size = tacho::fuzz_size(random, 300'000);
    const std::string line = jobs.substr(jobs.find('\n') + 1);
    switch (random.below(4)) {
      case 0:
        return jobs + tacho::repeated(line, size / line.size());
      case 1:
        return tacho::repeated("model,", size / 6) + "gpu\n" + tacho::repeated("x,", size / 2);
      case 2:
        return jobs + "\"" + tacho::repeated("\"\"", size / 2) + "\n";
      default:
        return tacho::made_yaml("name", random);
    }
  };
  return tacho::fuzz(argc, argv, {.samples = {jobs, sheet, gpus}, .generate = generate},
                     tacho::read_all);
}
