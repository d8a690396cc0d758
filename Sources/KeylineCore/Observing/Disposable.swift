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
}

/// A disposable that records whether it has been disposed. A program's own disposables conform.
public protocol Cancelable: Disposable {
  /// Whether `dispose()` has been called, or the subscription has ended by itself.
  var isDisposed: Bool { get }
}

extension Disposable {
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
  public static func create(with dispose: @escaping () -> Void) -> any Cancelable {
    ActionDisposable(dispose)
  }

  /// A disposable that disposes all of `disposables`, in order.
  public static func create(_ disposables: any Disposable...) -> any Cancelable {
    create(disposables)
  }

  /// A disposable that disposes all of `disposables`, in order.
  public static func create(_ disposables: [any Disposable]) -> any Cancelable {
    CompositeDisposable(disposables: disposables)
  }
}

private struct NopDisposable: Disposable {
  func dispose() {}
}
