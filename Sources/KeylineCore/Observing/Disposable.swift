/// A subscription, a timer, a binding, or anything else that can be ended.
///
/// `dispose()` may be called from any thread, any number of times; only the first call counts.
///
/// A conforming type is `Sendable`, so all its stored properties must be. A type that stores an
/// observable, which is confined to its thread, declares `@unchecked Sendable`; the program then
/// guarantees that `dispose()` does not use the observable.
public protocol Disposable: Sendable {
  /// Ends the subscription or other resource that this object represents.
  func dispose()

  /// Not API: the first of the two steps in which disposables are disposed together. A subscription
  /// ends, so that it receives nothing more; no code of the program is called or released.
  ///
  /// - Returns: the disposables that this one consists of, the first to be disposed last. `dispose()`
  ///   no longer disposes them: the caller does.
  func _end() -> [any Disposable]
}

/// A disposable that records whether it has been disposed. A program's own disposables conform.
public protocol Cancelable: Disposable {
  /// Whether `dispose()` has been called, or the subscription has ended by itself.
  var isDisposed: Bool { get }
}

extension Disposable {
  public func _end() -> [any Disposable] { [] }

  /// Adds this disposable to `bag`, which disposes it when the bag is released.
  public func disposed(by bag: DisposeBag) { bag.insert(self) }
}

/// Creates disposables.
public enum Disposables {
  /// A disposable that does nothing.
  public static func create() -> any Disposable { NopDisposable() }

  /// A disposable that calls `dispose` the first time it is disposed, on the thread that disposes.
  ///
  /// - Lifetime: `dispose` is released once it has been called.
  /// - Isolation: the compiler does not check on which thread `dispose` is called. It checks a closure
  ///   marked `@Sendable`: `Disposables.create { @Sendable in … }`.
  public static func create(with dispose: @escaping () -> Void) -> any Cancelable {
    ActionDisposable(dispose)
  }

  /// A disposable that disposes all of `disposables`, in order, after all subscriptions among them have
  /// ended: none receives an element that the disposal of another emits.
  public static func create(_ disposables: any Disposable...) -> any Cancelable {
    create(disposables)
  }

  /// A disposable that disposes all of `disposables`, in order.
  public static func create(_ disposables: [any Disposable]) -> any Cancelable {
    CompositeDisposable(disposables: disposables)
  }

  /// Disposes `disposables`, the last one first, after all of them, and those that they consist of,
  /// have ended: code of the program that one of them calls or releases may set and emit anything,
  /// and none of the others receives it.
  static func dispose(_ pending: consuming [any Disposable]) {
    for disposable in end(pending) { disposable.dispose() }
  }

  /// Ends `pending` and those that they consist of; returns all of them, in the order in which they are to
  /// be disposed.
  static func end(_ pending: consuming [any Disposable]) -> [any Disposable] {
    // However deeply nested, without recursion. All of them are retained until they are disposed,
    // because their release may call code of the program.
    var ended: [any Disposable] = []
    while let next = pending.popLast() {
      ended.append(next)
      pending += next._end()
    }
    return ended
  }
}

private struct NopDisposable: Disposable { func dispose() {} }
