import Foundation
import Keyline
import KeylineFoundation
import KeylineTest
import Synchronization
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Requests as sequences, answered by a protocol in this process: nothing goes through a network.
@Suite struct URLSessionTests {
  struct Person: Codable, Equatable {
    let name: String
  }

  let session: URLSession = {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [CannedAnswers.self]
    return URLSession(configuration: configuration)
  }()

  func request(_ path: String) -> URLRequest {
    URLRequest(url: URL(string: "canned://host/\(path)")!)
  }

  @Test("Response has status and content") func responseHasStatusAndContent() throws {
    let answer = try session.rx.response(request: request("404")).toBlocking().single()
    #expect(answer.response.statusCode == 404)
    #expect(answer.data == Data("nothing here".utf8))
  }

  @Test("Data is the content of a success") func dataIsTheContentOfASuccess() throws {
    let data = try session.rx.data(request: request("person")).toBlocking().toArray()
    #expect(data == [Data(#"{"name":"Ada"}"#.utf8)])
  }

  @Test("Data fails for other statuses") func dataFailsForOtherStatuses() {
    do {
      _ = try session.rx.data(request: request("404")).toBlocking().toArray()
      Issue.record("did not fail")
    } catch RxCocoaURLError.httpRequestFailed(let response, let data) {
      #expect(response.statusCode == 404)
      #expect(data == Data("nothing here".utf8))
    } catch { Issue.record(error) }
  }

  @Test("Decode makes values of it") func decodeMakesValuesOfIt() throws {
    let people = session.rx.data(request: request("person"))
      .decode(type: Person.self, decoder: JSONDecoder())
    #expect(try people.toBlocking().toArray() == [Person(name: "Ada")])
    let failing = session.rx.data(request: request("text")).decode(type: Person.self)
    #expect(throws: DecodingError.self) { try failing.toBlocking().toArray() }
  }

  @Test("Decode takes any decoder") func decodeTakesAnyDecoder() throws {
    let person = Person(name: "Ada")
    let encoded = try PropertyListEncoder().encode(person)
    let decoder: any DataDecoder = PropertyListDecoder()
    let people = Observable.just(encoded).decode(type: Person.self, decoder: decoder)
    #expect(try people.toBlocking().toArray() == [person])
  }

  @Test("An answer that is not of HTTP is an error") func anAnswerThatIsNotOfHTTPIsAnError() {
    do {
      _ = try session.rx.response(request: request("other")).toBlocking().toArray()
      Issue.record("did not fail")
    } catch RxCocoaURLError.nonHTTPResponse {
    } catch { Issue.record(error) }
  }

  @Test("An error of the session is passed on") func whatTheSessionFailsWithIsPassedOn() {
    do {
      _ = try session.rx.response(request: request("fail")).toBlocking().toArray()
      Issue.record("did not fail")
    } catch { #expect((error as? URLError)?.code == .badServerResponse) }
  }

  @Test("Each subscription sends a request") func eachSubscriptionSendsARequest() throws {
    let data = session.rx.data(request: request("counted"))
    #expect(CannedAnswers.count(of: "/counted") == 0)
    _ = try data.toBlocking().toArray()
    _ = try data.toBlocking().toArray()
    #expect(CannedAnswers.count(of: "/counted") == 2)
  }

  @Test("Disposal cancels the request") func disposalCancelsTheRequest() throws {
    let events = SharedLog<String>()
    let subscription = session.rx.data(request: request("never")).subscribe {
      events.append("\($0)")
    }
    try CannedAnswers.wait(for: "start /never")
    subscription.dispose()
    try CannedAnswers.wait(for: "stop /never")
    #expect(events.all == [])
  }
}

/// Answers requests by their path, and counts them.
private final class CannedAnswers: URLProtocol {
  private static let counts = Mutex<[String: Int]>([:])
  private static let log = ReplaySubject<String>.createUnbounded()

  static func count(of path: String) -> Int { counts.withLock { $0[path] ?? 0 } }

  /// Returns when `entry` has been logged.
  static func wait(for entry: String) throws {
    _ = try log.filter { $0 == entry }.toBlocking(timeout: .seconds(30)).first()
  }

  override class func canInit(with request: URLRequest) -> Bool {
    request.url?.scheme == "canned"
  }

  override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

  override func startLoading() {
    guard let url = request.url else { return }
    Self.counts.withLock { $0[url.path, default: 0] += 1 }
    Self.log.onNext("start \(url.path)")
    switch url.path {
    case "/404": answer(url, 404, "nothing here")
    case "/text": answer(url, 200, "no JSON")
    case "/other":
      let response = URLResponse(
        url: url, mimeType: nil, expectedContentLength: 0, textEncodingName: nil)
      client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
      client?.urlProtocolDidFinishLoading(self)
    case "/fail": client?.urlProtocol(self, didFailWithError: URLError(.badServerResponse))
    case "/never": break
    default: answer(url, 200, #"{"name":"Ada"}"#)
    }
  }

  override func stopLoading() { Self.log.onNext("stop \(request.url?.path ?? "")") }

  private func answer(_ url: URL, _ status: Int, _ content: String) {
    guard
      let response = HTTPURLResponse(
        url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: nil)
    else { return }
    client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
    client?.urlProtocol(self, didLoad: Data(content.utf8))
    client?.urlProtocolDidFinishLoading(self)
  }
}
