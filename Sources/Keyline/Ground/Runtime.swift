import KeylineCore

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// What the library uses of the runtime and of the C library that their interfaces do not declare:
/// functions by symbol, and how key paths and classes are laid out.
///
/// Each has a fallback, for a platform that lacks it. With `-DKEYLINE_PORTABLE` the library consists
/// of the fallbacks: `Tests/Client` is built and run so, too.
enum Runtime {
  /// Whether it is used at all.
  private static var isAvailable: Bool {
    #if KEYLINE_PORTABLE
      return false
    #else
      return true
    #endif
  }

  // MARK: Functions

  /// Where it is called, innermost frame first: the text of the C library. Fallback: empty.
  static func callStack() -> [String] {
    typealias Backtrace =
      @convention(c) (UnsafeMutablePointer<UnsafeMutableRawPointer?>, Int32) -> Int32
    typealias Symbols =
      @convention(c) (UnsafePointer<UnsafeMutableRawPointer?>, Int32) ->
      UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    guard let backtrace = loadedFunction("backtrace"),
      let symbols = loadedFunction("backtrace_symbols")
    else { return [] }
    var frames = [UnsafeMutableRawPointer?](repeating: nil, count: 64)
    // Proof of unsafeBitCast: these are the types that the manual of either function states.
    let count = unsafeBitCast(backtrace, to: Backtrace.self)(&frames, 64)
    guard let lines = unsafeBitCast(symbols, to: Symbols.self)(frames, count) else { return [] }
    defer { free(lines) }
    return (0..<Int(count)).compactMap { lines[$0].map { String(cString: $0) } }
  }

  /// Retains an object and returns it; nil if it is dying, or dead while its memory is kept.
  typealias RetainUnlessDying = @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer?

  /// The runtime's own. Fallback: nil, also where an object may be another language's; `weak` is
  /// used then.
  static let retainUnlessDying: RetainUnlessDying? = {
    #if canImport(ObjectiveC)
      return nil
    #else
      // Proof of unsafeBitCast: the runtime declares it so.
      return loadedFunction("swift_tryRetain").map { unsafeBitCast($0, to: RetainUnlessDying.self) }
    #endif
  }()

  /// Looks a function up by name, in the program and what it has loaded: some libraries lack it,
  /// others do not expose it to Swift, and a program that contains the runtime may not export it.
  private static func loadedFunction(_ name: String) -> UnsafeMutableRawPointer? {
    #if canImport(WinSDK)
      return nil
    #else
      return isAvailable ? dlsym(dlopen(nil, RTLD_NOW), name) : nil
    #endif
  }

  // MARK: Fields

  /// How many fields objects of `type` have, with those of superclasses.
  static func fieldCount(of type: AnyClass) -> Int {
    #if KEYLINE_PORTABLE
      return 0
    #else
      return reflectedCount(type)
    #endif
  }

  /// Calls `body` with every field in objects of `type`, its offset in them, its name, and whether
  /// it is strong, until that returns true. Fallback: there are none, as in a module that is built with
  /// `-disable-reflection-metadata`.
  static func forEachField(
    of type: AnyClass, from first: Int = 0,
    _ body: (Any.Type, Int, UnsafePointer<CChar>, _ isStrong: Bool) -> Bool
  ) {
    #if !KEYLINE_PORTABLE
      for index in first..<max(first, fieldCount(of: type)) {
        var field = FieldMetadata()
        let storage = reflectedType(type, index: index, metadata: &field)
        defer { field.release?(field.name) }
        if let label = field.name,
          body(storage, reflectedOffset(type, index: index), label, field.isStrong)
        {
          return
        }
      }
    #endif
  }

  // MARK: Layout

