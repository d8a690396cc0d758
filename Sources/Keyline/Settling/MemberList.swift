/// A member of a ``MemberList``, and its place there.
@usableFromInline package class ListMember {
  fileprivate final var next: ListMember?
  fileprivate final var previous: ListMember?
  fileprivate final var isListed = false
  /// Whether the member stands before all members without this flag.
  fileprivate final let isFirst: Bool

  init(isFirst: Bool = false) { self.isFirst = isFirst }
}

/// A list of objects that know their place in it, so that a member leaves without a search.
struct MemberList<Member: ListMember> {
  private(set) var first: Member?
  private var last: Member?

  /// The member after `member`, which may have left the list since: it still leads to the rest.
  @inline(__always) static func next(after member: Member) -> Member? {
    // Proof of the cast, here and below: only members of this type are inserted.
    member.next.map { cast($0, to: Member.self) }
  }

  mutating func insert(_ member: Member) {
    var previous = last
    if member.isFirst {
      while let candidate = previous, !candidate.isFirst {
        previous = candidate.previous.map { cast($0, to: Member.self) }
      }
    }
    let next = previous.map(Self.next(after:)) ?? first
    member.isListed = true
    (member.previous, member.next) = (previous, next)
    if let previous { previous.next = member } else { first = member }
    if let next { next.previous = member } else { last = member }
  }

  /// Takes `member` out of the list.
  ///
  /// - Parameter isFollowed: whether the member still leads to the next one, for a delivery that
  ///   stands at it.
  /// - Returns: whether it was in the list.
  mutating func remove(_ member: Member, isFollowed: Bool = false) -> Bool {
    guard member.isListed else { return false }
    member.isListed = false
    let (previous, next) = (member.previous, member.next)
    if let previous { previous.next = next } else { first = next.map { cast($0, to: Member.self) } }
    if let next {
      next.previous = previous
    } else {
      last = previous.map { cast($0, to: Member.self) }
    }
    member.previous = nil
    if !isFollowed { member.next = nil }
    return true
  }

  /// The members, in order.
  var all: [Member] {
    first.map { Array(sequence(first: $0, next: Self.next(after:))) } ?? []
  }
}
