// Exported functions: MLX's exporter and importer with keywords and metadata, which mlx-c leaves out, and the constants of
// what is exported, whose memory MLX writes as it lies.
#include "common.h"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <unordered_map>

#include "mlx/export.h"

namespace mlxr {
namespace {

// MLX keeps the function it exports; this one calls whichever is lent to it for the next trace.
struct Exporter {
  mlx_closure function{nullptr};
  std::vector<std::string> names;
  mx::FunctionExporter exporter;

  Exporter(const std::string& file, bool shapeless, const std::string& metadata)
      : exporter(mx::exporter(
            file,
            [this](const mx::Args& args, const mx::Kwargs& kwargs) {
              auto inputs = args;
              for (auto& name : names) {
                inputs.push_back(kwargs.at(name));
              }
              return mlx_closure_get_(function)(inputs);
            },
            shapeless,
            metadata)) {}
};

// The last arrays by their names, in the order of names: Python's way to MLX's map.
mx::Kwargs named(std::vector<array>& inputs, const std::vector<std::string>& names) {
  std::map<std::string, array> sorted;
  size_t first = inputs.size() - names.size();
  for (size_t i = 0; i < names.size(); ++i) {
    sorted.emplace(names[i], inputs[first + i]);
  }
  inputs.erase(inputs.begin() + first, inputs.end());
  return mx::Kwargs(sorted.begin(), sorted.end());
}

std::vector<std::string> texts_of(const char* const* names, size_t count) {
  return std::vector<std::string>(names, names + count);
}

// Visits what a graph below `outputs` consists of, but for `inputs`: nodes to be computed, and leaves.
template <typename Node, typename Leaf>
void visit(const std::vector<array>& inputs, const std::vector<array>& outputs, Node node, Leaf leaf) {
  std::unordered_set<std::uintptr_t> seen;
  for (auto& input : inputs) {
    seen.insert(input.id());
  }
  std::vector<array> open = outputs;
  while (!open.empty()) {
    array a = std::move(open.back());
    open.pop_back();
    if (!seen.insert(a.id()).second) {
      continue;
    }
    if (!a.has_primitive()) {
      leaf(a);
      continue;
    }
    node(a);
    for (auto& input : a.inputs()) {
      open.push_back(input);
    }
    for (auto& sibling : a.siblings()) {
      open.push_back(sibling);
    }
  }
}

} // namespace
} // namespace mlxr

using namespace mlxr;

extern "C" {

int mlxr_exporter_new(mlxr_exporter* exporter, const char* file, bool shapeless, const char* metadata, size_t length) {
  return guarded([&] { exporter->ctx = new Exporter(file, shapeless, std::string(metadata, length)); });
}

void mlxr_exporter_free(mlxr_exporter exporter) {
  delete static_cast<Exporter*>(exporter.ctx);
}

int mlxr_exporter_apply(
    mlxr_exporter exporter,
    mlx_closure function,
    const mlx_array* inputs,
    size_t count,
    const char* const* names,
    size_t name_count) {
  return guarded([&] {
    auto& self = *static_cast<Exporter*>(exporter.ctx);
    self.function = function;
    self.names = texts_of(names, name_count);
    auto args = arrays_of(inputs, count);
    auto kwargs = named(args, self.names);
    self.exporter(args, kwargs);
  });
}

int mlxr_export_constants(
    mlx_vector_array* constants,
    const mlx_array* inputs,
    size_t count,
    const mlx_array* outputs,
    size_t output_count) {
  return guarded([&] {
    std::vector<array> found;
    visit(
        arrays_of(inputs, count),
        arrays_of(outputs, output_count),
        [&](array& node) {
          if (std::string("Load") == node.primitive().name()) {
            found.push_back(node);
          }
        },
        [&](array& leaf) {
          if (leaf.status() == array::Status::unscheduled) {
            throw std::invalid_argument(
                "[export_function] The function uses a placeholder of another transformation, which has no values.");
          }
          found.push_back(leaf);
        });
    mlx_vector_array_set_(*constants, std::move(found));
  });
}

int mlxr_export_replace(
    mlx_vector_array* replaced,
    const mlx_array* inputs,
    size_t count,
    const mlx_array* outputs,
    size_t output_count,
    const mlx_array* from,
    size_t from_count,
    const mlx_array* to,
    size_t to_count) {
  return guarded([&] {
    std::unordered_map<std::uintptr_t, array> others;
    for (size_t i = 0; i < std::min(from_count, to_count); ++i) {
      others.emplace(mlx_array_get_(from[i]).id(), mlx_array_get_(to[i]));
    }
    auto replace = [&](std::vector<array>& arrays) {
      for (auto& a : arrays) {
        if (auto other = others.find(a.id()); other != others.end()) {
          a = other->second;
        }
      }
    };
    auto results = arrays_of(outputs, output_count);
    visit(arrays_of(inputs, count), results, [&](array& node) { replace(node.inputs()); }, [](array&) {});
    replace(results);
    mlx_vector_array_set_(*replaced, std::move(results));
  });
}

int mlxr_imported_new(mlxr_imported* imported, const char* file) {
  return guarded([&] { imported->ctx = new mx::ImportedFunction(mx::import_function(file)); });
}

void mlxr_imported_free(mlxr_imported imported) {
  delete static_cast<mx::ImportedFunction*>(imported.ctx);
}

int mlxr_imported_apply(
    mlx_vector_array* outputs,
    mlxr_imported imported,
    const mlx_array* inputs,
    size_t count,
    const char* const* names,
    size_t name_count) {
  return guarded([&] {
    auto args = arrays_of(inputs, count);
    auto kwargs = named(args, texts_of(names, name_count));
    auto& function = *static_cast<const mx::ImportedFunction*>(imported.ctx);
    mlx_vector_array_set_(*outputs, function(args, kwargs));
  });
}

} // extern "C"
