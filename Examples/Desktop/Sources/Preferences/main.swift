import KeylineGTK

final class Settings: ReactiveObject {
  @Observed var name = "Ada"
  @Observed var size = 12
  @Observed var isBold = false
  @Observed var opacity = 100.0
  @Observed var family: Int? = 0
  var summary: String { "\(name), \(size) pt\(isBold ? ", bold" : "")" }  // computed: bound as well
}

try GTK.start()  // first: from here on, GLib's loop is the main loop

let settings = Settings()
let (name, size, problem) = (Entry(), Entry(), Label())
let (bold, opacity) = (CheckButton("Bold"), Scale(0...100, step: 5))
let family = DropDown(["Sans", "Serif", "Monospace"])
let (summary, reset) = (Label(), Button("Reset"))

settings.bind(\.name, to: name, \.text, mode: .twoWay)
settings.bind(\.isBold, to: bold, \.isActive, mode: .twoWay)
settings.bind(\.opacity, to: opacity, \.value, mode: .twoWay)
settings.bind(\.family, to: family, \.selected, mode: .twoWay)
settings.bind(\.summary, to: summary, \.text)

// A text that is no number stays in its field, and the reason is shown below.
size.observe(\.text).map { _ in "" }.bind(to: problem, \.text)
settings.bind(\.size, to: size, \.text, mode: .twoWay, converter: .decimal)
  .errors.map { _ in "a whole number, such as 12" }.bind(to: problem, \.text)

// Events, as RxCocoa's users know them.
let bag = DisposeBag()
reset.rx.clicked.subscribe(onNext: {
  batchUpdates { (settings.size, settings.isBold, settings.opacity) = (12, false, 100) }
}).disposed(by: bag)
name.rx.text.debounce(.milliseconds(300), scheduler: MainScheduler.instance)
  .subscribe(onNext: { print("saved", $0) }).disposed(by: bag)

let window = Window("Preferences", width: 320, height: 260)
window.child = Box(
  .column, margin: 12, [name, size, problem, bold, opacity, family, summary, reset])
window.present()
GTK.run()  // until the window is closed
