"""What goes into a target's initrd: modules, libraries, tools and the program, as cpio archives."""

import lzma
import re
import shutil
import struct
import subprocess
from pathlib import Path

from packages import TargetError

LIBRARY_FOLDERS = ("lib/x86_64-linux-gnu", "usr/lib/x86_64-linux-gnu")
TOOL_FOLDERS = ("bin", "sbin", "usr/bin", "usr/sbin")
GUEST_LIBRARIES = "usr/lib/x86_64-linux-gnu"
LOADER = "ld-linux-x86-64.so.2"
BUILT = "arch/x86/boot/bzImage"
PROVIDERS = "usr/lib/x86_64-linux-gnu/libibverbs"
# Of these programs ask the release that they were built with, or a newer one. They come in two
# groups, each of one release.
C_LIBRARY = re.compile(r"(ld-linux-x86-64|lib(c|m|mvec|dl|pthread|rt|resolv|util|anl|nsl"
                       r"|BrokenLocale|thread_db|nss_\w+))\.so\.\d+")
COMPILER_LIBRARY = re.compile(r"lib(stdc\+\+|gcc_s|atomic|asan|ubsan|lsan|tsan)\.so\.\d+")
# Of these no other than the one that a program was built with will do, and suites lack it.
PROGRAM_LIBRARY = re.compile(r"libfmt\.so\.\d+")
# What a wire takes (init), and a link to another guest, where the kernel has it.
BESIDE = {
    "wire": ("veth?", "sch_ingress?", "sch_netem?", "cls_matchall?", "act_skbmod?", "act_mirred?"),
    "link": ("virtio_pci?", "virtio_net?"),
}
# Where a tree has what is the machine's.
OF_THE_MACHINE = "of-the-machine"


class Archive:
    """A cpio archive (newc) in memory, the same bytes for the same content."""

    def __init__(self):
        self.parts, self.names = [], set()

    def _entry(self, name, mode, data=b"", device=(0, 0)):
        inode = len(self.names) + 1
        self.names.add(name)
        fields = (inode, mode, 0, 0, 1, 0, len(data), 0, 0, *device, len(name) + 1, 0)
        head = b"070701" + b"".join(b"%08X" % field for field in fields)
        head += name.encode() + b"\0"
        self.parts += [head, b"\0" * (-len(head) % 4), data, b"\0" * (-len(data) % 4)]

    def folder(self, name):
        """A folder with those above it."""
        if name in (".", "") or name in self.names:
            return
        self.folder(str(Path(name).parent))
        self._entry(name, 0o040755)

    def link(self, name, target):
        self.folder(str(Path(name).parent))
        self._entry(name, 0o120777, target.encode())

    def device(self, name, major, minor):
        self.folder(str(Path(name).parent))
        self._entry(name, 0o020600, device=(major, minor))

    def file(self, name, data, executable=False):
        if name not in self.names:
            self.folder(str(Path(name).parent))
            self._entry(name, 0o100755 if executable else 0o100644, data)

    def finish(self):
        """The bytes, padded so that another archive may follow."""
        self._entry("TRAILER!!!", 0)
        data = b"".join(self.parts)
        return data + b"\0" * (-len(data) % 512)


def module_data(path):
    data = path.read_bytes()
    return lzma.decompress(data) if path.suffix == ".xz" else data


def module_name(path):
    return path.name.split(".ko")[0].replace("-", "_")


def is_built(tree):
    """Whether the kernel was built in this folder, and not unpacked or installed there."""
    return (tree / BUILT).exists()


def newest_change(tree):
    """When the newest of the files that images are made of was written, in nanoseconds."""
    files = [tree / BUILT] if is_built(tree) else []
    files += [path for path in tree.rglob("*.ko*") if path.suffix in (".ko", ".xz")]
    return max((path.stat().st_mtime_ns for path in files), default=0)


def module_index(tree):
    """Module name -> file, for every module of the unpacked kernel."""
    index = {}
    for folder in (".",) if is_built(tree) else ("lib/modules", "usr/lib/modules"):
        for path in (tree / folder).rglob("*.ko*"):
            if path.suffix in (".ko", ".xz"):
                index[module_name(path)] = path
    return index


def module_order(tree, names):
    """[(name, bytes)] of the modules with what they depend on, in loading order; "NAME?" is loaded
    where the kernel has it."""
    index, order = module_index(tree), {}
    builtin = {Path(line).stem.replace("-", "_")
               for file in tree.rglob("modules.builtin") for line in file.read_text().split()}

    def add(name):
        name = name.replace("-", "_")
        if name in order or name in builtin:
            return
        if name not in index:
            raise TargetError(f"the kernel package has no module {name}; mend the module list")
        data = module_data(index[name])
        found = re.search(rb"\0depends=([^\0]*)\0", data)
        for needed in filter(None, (found.group(1).decode() if found else "").split(",")):
            add(needed)
        order[name] = data

    for name in names:
        if not name.endswith("?") or name[:-1].replace("-", "_") in index:
            add(name.removesuffix("?"))
    return list(order.items())


