import Foundation
import Throughline

/// The URLs that the system gives to the app, for the client's port `links`.
struct AppLinks: Throughline.LinkSource {
  private static let processId = UUID().uuidString

  let inbox: LinkInbox

  func initial() async -> String? { await inbox.initial() }

  func subscribe(_ listener: @escaping @Sendable (String) -> Void) -> Throughline.Subscription {
    Throughline.Subscription(inbox.subscribe(listener))
  }

  func launchId() -> String? { Self.processId }
}
