#if os(iOS) || THROUGHLINE_STUBS
  import Foundation
  import Throughline

  /// The URLs that the system gives to the app, for the client's port `links`.
  struct AppLinks: Throughline.LinkSource {
    /// One for the process, since scenes may be connected before the client exists.
    static let inbox = LinkInbox()
    private static let processId = UUID().uuidString

    func initial() async -> String? { await Self.inbox.initial() }

    func subscribe(_ listener: @escaping @Sendable (String) -> Void) -> Throughline.Subscription {
      Throughline.Subscription(Self.inbox.subscribe(listener))
    }

    func launchId() -> String? { Self.processId }
  }
#endif
