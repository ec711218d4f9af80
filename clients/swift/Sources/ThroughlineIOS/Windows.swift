import Foundation
import Throughline

/// The windows of an app that show links. Of several ones a link is for the one that the system gave its URL to; for the
/// newest one if it gave it to none, or the window was closed meanwhile.
@MainActor
final class Windows {
  static let shared = Windows()
  private static let maxTaken = 20

  private struct Window {
    let id: UUID

    /// A window that shows its view again is opened before the end of the former view is told.
    let opening = UUID()
    let client: ObjectIdentifier
    let show: (Throughline.DeepLink) -> Void
  }

  private var open: [Window] = []
  private var taken: [(url: String, id: UUID)] = []
  private var subscriptions: [ObjectIdentifier: Throughline.Subscription] = [:]

  /// The links of a window, until the loop over them ends.
  func links(of id: UUID, _ client: Throughline) -> AsyncStream<Throughline.DeepLink> {
    let (links, stream) = AsyncStream.makeStream(of: Throughline.DeepLink.self)
    let of = ObjectIdentifier(client)
    let window = Window(id: id, client: of) { stream.yield($0) }
    let opening = window.opening
    open.removeAll { $0.id == id }
    open.append(window)
    stream.onTermination = { [weak self] _ in Task { @MainActor in self?.close(opening, of) } }
    if subscriptions[of] == nil {
      subscriptions[of] = client.onDeepLink { [weak self] link in self?.show(link, of) }
    }
    return links
  }

  /// The system gave the URL to this window.
  func took(_ url: String, _ id: UUID) {
    taken.removeAll { $0.url == url }
    taken.append((url, id))
    if taken.count > Self.maxTaken { taken.removeFirst() }
  }

  private func show(_ link: Throughline.DeepLink, _ client: ObjectIdentifier) {
    let url = link.correctionOf ?? link.url
    let id = taken.last { $0.url == url }?.id
    let windows = open.filter { $0.client == client }
    guard let window = windows.last(where: { $0.id == id }) ?? windows.last else { return }
    // Its correction goes there too.
    if let url { took(url, window.id) }
    window.show(link)
  }

  private func close(_ opening: UUID, _ client: ObjectIdentifier) {
    open.removeAll { $0.opening == opening }
    // Later links wait for the next window.
    if !open.contains(where: { $0.client == client }) { subscriptions.removeValue(forKey: client)?.cancel() }
  }
}
