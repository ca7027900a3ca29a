// Written against LLVM's C interface, which is the same from LLVM 14 to 19. None of its passes is run: code generation
// with its scheduler is all that follows.
#include "implementations/backends/jit/llvm/compiler.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Orc.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>

#include "implementations/backends/jit/llvm/emitter.h"

namespace gdbench::backends::jit {
namespace {

std::string taken(LLVMErrorRef error) {
  char* message = LLVMGetErrorMessage(error);
  std::string text = message;
  LLVMDisposeErrorMessage(message);
  return text;
}

std::string taken(char* message) {
  std::string text = message == nullptr ? "" : message;
  LLVMDisposeMessage(message);
  return text;
}

void initialise_once() {
  static const bool done = [] { return LLVMInitializeNativeTarget() == 0 && LLVMInitializeNativeAsmPrinter() == 0; }();
  static_cast<void>(done);
}

#if defined(__x86_64__)
constexpr char kLeastProcessor[] = "x86-64-v3";
constexpr char kWithoutAvx512[] = ",-avx512f";  // and all that builds on it
#else
constexpr char kLeastProcessor[] = "generic";
constexpr char kWithoutAvx512[] = "";
#endif

// Of this processor. LLVM does not know every processor by name; its features it can always tell.
LLVMTargetMachineRef make_machine(const CodeOptions& options, std::string& error) {
  char* triple = LLVMGetDefaultTargetTriple();
  char* features = LLVMGetHostCPUFeatures();
  char* name = LLVMGetHostCPUName();
  const std::string used = std::string(features) + (options.avx512 ? "" : kWithoutAvx512);
  const std::string processor = std::string(name) == "generic" ? kLeastProcessor : name;
  LLVMTargetRef target = nullptr;
  char* message = nullptr;
  LLVMTargetMachineRef machine = nullptr;
  if (LLVMGetTargetFromTriple(triple, &target, &message) != 0) {
    error = taken(message);
  } else {
    machine = LLVMCreateTargetMachine(target, triple, processor.c_str(), used.c_str(), LLVMCodeGenLevelDefault,
                                      LLVMRelocDefault, LLVMCodeModelJITDefault);
    if (machine == nullptr) error = "no code generator for " + processor;
  }
  LLVMDisposeMessage(triple);
  LLVMDisposeMessage(features);
  LLVMDisposeMessage(name);
  return machine;
}

// Empty: none.
std::string flaw_of(LLVMModuleRef module) {
  char* message = nullptr;
  const bool broken = LLVMVerifyModule(module, LLVMReturnStatusAction, &message) != 0;
  const std::string text = taken(message);  // there is one, an empty one, also where nothing is broken
  return broken ? text : "";
}

class OrcCompiled final : public Compiled {
 public:
  explicit OrcCompiled(LLVMOrcLLJITRef jit) : jit_(jit) {}
  ~OrcCompiled() override { LLVMConsumeError(LLVMOrcDisposeLLJIT(jit_)); }

 private:
  LLVMOrcLLJITRef jit_;
};

void list(LLVMModuleRef module, const CodeOptions& options, Listing& listing) {
  listing.intermediate = taken(LLVMPrintModuleToString(module));
  std::string error;
  LLVMTargetMachineRef machine = make_machine(options, error);
  if (machine == nullptr) return;
  // Code generation changes what it is given.
  LLVMModuleRef copy = LLVMCloneModule(module);
  LLVMMemoryBufferRef buffer = nullptr;
  char* message = nullptr;
  if (LLVMTargetMachineEmitToMemoryBuffer(machine, copy, LLVMAssemblyFile, &message, &buffer) == 0) {
    listing.assembly.assign(LLVMGetBufferStart(buffer), LLVMGetBufferSize(buffer));
    LLVMDisposeMemoryBuffer(buffer);
  } else {
    listing.assembly = taken(message);
  }
  LLVMDisposeModule(copy);
  LLVMDisposeTargetMachine(machine);
}

}  // namespace

std::unique_ptr<Compiled> compile(const Program& program, const CodeOptions& options, Listing* listing,
                                  std::string& error) {
  initialise_once();
  LLVMTargetMachineRef machine = make_machine(options, error);
  if (machine == nullptr) return nullptr;
  LLVMOrcLLJITBuilderRef settings = LLVMOrcCreateLLJITBuilder();
  LLVMOrcLLJITBuilderSetJITTargetMachineBuilder(settings,
                                                LLVMOrcJITTargetMachineBuilderCreateFromTargetMachine(machine));
  LLVMOrcLLJITRef jit = nullptr;
  if (LLVMErrorRef failed = LLVMOrcCreateLLJIT(&jit, settings)) {
    error = taken(failed);
    return nullptr;
  }
  auto compiled = std::make_unique<OrcCompiled>(jit);

  LLVMOrcThreadSafeContextRef owner = LLVMOrcCreateNewThreadSafeContext();
  LLVMModuleRef module = emit_module(LLVMOrcThreadSafeContextGetContext(owner), program, options);
  LLVMSetTarget(module, LLVMOrcLLJITGetTripleString(jit));
  LLVMSetDataLayout(module, LLVMOrcLLJITGetDataLayoutStr(jit));
  error = flaw_of(module);
  if (error.empty() && listing != nullptr) list(module, options, *listing);
  LLVMOrcThreadSafeModuleRef wrapped = LLVMOrcCreateNewThreadSafeModule(module, owner);
  LLVMOrcDisposeThreadSafeContext(owner);
  if (!error.empty()) {
    LLVMOrcDisposeThreadSafeModule(wrapped);
    return nullptr;
  }
  if (LLVMErrorRef failed = LLVMOrcLLJITAddLLVMIRModule(jit, LLVMOrcLLJITGetMainJITDylib(jit), wrapped)) {
    error = taken(failed);
    return nullptr;
  }
  std::uint64_t address = 0;
  if (LLVMErrorRef failed = LLVMOrcLLJITLookup(jit, &address, kEntryName)) {
    error = taken(failed);
    return nullptr;
  }
  compiled->function = reinterpret_cast<Function>(address);
  return compiled;
}

}  // namespace gdbench::backends::jit
