import KeylineCore

/// What `observable` emits synchronously.
func events<Element>(of observable: Observable<Element>) -> [Event<Element>] {
  var events: [Event<Element>] = []
  observable.subscribe { events.append($0) }.dispose()
  return events
}
