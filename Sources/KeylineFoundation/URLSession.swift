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
}

extension Reactive where Base: URLSession {
  /// The response to `request`, of any status, then completion.
  ///
  /// - Timing: each subscription sends the request; the response is emitted on the session's
  ///   delegate queue.
  /// - Errors: an error of `URLSession`, or ``RxCocoaURLError/nonHTTPResponse(response:)``.
  /// - Lifetime: disposal cancels the request.
  public func response(request: URLRequest) -> Observable<(response: HTTPURLResponse, data: Data)> {
    Observable.create { [base] observer in
      let task = base.dataTask(with: request) { data, response, error in
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
  /// - SeeAlso: `decode(type:decoder:)`, which makes values of your own types of it.
  public func data(request: URLRequest) -> Observable<Data> {
    response(request: request).map { response, data in
      if 200..<300 ~= response.statusCode { return data }
      throw RxCocoaURLError.httpRequestFailed(response: response, data: data)
    }
  }
}
