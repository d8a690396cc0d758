import Foundation
import Keyline
import Testing

/// RxSwift 5's names, which the compiler offers to replace.
@Suite struct RxSwift5NamesTests {
  /// A program of that time. It is unavailable itself, and so may use what is: that it compiles shows
  /// that every name is declared for the calls of such programs.
  @available(*, unavailable)
  static func program(
    _ source: Observable<Int>, _ single: Single<Int>, _ driver: Driver<Int>,
    _ scheduler: any SchedulerType
  ) {
    let disposeBag = DisposeBag()
    source.observeOn(MainScheduler.instance).subscribeOn(scheduler)
      .catchError { _ in .just(0) }
      .catchErrorJustReturn(0)
      .retryWhen { (errors: Observable<any Error>) in errors.take(3) }
      .elementAt(0)
      .takeUntil(single.asObservable())
      .takeUntil(.inclusive) { $0 > 1 }
      .takeWhile { $0 > 1 }
      .takeWhile(.exclusive) { $0 > 1 }
      .take(.seconds(1), scheduler: scheduler)
      .skipUntil(source)
      .skipWhile { $0 > 1 }
      .subscribe()
      .disposed(by: disposeBag)
    Observable<Int>.catchError([source]).subscribe().disposed(by: disposeBag)
    single.observeOn(MainScheduler.instance).catchError { _ in Single.just(0) }
      .catchErrorJustReturn(0)
      .subscribe(onSuccess: { _ in }, onError: { _ in }).disposed(by: disposeBag)
    driver.takeWhile { $0 > 1 }.skipWhile { $0 > 1 }.drive().disposed(by: disposeBag)
    _ = Single<Int>.create { single in
      single(.error(RxError.unknown))
      return Disposables.create()
    }
  }

  /// Every name that is offered exists, with these labels.
  @Test func theNewNamesExist() throws {
    let folder = BudgetTests.root.appending(components: "Sources", "KeylineCore")
    let old = try String(
      contentsOf: folder.appending(components: "Traits", "RxSwift5Names.swift"), encoding: .utf8)
    let offered = old.matches(of: /renamed: "([a-z]+)\(([A-Za-z_:]+)\)"/)
      .map { ("\($0.output.1)", $0.output.2.split(separator: ":").map { "\($0)" }) }
    #expect(offered.count == 16)
    let available = try BudgetTests.files(of: "KeylineCore")
      .filter { !$0.path.hasSuffix("RxSwift5Names.swift") }
      .map { $0.code.joined(separator: "\n") }.joined(separator: "\n")
    for (name, labels) in offered where name != "failure" {
      let parameters = labels.map { "\\s*\($0) ?[A-Za-z]*: [\\s\\S]{0,160}?" }
        .joined(separator: ",")
      let declaration = try Regex("public (static )?func `?\(name)`?(<[^(]*>)?\\(\(parameters)")
      #expect(available.contains(declaration), "\(name)(\(labels))")
    }
  }
}
