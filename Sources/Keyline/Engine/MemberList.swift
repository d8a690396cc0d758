/// A member of a ``MemberList``, and its place there.
@usableFromInline package class ListMember {
  fileprivate final var next: ListMember?
  /// Of the first member, the last one; nil if the member is the only one.
  fileprivate final var previous: ListMember?
}

/// A list of objects that know their place in it, so that a member leaves without a search.
struct MemberList<Member: ListMember> {
  private var head: ListMember?

  private var last: ListMember? { head?.previous ?? head }

  /// Makes `member` the last one.
  private func end(with member: ListMember) { head?.previous = member === head ? nil : member }

  private func previous(before member: ListMember) -> ListMember? {
    member === head ? nil : member.previous
  }

  mutating func insert(_ member: Member) {
    let previous = last
    member.previous = previous
    if let previous { previous.next = member } else { head = member }
    end(with: member)
  }

  /// Takes `member` out of the list.
  ///
  /// - Returns: whether it was in the list.
  mutating func remove(_ member: Member) -> Bool {
    // Of each member but the first, the previous one is known.
    guard member === head || member.previous != nil else { return false }
    let (last, previous, next) = (last, previous(before: member), member.next)
    if let previous { previous.next = next } else { head = next }
    next?.previous = previous
    if let last = next == nil ? previous : last { end(with: last) }
    (member.previous, member.next) = (nil, nil)
    return true
  }

  // Proof of the casts: only members of this type are inserted.
  var first: Member? { head.map { cast($0, to: Member.self) } }

  /// The members after the first, in order.
  var others: [Member] {
    var others: [Member] = []
    var member = head
    while let next = member?.next {
      others.append(cast(next, to: Member.self))
      member = next
    }
    return others
  }

  /// The members, in order.
  var all: [Member] { first.map { [$0] + others } ?? [] }
}
