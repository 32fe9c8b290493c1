// Takes libibverbs where it is there, and its functions by their versions:  loader LIBRARY
#define _GNU_SOURCE
#include <dlfcn.h>
#include <infiniband/verbs.h>
#include <stdio.h>
#include <stdlib.h>

int main(int count, char** arguments) {
  void* library = count == 2 ? dlopen(arguments[1], RTLD_NOW) : NULL;
  if (!library) return 1;
  typeof(ibv_open_device)* open = dlvsym(library, "ibv_open_device", "IBVERBS_1.1");
  typeof(ibv_alloc_pd)* alloc = dlvsym(library, "ibv_alloc_pd", "IBVERBS_1.1");
  typeof(ibv_dealloc_pd)* dealloc = dlvsym(library, "ibv_dealloc_pd", "IBVERBS_1.1");
  if (!open || !alloc || !dealloc || dlvsym(library, "ibv_alloc_pd", "IBVERBS_9.9")) return 2;
  void* next = dlvsym(RTLD_NEXT, "free", "GLIBC_2.2.5");
  void* usual = dlvsym(RTLD_DEFAULT, "free", "GLIBC_2.2.5");
  printf("%d %d\n", dealloc(alloc(open(NULL))), next == usual);
  return 0;
}
