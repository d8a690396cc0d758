/// Values as text in one line: objects by name, texts in quotation marks, the first elements of
/// collections; all cut to a length.
struct ValueText {
  let length: Int
  let name: (AnyObject) -> String

  func text(of value: Any) -> String { line(value, depth: 0).inOneLine.cut(to: length) }

  private func line(_ value: Any, depth: Int) -> String {
    if type(of: value) is AnyClass { return name(value as AnyObject) }
    if let text = value as? String { return String(text.prefix(length)).literal }
    let mirror = Mirror(reflecting: value)
    switch mirror.displayStyle {
    case .optional: return mirror.children.first.map { line($0.value, depth: depth) } ?? "nil"
    case .collection where depth < 4, .set where depth < 4: return "[\(parts(of: mirror, depth))]"
    case .tuple where depth < 4: return "(\(parts(of: mirror, depth)))"
    case .enum where depth < 4 && !(value is any CustomStringConvertible):
      guard let payload = mirror.children.first else { break }
      let text = line(payload.value, depth: depth + 1)
      return "\(payload.label ?? "")" + (text.hasPrefix("(") ? text : "(\(text))")
    default: break
    }
    return String("\(value)".prefix(length + 1))
  }

  private func parts(of mirror: Mirror, _ depth: Int) -> String {
    let parts = mirror.children.prefix(3).map { child in
      let label = child.label.flatMap { $0.hasPrefix(".") ? nil : "\($0): " } ?? ""
      return label + line(child.value, depth: depth + 1).cut(to: length / 2)
    }
    let surplus = mirror.children.count - parts.count
    return (parts + (surplus > 0 ? ["… \(surplus) more"] : [])).joined(separator: ", ")
  }
}

extension String {
  func cut(to length: Int) -> String { count > length ? "\(prefix(max(0, length - 1)))…" : self }
}
