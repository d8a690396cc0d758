/// A member of a ``MemberList``, and its place there.
@usableFromInline package class ListMember {
  fileprivate final var next: ListMember?
  /// Of the first member, the last one; nil if the member is the only one.
  fileprivate final var previous: ListMember?
  fileprivate final var isListed = false
  /// Whether the member stands before all members without this flag; set before it is inserted.
  final var isFirst = false
}

/// A list of objects that know their place in it, so that a member leaves without a search.
struct MemberList<Member: ListMember> {
  private(set) var first: Member?

  // Proof of the casts: only members of this type are inserted.
  private static func next(after member: Member) -> Member? {
    member.next.map { cast($0, to: Member.self) }
  }

  private func previous(before member: Member) -> Member? {
    member === first ? nil : member.previous.map { cast($0, to: Member.self) }
  }

  private var last: Member? { first?.previous.map { cast($0, to: Member.self) } ?? first }

  /// Makes `member` the last one.
  private func end(with member: Member) { first?.previous = member === first ? nil : member }

  mutating func insert(_ member: Member) {
    var previous = last
    if member.isFirst {
      while let candidate = previous, !candidate.isFirst {
        previous = self.previous(before: candidate)
      }
    }
    let next = previous.map(Self.next(after:)) ?? first
    member.isListed = true
    (member.previous, member.next) = (previous ?? last, next)
    if let previous { previous.next = member } else { first = member }
    if let next { next.previous = member } else { end(with: member) }
  }

  /// Takes `member` out of the list.
  ///
  /// - Returns: whether it was in the list.
  mutating func remove(_ member: Member) -> Bool {
    guard member.isListed else { return false }
    member.isListed = false
    let (last, previous, next) = (last, previous(before: member), Self.next(after: member))
    if let previous { previous.next = next } else { first = next }
    next?.previous = previous
    if let last = next == nil ? previous : last { end(with: last) }
    (member.previous, member.next) = (nil, nil)
    return true
  }

  /// The members after the first, in order.
  var others: [Member] {
    var others: [Member] = []
    var member = first
    while let next = member.flatMap(Self.next(after:)) {
      others.append(next)
      member = next
    }
    return others
  }

  /// The members, in order.
  var all: [Member] { first.map { [$0] + others } ?? [] }
}
