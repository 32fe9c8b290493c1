// The sum of two processes' numbers by gloo's collectives over its ibverbs transport:
//
//     gloo_allreduce FOLDER RANK
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

#include <gloo/allreduce_ring.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/file_store.h>
#include <gloo/transport/ibverbs/device.h>

int main(int count, char** arguments) {
  if (count != 3) {
    return 2;
  }
  const int rank = std::atoi(arguments[2]);
  auto device = gloo::transport::ibverbs::CreateDevice({"rxe0", 1, 1});
  auto context = std::make_shared<gloo::rendezvous::Context>(rank, 2);
  const auto connect = [&](auto store) {
    if constexpr (requires { context->connectFullMesh(store, device); })
      context->connectFullMesh(store, device);
    else
      context->connectFullMesh(*store, device);  // gloo of Debian 12
  };
  connect(std::make_shared<gloo::rendezvous::FileStore>(arguments[1]));

  std::vector<int> numbers(10000);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = static_cast<int>(i) * (rank + 1);
  }
  gloo::AllreduceRing<int> sum(context, {numbers.data()}, static_cast<int>(numbers.size()));
  sum.run();
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] != static_cast<int>(i) * 3) {
      std::printf("rank %d: number %zu is wrong\n", rank, i);
      return 1;
    }
  }
  std::printf("rank %d: all sums are right\n", rank);
  // Gloo's destructors do not wait for completions, and end the process where one is missing.
  std::this_thread::sleep_for(std::chrono::seconds(1));
}
