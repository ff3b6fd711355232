// Compares the offsets used to read CUPTI's records with CUPTI's header, on machines that have it.
// Compiling it is the test; when run, it prints the release it was compiled against.
#include <cupti.h>

#include <cstddef>
#include <cstdio>

#include "tracing/inject/activity_layout.h"
#include "tracing/inject/cupti_api.h"

// clang-format off
#define TACHO_SAME(layout, ours, record, theirs) \
  static_assert(tacho::layout::ours == offsetof(record, theirs), #record "::" #theirs)

#define TACHO_SAME_KERNEL(record)                                          \
  TACHO_SAME(KernelLayout, registers, record, registersPerThread);         \
  TACHO_SAME(KernelLayout, start, record, start);                          \
  TACHO_SAME(KernelLayout, end, record, end);                              \
  TACHO_SAME(KernelLayout, device, record, deviceId);                      \
  TACHO_SAME(KernelLayout, stream, record, streamId);                      \
  TACHO_SAME(KernelLayout, grid, record, gridX);                           \
  TACHO_SAME(KernelLayout, grid + 8, record, gridZ);                       \
  TACHO_SAME(KernelLayout, block, record, blockX);                         \
  TACHO_SAME(KernelLayout, block + 8, record, blockZ);                     \
  TACHO_SAME(KernelLayout, static_shared, record, staticSharedMemory);     \
  TACHO_SAME(KernelLayout, dynamic_shared, record, dynamicSharedMemory);   \
  TACHO_SAME(KernelLayout, correlation, record, correlationId);            \
  TACHO_SAME(KernelLayout, name, record, name);                            \
  TACHO_SAME(KernelLayout, graph_node, record, graphNodeId)

#define TACHO_SAME_COPY_BEGIN(record)                     \
  TACHO_SAME(CopyLayout, copy_kind, record, copyKind);    \
  TACHO_SAME(CopyLayout, source_kind, record, srcKind);   \
  TACHO_SAME(CopyLayout, target_kind, record, dstKind);   \
  TACHO_SAME(CopyLayout, bytes, record, bytes);           \
  TACHO_SAME(CopyLayout, start, record, start);           \
  TACHO_SAME(CopyLayout, end, record, end);               \
  TACHO_SAME(CopyLayout, device, record, deviceId);       \
  TACHO_SAME(CopyLayout, stream, record, streamId)

#define TACHO_SAME_COPY(record)                              \
  TACHO_SAME_COPY_BEGIN(record);                             \
  TACHO_SAME(CopyLayout, correlation, record, correlationId); \
  TACHO_SAME(CopyLayout, graph_node, record, graphNodeId)

// clang-format on

TACHO_SAME_KERNEL(CUpti_ActivityKernel9);
TACHO_SAME_COPY(CUpti_ActivityMemcpy5);
#if CUPTI_API_VERSION >= 26
TACHO_SAME_COPY(CUpti_ActivityMemcpy6);
#endif
#if CUPTI_API_VERSION >= 130000
TACHO_SAME_KERNEL(CUpti_ActivityKernel10);
#endif
#if CUPTI_API_VERSION >= 130100
TACHO_SAME_KERNEL(CUpti_ActivityKernel11);
#endif
#if CUPTI_API_VERSION >= 130300
TACHO_SAME_KERNEL(CUpti_ActivityKernel12);
#endif

TACHO_SAME_COPY_BEGIN(CUpti_ActivityMemcpyPtoP4);
TACHO_SAME(PeerCopyLayout, correlation, CUpti_ActivityMemcpyPtoP4, correlationId);
TACHO_SAME(PeerCopyLayout, graph_node, CUpti_ActivityMemcpyPtoP4, graphNodeId);

TACHO_SAME(SetLayout, bytes, CUpti_ActivityMemset4, bytes);
TACHO_SAME(SetLayout, start, CUpti_ActivityMemset4, start);
TACHO_SAME(SetLayout, end, CUpti_ActivityMemset4, end);
TACHO_SAME(SetLayout, device, CUpti_ActivityMemset4, deviceId);
TACHO_SAME(SetLayout, stream, CUpti_ActivityMemset4, streamId);
TACHO_SAME(SetLayout, correlation, CUpti_ActivityMemset4, correlationId);

TACHO_SAME(CallLayout, callback, CUpti_ActivityAPI, cbid);
TACHO_SAME(CallLayout, start, CUpti_ActivityAPI, start);
TACHO_SAME(CallLayout, end, CUpti_ActivityAPI, end);
TACHO_SAME(CallLayout, thread, CUpti_ActivityAPI, threadId);
TACHO_SAME(CallLayout, correlation, CUpti_ActivityAPI, correlationId);

TACHO_SAME(MarkerLayout, flags, CUpti_ActivityMarker2, flags);
TACHO_SAME(MarkerLayout, timestamp, CUpti_ActivityMarker2, timestamp);
TACHO_SAME(MarkerLayout, id, CUpti_ActivityMarker2, id);
TACHO_SAME(MarkerLayout, object_kind, CUpti_ActivityMarker2, objectKind);
TACHO_SAME(MarkerLayout, thread, CUpti_ActivityMarker2, objectId.pt.threadId);
TACHO_SAME(MarkerLayout, name, CUpti_ActivityMarker2, name);
TACHO_SAME(MarkerLayout, domain, CUpti_ActivityMarker2, domain);

#define TACHO_SAME_NUMBER(ours, theirs) \
  static_assert(static_cast<long>(ours) == static_cast<long>(theirs), #theirs)
using tacho::ActivityKind;
TACHO_SAME_NUMBER(ActivityKind::copy, CUPTI_ACTIVITY_KIND_MEMCPY);
TACHO_SAME_NUMBER(ActivityKind::set, CUPTI_ACTIVITY_KIND_MEMSET);
TACHO_SAME_NUMBER(ActivityKind::kernel, CUPTI_ACTIVITY_KIND_KERNEL);
TACHO_SAME_NUMBER(ActivityKind::driver_call, CUPTI_ACTIVITY_KIND_DRIVER);
TACHO_SAME_NUMBER(ActivityKind::runtime_call, CUPTI_ACTIVITY_KIND_RUNTIME);
TACHO_SAME_NUMBER(ActivityKind::concurrent_kernel, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
TACHO_SAME_NUMBER(ActivityKind::marker, CUPTI_ACTIVITY_KIND_MARKER);
TACHO_SAME_NUMBER(ActivityKind::peer_copy, CUPTI_ACTIVITY_KIND_MEMCPY2);
TACHO_SAME_NUMBER(tacho::CallDomain::driver, CUPTI_CB_DOMAIN_DRIVER_API);
TACHO_SAME_NUMBER(tacho::CallDomain::runtime, CUPTI_CB_DOMAIN_RUNTIME_API);
TACHO_SAME_NUMBER(tacho::kFlushForced, CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
TACHO_SAME_NUMBER(tacho::kSystemThreadIds, CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);
TACHO_SAME_NUMBER(tacho::kAttributeZeroedBuffers, CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER);
TACHO_SAME_NUMBER(tacho::kCuptiNotCompatible, CUPTI_ERROR_NOT_COMPATIBLE);
TACHO_SAME_NUMBER(tacho::kCuptiInsufficientPrivileges, CUPTI_ERROR_INSUFFICIENT_PRIVILEGES);
TACHO_SAME_NUMBER(tacho::kCuptiOldProfilerActive, CUPTI_ERROR_OLD_PROFILER_API_INITIALIZED);
TACHO_SAME_NUMBER(tacho::kCuptiMultipleSubscribers, CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
TACHO_SAME_NUMBER(tacho::kCuptiVirtualDeviceInsufficientPrivileges,
                  CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES);

int main() { std::printf("layouts as in the header of CUPTI %d\n", CUPTI_API_VERSION); }
