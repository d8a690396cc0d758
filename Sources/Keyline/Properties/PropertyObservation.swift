/// What an observation delivers: KVO's options, under their names.
public struct KeyValueObservingOptions: OptionSet, Sendable {
  public let rawValue: Int

  @inlinable public init(rawValue: Int) { self.rawValue = rawValue }

  /// The value after every change.
  @inlinable public static var new: Self { Self(rawValue: 1 << 0) }
  /// The value before every change. For `observeChanges`; `observe` emits values, not changes.
  @inlinable public static var old: Self { Self(rawValue: 1 << 1) }
  /// The current value when the subscription is made, before `subscribe` returns.
  @inlinable public static var initial: Self { Self(rawValue: 1 << 2) }
  /// A change before the store, in addition. For `observeChanges`.
  @inlinable public static var prior: Self { Self(rawValue: 1 << 3) }
}

extension PropertyObservable {
  /// Emits the value of `keyPath` now and after every change of anything it reads.
  ///
  /// `keyPath` may lead to a stored property, over several hops, or to a computed property:
  ///
  /// ```swift
  /// _ = person.observe(\.name)            // Observable<String>
  /// _ = person.observe(\.address?.city)   // Observable<String?>; follows replacement of address
  /// _ = person.observe(\.label)           // follows name, address and city
  /// ```
  ///
  /// - Timing: after the store, synchronously, on the mutating thread, in subscription order. Every
  ///   set is one emission, equal values included.
  /// - Lifetime: retains neither the object nor any hop; completes when the object dies, and at
  ///   once if it has died already.
  /// - Complexity: O(1) per set of a stored property that the object's own class declares, with no
  ///   key path involved; other paths, which may lead to an override, are evaluated anew for each
  ///   change.
  /// - Parameters:
  ///   - keyPath: a path on which something is `@Observed`. One with nothing observable on it emits
  ///     its value once and is reported as `unobservablePath`.
  ///   - options: whether to emit the current value (`.initial`) and the changes (`.new`).
  @inlinable @inline(__always) public func observe<Value>(
    @_eagerMove _ keyPath: __owned KeyPath<Self, Value>,
    options: KeyValueObservingOptions = [.initial, .new]
  ) -> PropertySequence<Value> {
    observation(of: PropertyPath(keyPath), options)
  }

  /// Emits the values of several key paths as a tuple, now and after every change of anything one
  /// of them reads.
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
  /// - Timing: as for `observe(_:options:)` of one path. A change that several paths depend on is
  ///   one emission, with all values up to date.
  /// - Lifetime: retains neither the object nor any hop; completes when the object dies.
  /// - Complexity: all paths are evaluated anew for each change.
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

  /// Emits what the observable at the end of `keyPath` emits; when anything on the way changes,
  /// follows the one that is there then.
  ///
  /// ```swift
  /// _ = player.observeLatest(\.track.events)      // of the current track
  /// ```
  ///
  /// - Timing: synchronous. The observable that was replaced emits nothing from then on.
  /// - Errors: an error of the observable followed ends the output.
  /// - Lifetime: retains neither the object nor any hop; completes when the object dies.
  /// - SeeAlso: ReactiveX [Switch](https://reactivex.io/documentation/operators/switch.html).
  public func observeLatest<Source: ObservableConvertibleType>(
    _ keyPath: KeyPath<Self, Source>
  ) -> Observable<Source.Element> {
    observe(keyPath).switchLatest().take(until: properties.death.ended).named()
  }

  /// As `observeLatest(_:)`; while the path leads to nil, nothing is emitted.
  public func observeLatest<Source: ObservableConvertibleType>(
    _ keyPath: KeyPath<Self, Source?>
  ) -> Observable<Source.Element> {
    observe(keyPath).flatMapLatest { $0?.asObservable() ?? .never() }
      .take(until: properties.death.ended).named()
  }

  /// The observable behind `observe(_:options:)`.
  @usableFromInline func observation<Value>(
    of path: PropertyPath<Value>, _ options: KeyValueObservingOptions = [.initial, .new],
    named name: StaticString = #function
  ) -> PropertySequence<Value> {
    PropertySequence(named: name) { [weak self] observer, context in
      guard let self else { return observer.terminate(nil) }
      guard options.contains(.new) else {
        properties.death.whenEnded(in: context) { observer.terminate(nil) }
        if options.contains(.initial) { observer.next(path.read(self)) }
        return
      }
      path.attach(
        to: self, in: context,
        .init(next: observer.next, terminate: observer.terminate),
        first: { value, _ in if options.contains(.initial) { observer.next(value) } })
    }
  }
}

/// The values of a property, of a path or of a chain: an observable that cannot fail.
///
/// It converts to every trait with that guarantee without naming a fallback (B10):
///
/// ```swift
/// _ = person.observe(\.name).asDriver()          // Driver<String>
/// _ = person.observe(\.age).asInfallible()       // Infallible<Int>
/// ```
///
/// - SeeAlso: `observe(_:options:)` and its relatives, which return one.
public typealias PropertySequence = UnfailingSequence

extension PropertyObservable {
  /// The value of `keyPath` now, and after every change, as an asynchronous sequence.
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
  /// - Timing: observes at once, not when the loop begins. What changes while the loop is busy
  ///   waits for it, according to `buffering`.
  /// - Lifetime: does not retain the object. Ends, after what was waiting, when that dies or when
  ///   the task of the loop is cancelled; observing ends with the loop. For one task at a time.
  /// - Parameters:
  ///   - keyPath: as for `observe(_:options:)`.
  ///   - buffering: `.unbounded` loses nothing; `.bufferingNewest(_:)` and
  ///     `.bufferingOldest(_:)` buffer that many values.
  public func values<Value: Sendable>(
    of keyPath: KeyPath<Self, Value>,
    buffering: AsyncStream<Value>.Continuation.BufferingPolicy = .unbounded,
    file: StaticString = #fileID, line: UInt = #line
  ) -> AsyncStream<Value> {
    observe(keyPath).unfailingValues(buffering: buffering, at: CallSite(file, line))
  }
}
