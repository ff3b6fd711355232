#include "experiments/trials/trial_change.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "base/nearest.h"

namespace tacho {
namespace {

using Where = TrialChange::Where;

void add_processor_changes(std::vector<TrialChange>& all, int processors) {
  for (const int threads : std::set{1, std::max(1, processors / 2), processors}) {
    const std::string count = std::to_string(threads);
    all.push_back(
        {"threads-" + count,
         fmt::format("{} thread{}", count, threads == 1 ? "" : "s"),
         "threads",
         {{"OMP_NUM_THREADS", count}, {"MKL_NUM_THREADS", count}, {"OPENBLAS_NUM_THREADS", count}},
         false,
         Where::cpu});
  }
  all.push_back({"passive-wait",
                 "threads sleep while they wait",
                 "",
                 {{"OMP_WAIT_POLICY", "passive"}},
                 false,
                 Where::cpu});
  all.push_back({"bound-threads",
                 "threads stay on their processors",
                 "",
                 {{"OMP_PROC_BIND", "close"}, {"OMP_PLACES", "cores"}},
                 false,
                 Where::cpu});
  // glibc returns large blocks to the kernel at each free(), and the next ones fault again.
  all.push_back(
      {"kept-memory",
       "freed memory is kept for the next step",
       "",
       {{"MALLOC_MMAP_THRESHOLD_", "4294967296"}, {"MALLOC_TRIM_THRESHOLD_", "17179869184"}},
       false,
       Where::cpu});
  all.push_back({"huge-pages",
                 "memory in pages of 2 MiB",
                 "",
                 {{"GLIBC_TUNABLES", "glibc.malloc.hugetlb=1"}}});
}

void add_python_changes(std::vector<TrialChange>& all) {
  const auto add = [&](std::string name, std::string help, Where where = Where::anywhere,
                       std::string family = "") {
    all.push_back({std::move(name), std::move(help), std::move(family), {}, true, where});
  };
  add("channels-last", "convolutions in the channels-last layout");
  add("bf16", "forward pass in bf16 by autocast");
  add("tf32", "float32 products in TF32", Where::gpu);
  add("compile", "torch.compile", Where::anywhere, "compile");
  add("compile-reduce-overhead", "torch.compile with CUDA graphs", Where::gpu, "compile");
  add("compile-max-autotune", "torch.compile that tries kernels", Where::gpu, "compile");
  add("cudnn-benchmark", "cuDNN measures its algorithms", Where::gpu);
  add("fused-optimizer", "one kernel for the optimizer's step");
  add("set-to-none", "zero_grad() frees the gradients");
  add("loader-workers", "processes that load data");
  add("loader-prefetch", "more batches loaded ahead");
  add("pinned-memory", "copies from pinned memory that do not wait", Where::gpu);
}

}  // namespace

std::vector<TrialChange> all_changes(int processors) {
  std::vector<TrialChange> all;
  add_processor_changes(all, processors);
  add_python_changes(all);
  all.push_back({"expandable-segments",
                 "PyTorch's GPU memory in segments that grow",
                 "",
                 {{"PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True"}},
                 false,
                 Where::gpu});
  return all;
}

std::vector<TrialChange> changes_for(const ProgramFacts& program,
                                     std::vector<TrialChange> changes) {
  std::erase_if(changes, [&](const TrialChange& change) {
    if (change.where != Where::anywhere && (change.where == Where::gpu) != program.gpu) return true;
    return change.in_python && !program.pytorch;
  });
  return changes;
}

Result<std::vector<TrialChange>> named_changes(std::span<const std::string> names,
                                               const std::vector<TrialChange>& changes) {
  std::vector<TrialChange> chosen;
  for (const std::string& name : names) {
    const auto found = std::ranges::find(changes, name, &TrialChange::name);
    if (found == changes.end()) {
      std::vector<std::string_view> known;
      for (const TrialChange& change : changes) known.push_back(change.name);
      return Error{ErrorCode::usage, unknown_name("change", name, known)};
    }
    chosen.push_back(*found);
  }
  return chosen;
}

}  // namespace tacho
