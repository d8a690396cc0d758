/// Disposes its contents when it is released: the usual owner of subscriptions.
///
/// ```swift
/// final class ViewModel {
///   let bag = DisposeBag()
///   init(person: Person) {
///     person.observe(\.name).subscribe(onNext: { print($0) }).disposed(by: bag)
///   }
/// }
/// ```
///
/// There is no `dispose()`: replace the bag with a new one to dispose its contents. They are disposed
/// in the order of insertion, after all subscriptions among them have ended: none receives an element
/// that the disposal of another emits.
///
/// - Isolation: `Sendable`; inserting is possible from any thread.
/// - Complexity: O(1) per insertion. A subscription that has ended by itself stays in the bag until
///   the bag is released.
public final class DisposeBag: Sendable {
  let contents = Protected<[any Disposable]>([])

  /// A bag without contents.
  public init() {
    Instrumentation.report(.began(ObjectIdentifier(self), .disposable))
    Instrumentation.report(.called(self, CallSite("", 0, "DisposeBag")))
  }

  /// A bag that contains `disposables`.
  public convenience init(disposing disposables: any Disposable...) {
    self.init()
    insert(disposables)
  }

  /// A bag that contains the disposables listed in `builder`, one a line.
  ///
  /// - Parameter builder: lists its first contents.
  public convenience init(@DisposableBuilder builder: () -> [any Disposable]) {
    self.init()
    insert(builder())
  }

  /// Adds a disposable.
  public func insert(_ disposable: any Disposable) {
    contents.withLock { $0.append(disposable) }
  }

  /// Adds several disposables.
  public func insert(_ disposables: any Disposable...) { insert(disposables) }

  /// Adds several disposables.
  public func insert(_ disposables: [any Disposable]) {
    contents.withLock { $0 += disposables }
  }

  /// Adds the disposables listed in `builder`, one a line.
  public func insert(@DisposableBuilder builder: () -> [any Disposable]) { insert(builder()) }

  deinit {
    Disposables.dispose(contents.withLock { $0.reversed() })
    Instrumentation.report(.ended(ObjectIdentifier(self)))
  }

  /// Collects the disposables of a block.
  @resultBuilder public enum DisposableBuilder {
    /// The disposables of the block, in order.
    public static func buildBlock(_ disposables: any Disposable...) -> [any Disposable] {
      disposables
    }
  }
}
