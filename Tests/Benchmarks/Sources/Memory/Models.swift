import Keyline
import Observation
import OpenCombine

final class Ten: ReactiveObject {
  @Observed var count = 0
  @Observed var total = 0
  @Observed var index = 0
  @Observed var ratio = 0.0
  @Observed var isOn = false
  @Observed var title = ""
  @Observed var detail = ""
  @Observed var note: String?
  @Observed var tags: [String] = []
  @Observed var parent: Ten?
}

final class DerivedPair: ReactiveObject {
  @Observed var first = 0
  @Observed var second = 0
  @Derived({ (self: DerivedPair) in self.first &+ self.second }) var sum: Int
}

final class Root: ReactiveObject {
  @Observed var middle: Middle? = Middle()
}

final class Middle: ReactiveObject {
  @Observed var leaf: Ten? = Ten()
}

// MARK: Peers

final class SubjectTen {
  let count = CurrentValueSubject<Int, Never>(0)
  let total = CurrentValueSubject<Int, Never>(0)
  let index = CurrentValueSubject<Int, Never>(0)
  let ratio = CurrentValueSubject<Double, Never>(0)
  let isOn = CurrentValueSubject<Bool, Never>(false)
  let title = CurrentValueSubject<String, Never>("")
  let detail = CurrentValueSubject<String, Never>("")
  let note = CurrentValueSubject<String?, Never>(nil)
  let tags = CurrentValueSubject<[String], Never>([])
  let parent = CurrentValueSubject<SubjectTen?, Never>(nil)
}

final class PublishedTen: OpenCombine.ObservableObject {
  @OpenCombine.Published var count = 0
  @OpenCombine.Published var total = 0
  @OpenCombine.Published var index = 0
  @OpenCombine.Published var ratio = 0.0
  @OpenCombine.Published var isOn = false
  @OpenCombine.Published var title = ""
  @OpenCombine.Published var detail = ""
  @OpenCombine.Published var note: String?
  @OpenCombine.Published var tags: [String] = []
  @OpenCombine.Published var parent: PublishedTen?
}

@Observable
final class TrackedTen {
  var count = 0
  var total = 0
  var index = 0
  var ratio = 0.0
  var isOn = false
  var title = ""
  var detail = ""
  var note: String?
  var tags: [String] = []
  var parent: TrackedTen?

  var sum: Int { count &+ total }
}

final class SubjectRoot {
  let middle = CurrentValueSubject<SubjectMiddle?, Never>(SubjectMiddle())

  func observeChain() -> AnyCancellable {
    middle
      .map { $0?.leaf.eraseToAnyPublisher() ?? Just(nil).eraseToAnyPublisher() }
      .switchToLatest()
      .map {
        $0?.count.map(Optional.some).eraseToAnyPublisher() ?? Just(nil).eraseToAnyPublisher()
      }
      .switchToLatest()
      .sink { consume($0 ?? 0) }
  }
}

final class SubjectMiddle {
  let leaf = CurrentValueSubject<SubjectTen?, Never>(SubjectTen())
}

@Observable
final class TrackedRoot {
  var middle: TrackedMiddle? = TrackedMiddle()
}

@Observable
final class TrackedMiddle {
  var leaf: TrackedTen? = TrackedTen()
}

/// Observes the next change of what `read` reads.
func track(_ read: () -> Int) -> AnyObject? {
  consume(withObservationTracking(read, onChange: { consume(1) }))
  return nil
}
