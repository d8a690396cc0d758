import ExampleSupport
import Keyline

/// The view model: the badge of the selected person, with the next two managers above.
///
/// Each text follows a chain from the company through weak hops: `selected.manager.manager.name` is
/// another one when another person is selected, when either manager is replaced, leaves, or has a new
/// name. The badge keeps none of them alive.
final class Badge: ReactiveObject {
  @Observed private(set) var name = Format.absent
  @Observed private(set) var manager = Format.absent
  @Observed private(set) var director = Format.absent
  /// The way up as far as it goes, which no chain of a fixed length can tell.
  @Observed private(set) var way = Format.absent

  /// All of it in one line.
  @Derived({ (self: Badge) in "\(self.name), under \(self.manager), under \(self.director)" })
  var text: String

  init(of company: Company) {
    super.init()
    company.observeWeakly { $0.selected.name }.map(Format.some).bind(to: self, \.name)
    company.observeWeakly { $0.selected.manager.name }.map(Format.some).bind(to: self, \.manager)
    company.observeWeakly { $0.selected.manager.manager.name }.map(Format.some)
      .bind(to: self, \.director)
    company.observeWeakly { $0.selected.managers }
      .map { Format.some($0?.joined(separator: " < ")) }
      .bind(to: self, \.way)
  }
}
