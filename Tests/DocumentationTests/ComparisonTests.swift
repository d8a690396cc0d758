import Foundation
import Testing

/// The page `Comparison` compares Keyline with other libraries. Tests show each claim for Keyline.
struct ComparisonTests {
  /// A row of the page's table.
  struct Claim {
    /// The first two columns.
    let row, keyline: String
    /// The tests that show the second one: the name of a file, and of a function.
    let tests: [String]

    init(_ row: String, _ keyline: String, _ tests: [String]) {
      self.row = row
      self.keyline = keyline
      self.tests = tests
    }
  }

  /// All rows, in order.
  static let claims = [
    Claim(
      "Without Objective-C and Foundation", "yes",
      [
        "BudgetTests.noFoundationAndDispatchOnlyInSchedulers"
      ]),
    Claim(
      "Observable state", "`@Observed` properties of a class",
      [
        "ObserveTests.p2EverySetIsOneEmissionEqualOrNot",
        "ObserveTests.aClassOfAnotherHierarchyTakesPartByConforming",
      ]),
    Claim(
      "When observers are called", "after the store; with `.prior`, before it too",
      [
        "ObserveTests.p1ObserversRunAfterTheStoreInSubscriptionOrder",
        "ChangeTests.priorComesBeforeTheStoreAndTheChangeAfter",
      ]),
    Claim(
      "Old and new value", "`observeChanges`",
      [
        "ChangeTests.aChangeHoldsWhatItsOptionsRequest"
      ]),
    Claim(
      "Computed properties", "follow the properties that they read",
      [
        "ObserveTests.aComputedPropertyFollowsWhatItReads"
      ]),
    Claim(
      "A path over several objects", "key path, chain, name",
      [
        "ObserveTests.aMultiHopPathFollowsEveryHop",
        "ChainTests.replacingAHopEmitsTheNewLeafOnce",
        "NamedPathTests.leafSetsReplacementsAndGaps",
      ]),
    Claim(
      "An object on the way dies", "nil is emitted, and the sequence goes on",
      [
        "ChainTests.theObjectBehindAWeakHopDyingEmitsOneNilAndTheSequenceResumes"
      ]),
    Claim(
      "Several properties as one value, no glitch", "`observe(\\.a, \\.b)`",
      [
        "ObserveTests.severalPathsAreObservedAsOneTuple",
        "ObserveTests.aChangeThatSeveralPathsDependOnIsOneEmission",
      ]),
    Claim(
      "Batches", "`batchUpdates`",
      [
        "BatchTests.d30EachPropertyIsDeliveredOnceWithItsNewestValue",
        "BatchedBindingTests.d38BindingsWriteOnceAtTheEnd",
      ]),
    Claim(
      "Derived values", "cached, lazy, no glitches, errors apart",
      [
        "DerivedTests.d1TheRuleDoesNotRunBeforeTheFirstReadOrObservation",
        "DerivedTests.d2TheValueIsCachedAlsoUnobserved",
        "DerivedTests.d7DiamondsAndTrianglesHaveOneRunAndNoMix",
        "DerivedOwnershipTests.d16AThrowingRuleHasTheFallbackAndEmitsItsErrorOnce",
      ]),
    Claim(
      "Bindings", "one way, two way, once; chains at both ends",
      [
        "PropertyBindingTests.b1TheBindingHoldsWithoutBeingKeptUntilDisposed",
        "TwoWayBindingTests.theSourceWinsInitiallyAndThenEachFollowsTheOther",
        "TwoWayBindingTests.oneTimeSetsTheTargetAndEnds",
        "ChainBindingTests.bothSidesMayBeChains",
      ]),
    Claim(
      "Converters and validation", "both, in either direction",
      [
        "ConverterTests.compositionDeclinesAndFailsAsItsParts",
        "ConverterTests.valuesAreCoercedBeforeTheyAreStored",
        "ConverterTests.aRejectedValueChangesNothing",
        "TwoWayBindingTests.aFailingParseLeavesTheOtherSideAndRecovers",
      ]),
    Claim(
      "A bound property refuses other writers", "`exclusive: true`, `assign(to:of:)`",
      [
        "ChainBindingTests.anExclusiveTargetRefusesOthersUntilTheBindingEnds",
        "SequenceBindingTests.b7AnAssignedPropertyIsWrittenByItsStreamAlone",
      ]),
    Claim(
      "Edits of arrays", "`ObservableArray`, also by elements' properties",
      [
        "ObservableArrayTests.everyEditIsOneExactEmission",
        "ElementObservationTests.elementsAreFollowedFromInsertionToRemoval",
      ]),
    Claim(
      "Live filtered, sorted and mapped lists", "views; their closures are tracked",
      ["LiveViewTests.following", "LiveViewTests.rows", "LiveViewTests.stability"]),
    Claim(
      "All changes of an object", "`observeChangeSets`, with undo",
      [
        "ChangeSetTests.oneScopeIsOneEmissionWithWhatHasChanged",
        "ChangeSetTests.undoAndRedo",
      ]),
    Claim(
      "By name", "paths and key-value coding, with typed errors",
      [
        "NamedPathTests.errorsAreThrownByTheCall",
        "KeyValueCodingTests.pathsReadAndWriteTheLastObject",
        "KeyValueCodingTests.typeMismatch",
      ]),
    Claim(
      "Operators", "as in RxSwift 6",
      [
        "InventoryTests.everyOperatorIsInTheBattery",
        "OperatorLawTests.c1ForwardsCompletion",
        "ObservableSourceTests.transforming",
        "ObservableSourceTests.combining",
      ]),
    Claim(
      "Traits that cannot fail", "`Infallible`, `Driver`, `Signal`, properties",
      [
        "SequenceBindingTests.b10PropertiesAreUsableAsTraitsWithoutAFallback",
        "SharedSequenceTests.aDriverSharesOneSubscriptionAndReplaysTheLatest",
        "SharedSequenceTests.aSignalSharesOneSubscriptionAndReplaysNothing",
      ]),
    Claim(
      "Asynchronous sequences", "`values(of:)`, nothing lost",
      [
        "PropertyValuesTests.noChangeIsLostBetweenTwoCallsOfNext"
      ]),
    Claim(
      "Virtual time for tests", "KeylineTest",
      [
        "SchedulerTests.virtualTimeRunsInOrderOfTimeThenOfScheduling",
        "TestKitTests.aHotObservableEmitsToItsObservers",
      ]),
    Claim(
      "Saving", "`Codable` models",
      [
        "ObservedConformanceTests.itTakesPartInSynthesisedCodable"
      ]),
    Claim(
      "SwiftUI", "with `ObservationBridged`",
      [
        "ObservationInteropTests.observationTracksBridgedProperties",
        "ObservationInteropTests.d21ACachedReadIsRegisteredWithObservation",
      ]),
    Claim(
      "Finding observers, and the cause of an emission", "live graph, traces, reports by name",
      [
        "GraphTests.aDiamondATwoWayBindingABrokenChainAndAnOutdatedValue",
        "TraceTests.aDiamondIsNoGlitch",
        "ReportTableTests.everyMessageStandsInTheTable",
      ]),
  ]

