#include "predict/speed/own_speed.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "base/random.h"
#include "core/record/classifier_catalog.h"
#include "predict/speed/fit_own_speed.h"
#include "predict/speed/shipped.h"

namespace tacho {
namespace {

const GpuCatalog& gpus() {
  static const GpuCatalog catalog = *GpuCatalog::parse(shipped_gpus_csv());
  return catalog;
}

const OwnLayers& layers() {
  static const OwnLayers read =
      *OwnLayers::parse(shipped_own_layers_csv(), *OwnModelCosts::parse(shipped_own_models_csv()));
  return read;
}

const OwnSpeed& shipped() {
  static const OwnSpeed speed =
      *OwnSpeed::make(layers(), gpus(), *read_own_fit(shipped_own_speed()));
  return speed;
}

OwnStep step(const OwnJob& job, const std::string& gpu) {
  return *shipped().step(job, **gpus().find(gpu));
}

OwnJob job(const std::string& model, NumberFormat format, double batch) {
  return {model, OwnLayers::usual_size(model), format, batch};
}

TEST(OwnLayers, AddUpToTheDescribedModel) {
  const auto costs = *OwnModelCosts::parse(shipped_own_models_csv());
  for (const ModelInfo& model : classifier_catalog()) {
    const std::string name(model.name);
    const SampleSize size = OwnLayers::usual_size(name);
    double gmacs = 0;
    const OwnNetwork network = *layers().of(name, size);
    for (const LayerCost& layer : network.layers) {
      gmacs += layer.count * layer.gmacs;
    }
    EXPECT_NEAR(gmacs, costs.of(name, size)->gmacs, 1e-4 * gmacs) << name;
  }
}

TEST(OwnSpeed, IsCloseToTheRunsItWasFittedTo) {
  const auto runs = *read_own_runs(shipped_corpus());
  std::size_t close = 0;
  const auto examples = own_configurations(runs, gpus());
  for (const OwnExample& one : examples) {
    const OwnStep predicted = step(one.job, one.gpu);
    close += std::abs(std::log(predicted.parts.total() / one.seconds.front())) < 0.05 ? 1U : 0U;
  }
  EXPECT_GT(close, examples.size() * 9 / 10);
}

TEST(OwnSpeed, BreaksNoLawOfPhysicsOnAnyGpu) {
  Random random = Random::scattered(1);
  const auto draw = [&](std::size_t count) {
    return static_cast<std::size_t>(random.between(0, 1) * static_cast<double>(count));
  };
  constexpr std::array kFormats = {NumberFormat::fp32, NumberFormat::tf32, NumberFormat::half,
                                   NumberFormat::pure_half};
  std::map<std::pair<std::string, NumberFormat>, OwnSpeed::Curve> curves;
  for (int i = 0; i < 10'000; ++i) {
    const ModelInfo& model = classifier_catalog()[draw(classifier_catalog().size())];
    const GpuSpec& gpu = gpus().all()[draw(gpus().all().size())];
    OwnJob one = job(std::string(model.name), kFormats[draw(kFormats.size())],
                     std::round(std::exp(random.between(0, 1) * 9)));
    auto known = curves.find({one.model, one.format});
    if (known == curves.end()) {
      known = curves
                  .emplace(std::pair(one.model, one.format),
                           *shipped().curve(one.model, one.size, one.format))
                  .first;
    }
    const OwnSpeed::Curve& curve = known->second;
    const double seconds = curve.at(one.batch, gpu).parts.total();
    const std::string what = std::string(model.name) + " on " + gpu.name;
    ASSERT_GE(seconds, shortest_step(curve.network(), one.batch, one.format, gpu)) << what;
    ASSERT_LE(
        seconds,
        curve.at(one.batch + 1 + std::floor(random.between(0, 1) * one.batch), gpu).parts.total() *
            (1 + 1e-12))
        << what;
    GpuSpec better = gpu;
    for (double* rate :
         {&better.fp32_tflops, &better.tf32_tflops, &better.half_tflops, &better.memory_gb_per_s}) {
      *rate *= 1 + random.between(0, 1);
    }
    ASSERT_LE(curve.at(one.batch, better).parts.total(), seconds * (1 + 1e-12)) << what;
  }
}

TEST(OwnSpeed, ShortStepsHardlyDependOnTheGpu) {
  const OwnJob tiny = job("mlp", NumberFormat::half, 64);
  EXPECT_LT(step(tiny, "T4").parts.total(), 3 * step(tiny, "H200").parts.total());
  const OwnJob large = job("resnet50", NumberFormat::half, 128);
  EXPECT_GT(step(large, "T4").parts.total(), 8 * step(large, "H200").parts.total());
}

TEST(OwnSpeed, KnowsLessAboutNewFormatsModelsAndGpus) {
  const double known = step(job("resnet50", NumberFormat::half, 128), "H200").reach;
  EXPECT_LT(known, step(job("resnet50", NumberFormat::half, 1), "H200").reach);
  EXPECT_LT(known, step(job("resnet50", NumberFormat::fp32, 128), "H200").reach);
  EXPECT_LT(known, step(job("densenet121", NumberFormat::half, 128), "H200").reach);
  EXPECT_LT(known, step(job("resnet50", NumberFormat::half, 128), "T4").reach);
}

TEST(OwnFit, IsTheSameAfterWritingAndReading) {
  const OwnFit read = *read_own_fit(shipped_own_speed());
  EXPECT_EQ(own_fit_text(*read_own_fit(own_fit_text(read))), own_fit_text(read));
  EXPECT_FALSE(read_own_fit("{}").ok());
}

// A GPU with known rates: the fit finds them again from the times of its steps.
TEST(FitOwnSpeed, FindsTheRatesOfAMadeGpu) {
  RooflineRates truth = shipped().fit().rates;
  truth[Rate::half] *= 0.8;
  truth[Rate::elementwise] *= 1.2;
  truth[Rate::linear_launch] *= 1.5;
  std::vector<OwnExample> examples;
  for (const char* model : {"resnet18", "resnet50", "vgg16", "bert_base", "distilbert", "mlp"}) {
    for (const double batch : {8.0, 32.0, 128.0, 512.0}) {
      OwnJob one = job(model, NumberFormat::half, batch);
      const double seconds = roofline_step(*layers().of(model, one.size), batch, one.format,
                                           **gpus().find("H200"), truth)
                                 .total();
      examples.push_back({std::move(one), "H200-SXM-141GB", {seconds}});
    }
  }
  const RooflineRates found = *fit_rates(examples, layers(), gpus());
  const auto residuals = *residuals_of(examples, layers(), gpus(), found);
  for (const Residual& left : residuals) {
    EXPECT_NEAR(left.value, 0, 0.1) << left.model << " " << std::exp(left.log_batch);
  }
}

}  // namespace
}  // namespace tacho
