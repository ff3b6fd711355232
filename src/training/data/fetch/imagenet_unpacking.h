#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string_view>

#include "base/result.h"
#include "training/data/fetch/archive_reader.h"
#include "training/data/fetch/devkit.h"
#include "training/data/fetch/partial_folder.h"
#include "training/data/fetch/watch.h"

namespace tacho {

struct ImagenetArchives {
  std::filesystem::path train;  // a .tar with one .tar per class
  std::filesystem::path val;    // a .tar of numbered images
};

// One attempt to fill a PartialFolder with one piece per class in train, and one piece for val.
// Every path that it writes is made of names from the devkit and checked file names.
class ImagenetUnpacking {
 public:
  ImagenetUnpacking(const ImagenetArchives& archives, const Devkit& devkit,
                    const PartialFolder& folder, const Watch& watch);

  // ErrorCode::invalid: an archive is wrong; io: disk error; failed: stopped.
  Result<void> run();

 private:
  Result<void> unpack_train();
  Result<void> unpack_class(ArchiveReader& outer, const Synset& synset);
  Result<void> unpack_val();
  // Reports progress and checks for a stop; called before each image.
  Result<void> report_progress(const ArchiveReader& archive) const;

  const ImagenetArchives& archives_;
  const Devkit& devkit_;
  const PartialFolder& folder_;
  const Watch& watch_;
  std::map<std::string_view, const Synset*> classes_;  // by id
  std::int64_t total_;                                 // size of both archives in bytes
  std::int64_t before_ = 0;  // bytes of the archives before the current one
  std::int64_t found_ = 0;   // bytes of pieces that were finished before
};

}  // namespace tacho
