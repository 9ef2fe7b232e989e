// MLX's fused CPU kernels between processes. MLX writes their sources, and has the C++ compiler write their libraries, in
// a folder that all processes of a user share, under their final names: processes that need the same kernel at the same
// time compile half a source, or load half a library, and their evaluations fail.
#if defined(__linux__)
#include <dlfcn.h>
#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <thread>

namespace {

namespace fs = std::filesystem;

// MLX's command for a kernel: `before "source" -o "library" 2>&1`.
struct Command {
  std::string before, source, library;
};

bool parse(std::string_view text, Command& command) {
  constexpr std::string_view start = "g++ -std=c++17 -O3 -Wall -fPIC -shared ";
  constexpr std::string_view between = "\" -o \"";
  constexpr std::string_view end = "\" 2>&1";
  auto output = text.rfind(between);
  if (!text.starts_with(start) || !text.ends_with(end) || output == text.npos) {
    return false;
  }
  auto source = text.rfind('"', output - 1);
  if (source == text.npos) {
    return false;
  }
  command.before = text.substr(0, source);
  // Without its headers, as in a bundle, MLX puts the compiler's own of the day it was built before the kernel: they
  // define names of types that g++ knows by itself since its version 13.
  if (command.before.find(" -I ") == command.before.npos) {
    for (const char* name : {"_Float32", "_Float64", "_Float128", "_Float32x", "_Float64x"}) {
      command.before += std::string("-D") + name + "=mlx" + name + " ";
    }
  }
  command.source = text.substr(source + 1, output - source - 1);
  auto library = output + between.size();
  command.library = text.substr(library, text.size() - library - end.size());
  return true;
}

// Whether a source is written to its end, where the braces around the kernel close. Two writers at once leave bytes of
// zero between them.
bool is_whole(const std::string& source, const std::string& kernel) {
  return source.find(kernel) != source.npos && source.find('\0') == source.npos &&
      std::ranges::count(source, '{') == std::ranges::count(source, '}');
}

// The command for a copy of the source, when that is whole, with the library moved to its place when it is.
std::string private_command(const Command& command) {
  static std::atomic<unsigned> count{0};
  // MLX's names leave no room: with an addition they can be longer than a file's name may be.
  auto folder = fs::path(command.source).parent_path();
  auto own = (folder / ("mlx-rs." + std::to_string(getpid()) + "." + std::to_string(count++))).string();
  // Of a long kernel's name the file has the beginning only, with a hash behind it.
  auto kernel = fs::path(command.source).stem().string();
  kernel.resize(std::min(kernel.size(), kernel.rfind('_')));
  for (int tries = 0; tries < 100; ++tries) {
    std::ifstream in(command.source, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(in), {}};
    if (is_whole(text, kernel)) {
      auto copy = own + ".cpp";
      auto library = own + ".so";
      std::ofstream(copy, std::ios::binary) << text;
      return "{ " + command.before + "\"" + copy + "\" -o \"" + library + "\" && mv -f \"" + library + "\" \"" +
          command.library + "\"; status=$?; rm -f \"" + copy + "\"; exit $status; } 2>&1";
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return {};
}

} // namespace

// Stands before the C library's in lookup order, like the BLAS in blas.cpp, and is that for every other command.
extern "C" FILE* popen(const char* text, const char* mode) {
  auto* next = reinterpret_cast<FILE* (*)(const char*, const char*)>(dlsym(RTLD_NEXT, "popen"));
  Command command;
  std::string changed;
  try {
    if (parse(text, command)) {
      changed = private_command(command);
    }
  } catch (const std::exception&) {
    // MLX's own way, then.
  }
  return next(changed.empty() ? text : changed.c_str(), mode);
}
#endif