def numbers(text):
    """Those in a text: of a release, which can then be compared."""
    return [int(number) for number in re.findall(r"\d+", text)]


def build_id(program):
    """What its linker calls a program's build, in hexadecimal; empty where it does not say."""
    # A note of an ELF file: sizes of name and content, kind, name.
    found = re.search(rb"\x04\0{3}\x14\0{3}\x03\0{3}GNU\0(.{20})", program[:4096], re.DOTALL)
    return found.group(1).hex() if found else ""


class Userspace:
    """The unpacked libraries and tools of one suite, or those of the machine, in "/"."""

    def __init__(self, tree):
        self.tree = tree.resolve()
        self.folders = [self.tree / folder for folder in (OF_THE_MACHINE, *LIBRARY_FOLDERS)]
        # That in lib64 is a link, which may lead out of the tree, to the machine's.
        loaders = [folder / LOADER for folder in self.folders]
        self.loader = next((path for path in loaders if path.exists()), None)
        if self.loader is None:
            raise TargetError("the user space has no libc6; mend the package list")

    def releases(self):
        """Of the C library, as its loader says, and of the C++ library, as its name does: [2, 36]
        and [6, 0, 30], or [] of one that is not there."""
        said = subprocess.run([self.loader, "--version"], env={"LC_ALL": "C"}, check=False,
                              capture_output=True, text=True).stdout
        names = [file.name for folder in self.folders for file in folder.glob("libstdc++.so.6.*")]
        return (numbers("".join(re.findall(r"version (\S+)", said))),
                max(map(numbers, names), default=[]))

    def program_libraries(self):
        """Those that take() always takes, each with what tells one version from another."""
        files = {file.resolve() for folder in self.folders for file in folder.glob("*.so.*")
                 if PROGRAM_LIBRARY.fullmatch(file.name)}
        return sorted([file.name, file.stat().st_size, file.stat().st_mtime_ns] for file in files)

    def take(self, machine, say=lambda text: None):
        """Has those libraries of the machine's user space come first that programs built there ask
        for and this suite lacks, or is too old for. What the suite holds runs with newer ones."""
        self._link(machine, PROGRAM_LIBRARY)
        names = zip(("C", "C++"), (C_LIBRARY, COMPILER_LIBRARY), self.releases(),
                    machine.releases())
        for name, group, own, other in names:
            if other <= own:
                continue
            say(f"of the machine, since newer than the suite's: the {name} library "
                f"{'.'.join(map(str, other))}")
            self._link(machine, group)
        self.__init__(self.tree)

    def _link(self, machine, group):
        place = self.tree / OF_THE_MACHINE
        place.mkdir(exist_ok=True)
        files = [file for folder in machine.folders for file in folder.glob("*.so.*")]
        for file in [machine.loader, *files]:
            if group.fullmatch(file.name) and not (place / file.name).exists():
                (place / file.name).symlink_to(file)

    def tool(self, name):
        for folder in TOOL_FOLDERS:
            if (self.tree / folder / name).is_file():
                return self.tree / folder / name
        raise TargetError(f"no package of the user space holds the tool {name}")

    def libraries(self, program):
        """{name: file} of the libraries that a program needs, as the suite's own loader says."""
        folders = ":".join(map(str, self.folders))
        done = subprocess.run(
            [self.loader, "--inhibit-cache", "--library-path", folders, "--list", program],
            env={"LC_ALL": "C"}, capture_output=True, text=True, check=False)
        old = re.search(r"version `([^']*)' not found", done.stdout + done.stderr)
        if old:
            raise TargetError(f"{program.name} needs {old.group(1)}, which the target's libraries "
                              "lack; build it on the target's release or an older one")
        found = {}
        for name, path in re.findall(r"^\s*(\S+) => (\S+)", done.stdout, re.MULTILINE):
            if not path.startswith(str(self.tree)):
                raise TargetError(f"{program.name} needs {name}, which no package of the target "
                                  "holds; add its package to the target's user space")
            found[name] = Path(path)
        if done.returncode != 0:
            reason = (done.stderr.strip() or "unknown reason").splitlines()[0]
            raise TargetError(f"{program}: the target's loader refuses it: {reason}")
        return found

    def add_program(self, archive, path, name, present=frozenset()):
        """Puts a program or plug-in into the archive with the libraries not yet present."""
        archive.file(name, path.read_bytes(), executable=True)
        for library, file in self.libraries(path).items():
            place = f"{GUEST_LIBRARIES}/{library}"
            if library.endswith(LOADER) or place in present or place in archive.names:
                continue
            # Under its full name too: that is where libibverbs' release can be read from.
            real = file.resolve()
            archive.file(f"{GUEST_LIBRARIES}/{real.name}", real.read_bytes(), executable=True)
            if real.name != library:
                archive.link(place, real.name)

    def add_provider(self, archive, provider):
        """The libibverbs plug-in of a device type with the file that announces it."""
        plugins = list((self.tree / PROVIDERS).glob(f"lib{provider}-rdmav*.so"))
        if not plugins:
            raise TargetError(f"ibverbs-providers has no provider {provider}")
        self.add_program(archive, plugins[0], f"{PROVIDERS}/{plugins[0].name}")
        archive.file(f"etc/libibverbs.d/{provider}.driver", f"driver {provider}\n".encode())


