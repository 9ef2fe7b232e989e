// Included before every source where the compiler has no <format> (g++ 12): `{}` fields only, all that mlx-c uses.
#pragma once
#include <sstream>
#include <string>
#include <string_view>

namespace std {
inline void mlxr_format_to(ostringstream& out, string_view rest) { out << rest; }

template <typename First, typename... Rest>
void mlxr_format_to(ostringstream& out, string_view text, const First& first, const Rest&... rest) {
  auto field = text.find("{}");
  out << text.substr(0, field);
  if (field != string_view::npos) {
    out << first;
    mlxr_format_to(out, text.substr(field + 2), rest...);
  }
}

template <typename... Args>
string format(string_view text, const Args&... args) {
  ostringstream out;
  mlxr_format_to(out, text, args...);
  return out.str();
}
} // namespace std
