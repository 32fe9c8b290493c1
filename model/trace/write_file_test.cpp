// Files are written whole or not at all.
#include "model/trace/write_file.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <iterator>
#include <thread>

#include "model/testing/test_files.hpp"
#include "model/trace/tool_error.hpp"

namespace mrproof::model {
namespace {

using ::testing::HasSubstr;
using testing::read_file;
using testing::SmallFiles;
using testing::TemporaryFolder;
namespace fs = testing::fs;

std::string error_of(void (*write)(const std::string&, const std::string&), const std::string& path,
    const std::string& text) {
  try {
    write(path, text);
  } catch (const ToolError& error) {
    return error.what();
  }
  return "";
}

std::ptrdiff_t files_in(const TemporaryFolder& folder) {
  return std::distance(fs::directory_iterator(folder.file("")), {});
}

TEST(WriteWholeFile, WritesNewFilesAndReplacesOldOnesWithTheirMode) {
  const TemporaryFolder folder;
  const auto file = folder.file("page");
  write_whole_file(file, "one\n");
  EXPECT_EQ(read_file(file), "one\n");
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
  write_whole_file(file, "2\n");
  EXPECT_EQ(read_file(file), "2\n");
  EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(files_in(folder), 1);
}

TEST(WriteWholeFile, LeavesTheOldFileWhereTheDiskIsFull) {
  const TemporaryFolder folder;
  const auto file = folder.write("page", "old\n");
  std::string error;
  {
    const SmallFiles limit(4096);
    error = error_of(write_whole_file, file, std::string(10000, 'x'));
  }
  EXPECT_THAT(error, HasSubstr(file + ": cannot be written: File too large; "));
  EXPECT_EQ(read_file(file), "old\n");
  EXPECT_EQ(files_in(folder), 1);
}

TEST(WriteWholeFile, WritesThroughWhatIsNoRegularFile) {
  const TemporaryFolder folder;
  const auto file = folder.write("page", "old\n");
  fs::create_symlink("page", folder.file("link"));
  write_whole_file(folder.file("link"), "new\n");
  EXPECT_TRUE(fs::is_symlink(folder.file("link")));
  EXPECT_EQ(read_file(file), "new\n");

  const auto pipe = folder.file("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::string arrived;
  std::thread reader([&] { arrived = read_file(pipe); });
  write_whole_file(pipe, "through\n");
  reader.join();
  EXPECT_EQ(arrived, "through\n");
  EXPECT_TRUE(fs::is_fifo(pipe));
  EXPECT_THAT(error_of(write_whole_file, "/dev/full", "x"), HasSubstr("No space left"));
}

TEST(WriteWholeFile, TakesNamesThatAreAsLongAsNamesGet) {
  const TemporaryFolder folder;
  const auto file = folder.file(std::string(255, 'n'));
  write_whole_file(file, "x");
  EXPECT_EQ(read_file(file), "x");
}

TEST(CheckWritable, TellsBeforehandWhatWritingWould) {
  const TemporaryFolder folder;
  const auto file = folder.write("page", "old\n");
  for (const auto& path : {folder.file("none/page"), folder.file(""), file + "/page", std::string(),
           folder.file(std::string(256, 'n'))}) {
    std::string beforehand;
    try {
      check_writable(path);
    } catch (const ToolError& error) {
      beforehand = error.what();
    }
    EXPECT_THAT(beforehand, HasSubstr(path + ": cannot be written: "));
    EXPECT_EQ(beforehand, error_of(write_whole_file, path, "x"));
  }
  for (const auto& path : {file, folder.file("new"), std::string("/dev/null")})
    EXPECT_NO_THROW(check_writable(path)) << path;
  EXPECT_EQ(files_in(folder), 1);
}

TEST(MakeEmptyFolder, RefusesWhatIsNoEmptyFolder) {
  const TemporaryFolder folder;
  EXPECT_NO_THROW(make_empty_folder(folder.file("a/b")));
  EXPECT_NO_THROW(make_empty_folder(folder.file("a/b")));
  EXPECT_THROW(make_empty_folder(folder.file("a")), ToolError);
  EXPECT_THROW(make_empty_folder(folder.write("page", "") + "/b"), ToolError);
  EXPECT_THROW(make_empty_folder(folder.file("page")), ToolError);
}

}  // namespace
}  // namespace mrproof::model
