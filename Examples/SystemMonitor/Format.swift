import ExampleSupport

/// The texts for values of the machine. The bindings of the view model map values with these functions.
extension Format {
  /// `0.256` is `26%`. Shares above 1 are possible: a process can keep several cores busy.
  static func percent(_ share: Double?) -> String {
    guard let share else { return absent }
    return "\(Int(min(max(share * 100, 0), 999_999).rounded()))%"
  }

  /// `2048` is `2.0 MiB`.
  static func size(kibibytes: UInt64) -> String {
    var value = Double(kibibytes)
    var units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"][...]
    while value >= 1024, units.count > 1 {
      value /= 1024
      units.removeFirst()
    }
    return "\(decimal(value, places: 1)) \(units.first ?? "")"
  }

  /// `3.1 GiB of 7.8 GiB (40%)`.
  static func part(_ kibibytes: UInt64, of total: UInt64) -> String {
    guard total > 0 else { return absent }
    let share = percent(Double(kibibytes) / Double(total))
    return "\(size(kibibytes: kibibytes)) of \(size(kibibytes: total)) (\(share))"
  }

  /// `0.52 0.58 0.59`.
  static func load(_ load: Load) -> String {
    [load.oneMinute, load.fiveMinutes, load.fifteenMinutes]
      .map { decimal($0, places: 2) }
      .joined(separator: " ")
  }

  /// `1.25` with one place is `1.3`.
  private static func decimal(_ value: Double, places: Int) -> String {
    let scale = (0..<places).reduce(1) { scale, _ in scale * 10 }
    let scaled = Int((min(max(value, 0), 1e12) * Double(scale)).rounded())
    let fraction = String(scaled % scale)
    return "\(scaled / scale)."
      + String(repeating: "0", count: places - fraction.count) + fraction
  }
}
