import Foundation
import Keyline

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What goes wrong with a request.
///
/// The name is RxCocoa's: a `catch` that names it need not change.
public enum RxCocoaURLError: Error {
  /// There was neither an answer nor an error.
  case unknown
  /// The answer is not one of HTTP.
  case nonHTTPResponse(response: URLResponse)
  /// The status of the answer is not one of success.
  case httpRequestFailed(response: HTTPURLResponse, data: Data?)
  /// The answer is not what it should be.
  case deserializationError(error: any Error)
}

extension Reactive where Base: URLSession {
  /// The answer to `request`, whatever its status, then completion.
  ///
  /// - Timing: each subscription sends the request; the answer comes on the session's delegate queue.
  /// - Errors: what `URLSession` fails with, or ``RxCocoaURLError/nonHTTPResponse(response:)``.
  /// - Lifetime: disposal cancels the request.
  public func response(request: URLRequest) -> Observable<(response: HTTPURLResponse, data: Data)> {
    let session = base
    return Observable.create { observer in
      // Proof: the one call of the handler is all that uses it.
      nonisolated(unsafe) let observer = observer
      let task = session.dataTask(with: request) { data, response, error in
        guard let response, let data else {
          return observer.onError(error ?? RxCocoaURLError.unknown)
        }
        guard let answer = response as? HTTPURLResponse else {
          return observer.onError(RxCocoaURLError.nonHTTPResponse(response: response))
        }
        observer.onNext((answer, data))
        observer.onCompleted()
      }
      task.resume()
      return Disposables.create { task.cancel() }
    }
  }

  /// The content of the answer to `request`, then completion.
  ///
  /// - Errors: as ``response(request:)``, or ``RxCocoaURLError/httpRequestFailed(response:data:)`` for
  ///   a status outside 200 to 299.
  public func data(request: URLRequest) -> Observable<Data> {
    response(request: request).map { response, data in
      guard 200..<300 ~= response.statusCode else {
        throw RxCocoaURLError.httpRequestFailed(response: response, data: data)
      }
      return data
    }
  }

  /// The content of the answer to `request`, taken for JSON, then completion.
  ///
  /// - Errors: as ``data(request:)``, or ``RxCocoaURLError/deserializationError(error:)``.
  /// - SeeAlso: `decode(type:decoder:)`, which returns values of your own types.
  public func json(
    request: URLRequest, options: JSONSerialization.ReadingOptions = []
  ) -> Observable<Any> {
    data(request: request).map { data in
      do {
        return try JSONSerialization.jsonObject(with: data, options: options)
      } catch {
        throw RxCocoaURLError.deserializationError(error: error)
      }
    }
  }

  /// The content at `url`, taken for JSON, then completion.
  ///
  /// - Errors: as ``json(request:options:)``.
  public func json(url: URL) -> Observable<Any> { json(request: URLRequest(url: url)) }
}
