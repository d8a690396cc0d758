extension ObservableArray: ExpressibleByArrayLiteral {
  public convenience init(arrayLiteral elements: Element...) { self.init(elements) }
}

extension ObservableArray: Equatable where Element: Equatable {
  public static func == (left: ObservableArray, right: ObservableArray) -> Bool {
    left.elements == right.elements
  }
}

extension ObservableArray: CustomStringConvertible {
  public var description: String { elements.description }
}

extension ObservableArray: Encodable where Element: Encodable {
  public func encode(to encoder: any Encoder) throws { try elements.encode(to: encoder) }
}

extension ObservableArray: Decodable where Element: Decodable {
  public convenience init(from decoder: any Decoder) throws {
    self.init(try [Element](from: decoder))
  }
}
