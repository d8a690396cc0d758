import Foundation
import Keyline

/// A decoder of data, for `decode(type:decoder:)`.
public protocol DataDecoder {
  /// The value of the type given that `data` represents.
  func decode<Item: Decodable>(_ type: Item.Type, from data: Data) throws -> Item
}

extension JSONDecoder: DataDecoder {}
extension PropertyListDecoder: DataDecoder {}

extension ObservableType where Element == Data {
  /// Decodes each element, as JSON unless another decoder is given.
  ///
  /// - Errors: the first element that does not decode ends the sequence with the decoder's error.
  /// - Parameter type: the type to decode, of any element.
  /// - SeeAlso: ReactiveX [Map](https://reactivex.io/documentation/operators/map.html).
  public func decode<Item: Decodable>(
    type: Item.Type, decoder: some DataDecoder = JSONDecoder()
  ) -> Observable<Item> { map { try decoder.decode(type, from: $0) } }
}
