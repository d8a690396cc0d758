import CGtk
import Foundation
import KeylineGTK

/// One check: a name, and a body that calls `expect`.
struct Check {
  let name: String
  let body: () throws -> Void

  nonisolated(unsafe) static var failures = 0

  static var all: [Check] {
    loopChecks + propertyChecks + lifetimeChecks + listChecks + windowChecks + inputChecks
  }
}

/// Prints the place, and fails the check, if the two differ.
func expect<Value: Equatable>(
  _ value: Value, _ expected: Value, file: String = #fileID, line: Int = #line
) {
  if value == expected { return }
  Check.failures += 1
  print("\(file):\(line): \(value) is not \(expected)")
}

func expect(_ isTrue: Bool, file: String = #fileID, line: Int = #line) {
  expect(isTrue, true, file: file, line: line)
}

/// Serves events until `condition` holds, for ten seconds at most.
func serve(until condition: @escaping () -> Bool) {
  let end = SuspendingClock.now + .seconds(10)
  let ticks = Observable<Int>.interval(.milliseconds(1), scheduler: MainScheduler.instance)
    .subscribe()
  GTK.run { !condition() && .now < end }
  ticks.dispose()
  expect(condition())
}

/// Serves events for some time.
func serve(for duration: Duration) {
  let end = SuspendingClock.now + duration
  serve { .now >= end }
}

/// Runs `body` on another thread, and waits.
func onAnotherThread(_ body: @escaping @Sendable () -> Void) {
  let done = DispatchSemaphore(value: 0)
  Thread.detachNewThread {
    body()
    done.signal()
  }
  done.wait()
}

/// Types letters at the cursor.
func type(_ text: String, into entry: Entry) {
  let editable = OpaquePointer(entry.native)
  for letter in text {
    var position = gtk_editable_get_position(editable)
    gtk_editable_insert_text(editable, "\(letter)", -1, &position)
    gtk_editable_set_position(editable, position)
  }
}
