// Measures how many whole JPEGs per second libjpeg-turbo decodes on one core, and how many training
// samples ImageLoader makes of them, on one thread and on more. bench/compare_images compares it
// with torchvision.
//
//   image_bench FOLDER PASSES [THREADS…]     prints one JSON object
//   image_bench FOLDER evaluate FILE         writes every image's evaluation sample, by name
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <vector>
//
#include <jpeglib.h>

#include "base/file.h"
#include "base/random.h"
#include "training/image/image_loader.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

constexpr int kSide = 224;
constexpr std::size_t kSample = 3 * kSide * kSide;
constexpr std::size_t kBatch = 64;

void must(const Result<void>& result) {
  if (!result.ok()) broken_invariant(result.error().message);
}

std::vector<fs::path> images_in(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".jpg") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  if (files.empty()) broken_invariant("no .jpg files in " + folder.string());
  return files;
}

PixelTarget slot(std::vector<float>& batch, std::size_t index) {
  return {batch.data() + index % kBatch * kSample,
          PixelType::f32,
          PixelLayout::planar,
          3,
          kSide,
          kSide};
}

double cpu_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Decodes rows of RGB with libjpeg's defaults, from memory: the limit of decoding everything.
class WholeDecoder {
 public:
  WholeDecoder() {
    info_.err = jpeg_std_error(&errors_);
    jpeg_create_decompress(&info_);
  }
  ~WholeDecoder() { jpeg_destroy_decompress(&info_); }
  WholeDecoder(const WholeDecoder&) = delete;
  WholeDecoder& operator=(const WholeDecoder&) = delete;

  void decode(const std::string& bytes) {
    jpeg_mem_src(&info_, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
    jpeg_read_header(&info_, TRUE);
    jpeg_start_decompress(&info_);
    const std::size_t pitch = std::size_t{info_.output_width} * 3;
    pixels_.resize(pitch * info_.output_height);
    while (info_.output_scanline < info_.output_height) {
      JSAMPROW rows[4];
      for (std::size_t i = 0; i < 4; ++i) {
        const std::size_t y =
            std::min(info_.output_scanline + i, std::size_t{info_.output_height} - 1);
        rows[i] = pixels_.data() + y * pitch;
      }
      jpeg_read_scanlines(&info_, rows, info_.output_height - info_.output_scanline >= 4 ? 4 : 1);
    }
    jpeg_finish_decompress(&info_);
  }

 private:
  jpeg_error_mgr errors_{};
  jpeg_decompress_struct info_{};
  std::vector<JSAMPLE> pixels_;
};

// Makes as many passes over the images as there are threads, so that the duration is the same for
// every number of threads. Returns samples per second by the wall clock.
double pass_on_threads(const std::vector<fs::path>& files, std::uint64_t pass, int threads) {
  const std::size_t samples = files.size() * static_cast<std::size_t>(threads);
  std::atomic<std::size_t> next = 0;
  std::atomic<int> ready = 0;
  std::atomic<bool> begin = false;
  std::vector<std::jthread> workers;
  for (int i = 0; i < threads; ++i) {
    workers.emplace_back([&] {
      ImageLoader loader(kImageNetNormalisation);
      std::vector<float> batch(kBatch * kSample);
      must(loader.load(files[0], Augmentation::training(), 0, slot(batch, 0)));
      ++ready;
      begin.wait(false);
      for (std::size_t index = next++; index < samples; index = next++) {
        must(loader.load(files[index % files.size()], Augmentation::training(),
                         sample_seed(1, pass, index), slot(batch, index)));
      }
    });
  }
  while (ready < threads) std::this_thread::yield();
  const auto start = std::chrono::steady_clock::now();
  begin = true;
  begin.notify_all();
  workers.clear();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  return static_cast<double>(samples) / took.count();
}

void measure(const std::vector<fs::path>& files, int passes, const std::vector<int>& threads) {
  std::vector<std::string> contents;
  for (const auto& file : files) {
    auto bytes = read_file(file);
    if (!bytes.ok()) broken_invariant(bytes.error().message);
    contents.push_back(*std::move(bytes));
  }
  const auto count = static_cast<double>(files.size());
  WholeDecoder whole;
  ImageLoader loader(kImageNetNormalisation);
  std::vector<float> batch(kBatch * kSample);
  std::vector<double> whole_rates;
  std::vector<double> sample_rates;
  std::map<int, std::vector<double>> thread_rates;
  for (int pass = 0; pass <= passes; ++pass) {
    const double start = cpu_seconds();
    for (const auto& bytes : contents) whole.decode(bytes);
    const double middle = cpu_seconds();
    for (std::size_t i = 0; i < files.size(); ++i) {
      must(loader.load(files[i], Augmentation::training(),
                       sample_seed(1, static_cast<std::uint64_t>(pass), i), slot(batch, i)));
    }
    const double end = cpu_seconds();
    if (pass == 0) continue;  // warms up caches and buffers
    whole_rates.push_back(count / (middle - start));
    sample_rates.push_back(count / (end - middle));
    for (const int n : threads) {
      thread_rates[n].push_back(pass_on_threads(files, static_cast<std::uint64_t>(pass), n));
    }
  }
  std::string by_threads;
  for (const auto& [n, rates] : thread_rates) {
    by_threads += fmt::format("{}\"{}\": {:.1f}", by_threads.empty() ? "" : ", ", n, median(rates));
  }
  fmt::print(
      "{{\"whole_decodes_per_core_s\": {:.1f}, \"samples_per_core_s\": {:.1f}, "
      "\"samples_per_s_by_threads\": {{{}}}}}\n",
      median(whole_rates), median(sample_rates), by_threads);
}

void evaluate(const std::vector<fs::path>& files, const fs::path& out) {
  ImageLoader loader(kImageNetNormalisation);
  std::vector<float> sample(kSample);
  std::ofstream stream(out, std::ios::binary);
  for (const auto& file : files) {
    must(loader.load(file, Augmentation::evaluation(), 0, slot(sample, 0)));
    stream.write(reinterpret_cast<const char*>(sample.data()),
                 static_cast<std::streamsize>(sample.size() * sizeof(float)));
  }
  if (!stream.flush()) broken_invariant(out.string() + " cannot be written");
}

int number(std::string_view word) {
  int value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() || value < 1) {
    broken_invariant(fmt::format("'{}' is not a number above 0", word));
  }
  return value;
}

int run(const std::vector<std::string>& words) {
  if (words.size() < 2 || (words[1] == "evaluate" && words.size() != 3)) {
    fmt::print(stderr, "usage: image_bench FOLDER PASSES [THREADS…] | FOLDER evaluate FILE\n");
    return 2;
  }
  const auto files = images_in(words[0]);
  if (words[1] == "evaluate") {
    evaluate(files, words[2]);
    return 0;
  }
  std::vector<int> threads;
  for (std::size_t i = 2; i < words.size(); ++i) threads.push_back(number(words[i]));
  measure(files, number(words[1]), threads);
  return 0;
}

}  // namespace
}  // namespace tacho

int main(int argc, char** argv) {
  return tacho::run(std::vector<std::string>(argv + 1, argv + argc));
}
