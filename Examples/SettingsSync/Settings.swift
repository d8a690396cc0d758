import Keyline

/// The model. It is independent of files.
final class Settings: ReactiveObject {
  enum Theme: String, Codable, CaseIterable {
    case light, dark
  }

  /// All settings as one plain value, as the file stores them.
  struct Values: Codable, Equatable {
    var name = "Nobody"
    var theme = Theme.light
    var volume = 50
  }

  @Observed var name: String
  @Observed var theme: Theme
  /// From 0 to 100.
  @Observed var volume: Int

  @Derived({ (self: Settings) in
    Values(name: self.name, theme: self.theme, volume: self.volume)
  }) var values: Values

  init(_ values: Values = Values()) {
    name = values.name
    theme = values.theme
    volume = values.volume
    super.init()
    // The rule holds for every writer: a command, or a file that has been edited.
    validate(\.volume) { _, volume in .coerced(min(max(volume, 0), 100)) }
  }

  /// Sets the properties that differ between `old` and `new`, and no others: values that were set here
  /// meanwhile stay.
  ///
  /// - Parameter old: nil to set everything.
  func merge(_ new: Values, changedSince old: Values?) {
    func merge<Value: Equatable>(
      _ property: ReferenceWritableKeyPath<Settings, Value>, _ value: KeyPath<Values, Value>
    ) {
      if old?[keyPath: value] != new[keyPath: value] {
        self[keyPath: property] = new[keyPath: value]
      }
    }
    batchUpdates {
      merge(\.name, \.name)
      merge(\.theme, \.theme)
      merge(\.volume, \.volume)
    }
  }
}
