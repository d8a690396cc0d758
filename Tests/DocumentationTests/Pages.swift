import Testing

/// A page, or a folder of source files with documentation comments, and its Swift file.
struct Page: Sendable, CustomTestStringConvertible {
  /// The pages whose blocks of code are compiled and run.
  static let all = [
    Page(ReadMe.self, compiled: 7),
    Page(TutorialModel.self, compiled: 2),
    Page(TutorialPayers.self, compiled: 3),
    Page(TutorialForm.self, compiled: 2),
    Page(TutorialTotals.self, compiled: 3),
    Page(TutorialUndo.self, compiled: 2),
    Page(TutorialChecks.self, compiled: 4),
    Page(Cookbook.self, compiled: 20),
    Page(CookbookForms.self, compiled: 17),
    Page(CookbookTasks.self, compiled: 18),
    Page(CorePage.self, compiled: 1),
    Page(LandingPage.self, compiled: 2),
    Page(TestKitPage.self, compiled: 1),
    Page(Chains.self, compiled: 7),
    Page(GettingStarted.self, compiled: 6, uncompiled: 1),
    Page(ObservingProperties.self, compiled: 8),
    Page(BatchesAndDerivedValues.self, compiled: 10),
    Page(EndingObservations.self, compiled: 6),
    Page(BindingProperties.self, compiled: 11),
    Page(ObservingCollections.self, compiled: 7),
    Page(Lists.self, compiled: 6),
    Page(Saving.self, compiled: 4),
    Page(Threads.self, compiled: 12, uncompiled: 3),
    Page(UndoAndJournals.self, compiled: 7),
    Page(WindowsAndMainLoops.self, compiled: 1, uncompiled: 1),
    Page(MovingFromCombine.self, compiled: 1),
    Page(MovingFromKVO.self, compiled: 2),
    Page(MovingFromRxSwift.self, compiled: 2, uncompiled: 3),
    Page(ObservationAndSwiftUI.self, compiled: 4, uncompiled: 1),
    Page(Diagnosing.self, compiled: 9),
    Page(TestingWithVirtualTime.self, compiled: 6),
    Page(Extending.self, compiled: 12),
    Page(HowItWorks.self, compiled: 2),
    Page(Laws.self, compiled: 2),
    Page(BindingComments.self, compiled: 4),
    Page(ChainComments.self, compiled: 4),
    Page(CollectionComments.self, compiled: 12),
    Page(CoreComments.self, compiled: 3),
    Page(DiagnosticsComments.self, compiled: 6),
    Page(EngineComments.self, compiled: 1),
    Page(FoundationComments.self, compiled: 1),
    Page(InteropComments.self, compiled: 4),
    Page(TestKitComments.self, compiled: 5),
    Page(KeyValueCodingComments.self, compiled: 7),
    Page(OperatorComments.self, compiled: 5),
    Page(PropertyComments.self, compiled: 19),
    Page(SchedulerComments.self, compiled: 3),
    Page(SubjectComments.self, compiled: 3),
    Page(TraitComments.self, compiled: 8),
    Page(FoundationPage.self, compiled: 1),
    Page(ObservingOtherState.self, compiled: 4),
  ]

  let snippets: any SnippetFile.Type
  /// How many of its blocks of code are compiled.
  let compiled: Int
  /// How many cannot be: manifests, mistakes, code for other libraries.
  let uncompiled: Int

  var name: String { String(describing: snippets) }

  var testDescription: String { name }

  init(_ snippets: any SnippetFile.Type, compiled: Int, uncompiled: Int = 0) {
    self.snippets = snippets
    self.compiled = compiled
    self.uncompiled = uncompiled
  }
}
