extension Suite {
  /// Everything there is.
  /// - Parameter isShort: makes do with smaller sizes.
  static func all(isShort: Bool) -> Suite {
    Suite(
      rows: subjects() + operators() + schedulers() + properties() + observing() + computed()
        + chains() + derived() + arrays(isShort: isShort) + views(isShort: isShort),
      series: scale(isShort: isShort) + derivedScale(isShort: isShort)
        + collections(isShort: isShort),
      gauges: gauges(isShort: isShort) + observedGauges(isShort: isShort) + bindingGauges()
        + derivedGauges(isShort: isShort))
  }
}
