#include "model/testing/test_files.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

namespace mrproof::model::testing {
TemporaryFolder::TemporaryFolder() {
  std::string name = (fs::temp_directory_path() / "mrproof-test-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder: " + name);
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string TemporaryFolder::write(const std::string& name, const std::string& text) const {
  std::ofstream out(path_ / name, std::ios::binary);
  out << text;
  EXPECT_TRUE(out.flush()) << name;
  return path_ / name;
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in) << path;
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string tree_file(const std::string& path) { return MRPROOF_TREE "/" + path; }

std::vector<std::string> scenario_files() {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(tree_file("model/scenarios")))
    if (entry.path().extension() == ".mrt") files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

std::string scenario_name(const std::string& path) {
  return fs::path(path)
      .lexically_relative(tree_file("model/scenarios"))
      .replace_extension()
      .string();
}

SmallFiles::SmallFiles(rlim_t bytes) {
  getrlimit(RLIMIT_FSIZE, &before_);
  const rlimit small{bytes, before_.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  handler_ = std::signal(SIGXFSZ, SIG_IGN);
}

SmallFiles::~SmallFiles() {
  setrlimit(RLIMIT_FSIZE, &before_);
  std::signal(SIGXFSZ, handler_);
}

bool is_one_line(const std::string& text) {
  return text.size() > 1 && text.find('\n') == text.size() - 1;
}

void nap() { std::this_thread::sleep_for(std::chrono::milliseconds(1)); }

}  // namespace mrproof::model::testing
