import KeylineCore

// The reactive core without properties: `import KeylineCore` is enough.

let words = PublishSubject<String>()
let subscription =
  words
  .map { $0 + $0 }
  .filter { !$0.isEmpty }
  .distinctUntilChanged()
  .observe(on: CurrentThreadScheduler.instance)
  .subscribe(onNext: { print($0) })
words.onNext("")
words.onNext("b")
words.onNext("b")
subscription.dispose()
