import Allocations

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Counts the bytes and allocations of what a program makes by the thousand, in Keyline and its peers.
///
/// With `--check`, the exit status is 1 if a bar is missed by more than is tolerated. A number is the
/// number of items, a text selects rows.
@main
struct Command {
  static func main() {
    guard allocations_are_counted() else { return print("allocations are counted with glibc only") }
    var (count, filter, isChecking) = (100_000, "", false)
    for argument in CommandLine.arguments.dropFirst() {
      if let number = Int(argument), number > 0 {
        count = number
      } else if argument == "--check" {
        isChecking = true
      } else {
        filter = argument.lowercased()
      }
    }
    let rows = Row.all(count).filter { filter.isEmpty || $0.name.lowercased().contains(filter) }
    print(line("bytes (allocations in use, made)", Peer.allCases.map(\.rawValue), "bar"))
    var missed = 0
    for row in rows {
      let figures = row.columns.mapValues { $0() }
      let cells = Peer.allCases.map { figures[$0]?.text ?? row.rxSwift(for: $0) }
      let bytes = figures[.keyline]?.bytes ?? 0
      if bytes > max(row.bar, row.tolerated) { missed += 1 }
      let mark = bytes <= row.bar ? "ok" : bytes <= row.tolerated ? "tolerated" : "MISSED"
      print(line(row.name, cells, "\(row.bar): \(mark)"))
      fflush(nil)
    }
    if isChecking, missed > 0 { exit(1) }
  }

  private static func line(_ name: String, _ cells: [String], _ bar: String) -> String {
    func padded(_ text: String, to width: Int) -> String {
      text + String(repeating: " ", count: max(1, width - text.count))
    }
    return padded(name, to: 38) + cells.map { padded($0, to: 17) }.joined() + bar
  }
}

/// The cost of one item.
struct Figures {
  var bytes: Int
  var live: Int
  var made: Int

  var text: String { "\(bytes) (\(live), \(made))" }
}

/// The implementations: the columns of the table.
enum Peer: String, CaseIterable {
  case keyline = "Keyline"
  /// With a `CurrentValueSubject` for each property.
  case openCombine = "OpenCombine"
  case published = "@Published"
  case observation = "Observation"
  /// Measured elsewhere, with version 6 of it.
  case rxSwift = "RxSwift"
}

/// One kind of item.
struct Row {
  let name: String
  /// The most bytes that Keyline may take.
  let bar: Int
  /// The bytes tolerated until the bar is reached.
  var tolerated = 0
  /// The bytes in RxSwift.
  var rxSwift = 0
  let columns: [Peer: () -> Figures]

  func rxSwift(for peer: Peer) -> String { peer == .rxSwift && rxSwift > 0 ? "\(rxSwift)" : "–" }
}

/// What `make` allocates for each of `count` items that `prepare` has made.
func each<Item>(_ count: Int, _ prepare: () -> Item, _ make: (Item) -> AnyObject?) -> Figures {
  // The first item may make what all others use.
  let first = prepare()
  let used = make(first)
  let items = (0..<count).map { _ in prepare() }
  var results: [AnyObject?] = []
  results.reserveCapacity(count)
  let figures = together(count) { for item in items { results.append(make(item)) } }
  withExtendedLifetime((first, used, items, results)) {}
  return figures
}

/// What `make` allocates, divided among `count` items.
func together(_ count: Int, _ make: () -> Void) -> Figures {
  let (bytes, live, made) = (allocations_bytes(), allocations_live(), allocations_made())
  make()
  func share(_ difference: Int) -> Int { (difference + count / 2) / count }
  return Figures(
    bytes: share(allocations_bytes() - bytes), live: share(allocations_live() - live),
    made: share(allocations_made() - made))
}

/// Uses a value in a way that the optimiser cannot see through.
@inline(never) @_optimize(none)  // Proof: the attribute is the only way to keep an unused argument.
func consume(_ value: Int) {}
