// What every backend's half of the interface begins with: calls that know how to delete themselves, buffers that are
// addresses, and errors as a status and a line.
#pragma once

#include <cstddef>
#include <exception>
#include <new>
#include <string>

#include "implementations/backends/common/backend.h"
#include "implementations/common/failure.h"

namespace gdbench::backends {

// A backend's calls derive from this and add shapes and attributes as the run function needs them. Any of them may be a
// region's, so that what unbinds them need not know.
struct OwnedCall : RegionCall {
  void (*destroy)(OwnedCall* call) = nullptr;
};

inline void unbind(Context* /*context*/, Call* call) {
  auto* owned = static_cast<OwnedCall*>(call);
  owned->destroy(owned);
}

// A buffer is the data's own address: the host's on a CPU, else the device's.
template <class Element>
Element* data(Buffer buffer) {
  return reinterpret_cast<Element*>(buffer);
}

inline Buffer slice(Buffer buffer, std::size_t offset) {
  return reinterpret_cast<Buffer>(data<std::byte>(buffer) + offset);
}

inline gdbench_status report(const ContextSettings& settings, gdbench_status status, const std::string& message) {
  if (settings.error != nullptr) settings.error(settings.error_context, message.c_str());
  return status;
}

// Runs `make`, which reports by itself what the backend `name` does not have.
template <class Make>
gdbench_status guarded(const ContextSettings& settings, const char* name, const Make& make) {
  try {
    return make();
  } catch (const implementations::Failure& failure) {
    return report(settings, failure.status(), std::string(name) + ": " + failure.what());
  } catch (const std::bad_alloc&) {
    return report(settings, GDBENCH_OUT_OF_MEMORY, "no memory");
  } catch (const std::exception& exception) {
    return report(settings, GDBENCH_FAILED, std::string(name) + ": " + exception.what());
  }
}

// Why a backend of these dtypes (GDBENCH_BIT masks) and flags refuses a request whose shapes are consistent; empty
// where it may take it.
inline std::string reason_unsupported(const Request& request, std::uint32_t dtypes, std::uint32_t flags) {
  if ((dtypes & catalogue::bit_of(request.dtype)) == 0)
    return std::string(name_of(request.dtype)) + " is not supported";
  const auto lacks = [&](BackendFlag flag) { return (flags & flag) == 0; };
  for (std::size_t i = 0; i < request.operand_count; ++i) {
    const Layout layout = request.operands[i].layout;
    const bool sparse = layout == Layout::sparse_csr && request.op == Op::product && i == 0 && !lacks(kSparse);
    if (layout != Layout::row_major && !sparse) return "only row-major operands are supported";
  }
  if (request.moves_as_matrix && !lacks(kDevice)) return "updates of matrices are not supported";
  if (request.op != Op::product) return {};
  if (request.epilogue_bias && !request.epilogue_update && lacks(kEpilogueBias))
    return "products with a bias are not supported";
  if (request.epilogue_activation != Activation::identity && lacks(kEpilogueActivation))
    return "products with an activation are not supported";
  if (request.epilogue_update && lacks(kEpilogueLayerUpdate)) {
    const bool plain =
        catalogue::kind_of(*request.optimizer) == OptimizerKind::sgd && request.optimizer->weight_decay == 0;
    if (lacks(kEpilogueUpdate) || !plain || request.epilogue_bias) return "products with this update are not supported";
  }
  const bool gradient = request.epilogue_activation_gradient || request.epilogue_loss_gradient;
  if (gradient && lacks(kEpilogueGradients)) return "products with a gradient are not supported";
  return {};
}

}  // namespace gdbench::backends
