#if os(iOS) || THROUGHLINE_STUBS
  import SwiftUI
  import Throughline

  extension View {
    /// Gives the app's links to the client, and the client's links to the app: the ones of running apps, the one that
    /// started it, and the deferred one of the install. For the root view of the app's window.
    ///
    /// Both of SwiftUI's callbacks and those of a scene delegate may report one tap: it counts once.
    public func throughlineLinks(
      _ client: Throughline, perform action: @escaping @MainActor (Throughline.DeepLink) -> Void
    ) -> some View {
      modifier(LinksModifier(client: client, action: action))
    }
  }

  private struct LinksModifier: ViewModifier {
    let client: Throughline
    let action: @MainActor (Throughline.DeepLink) -> Void

    func body(content: Content) -> some View {
      content
        .onOpenURL { LinkInbox.shared.report($0.absoluteString, by: .openURL) }
        .onContinueUserActivity(NSUserActivityTypeBrowsingWeb) { activity in
          guard let url = webUrl(of: activity) else { return }
          LinkInbox.shared.report(url.absoluteString, by: .userActivity)
        }
        .task {
          for await link in client.deepLinks { action(link) }
        }
    }
  }
#endif
