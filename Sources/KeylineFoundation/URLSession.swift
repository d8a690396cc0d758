import Foundation
import Keyline

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The errors of requests.
///
/// The name is RxCocoa's: a `catch` that uses it need not change.
public enum RxCocoaURLError: Error {
  /// There was neither a response nor an error.
  case unknown
  /// The response is not an HTTP response.
  case nonHTTPResponse(response: URLResponse)
  /// The status of the response is outside 200 to 299.
  case httpRequestFailed(response: HTTPURLResponse, data: Data?)
  /// The content of the response could not be decoded.
  case deserializationError(error: any Error)
}

extension Reactive where Base: URLSession {
  /// The response to `request`, of any status, then completion.
  ///
  /// - Timing: each subscription sends the request; the response is emitted on the session's
  ///   delegate queue.
  /// - Errors: an error of `URLSession`, or ``RxCocoaURLError/nonHTTPResponse(response:)``.
  /// - Lifetime: disposal cancels the request.
  public func response(request: URLRequest) -> Observable<(response: HTTPURLResponse, data: Data)> {
    let session = base
    return Observable.create { observer in
      let task = session.dataTask(with: request) { data, response, error in
        guard let response, let data else {
          return observer.onError(error ?? RxCocoaURLError.unknown)
        }
        guard let httpResponse = response as? HTTPURLResponse else {
          return observer.onError(RxCocoaURLError.nonHTTPResponse(response: response))
        }
        observer.onNext((httpResponse, data))
        observer.onCompleted()
      }
      task.resume()
      return Disposables.create { task.cancel() }
    }
  }

  /// The content of the response to `request`, then completion.
  ///
  /// - Errors: as ``response(request:)``, or ``RxCocoaURLError/httpRequestFailed(response:data:)``
  ///   for a status outside 200 to 299.
  public func data(request: URLRequest) -> Observable<Data> {
    response(request: request).map { response, data in
      guard 200..<300 ~= response.statusCode else {
        throw RxCocoaURLError.httpRequestFailed(response: response, data: data)
      }
      return data
    }
  }

  /// The content of the response to `request`, decoded as JSON, then completion.
  ///
  /// The value is `Sendable`, and may be observed on any scheduler:
  ///
  /// ```swift
  /// let texts = session.rx.json(url: url).observe(on: parsing).map { json in "\(json)" }
  /// ```
  ///
  /// - Errors: as ``data(request:)``, or ``RxCocoaURLError/deserializationError(error:)``.
  /// - SeeAlso: `decode(type:decoder:)`, which returns values of your own types.
  public func json(
    request: URLRequest, options: JSONSerialization.ReadingOptions = []
  ) -> Observable<any Sendable> {
    data(request: request).map { data in
      do {
        let value = try JSONSerialization.jsonObject(with: data, options: options)
        // Proof: the value has been made here, and nothing else refers to it or its parts. With
        // mutable containers, the observers must not change the containers that they share.
        // (`as Any`, or the value in it would be cast.)
        return unsafeBitCast(value as Any, to: (any Sendable).self)
      } catch {
        throw RxCocoaURLError.deserializationError(error: error)
      }
    }
  }

  /// The content at `url`, decoded as JSON, then completion.
  ///
  /// - Errors: as `json(request:options:)`.
  public func json(url: URL) -> Observable<any Sendable> { json(request: URLRequest(url: url)) }

  /// `json(request:options:)` with the type of RxCocoa, for code that requires an `Observable<Any>`.
  // Proof of the attribute, here and below: without it a call without a type would be ambiguous.
  @_disfavoredOverload public func json(
    request: URLRequest, options: JSONSerialization.ReadingOptions = []
  ) -> Observable<Any> {
    json(request: request, options: options).map { (value: any Sendable) -> Any in value }
  }

  /// `json(url:)` with the type of RxCocoa, for code that requires an `Observable<Any>`.
  @_disfavoredOverload public func json(url: URL) -> Observable<Any> {
    json(request: URLRequest(url: url))
  }
}
