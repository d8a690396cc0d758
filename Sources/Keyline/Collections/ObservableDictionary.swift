/// One edit of an ``ObservableDictionary``.
public enum DictionaryEdit<Key: Hashable, Value> {
  /// A value was stored for a key that had none.
  case insertion(Value, forKey: Key)
  /// The value of a key was removed.
  case removal(Value, forKey: Key)
  /// The value of a key was replaced.
  case replacement(Value, with: Value, forKey: Key)
  /// The contents were replaced as a whole. Emitted in place of edits that were not delivered,
  /// because a feedback loop was stopped.
  case reset([Key: Value])

  /// The former value, the key, and the new value; nil for a reset.
  fileprivate var parts: (old: Value?, key: Key, new: Value?)? {
    switch self {
    case .insertion(let value, let key): (nil, key, value)
    case .removal(let value, let key): (value, key, nil)
    case .replacement(let former, let value, let key): (former, key, value)
    case .reset: nil
    }
  }

  /// The edit that replaces one value of `key` by the other; nil if there is none of them.
  fileprivate init?(_ old: Value?, _ key: Key, _ new: Value?) {
    switch (old, new) {
    case (nil, nil): return nil
    case (nil, let value?): self = .insertion(value, forKey: key)
    case (let former?, nil): self = .removal(former, forKey: key)
    case (let former?, let value?): self = .replacement(former, with: value, forKey: key)
    }
  }
}

extension DictionaryEdit: CollectionEdit {
  /// Applies the edit to a copy of the contents.
  public func apply(to contents: inout [Key: Value]) {
    if case .reset(let all) = self { contents = all }
    if let parts { contents[parts.key] = parts.new }
  }

  public var inverse: DictionaryEdit? { parts.flatMap { Self($0.new, $0.key, $0.old) } }

  public var change: PropertyChange<[Key: Value]> {
    if case .reset(let contents) = self { return PropertyChange(new: contents) }
    let (old, new) = (parts?.old.map { [parts!.key: $0] }, parts?.new.map { [parts!.key: $0] })
    return PropertyChange(
      kind: old == nil ? .insertion : new == nil ? .removal : .replacement, old: old, new: new)
  }
}

extension DictionaryEdit: Equatable where Value: Equatable {}
extension DictionaryEdit: Sendable where Key: Sendable, Value: Sendable {}

/// A dictionary that emits exact edits.
///
/// ```swift
/// let prices: ObservableDictionary = ["apple": 3]
/// _ = prices.observe("pear").subscribe(onNext: { print("pear:", $0 ?? 0) })
/// prices["pear"] = 5
/// prices["apple"] = nil
/// ```
/// ```text
/// pear: 0
/// pear: 5
/// ```
///
/// The dictionary is a reference to mutable contents. For the laws of edits and of feedback loops,
/// see ``ObservableCollection``. A computed property that reads it depends on all of it.
///
/// - Complexity: as for `Dictionary`, plus O(observers) per edit.
public final class ObservableDictionary<Key: Hashable, Value>: UnorderedCollection<
  DictionaryEdit<Key, Value>
>
{
  /// Creates a dictionary of the given contents, empty by default.
  public init(_ contents: [Key: Value] = [:]) { super.init(storage: contents) }

  /// The keys, in the order of the values.
  public var keys: Dictionary<Key, Value>.Keys { contents.keys }

  /// The values.
  public var values: Dictionary<Key, Value>.Values { contents.values }

  /// The value of a key. Setting a value is one edit; setting nil removes the key. Using the
  /// dictionary during a change in place traps, whether it is observed or not (P1).
  public subscript(key: Key) -> Value? {
    get { contents[key] }
    set { set(newValue, forKey: key) }
    _modify {
      willModify()
      // An edit needs the former value; without observers, the change copies nothing.
      let former = node == nil ? nil : storage[key]
      defer { didModify(former, forKey: key) }
      yield &storage[key]
    }
  }

  /// The value of a key, or the default; a change in place stores it. The default may be computed
  /// from the dictionary.
  public subscript(key: Key, default value: @autoclosure () -> Value) -> Value {
    get { contents[key] ?? value() }
    set { set(newValue, forKey: key) }
    _modify {
      willModify()
      let initial = storage.index(forKey: key) == nil ? value() : nil
      let former = node == nil ? nil : storage[key]
      defer { didModify(former, forKey: key) }
      yield &storage[key, default: initial!]
    }
  }

  /// Emits the value of one key, and again after each emission that edits it; nil while it has no
  /// value.
  ///
  /// - Timing and lifetime: as for ``ObservableCollection/changes``.
  public func observe(_ key: Key) -> Observable<Value?> {
    values({ $0[key] }) { edits in
      edits.last { ($0.parts?.key ?? key) == key }.map { $0.change.new?[key] }
    }
    .named()
  }

  /// Removes a key, and returns its value; returns nil, without an edit, if it has none.
  @discardableResult public func removeValue(forKey key: Key) -> Value? { set(nil, forKey: key) }

  /// Removes all keys: one emission.
  public func removeAll() { batchUpdates { for key in storage.keys { self[key] = nil } } }

  /// Stores the values of another dictionary: one emission.
  public func merge(_ other: [Key: Value]) {
    batchUpdates { for (key, value) in other { self[key] = value } }
  }

  /// Makes `edit`, as another dictionary has emitted it, or its inverse.
  public func apply(_ edit: DictionaryEdit<Key, Value>) {
    if let parts = edit.parts { self[parts.key] = parts.new }
    guard case .reset(let contents) = edit else { return }
    batchUpdates {
      for key in storage.keys where contents[key] == nil { self[key] = nil }
      merge(contents)
    }
  }

  @discardableResult private func set(_ value: Value?, forKey key: Key) -> Value? {
    make(DictionaryEdit(storage[key], key, value).map { [$0] } ?? []).first?.parts?.old
  }

  /// Called after an access that has replaced `former`, the value of `key`.
  private func didModify(_ former: Value?, forKey key: Key) {
    didEdit(DictionaryEdit(former, key, storage[key]).map { [$0] } ?? [])
    Transaction.current.close()
  }
}

extension ObservableDictionary: ExpressibleByDictionaryLiteral {
  public convenience init(dictionaryLiteral elements: (Key, Value)...) {
    self.init(Dictionary(uniqueKeysWithValues: elements))
  }
}
