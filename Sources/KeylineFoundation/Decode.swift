import Foundation
import Keyline

extension ObservableType where Element == Data {
  /// Decodes each element as JSON (or as whatever `decoder` is set up for).
  ///
  /// - Errors: the first element that does not decode ends the sequence with the decoder's error.
  /// - Parameter type: the type to decode, of any element.
  /// - SeeAlso: ReactiveX [Map](https://reactivex.io/documentation/operators/map.html).
  public func decode<Item: Decodable>(
    type: Item.Type, decoder: JSONDecoder = JSONDecoder()
  ) -> Observable<Item> {
    map { try decoder.decode(type, from: $0) }
  }
}