def kernel_image(tree):
    """(the bootable file, the kernel's release)."""
    if is_built(tree):
        release = tree / "include/config/kernel.release"
        return tree / BUILT, release.read_text(encoding="utf-8").strip()
    places = ("boot/vmlinuz-*", "lib/modules/*/vmlinuz", "usr/lib/modules/*/vmlinuz")
    images = [path for place in places for path in tree.glob(place) if path.is_file()]
    if len(images) != 1:
        raise TargetError(f"the kernel packages hold {len(images)} kernels where one is expected")
    path = images[0]
    return path, path.parent.name if path.name == "vmlinuz" else path.name.split("-", 1)[1]


def uncompressed_kernel(image):
    """The ELF file inside a bzImage, or None where its compression is not one we can undo.

    Emulated, the kernel takes seconds to unpack itself; QEMU starts the ELF file directly.
    """
    setup = struct.unpack_from("<B", image, 0x1F1)[0] or 4
    offset, length = struct.unpack_from("<II", image, 0x248)
    start = (setup + 1) * 512 + offset
    payload = image[start:start + length]
    elf = b""
    if payload.startswith(b"\xfd7zXZ\0"):
        elf = lzma.LZMADecompressor().decompress(payload)
    elif payload.startswith(b"\x28\xb5\x2f\xfd") and shutil.which("zstd"):
        # The last four bytes are the length of the result, for the kernel's own use.
        elf = subprocess.run(["zstd", "-dc"], input=payload[:-4], capture_output=True,
                             check=False).stdout
    return elf if elf.startswith(b"\x7fELF") else None


def guest_settings(target):
    """The description as shell variables, which the guest's init reads."""
    device = target["device"]
    address = device["address"].split("/")[0]
    words = [int(part) for part in address.split(".")]
    gid = "0000:0000:0000:0000:0000:ffff:%02x%02x:%02x%02x" % tuple(words)
    values = {
        "device": device["name"], "type": device["type"], "netdev": device["netdev"],
        "netdev_type": device["netdev_type"], "address": device["address"],
        "gid": gid if device["wait_for_gid"] else "", "opened_as": device.get("opened_as", ""),
    }
    return "".join(f"{name}='{value}'\n" for name, value in values.items())


def module_place(number, name):
    """Where the guest finds the module that is loaded as the number-th."""
    return f"usr/lib/modules/{number:02}-{name}.ko"


def module_archive(files, names, release):
    """Modules that take the place of the target's: a later archive's files replace an earlier's."""
    archive = Archive()
    for file in files:
        name, data = module_name(file), module_data(file)
        if name not in names:
            raise TargetError(f"{file}: the target loads no module {name}; it loads "
                              f"{', '.join(names)}")
        built_for = re.search(rb"\0vermagic=([^ \0]*)", data)
        if built_for and built_for.group(1).decode() != release:
            raise TargetError(f"{file} is built for {built_for.group(1).decode()}, the target's "
                              f"kernel is {release}; build it for that one")
        archive.file(module_place(names.index(name), name), data)
    return archive


def base_archive(target, modules, beside, userspace, init):
    """Everything but the program; `beside`: modules that are loaded at request, by the request."""
    archive = Archive()
    for name in ("dev", "proc", "sys", "tmp", "run", "root", "etc", "usr/bin", "usr/sbin"):
        archive.folder(name)
    for name in ("bin", "sbin", "lib", "lib64"):
        archive.link(name, f"usr/{name}")
    archive.device("dev/console", 5, 1)
    archive.file("init", init.read_bytes(), executable=True)
    archive.file("etc/target", guest_settings(target).encode())
    for number, (name, data) in enumerate(modules):
        archive.file(module_place(number, name), data)
    for request, those in beside.items():
        for number, (name, data) in enumerate(those):
            archive.file(f"usr/lib/modules/{request}/{number:02}-{name}.ko", data)
    archive.file(f"usr/lib64/{LOADER}", userspace.loader.read_bytes(), executable=True)
    archive.file("usr/bin/busybox", userspace.tool("busybox").read_bytes(), executable=True)
    for tool in ("rdma", "ip", "tc"):
        userspace.add_program(archive, userspace.tool(tool), f"usr/bin/{tool}")
    userspace.add_provider(archive, target["userspace"]["provider"])
    return archive


def program_archive(program, userspace, present):
    archive = Archive()
    userspace.add_program(archive, program, "usr/bin/mrproof", present)
    return archive
