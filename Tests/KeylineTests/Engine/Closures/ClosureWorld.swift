import Keyline
import KeylineTest
import TestSupport

/// Runs an action at one call of the closures that a program gives to the library, once.
final class Trigger {
  private var calls = 0
  private let call: Int
  private var action: (() -> Void)?

  init(at call: Int) { self.call = call }

  func arm(_ action: @escaping () -> Void) { self.action = action }

  func disarm() { action = nil }

  func tick() {
    calls += 1
    guard calls == call else { return }
    let action = action
    self.action = nil
    action?()
  }
}

/// A value whose `==` is a closure of the program.
struct Ticking: Equatable {
  var number: Int
  var trigger: Trigger?

  static func == (one: Ticking, other: Ticking) -> Bool {
    one.trigger?.tick()
    return one.number == other.number
  }
}

/// What a program has: a model and its friend, and an array of models with friends.
final class ClosureWorld {
  final class Model: ReactiveObject {
    @Observed var number = 0
    @Observed var text = ""
    @Observed var ticking = Ticking(number: 0)
    @Observed var next: Model?
    @WeakObserved var friend: Model?
    @Derived({ (self: Model) in
      let number = self.number
      self.trigger?.tick()
      return number * 3 + (self.friend?.number ?? 0)
    }) var triple: Int
    @Derived({ (self: Model) in Ticking(number: self.number, trigger: self.trigger) })
    var derivedTicking: Ticking
    var trigger: Trigger?

    init(_ number: Int = 0) { self.number = number }

    deinit { trigger?.tick() }

    var double: Int {
      trigger?.tick()
      return number * 2
    }
    var twiceFriend: Int {
      let first = friend?.number ?? 0
      trigger?.tick()
      return first + (friend?.number ?? 0)
    }
    var nextRead: Model? {
      trigger?.tick()
      return next
    }
    var friendNumber: Int { friend?.number ?? -1 }
  }

  let trigger: Trigger
  var model: Model?
  var target: Model?
  var friends: [Model?]
  var array: ObservableArray<Model>?
  var view: LiveArray<Model>?
  var subscriptions: [any Disposable] = []
  var others: [any Disposable] = []
  var received: [Int] = []

  init(_ trigger: Trigger) {
    self.trigger = trigger
    (model, target) = (Model(1), Model())
    friends = (0..<6).map { Model($0 * 7 % 6) }
    array = ObservableArray((0..<6).map { Model($0 * 5 % 6) })
    for (element, friend) in zip(array ?? [], friends) { element.friend = friend }
    model?.next = Model(2)
    model?.friend = friends[0]
  }

  func track(in tracker: LifetimeTracker) {
    for case let model? in [model, target, model?.next] + friends { tracker.track(model) }
    for element in array ?? [] { tracker.track(element) }
  }

  /// Empties a variable. The caller releases what was there after the access, because its death may
  /// read the variable.
  @discardableResult static func drop<Value>(_ variable: inout Value?) -> Value? {
    defer { variable = nil }
    return variable
  }

  func keep(_ subscription: (any Disposable)?) {
    if let subscription { subscriptions.append(subscription) }
  }

  func receive(_ sequence: (some ObservableConvertibleType<Int>)?) {
    keep(sequence?.asObservable().subscribe(onNext: { [unowned self] in received.append($0) }))
  }

  func dispose() {
    let ended = subscriptions
    subscriptions = []
    for subscription in ended { subscription.dispose() }
  }

  /// Observes so much that every object sweeps its nodes.
  func observeMuch() {
    for model in [model, model?.next].compactMap({ $0 }) + Array(array ?? []) {
      for _ in 0..<40 { others.append(model.observe(\.text.count).subscribe()) }
    }
    for subscription in others.prefix(20) { subscription.dispose() }
  }

  /// Changes everything, alone and in a batch.
  func change() {
    model?.number = 2
    model?.number = 13
    batchUpdates {
      model?.number = 4
      model?.ticking = Ticking(number: 5, trigger: trigger)
      model?.ticking = Ticking(number: 1, trigger: trigger)
      if let array, array.count > 2 {
        array[0].number = 30
        array[1].friend = array[2]
      }
    }
    model?.next = Model(8)
    model?.next?.number = 9
    model?.friend = friends[1]
    friends[1]?.number = 17
    Self.drop(&friends[0])
    friends[2]?.number = 11
    if let array {
      array.append(Model(2))
      if array.count > 3 { array[3].friend = friends[5] }
      if array.count > 1 { array.remove(at: 1) }
    }
    Self.drop(&friends[5])
    target?.text = "40"
    target?.text = "41"
  }

  /// Releases everything that retains the world.
  func end() {
    trigger.disarm()
    model?.trigger = nil
    model?.ticking = Ticking(number: 0)
    dispose()
    for subscription in others { subscription.dispose() }
  }
}
