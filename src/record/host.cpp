#include "record/host.h"

namespace tacho {

Json to_json(const Host& host) {
  return {{"name", host.name},
          {"system", host.system},
          {"kernel", host.kernel},
          {"architecture", host.architecture},
          {"cpu", host.cpu},
          {"cpu_mhz", host.cpu_mhz},
          {"cores", host.cores},
          {"memory_bytes", host.memory_bytes},
          {"gpu", host.gpu},
          {"gpu_driver", host.gpu_driver},
          {"environment", host.environment},
          {"image_digest", host.image_digest}};
}

Result<Host> host_from_json(const Json& json) {
  Host host;
  JsonObject object(json, "host");
  object.read("name", host.name);
  object.read("system", host.system);
  object.read("kernel", host.kernel);
  object.read("architecture", host.architecture);
  object.read("cpu", host.cpu);
  object.read("cpu_mhz", host.cpu_mhz);
  object.read("cores", host.cores);
  object.read("memory_bytes", host.memory_bytes);
  object.read("gpu", host.gpu);
  object.read("gpu_driver", host.gpu_driver);
  object.read("environment", host.environment);
  object.read("image_digest", host.image_digest);
  TACHO_CHECK(object.finish());
  return host;
}

}  // namespace tacho
