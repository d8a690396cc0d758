import Testing

/// A page, or a folder of source files with documentation comments, and its Swift file.
struct Page: Sendable, CustomTestStringConvertible {
  /// The pages whose blocks of code are compiled and run.
  static let all = [
    Page(ReadMe.self, compiled: 1, uncompiled: 1),
    Page(Tutorial.self, compiled: 11),
    Page(Threads.self, compiled: 10, uncompiled: 1),
    Page(Observing.self, compiled: 11),
    Page(Chains.self, compiled: 5),
    Page(Bindings.self, compiled: 11),
    Page(DerivedValues.self, compiled: 8),
    Page(Lists.self, compiled: 8),
    Page(HistoryPage.self, compiled: 7),
    Page(WindowsAndMainLoops.self, compiled: 1, uncompiled: 1),
    Page(TestingPage.self, compiled: 5),
    Page(Saving.self, compiled: 4),
    Page(Diagnosing.self, compiled: 5),
    Page(Moving.self, compiled: 4, uncompiled: 1),
    Page(ComparisonPage.self, compiled: 4, uncompiled: 1),
    Page(HowItWorks.self, compiled: 2),
    Page(CorePage.self, compiled: 2),
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
