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
/// There is no `dispose()`: replace the bag with a new one to dispose its contents.
///
/// - Isolation: `Sendable`; inserting is possible from any thread.
/// - Complexity: O(1) per insertion. A subscription that has ended by itself stays in the bag until
///   the bag is released.
public final class DisposeBag: Sendable {
  let contents = Protected<[any Disposable]>([])

  /// Makes one without contents.
  ///
  /// - Parameters:
  ///   - file: the file of the call, for `Resources.places`.
  ///   - line: its line.
  public convenience init(file: StaticString = #fileID, line: UInt = #line) {
    self.init(at: file, line)
  }

  /// The same as a function value, `DisposeBag.init`.
  // Why disfavored: a call takes the initialiser above, which records the place of the call.
  @_disfavoredOverload public convenience init() { self.init(at: "", 0) }

  private init(at file: StaticString, _ line: UInt) {
    Instrumentation.report(.began(ObjectIdentifier(self), .disposable))
    Instrumentation.report(.called(self, CallSite(file, line, "DisposeBag")))
  }

  /// A bag that contains disposables.
  ///
  /// - Parameters:
  ///   - first: its first contents.
  ///   - others: further contents.
  ///   - file: the file of the call, for `Resources.places`.
  ///   - line: its line.
  public convenience init(
    disposing first: any Disposable, _ others: any Disposable..., file: StaticString = #fileID,
    line: UInt = #line
  ) {
    self.init(at: file, line)
    insert([first] + others)
  }

  /// A bag that contains the disposables listed in `builder`, one a line.
  ///
  /// - Parameters:
  ///   - file: the file of the call, for `Resources.places`.
  ///   - line: its line.
  ///   - builder: lists its first contents.
  public convenience init(
    file: StaticString = #fileID, line: UInt = #line,
    @DisposableBuilder builder: () -> [any Disposable]
  ) {
    self.init(at: file, line)
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
    for disposable in contents.withLock({ $0 }) { disposable.dispose() }
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
