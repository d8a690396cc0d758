/// The values that an observation delivers: KVO's options, with the same names.
public struct KeyValueObservingOptions: OptionSet, Sendable {
  public let rawValue: Int

  @inlinable public init(rawValue: Int) { self.rawValue = rawValue }

  /// The value after every change.
  @inlinable public static var new: Self { Self(rawValue: 1 << 0) }
  /// The value before every change. For `observeChanges`; `observe` emits values, not changes.
  @inlinable public static var old: Self { Self(rawValue: 1 << 1) }
  /// The current value at the time of subscription, before `subscribe` returns.
  @inlinable public static var initial: Self { Self(rawValue: 1 << 2) }
  /// An additional change before the store. For `observeChanges`.
  @inlinable public static var prior: Self { Self(rawValue: 1 << 3) }
}

extension PropertyObservable {
  /// Emits the current value of `keyPath`, and its value after every change of a property it reads.
  ///
  /// `keyPath` may lead to a stored property, directly or over several hops, or to a computed
  /// property:
  ///
  /// ```swift
  /// _ = person.observe(\.name)            // Observable<String>
  /// _ = person.observe(\.address?.city)   // Observable<String?>; follows replacement of address
  /// _ = person.observe(\.label)           // follows name, address and city
  /// ```
  ///
  /// - Timing: after the store, synchronously, on the mutating thread, in subscription order. Every
  ///   set is one emission, equal values included.
  /// - Lifetime: retains neither the object nor any hop; completes when the object dies, or at once
  ///   if it is dead already.
  /// - Complexity: O(1) per set of a stored property that the object's own class declares, without
  ///   using a key path. Any other path may lead to an override, and is evaluated again for each
  ///   change.
  /// - Parameters:
  ///   - keyPath: a path on which something is `@Observed`. A path without any observable property
  ///     emits its value once, and is reported as `unobservablePath`.
  ///   - options: whether to emit the current value (`.initial`) and the changes (`.new`).
  @inlinable @inline(__always) public func observe<Value>(
    @_eagerMove _ keyPath: __owned KeyPath<Self, Value>,
    options: KeyValueObservingOptions = [.initial, .new]
  ) -> PropertySequence<Value> { observation(of: PropertyPath(keyPath), options) }

  /// Emits the current values of several key paths as a tuple, and again after every change of a
  /// property that any of them reads.
  ///
  /// ```swift
  /// _ = person.observe(\.name, \.age).subscribe(onNext: { name, age in print(name, age) })
  /// person.name = "Bea"
  /// ```
  /// ```text
  /// Ada 36
  /// Bea 36
  /// ```
  ///
  /// - Timing: as for `observe(_:options:)`. A change that affects several paths is one emission,
  ///   in which all values are up to date.
  /// - Lifetime: retains neither the object nor any hop; completes when the object dies.
  /// - Complexity: every change evaluates all paths again.
  /// - SeeAlso: ReactiveUI's `WhenAnyValue`.
  public func observe<First, Second, each Other>(
    _ first: KeyPath<Self, First>, _ second: KeyPath<Self, Second>,
    _ others: repeat KeyPath<Self, each Other>,
    options: KeyValueObservingOptions = [.initial, .new]
  ) -> PropertySequence<(First, Second, repeat each Other)> {
    let path = PropertyPath<(First, Second, repeat each Other)>(read: { root in
      // Proof of the cast: the path is used with this object only.
      let root = cast(root, to: Self.self)
      return (root[keyPath: first], root[keyPath: second], repeat root[keyPath: each others])
    })
    return observation(of: path, options)
  }

  /// The current value of `keyPath`, and its value after every change, as an asynchronous sequence.
  ///
  /// ```swift
  /// for await name in person.values(of: \.name).prefix(1) { print(name) }
  /// let sizes = window.values(of: \.size, buffering: .bufferingNewest(1))
  /// for await size in sizes.prefix(1) { await layOut(size) }
  /// ```
  /// ```text
  /// Ada
  /// ```
  ///
  /// - Timing: observes from this call on, not from the beginning of the loop. Values that arrive
  ///   while the loop is busy are buffered according to `buffering`.
  /// - Lifetime: does not retain the object. When the object dies or the task of the loop is
  ///   cancelled, the sequence ends after the buffered values; the observation ends with the loop.
  ///   For one task at a time.
  /// - Parameters:
  ///   - keyPath: as for `observe(_:options:)`.
  ///   - buffering: `.unbounded` loses nothing; `.bufferingNewest(_:)` and `.bufferingOldest(_:)`
  ///     keep that many values.
  public func values<Value: Sendable>(
    of keyPath: KeyPath<Self, Value>,
    buffering: AsyncStream<Value>.Continuation.BufferingPolicy = .unbounded,
    file: StaticString = #fileID, line: UInt = #line
  ) -> AsyncStream<Value> {
    observe(keyPath).unfailingValues(buffering: buffering, at: CallSite(file, line))
  }

  /// The observable behind `observe(_:options:)`.
  @usableFromInline func observation<Value>(
    of path: PropertyPath<Value>, _ options: KeyValueObservingOptions = [.initial, .new],
    named name: StaticString = #function
  ) -> PropertySequence<Value> {
    PropertySequence(name) { [weak self] observer, context in
      guard let self else { return context.finish(observer.terminate) }
      path.attach(
        to: self, in: context, options.contains(.new) ? observer : observer.withNext { _ in },
        first: { value, _ in if options.contains(.initial) { observer.next(value) } })
    }
  }
}

/// The values of a property, a path or a chain: an observable that cannot fail.
///
/// It converts without a fallback to every trait that cannot fail (B10):
///
/// ```swift
/// _ = person.observe(\.name).asDriver()          // Driver<String>
/// _ = person.observe(\.age).asInfallible()       // Infallible<Int>
/// ```
///
/// - SeeAlso: `observe(_:options:)` and its variants, which return a property sequence.
public typealias PropertySequence = UnfailingSequence
