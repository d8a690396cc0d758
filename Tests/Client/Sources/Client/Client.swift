import Keyline

// Code that a client package might write with Keyline. It is built, not run: it proves that Swift 6
// language mode accepts such code without diagnostics.

/// A model without isolation: confined like any class.
final class Player: ReactiveObject {
  @Observed var volume = 0.5
  @Observed var title = ""
  @Observed var album: Album?
  @WeakObserved var successor: Player?
}

final class Album: ReactiveObject {
  @Observed var name = ""
}

/// A view model of the main actor.
@MainActor
final class PlayerViewModel: ReactiveObject {
  @Observed var volume = 0.0
  @Observed var title = ""
  @Observed var albumName: String? = ""
  @WeakObserved var selection: Player?
  private(set) var log: [String] = []
  private let bag = DisposeBag()

  init(_ player: Player) {
    super.init()
    player.bind(\.volume, to: self, \.volume, mode: .twoWay)
    player.bind(\.title, to: self, \.title)

    player.observe(\.title)
      .subscribe(onNext: { [weak self] in self?.log.append($0) })
      .disposed(by: bag)
    player.observeWeakly { $0.successor.album.name }
      .distinctUntilChanged()
      .bind(to: self, \.albumName)
      .disposed(by: bag)
    observeWeakly { $0.selection.title }
      .subscribe(onNext: { [weak self] in self?.log.append($0 ?? "none") })
      .disposed(by: bag)
  }
}

/// Subscribing on the main actor needs no annotations.
@MainActor
func totalVolume(of player: Player) -> Double {
  var sum = 0.0
  player.observe(\.volume).map { $0 * 100 }.subscribe(onNext: { sum += $0 }).dispose()
  return sum
}
