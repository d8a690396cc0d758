import OpenCombine

/// The object that the rows read, write and append to.
final class PublishedSample: OpenCombine.ObservableObject {
  @OpenCombine.Published var value = 0
  @OpenCombine.Published var name = longName
  @OpenCombine.Published var list: [Int] = []
}

/// The same with a subject for each property.
final class SubjectSample {
  let value = CurrentValueSubject<Int, Never>(0)
  let name = CurrentValueSubject<String, Never>(longName)
  let list = CurrentValueSubject<[Int], Never>([])
}

/// Two properties and a value computed from them by hand: OpenCombine 0.14 has neither
/// `CombineLatest` nor `Merge`.
final class PublishedPair: OpenCombine.ObservableObject {
  @OpenCombine.Published var first = 0
  @OpenCombine.Published var second = 0

  func observeSum() -> [AnyCancellable] {
    [
      $first.sink { [unowned self] in consume($0 &+ second) },
      $second.sink { [unowned self] in consume(first &+ $0) },
    ]
  }
}

/// The same with a subject for each property.
final class SubjectPair {
  let first = CurrentValueSubject<Int, Never>(0)
  let second = CurrentValueSubject<Int, Never>(0)

  func observeSum() -> [AnyCancellable] {
    [
      first.sink { [second] in consume($0 &+ second.value) },
      second.sink { [first] in consume(first.value &+ $0) },
    ]
  }
}

/// The object that the rows create.
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

/// The same with a subject for each property.
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

/// The hops of a chain.
final class SubjectRoot {
  let middle = CurrentValueSubject<SubjectMiddle?, Never>(SubjectMiddle())

  /// `middle?.leaf?.value`, now and whenever one of the three changes.
  func observeChain() -> AnyCancellable {
    middle
      .map { middle in
        middle?.leaf.eraseToAnyPublisher() ?? Just(nil).eraseToAnyPublisher()
      }
      .switchToLatest()
      .map { leaf in
        leaf?.value.map(Optional.some).eraseToAnyPublisher() ?? Just(nil).eraseToAnyPublisher()
      }
      .switchToLatest()
      .sink { consume($0 ?? 0) }
  }
}

final class SubjectMiddle {
  let leaf = CurrentValueSubject<SubjectLeaf?, Never>(SubjectLeaf())
}

final class SubjectLeaf {
  let value = CurrentValueSubject<Int, Never>(0)
}

/// The same with published properties.
final class PublishedRoot: OpenCombine.ObservableObject {
  @OpenCombine.Published var middle: PublishedMiddle? = PublishedMiddle()

  func observeChain() -> AnyCancellable {
    $middle
      .map { middle in
        middle?.$leaf.eraseToAnyPublisher() ?? Just(nil).eraseToAnyPublisher()
      }
      .switchToLatest()
      .map { leaf in
        leaf?.$value.map(Optional.some).eraseToAnyPublisher() ?? Just(nil).eraseToAnyPublisher()
      }
      .switchToLatest()
      .sink { consume($0 ?? 0) }
  }
}

final class PublishedMiddle: OpenCombine.ObservableObject {
  @OpenCombine.Published var leaf: PublishedLeaf? = PublishedLeaf()
}

final class PublishedLeaf: OpenCombine.ObservableObject {
  @OpenCombine.Published var value = 0
}
