#include "implementations/backends/jit/llvm/values.h"

#include <numeric>
#include <string>

namespace gdbench::backends::jit {

Values::Values(LLVMContextRef context, const std::string& name, bool rounds_pairs)
    : context_(context),
      module_(LLVMModuleCreateWithNameInContext(name.c_str(), context)),
      builder_(LLVMCreateBuilderInContext(context)),
      rounds_pairs_(rounds_pairs) {}

Values::~Values() { LLVMDisposeBuilder(builder_); }

LLVMTypeRef Values::integer(unsigned bits) { return LLVMIntTypeInContext(context_, bits); }

LLVMTypeRef Values::byte_pointer() { return LLVMPointerType(integer(8), 0); }

LLVMTypeRef Values::scalar(Scalar type) {
  switch (type) {
    case Scalar::f32:
      return LLVMFloatTypeInContext(context_);
    case Scalar::f64:
      return LLVMDoubleTypeInContext(context_);
    case Scalar::i32:
      return integer(32);
    case Scalar::i64:
      return integer(64);
    case Scalar::boolean:
      break;
  }
  return integer(1);
}
LLVMTypeRef Values::llvm_type(Type type) {
  return type.lanes == 1 ? scalar(type.scalar) : LLVMVectorType(scalar(type.scalar), static_cast<unsigned>(type.lanes));
}

LLVMValueRef Values::number(std::int64_t value) {
  return LLVMConstInt(integer(64), static_cast<std::uint64_t>(value), 1);
}

LLVMValueRef Values::constant(Scalar type, double value) {
  return is_real(type) ? LLVMConstReal(scalar(type), value)
                       : LLVMConstInt(scalar(type), static_cast<std::uint64_t>(static_cast<std::int64_t>(value)), 1);
}
LLVMValueRef Values::constant(Scalar type, const std::vector<double>& numbers) {
  std::vector<LLVMValueRef> lanes;
  for (const double value : numbers) lanes.push_back(constant(type, value));
  return lanes.size() == 1 ? lanes[0] : LLVMConstVector(lanes.data(), static_cast<unsigned>(lanes.size()));
}
LLVMValueRef Values::constant(Type type, double value) {
  return constant(type.scalar, std::vector<double>(static_cast<std::size_t>(type.lanes), value));
}

LLVMValueRef Values::call(const char* name, std::initializer_list<LLVMTypeRef> types,
                          std::initializer_list<LLVMValueRef> arguments) {
  const unsigned id = LLVMLookupIntrinsicID(name, std::char_traits<char>::length(name));
  std::vector<LLVMTypeRef> overloads(types);
  std::vector<LLVMValueRef> values(arguments);
  LLVMValueRef intrinsic = LLVMGetIntrinsicDeclaration(module_, id, overloads.data(), overloads.size());
  LLVMTypeRef type = LLVMIntrinsicGetType(context_, id, overloads.data(), overloads.size());
  return LLVMBuildCall2(builder_, type, intrinsic, values.data(), static_cast<unsigned>(values.size()), "");
}

LLVMValueRef Values::estimate(const char* instruction, Type type, LLVMValueRef value) {
  const std::string name = std::string("llvm.x86.avx512.") + instruction + ".ps." + std::to_string(32 * type.lanes);
  LLVMValueRef all = LLVMConstAllOnes(integer(type.lanes == 16 ? 16 : 8));
  return call(name.c_str(), {}, {value, LLVMGetUndef(llvm_type(type)), all});
}

LLVMValueRef Values::rounded_bits(Type type, LLVMValueRef value) {
  const Type bits{Scalar::i32, type.lanes};
  LLVMValueRef whole = LLVMBuildBitCast(builder_, value, llvm_type(bits), "");
  LLVMValueRef last =
      LLVMBuildAnd(builder_, LLVMBuildLShr(builder_, whole, constant(bits, 16), ""), constant(bits, 1), "");
  return LLVMBuildAdd(builder_, whole, LLVMBuildAdd(builder_, last, constant(bits, 0x7fff), ""), "");
}

LLVMValueRef Values::narrow(Type type, LLVMValueRef value) {
  const Type bits{Scalar::i32, type.lanes};
  LLVMValueRef upper = LLVMBuildAnd(builder_, rounded_bits(type, value), constant(bits, -0x10000), "");
  return LLVMBuildBitCast(builder_, upper, llvm_type(type), "");
}

LLVMValueRef Values::rounded_halves(Type type, LLVMValueRef a, LLVMValueRef b) {
  const auto lanes = static_cast<unsigned>(type.lanes);
  LLVMTypeRef halves = LLVMVectorType(integer(16), 2 * lanes);
  if (rounds_pairs_ && type.lanes == kLanesOfPairs) {
    return LLVMBuildBitCast(builder_, call("llvm.x86.avx512bf16.cvtne2ps2bf16.512", {}, {b, a}), halves, "");
  }
  const auto rounded = [&](LLVMValueRef value) {
    LLVMValueRef lower =
        LLVMBuildLShr(builder_, rounded_bits(type, value), constant(Type{Scalar::i32, type.lanes}, 16), "");
    return LLVMBuildTrunc(builder_, lower, LLVMVectorType(integer(16), lanes), "");
  };
  std::vector<int> all(std::size_t{2} * lanes);
  std::iota(all.begin(), all.end(), 0);
  LLVMValueRef first = rounded(a);
  return shuffle(first, rounded(b), all);
}

LLVMValueRef Values::pair_lanes(Type type, LLVMValueRef a, LLVMValueRef b) {
  if (rounds_pairs_ && type.lanes == kLanesOfPairs) {
    std::vector<int> alternating;
    for (int lane = 0; lane < type.lanes; ++lane) {
      alternating.push_back(lane);
      alternating.push_back(type.lanes + lane);
    }
    LLVMValueRef halves = rounded_halves(type, a, b);
    return LLVMBuildBitCast(builder_, shuffle(halves, halves, alternating), llvm_type({Scalar::i32, type.lanes}), "");
  }
  const Type bits{Scalar::i32, type.lanes};
  LLVMValueRef lower = LLVMBuildLShr(builder_, rounded_bits(type, a), constant(bits, 16), "");
  LLVMValueRef upper = LLVMBuildAnd(builder_, rounded_bits(type, b), constant(bits, -0x10000), "");
  return LLVMBuildOr(builder_, lower, upper, "");
}

LLVMValueRef Values::pair_neighbours(Type type, LLVMValueRef a, LLVMValueRef b) {
  return LLVMBuildBitCast(builder_, rounded_halves(type, a, b), llvm_type({Scalar::i32, type.lanes}), "");
}

// Its operands are vectors of i32, since LLVM 17 of bfloat.
LLVMValueRef Values::add_pairs(LLVMValueRef a, LLVMValueRef b, LLVMValueRef c) {
  constexpr char kName[] = "llvm.x86.avx512bf16.dpbf16ps.512";
  const unsigned id = LLVMLookupIntrinsicID(kName, sizeof kName - 1);
  LLVMTypeRef type = LLVMIntrinsicGetType(context_, id, nullptr, 0);
  LLVMTypeRef parameters[3];
  LLVMGetParamTypes(type, parameters);
  LLVMValueRef values[] = {c, LLVMBuildBitCast(builder_, a, parameters[1], ""),
                           LLVMBuildBitCast(builder_, b, parameters[2], "")};
  return LLVMBuildCall2(builder_, type, LLVMGetIntrinsicDeclaration(module_, id, nullptr, 0), values, 3, "");
}

// Intel 64 and IA-32 Architectures Software Developer's Manual, LDTILECFG: 64 bytes, of which the first is the palette,
// words from byte 16 on the tiles' bytes in a row, and bytes from byte 48 on their rows.
void Values::configure_tiles() {
  constexpr std::size_t kBytes = 64;
  constexpr std::size_t kBytesOfRows = 16;
  constexpr std::size_t kRows = 48;
  std::vector<LLVMValueRef> bytes(kBytes, LLVMConstInt(integer(8), 0, 0));
  bytes[0] = LLVMConstInt(integer(8), 1, 0);
  for (std::size_t tile = 0; tile < kTiles; ++tile) {
    bytes[kBytesOfRows + 2 * tile] = LLVMConstInt(integer(8), kTileColumns * sizeof(float), 0);
    bytes[kRows + tile] = LLVMConstInt(integer(8), kTileRows, 0);
  }
  LLVMTypeRef type = LLVMArrayType(integer(8), kBytes);
  LLVMValueRef configuration = LLVMAddGlobal(module_, type, "tiles");
  LLVMSetInitializer(configuration, LLVMConstArray(integer(8), bytes.data(), kBytes));
  LLVMSetGlobalConstant(configuration, 1);
  LLVMSetLinkage(configuration, LLVMPrivateLinkage);
  call("llvm.x86.ldtilecfg", {}, {LLVMBuildBitCast(builder_, configuration, byte_pointer(), "")});
}

LLVMValueRef Values::mask(int lanes, int active) {
  std::vector<LLVMValueRef> bits;
  for (int i = 0; i < lanes; ++i) bits.push_back(LLVMConstInt(integer(1), i < active ? 1 : 0, 0));
  return LLVMConstVector(bits.data(), static_cast<unsigned>(bits.size()));
}

LLVMValueRef Values::shuffle(LLVMValueRef a, LLVMValueRef b, const std::vector<int>& indices) {
  std::vector<LLVMValueRef> lanes;
  for (const int index : indices) lanes.push_back(LLVMConstInt(integer(32), static_cast<unsigned>(index), 0));
  LLVMValueRef picked =
      LLVMBuildShuffleVector(builder_, a, b, LLVMConstVector(lanes.data(), static_cast<unsigned>(lanes.size())), "");
  // Frozen, nothing sees through it: two shuffles and an addition would become one instruction that adds neighbours,
  // which takes longer.
  if (a != b) picked = LLVMBuildFreeze(builder_, picked, "");
  // A vector of one lane is a scalar here.
  return indices.size() == 1 ? LLVMBuildExtractElement(builder_, picked, LLVMConstInt(integer(32), 0, 0), "") : picked;
}

LLVMValueRef Values::splat(Type type, LLVMValueRef value) {
  LLVMValueRef zero = LLVMConstInt(integer(32), 0, 0);
  LLVMValueRef first = LLVMBuildInsertElement(builder_, LLVMGetUndef(llvm_type(type)), value, zero, "");
  return LLVMBuildShuffleVector(builder_, first, LLVMGetUndef(llvm_type(type)),
                                LLVMConstNull(LLVMVectorType(integer(32), static_cast<unsigned>(type.lanes))), "");
}

LLVMValueRef Values::power_of_two(Type type, LLVMValueRef a) {
  const bool single = type.scalar == Scalar::f32;
  const Type bits{single ? Scalar::i32 : Scalar::i64, type.lanes};
  LLVMValueRef sum = LLVMBuildFAdd(builder_, a, constant(type, single ? 0x1.8p23 + 127 : 0x1.8p52 + 1023), "");
  LLVMValueRef exponent = LLVMBuildBitCast(builder_, sum, llvm_type(bits), "");
  exponent = LLVMBuildShl(builder_, exponent, constant(bits, single ? 23 : 52), "");
  return LLVMBuildBitCast(builder_, exponent, llvm_type(type), "");
}

LLVMValueRef Values::convert(Type from, Type to, LLVMValueRef value) {
  LLVMTypeRef wanted = llvm_type(to);
  if (is_real(from.scalar) && is_real(to.scalar)) return LLVMBuildFPCast(builder_, value, wanted, "");
  if (is_real(to.scalar)) return LLVMBuildSIToFP(builder_, value, wanted, "");
  if (is_real(from.scalar)) return LLVMBuildFPToSI(builder_, value, wanted, "");
  return LLVMBuildIntCast2(builder_, value, wanted, 1, "");
}

AliasScopes::AliasScopes(Values& ir, const Program& program) : ir_(ir), program_(program) {
  LLVMMetadataRef domain = unique_node("arrays", nullptr);
  std::vector<LLVMMetadataRef> scopes;
  for (const Array& array : program.arrays) scopes.push_back(unique_node(array.name, domain));
  for (std::size_t i = 0; i < scopes.size(); ++i) {
    std::vector<LLVMMetadataRef> others;
    for (std::size_t j = 0; j < scopes.size(); ++j) {
      if (j != i) others.push_back(scopes[j]);
    }
    own_.push_back(list_of({scopes[i]}));
    others_.push_back(list_of(others));
  }
}

void AliasScopes::mark(LLVMValueRef access, ArrayId array) {
  LLVMSetMetadata(access, LLVMGetMDKindIDInContext(ir_.context(), "alias.scope", 11), own_[array]);
  if (program_.arrays.size() > 1) {
    LLVMSetMetadata(access, LLVMGetMDKindIDInContext(ir_.context(), "noalias", 7), others_[array]);
  }
}

LLVMValueRef AliasScopes::list_of(const std::vector<LLVMMetadataRef>& nodes) {
  return LLVMMetadataAsValue(
      ir_.context(), LLVMMDNodeInContext2(ir_.context(), const_cast<LLVMMetadataRef*>(nodes.data()), nodes.size()));
}

// A node that its name distinguishes from others.
LLVMMetadataRef AliasScopes::unique_node(const std::string& name, LLVMMetadataRef domain) {
  const std::string text = program_.name + "." + name + "." + std::to_string(unique_++);
  std::vector<LLVMMetadataRef> parts = {LLVMMDStringInContext2(ir_.context(), text.c_str(), text.size())};
  if (domain != nullptr) parts.push_back(domain);
  return LLVMMDNodeInContext2(ir_.context(), parts.data(), parts.size());
}

}  // namespace gdbench::backends::jit
