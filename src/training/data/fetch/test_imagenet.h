#pragma once

#include <matio.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/scratch_folder.h"
#include "training/data/catalog.h"
#include "training/data/fetch/meta_mat.h"
#include "training/data/fetch/test_archives.h"
#include "training/data/test_files.h"

// A release of ILSVRC2012 with three classes and the structure of the real one.
namespace tacho {

inline matvar_t* mat_number(double value) {
  std::size_t dims[2] = {1, 1};
  return ::Mat_VarCreate(nullptr, MAT_C_DOUBLE, MAT_T_DOUBLE, 2, dims, &value, 0);
}

inline matvar_t* mat_text(std::string text) {
  std::size_t dims[2] = {1, text.size()};
  return ::Mat_VarCreate(nullptr, MAT_C_CHAR, MAT_T_UTF8, 2, dims, text.data(), 0);
}

inline void put_meta_mat(const std::filesystem::path& file, const std::vector<Synset>& synsets,
                         bool with_counts = true, const char* name = "synsets") {
  std::vector<const char*> fields = {"ILSVRC2012_ID", "WNID", "words"};
  if (with_counts) fields.insert(fields.end(), {"num_children", "num_train_images"});
  std::size_t dims[2] = {synsets.size(), 1};
  matvar_t* array =
      ::Mat_VarCreateStruct(name, 2, dims, fields.data(), static_cast<unsigned>(fields.size()));
  const auto set = [array](const char* field, std::size_t i, matvar_t* value) {
    ::Mat_VarSetStructFieldByName(array, field, i, value);
  };
  for (std::size_t i = 0; i < synsets.size(); ++i) {
    set("ILSVRC2012_ID", i, mat_number(static_cast<double>(synsets[i].number)));
    set("WNID", i, mat_text(synsets[i].id));
    set("words", i, mat_text(synsets[i].words));
    if (!with_counts) continue;
    set("num_children", i, mat_number(static_cast<double>(synsets[i].children)));
    set("num_train_images", i,
        mat_number(static_cast<double>(synsets[i].train_images.value_or(0))));
  }
  mat_t* mat = ::Mat_CreateVer(file.c_str(), nullptr, MAT_FT_MAT5);
  if (mat == nullptr || ::Mat_VarWrite(mat, array, MAT_COMPRESSION_ZLIB) != 0) {
    broken_invariant("put_meta_mat");
  }
  ::Mat_Close(mat);
  ::Mat_VarFree(array);
}

inline std::string meta_mat_bytes(const std::vector<Synset>& synsets, bool with_counts = true) {
  const ScratchFolder scratch;
  put_meta_mat(scratch.path() / "meta.mat", synsets, with_counts);
  return *read_file(scratch.path() / "meta.mat");
}

struct TestImagenet {
  std::vector<Synset> synsets = {{.number = 2, .id = "n02", .words = "goldfish", .train_images = 3},
                                 {.number = 1, .id = "n03", .words = "tench", .train_images = 2},
                                 {.number = 3, .id = "n01", .words = "shark", .train_images = 2},
                                 {.number = 4, .id = "n00", .words = "fish", .children = 3}};
  std::string truth = "3\n1\n2\n3\n";
  std::map<std::string, Entries> train;  // by class
  Entries val;

  // Expands the short ids above to real ones.
  static std::string id(const std::string& number) { return "n000000" + number.substr(1); }

  TestImagenet() {
    for (Synset& synset : synsets) synset.id = id(synset.id);
    for (const Synset& synset : synsets) {
      for (std::int64_t i = 0; i < synset.train_images.value_or(0); ++i) {
        const std::string name = synset.id + "_" + std::to_string(i * 10) + ".JPEG";
        train[synset.id].emplace_back(name, jpeg(name));
      }
    }
    for (int i = 1; i <= 4; ++i) {
      const std::string name = "ILSVRC2012_val_0000000" + std::to_string(i) + ".JPEG";
      val.emplace_back(name, jpeg(name));
    }
  }

  [[nodiscard]] Entries class_archives() const {
    Entries archives;
    for (const auto& [name, images] : train) {
      archives.emplace_back(name + ".tar", archive_bytes(images, ArchiveKind::tar));
    }
    return archives;
  }

  void put_in(const std::filesystem::path& folder) const {
    put(folder / "ILSVRC2012_img_train.tar", archive_bytes(class_archives(), ArchiveKind::tar));
    put(folder / "ILSVRC2012_img_val.tar", archive_bytes(val, ArchiveKind::tar));
    const Entries devkit = {
        {"ILSVRC2012_devkit_t12/readme.txt", "read me"},
        {"ILSVRC2012_devkit_t12/data/meta.mat", meta_mat_bytes(synsets)},
        {"ILSVRC2012_devkit_t12/data/ILSVRC2012_validation_ground_truth.txt", truth}};
    put(folder / "ILSVRC2012_devkit_t12.tar.gz", archive_bytes(devkit, ArchiveKind::tar_gz));
  }

  static DatasetInfo info() {
    return {.name = "fish",
            .input = InputKind::image,
            .help = "",
            .classes = 3,
            .form = DatasetForm::image_folder,
            .packing = Packing::imagenet,
            .train_images = 7,
            .eval_images = 4,
            .needs = "three archives"};
  }
};

}  // namespace tacho