  @Test("Every row of the table is a claim") func everyRowOfTheTableIsAClaim() throws {
    let rows = try Self.rows(
      ofTableBelow: "## Feature by feature", in: "Sources/Keyline/Keyline.docc/Comparison.md")
    #expect(rows.map { Array($0.prefix(2)) } == Self.claims.map { [$0.row, $0.keyline] })
    #expect(rows.allSatisfy { $0.count == 6 && !$0.contains("") })
  }

  @Test("Every claim is shown by tests") func everyClaimIsShownByTests() throws {
    let paths = try Package.pages(at: "Tests")
    for claim in Self.claims {
      #expect(!claim.tests.isEmpty, "\(claim.row)")
      for test in claim.tests {
        let names = test.components(separatedBy: ".")
        let path = paths.first { $0.hasSuffix("/\(names[0]).swift") }
        let hasTest = try path.map { try Package.contents(of: $0) }?.hasTest(named: names[1])
        #expect(hasTest == true, "\(claim.row): there is no test \(test)")
      }
    }
  }

  /// The cells of the first table below `heading`, without its header.
  private static func rows(
    ofTableBelow heading: String, in page: String
  ) throws -> [[String]] {
    try Package.contents(of: page).components(separatedBy: "\n")
      .drop { $0 != heading }.drop { !$0.hasPrefix("|") }.prefix { $0.hasPrefix("|") }
      .dropFirst(2)
      .map { line in
        line.components(separatedBy: "|").dropFirst().dropLast()
          .map { $0.trimmingCharacters(in: .whitespaces) }
      }
  }
}

extension String {
  /// Whether this source file has a function `name` that is marked `@Test`.
  fileprivate func hasTest(named name: String) -> Bool {
    guard let function = range(of: "func \(name)("),
      let mark = self[..<function.lowerBound].range(of: "@Test", options: .backwards)
    else { return false }
    return !self[mark.upperBound..<function.lowerBound].contains("func ")
  }
}
