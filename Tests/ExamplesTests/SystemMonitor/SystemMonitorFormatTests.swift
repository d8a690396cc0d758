import ExampleSupport
import Testing

@testable import SystemMonitor

@Suite("SystemMonitor: formats")
struct SystemMonitorFormatTests {
  @Test("Percent") func percent() {
    #expect(Format.percent(nil) == "—")
    #expect(Format.percent(0) == "0%")
    #expect(Format.percent(0.256) == "26%")
    #expect(Format.percent(2.5) == "250%")
    #expect(Format.percent(1e300) == "999999%")
  }

  @Test("Sizes") func sizes() {
    #expect(Format.size(kibibytes: 0) == "0.0 KiB")
    #expect(Format.size(kibibytes: 1023) == "1023.0 KiB")
    #expect(Format.size(kibibytes: 1024) == "1.0 MiB")
    #expect(Format.size(kibibytes: 1 << 59) == "512.0 EiB")
    #expect(Format.size(kibibytes: .max) == "16384.0 EiB")
  }

  @Test("Parts") func parts() {
    #expect(Format.part(256, of: 1024) == "256.0 KiB of 1.0 MiB (25%)")
    #expect(Format.part(0, of: 0) == "—")
  }

  @Test("Load") func load() {
    #expect(
      Format.load(Load(oneMinute: 0.5, fiveMinutes: 12.345, fifteenMinutes: 0.009))
        == "0.50 12.35 0.01")
  }

  @Test("Sparkline") func sparkline() {
    var history = History()
    for value in [-1, 0, 0.25, 0.5, 1, 2] { history.append(value) }
    #expect(Sparkline.text(history, width: 10) == "▁▁▃▅██")
    #expect(Sparkline.text(history, width: 2) == "██")
    #expect(Sparkline.text(history, width: -1) == "")
  }

  @Test("A history drops the oldest") func aHistoryDropsTheOldest() {
    var history = History()
    for value in 0...History.capacity { history.append(Double(value)) }
    #expect(history.values.count == History.capacity)
    #expect(history.values.first == 1)
  }
}
