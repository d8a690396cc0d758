extension Suite {
  /// Everything there is.
  /// - Parameter isShort: leaves out what takes long to build.
  static func all(isShort: Bool) -> Suite {
    Suite(rows: subjects() + operators() + properties() + observing() + chains())
  }
}
