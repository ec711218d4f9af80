#if os(iOS) || THROUGHLINE_STUBS
  import SwiftUI
  import Throughline

  extension View {
    /// Gives the app's links to the client, and the client's links to the app: the ones of running apps, the one that
    /// started it, and the deferred one of the install. For the root view of each window of the app: of several windows
    /// the one gets a link to which the system gave its URL, and the newest one gets others.
    ///
    /// Both of SwiftUI's callbacks and those of a scene delegate may report one tap: it counts once.
    public func throughlineLinks(
      _ client: Throughline, perform action: @escaping @MainActor (Throughline.DeepLink) -> Void
    ) -> some View {
      modifier(LinksModifier(client: client, action: action))
    }
  }

  private struct LinksModifier: ViewModifier {
    @State private var id = UUID()
    let client: Throughline
    let action: @MainActor (Throughline.DeepLink) -> Void

    func body(content: Content) -> some View {
      content
        .onOpenURL { report($0, by: .openURL) }
        .onContinueUserActivity(NSUserActivityTypeBrowsingWeb) { activity in
          if let url = webUrl(of: activity) { report(url, by: .userActivity) }
        }
        .task {
          for await link in Windows.shared.links(of: id, client) { action(link) }
        }
    }

    private func report(_ url: URL, by way: Way) {
      Windows.shared.took(url.absoluteString, id)
      LinkInbox.shared.report(url.absoluteString, by: way)
    }
  }
#endif