  /// What the runtime distinguishes computed components of key paths by; nil for anything but a key
  /// path to one property that has accessors.
  ///
  /// It is that of the declaration: the same for `\Subclass.name` as for `\Class.name`, another one
  /// for an override. Key paths of two roots are never equal, and this is how an inherited property
  /// is known. Fallback: nil; key paths are then compared by `==`.
  ///
  /// - Parameter isSingle: whether the path is known to have one component.
  static func declaration(of keyPath: AnyKeyPath, isSingle: Bool = false) -> UInt? {
    guard isAvailable, MemoryLayout<Int>.size == 8 else { return nil }
    // Proof of unsafeBitCast: a key path is a native object. After its header of two words come the
    // pointer to a name, the size of what follows, the header of the first component, and, for one
    // with accessors, its identity and its getter. A test pins this.
    let words = unsafeBitCast(keyPath, to: UnsafePointer<UInt>.self)
    let size = words[3] & 0xFF_FFFF
    let component = words[4] & 0xFFFF_FFFF
    // Of the kind "computed", identified by an address that is known, without setter or with one.
    guard component & 0x7F30_000F == 0x0200_0000, isSingle || size == 0x18 || size == 0x20 else {
      return nil
    }
    return words[5]
  }

  /// Whether objects of `type` read the property of `keyPath`, which starts from a superclass, as
  /// that superclass does: false if they override it, or if that cannot be determined.
  ///
  /// The identity of an overridable property is its getter's method descriptor: 32 bits of flags,
  /// and the relative address of the getter. That stands in the method table of the class, at the
  /// place where subclasses have theirs. Fallback: false; the property is observed as a computed one
  /// is.
  static func isInherited(_ keyPath: AnyKeyPath, by type: AnyClass) -> Bool {
    #if canImport(ObjectiveC)
      return false
    #else
      guard let declaration = declaration(of: keyPath),
        let method = UnsafeRawPointer(bitPattern: declaration),
        let root = Swift.type(of: keyPath).rootType as? AnyClass
      else { return false }
      // Proof: what a declaration is identified by is either a descriptor or a function, and can be
      // read.
      guard method.load(as: UInt32.self) & 0x1F == 0x12 else { return false }
      let getter = method + 4 + Int(method.load(fromByteOffset: 4, as: Int32.self))
      // Proof of unsafeBitCast: a class is a pointer to its metadata, which states its own size,
      // after the address point, at these places. A test pins them.
      let metadata = unsafeBitCast(root, to: UnsafeRawPointer.self)
      let size =
        Int(metadata.load(fromByteOffset: 32, as: UInt32.self))
        - Int(metadata.load(fromByteOffset: 36, as: UInt32.self))
      let methods = metadata.assumingMemoryBound(to: UnsafeRawPointer?.self)
      let place = (0..<size / MemoryLayout<UnsafeRawPointer>.stride).first { methods[$0] == getter }
      let others = unsafeBitCast(type, to: UnsafePointer<UnsafeRawPointer?>.self)
      return place.map { others[$0] == getter } ?? false
    #endif
  }
}

#if !KEYLINE_PORTABLE
  // What the standard library's Mirror is made of. Proof of @_silgen_name: the runtime exports these
  // three, with these types, for the standard library on every platform; their interface is private
  // only in that it is not declared.
  @_silgen_name("swift_reflectionMirror_recursiveCount")
  private func reflectedCount(_ type: Any.Type) -> Int

  @_silgen_name("swift_reflectionMirror_recursiveChildMetadata")
  private func reflectedType(
    _ type: Any.Type, index: Int, metadata: UnsafeMutablePointer<FieldMetadata>
  ) -> Any.Type

  @_silgen_name("swift_reflectionMirror_recursiveChildOffset")
  private func reflectedOffset(_ type: Any.Type, index: Int) -> Int

  /// As the runtime lays it out.
  private struct FieldMetadata {
    var name: UnsafePointer<CChar>?
    var release: (@convention(c) (UnsafePointer<CChar>?) -> Void)?
    var isStrong = false
    var isVariable = false
  }
#endif
