/// Something that can be ended: a subscription, a timer, a binding.
///
/// `dispose()` may be called from any thread, any number of times; only the first call counts.
public protocol Disposable: Sendable {
  /// Ends what this stands for.
  func dispose()
}

/// A disposable that can say whether it has been disposed.
public protocol Cancelable: Disposable {
  /// Whether `dispose()` has been called, or what this stands for has ended by itself.
  var isDisposed: Bool { get }
}

extension Disposable {
  /// Leaves this disposable to `bag`, which disposes it when the bag goes.
  public func disposed(by bag: DisposeBag) { bag.insert(self) }
}

/// Makes disposables.
public enum Disposables {
  /// A disposable that does nothing.
  public static func create() -> any Disposable { NopDisposable() }

  /// A disposable that runs `dispose` the first time it is disposed, on the thread that disposes.
  ///
  /// - Lifetime: `dispose` is released once it has run.
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
