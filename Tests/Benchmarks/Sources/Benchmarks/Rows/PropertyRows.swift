import Keyline

extension Suite {
  /// Properties without observers, of so many objects that no value stays in a register.
  static func properties() -> [Row] {
    let count = 1024
    return [
      Row(
        "property read", .atMost(0.5, of: .openCombine),
        columns: [
          Column(.keyline, operations: count) {
            let objects = (0..<count).map { _ in Sample() }
            return { consume(objects.reduce(0) { $0 &+ $1.value }) }
          },
          Column(.openCombine, operations: count) {
            let objects = (0..<count).map { _ in SubjectSample() }
            return { consume(objects.reduce(0) { $0 &+ $1.value.value }) }
          },
          Column(.published, operations: count) {
            let objects = (0..<count).map { _ in PublishedSample() }
            return { consume(objects.reduce(0) { $0 &+ $1.value }) }
          },
          Column(.observation, operations: count) {
            let objects = (0..<count).map { _ in TrackedSample() }
            return { consume(objects.reduce(0) { $0 &+ $1.value }) }
          },
          Column(.plain, operations: count) {
            let objects = (0..<count).map { _ in PlainSample() }
            return { consume(objects.reduce(0) { $0 &+ $1.value }) }
          },
        ]),
      Row(
        "property read of a String", .atMost(0.5, of: .openCombine),
        columns: [
          Column(.keyline, operations: count) {
            let objects = (0..<count).map { _ in Sample() }
            return { consume(objects.reduce(0) { $0 &+ $1.name.utf8.count }) }
          },
          Column(.openCombine, operations: count) {
            let objects = (0..<count).map { _ in SubjectSample() }
            return { consume(objects.reduce(0) { $0 &+ $1.name.value.utf8.count }) }
          },
          Column(.published, operations: count) {
            let objects = (0..<count).map { _ in PublishedSample() }
            return { consume(objects.reduce(0) { $0 &+ $1.name.utf8.count }) }
          },
          Column(.observation, operations: count) {
            let objects = (0..<count).map { _ in TrackedSample() }
            return { consume(objects.reduce(0) { $0 &+ $1.name.utf8.count }) }
          },
          Column(.plain, operations: count) {
            let objects = (0..<count).map { _ in PlainSample() }
            return { consume(objects.reduce(0) { $0 &+ $1.name.utf8.count }) }
          },
        ]),
      // Every pass writes new values: Observation does not report a write of an equal value.
      // Thirteen instructions, loop included; their time depends on where the linker places them.
      Row(
        "property write, unobserved", .atMost(1.5, of: .plain, tolerating: 1.9),
        columns: [
          Column(.keyline, operations: count) {
            let objects = (0..<count).map { _ in Sample() }
            var start = 0
            return {
              start += 1
              for (index, object) in objects.enumerated() { object.value = start + index }
            }
          },
          Column(.openCombine, operations: count) {
            let objects = (0..<count).map { _ in SubjectSample() }
            var start = 0
            return {
              start += 1
              for (index, object) in objects.enumerated() { object.value.value = start + index }
            }
          },
          Column(.published, operations: count) {
            let objects = (0..<count).map { _ in PublishedSample() }
            var start = 0
            return {
              start += 1
              for (index, object) in objects.enumerated() { object.value = start + index }
            }
          },
          Column(.observation, operations: count) {
            let objects = (0..<count).map { _ in TrackedSample() }
            var start = 0
            return {
              start += 1
              for (index, object) in objects.enumerated() { object.value = start + index }
            }
          },
          Column(.plain, operations: count) {
            let objects = (0..<count).map { _ in PlainSample() }
            var start = 0
            return {
              start += 1
              for (index, object) in objects.enumerated() { object.value = start + index }
            }
          },
        ]),
      // The object is retained and released: by the projection of the wrapper's key path, which the
      // compiler makes out of the access.
      Row(
        "list.append, unobserved", .atMost(2, of: .plain),
        columns: [
          Column(.keyline, operations: count) {
            let objects = (0..<count).map { _ in Sample() }
            var calls = 0
            return {
              for (value, object) in objects.enumerated() { object.list.append(value) }
              calls += 1
              if calls % 64 == 0 { for object in objects { object.list = [] } }
            }
          },
          Column(.openCombine, operations: count) {
            let objects = (0..<count).map { _ in SubjectSample() }
            var calls = 0
            return {
              for (value, object) in objects.enumerated() { object.list.value.append(value) }
              calls += 1
              if calls % 64 == 0 { for object in objects { object.list.value = [] } }
            }
          },
          Column(.published, operations: count) {
            let objects = (0..<count).map { _ in PublishedSample() }
            var calls = 0
            return {
              for (value, object) in objects.enumerated() { object.list.append(value) }
              calls += 1
              if calls % 64 == 0 { for object in objects { object.list = [] } }
            }
          },
          Column(.observation, operations: count) {
            let objects = (0..<count).map { _ in TrackedSample() }
            var calls = 0
            return {
              for (value, object) in objects.enumerated() { object.list.append(value) }
              calls += 1
              if calls % 64 == 0 { for object in objects { object.list = [] } }
            }
          },
          Column(.plain, operations: count) {
            let objects = (0..<count).map { _ in PlainSample() }
            var calls = 0
            return {
              for (value, object) in objects.enumerated() { object.list.append(value) }
              calls += 1
              if calls % 64 == 0 { for object in objects { object.list = [] } }
            }
          },
        ]),
      // 224 bytes to initialise instead of 136.
      Row(
        "create a model of 10 properties", .atMost(1.3, of: .plain, tolerating: 1.7),
        columns: [
          Column(.keyline) {
            { for _ in 0..<256 { consume(Ten()) } }
          },
          Column(.openCombine) {
            { for _ in 0..<256 { consume(SubjectTen()) } }
          },
          Column(.published) {
            { for _ in 0..<256 { consume(PublishedTen()) } }
          },
          Column(.observation) {
            { for _ in 0..<256 { consume(TrackedTen()) } }
          },
          Column(.plain) {
            { for _ in 0..<256 { consume(PlainTen()) } }
          },
        ]),
    ]
  }
}
