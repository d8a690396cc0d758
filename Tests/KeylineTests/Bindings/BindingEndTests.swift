import Keyline
import TestSupport
import Testing

/// The ends of bindings: which property they reach, which values they recognise, and what they
/// retain.
@Suite struct BindingEndTests {
  final class Source: ReactiveObject {
    @Observed var number = 0
    @WeakObserved var other: Source?
  }

  /// A class that cannot be observed.
  final class Knob { var gain = 0 }

  final class Mixer: ReactiveObject {
    @Observed var knob = Knob()
    @Observed var spare: Knob?
    @Observed var source: Source? = Source()
  }

  final class Meter: ReactiveObject {
    @Observed var reading: (level: Double, count: Int) = (0, 0)
    @Observed var transform: (Int) -> Int = { $0 }
    var computed: (Int) -> Int {
      get { transform }
      set { transform = newValue }
    }
  }

  @Test("B6: A chain writes a property of an object that is not observable")
  func b6AChainWritesAPropertyOfAnObjectThatIsNotObservable() {
    let (source, mixer) = (Source(), Mixer())
    source.bind(\.number, to: mixer, { $0.knob.gain })
    source.bind(\.number, to: mixer, { $0.spare.gain })
    source.number = 2
    #expect(mixer.knob.gain == 2)
    mixer.knob = Knob()
    mixer.spare = Knob()
    source.number = 3
    #expect(mixer.knob.gain == 3 && mixer.spare?.gain == 3)
  }

  @Test("B3: Members that are not a number agree without a loop")
  func b3MembersThatAreNotANumberAgreeWithoutALoop() {
    Reports.collect()
    let (one, other) = (Meter(), Meter())
    one.bind(\.reading.level, to: other, \.reading.level, mode: .twoWay)
    one.reading.level = .nan
    #expect(other.reading.level.isNaN)
    other.reading.level = 5
    #expect(one.reading == (5, 0) && other.reading == (5, 0))
    one.reading.level = .nan
    other.reading.count = 2
    #expect(one.reading.level.isNaN && other.reading.level.isNaN && other.reading.count == 2)
    #expect(Reports.about("Meter").isEmpty)
  }

  @Test("B3: Computed values that cannot be compared agree without a loop")
  func b3ComputedValuesThatCannotBeComparedAgreeWithoutALoop() {
    Reports.collect()
    let (one, other) = (Meter(), Meter())
    one.bind(\.computed, to: other, \.computed, mode: .twoWay)
    one.transform = { $0 + 1 }
    #expect(one.transform(1) == 2 && other.transform(1) == 2)
    other.computed = { $0 + 2 }
    #expect(one.transform(1) == 3 && other.transform(1) == 3)
    #expect(Reports.about("Meter").isEmpty)
  }

  /// In a debug build, a read of the property while the set still accesses it traps.
  @Test("P1: A set that releases an object is over when the death is delivered")
  func p1ASetThatReleasesAnObjectIsOverWhenTheDeathIsDelivered() {
    let (source, mixer) = (Source(), Mixer())
    source.other = mixer.source
    source.bind(\.other, to: mixer, \.source)
    mixer.source = nil
    #expect(source.other == nil && mixer.source == nil)
  }

  @Test("A binding of a sequence does not retain the elements")
  func aBindingOfASequenceDoesNotRetainTheElements() {
    let target = Source()
    let elements = PublishSubject<Source?>()
    elements.bind(to: target, \.other)
    elements.onNext(Source())
    #expect(target.other == nil)
  }

  @Test("B1: A binding made in a deinit ends at once") func b1ABindingMadeInADeinitEndsAtOnce() {
    final class Dying: ReactiveObject {
      @Observed var number = 1
      let target: Source
      let made: Log<PropertyBinding>

      init(_ target: Source, _ made: Log<PropertyBinding>) {
        self.target = target
        self.made = made
        super.init()
      }

      deinit {
        made.append(bind(\.number, to: target, \.number))
        made.append(target.bind(\.number, to: self, \.number))
      }
    }

    let target = Source()
    let made = Log<PropertyBinding>()
    do { _ = Dying(target, made) }
    let bindings = made.take()
    #expect(bindings.map(\.isActive) == [false, false])
    #expect(
      bindings.map { $0.endReason.map { "\($0)" } } == ["sourceDied", "targetDied"])
  }
}
