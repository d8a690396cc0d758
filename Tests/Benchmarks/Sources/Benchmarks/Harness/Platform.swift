#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Processor time of this thread in nanoseconds.
///
/// Not the wall clock: every workload runs on one thread, and other load on the machine must not
/// distort the comparison.
func threadTime() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}

/// Bytes of memory the process has resident; nil where there is no /proc to tell.
///
/// Freed memory is returned to the system first, if the C library can do that; it would otherwise
/// hide the next allocations.
func residentBytes() -> Int? {
  if let symbol = dlsym(nil, "malloc_trim") {
    _ = unsafeBitCast(symbol, to: (@convention(c) (Int) -> Int32).self)(0)
  }
  guard let file = fopen("/proc/self/statm", "r") else { return nil }
  defer { fclose(file) }
  var line = [CChar](repeating: 0, count: 128)
  guard fgets(&line, Int32(line.count), file) != nil else { return nil }
  let fields = line.map { UInt8(bitPattern: $0) }.split(separator: UInt8(ascii: " "))
  guard fields.count > 1, let pages = Int(String(decoding: fields[1], as: UTF8.self)) else {
    return nil
  }
  return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
}

/// An address in the caller's stack frame or just below it.
@inline(never)
func stackAddress() -> Int {
  var marker = 0
  return withUnsafeMutablePointer(to: &marker) { Int(bitPattern: $0) }
}

/// A text stream onto standard error.
struct StandardError: TextOutputStream {
  mutating func write(_ string: String) {
    let bytes = Array(string.utf8)
    _ = bytes.withUnsafeBytes { unistdWrite(2, $0.baseAddress, $0.count) }
  }
}

/// The C library's `write`, under a name that no stream has.
private func unistdWrite(_ file: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  write(file, bytes, count)
}

/// ``consume(_:)`` stores its argument here, so that the optimiser removes nothing.
///
/// Proof of unsafe: the benchmarks run on one thread.
nonisolated(unsafe) private var consumed = 0

/// Uses `value` in a way the optimiser cannot see through.
@inline(never)
func consume(_ value: Int) { consumed &+= value }

/// Uses `object` in a way the optimiser cannot see through.
@inline(never)
@_optimize(none)  // Proof: the attribute is the only way to keep an unused argument alive.
func consume(_ object: AnyObject) {}
