import Keyline
import OpenCombine

extension Suite {
  /// `root.middle?.leaf?.value`: three hops, two of which can be replaced.
  static func chains() -> [Row] {
    [
      // Four atomic operations: two for the delivery of the property, two for the delivery of the
      // chain. Some processes take a quarter longer with the same instructions: the time depends on
      // the addresses of the objects.
      Row(
        "chain of 3, leaf write", .atMost(0.7, of: .openCombine, tolerating: 0.95),
        columns: [
          Column(.keyline) {
            let root = Root()
            let leaf = root.middle!.leaf!
            let observer = root.observeChain()
            return {
              for value in 0..<256 { leaf.value = value }
              withExtendedLifetime((root, observer)) {}
            }
          },
          Column(.openCombine) {
            let root = SubjectRoot()
            let leaf = root.middle.value!.leaf.value!
            let observer = root.observeChain()
            return {
              for value in 0..<256 { leaf.value.value = value }
              withExtendedLifetime((root, observer)) {}
            }
          },
          Column(.published) {
            let root = PublishedRoot()
            let leaf = root.middle!.leaf!
            let observer = root.observeChain()
            return {
              for value in 0..<256 { leaf.value = value }
              withExtendedLifetime((root, observer)) {}
            }
          },
          Column(.observation) {
            let root = TrackedRoot()
            let leaf = root.middle!.leaf!
            return {
              for value in 0..<256 {
                leaf.value = value
                track { root.middle?.leaf?.value ?? 0 }
              }
            }
          },
        ]),
      // Two properties are left, and two joined by the same attachments: 48 atomic operations.
      Row(
        "chain of 3, middle replaced", .atMost(0.7, of: .observation, tolerating: 1.05),
        columns: [
          Column(.keyline) {
            let root = Root()
            let middles = [Middle(), Middle()]
            let observer = root.observeChain()
            return {
              for index in 0..<256 { root.middle = middles[index & 1] }
              withExtendedLifetime(observer) {}
            }
          },
          Column(.openCombine) {
            let root = SubjectRoot()
            let middles = [SubjectMiddle(), SubjectMiddle()]
            let observer = root.observeChain()
            return {
              for index in 0..<256 { root.middle.value = middles[index & 1] }
              withExtendedLifetime(observer) {}
            }
          },
          Column(.published) {
            let root = PublishedRoot()
            let middles = [PublishedMiddle(), PublishedMiddle()]
            let observer = root.observeChain()
            return {
              for index in 0..<256 { root.middle = middles[index & 1] }
              withExtendedLifetime(observer) {}
            }
          },
          Column(.observation) {
            let root = TrackedRoot()
            let middles = [TrackedMiddle(), TrackedMiddle()]
            return {
              for index in 0..<256 {
                root.middle = middles[index & 1]
                track { root.middle?.leaf?.value ?? 0 }
              }
            }
          },
        ]),
      // 11 allocations: the observable, the subscription, the chain, and three hops; and 135 atomic
      // operations.
      Row(
        "chain of 3, subscribe + dispose", .atMost(0.7, of: .openCombine, tolerating: 1),
        columns: [
          Column(.keyline) {
            let root = Root()
            return { for _ in 0..<256 { root.observeChain().dispose() } }
          },
          Column(.openCombine) {
            let root = SubjectRoot()
            return { for _ in 0..<256 { root.observeChain().cancel() } }
          },
          Column(.published) {
            let root = PublishedRoot()
            return { for _ in 0..<256 { root.observeChain().cancel() } }
          },
        ]),
    ]
  }
}
