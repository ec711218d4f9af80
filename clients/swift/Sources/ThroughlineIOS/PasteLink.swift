#if os(iOS) || THROUGHLINE_STUBS
  import SwiftUI
  import Throughline
  import UIKit

  /// The system's paste button, which hands over the link that the landing page copied without a question to the person.
  @available(iOS 16.0, *)
  public struct PasteLinkButton: View {
    private let client: Throughline
    private let onLink: @MainActor (Throughline.DeepLink?) -> Void

    /// - Parameter onLink: receives the link behind the pasted text; nil if the text holds none.
    public init(_ client: Throughline, onLink: @escaping @MainActor (Throughline.DeepLink?) -> Void) {
      self.client = client
      self.onLink = onLink
    }

    /// The button.
    public var body: some View {
      // SwiftUI may call back on any thread.
      PasteButton(payloadType: String.self) { @Sendable [client, onLink] texts in
        guard let text = texts.first else { return }
        Task { @MainActor in onLink(await client.claim(text)) }
      }
    }
  }

  /// The same for UIKit: add it to a view, and give it a size.
  @available(iOS 16.0, *)
  public final class PasteLinkControl: UIView {
    private let client: Throughline
    private let onLink: @MainActor (Throughline.DeepLink?) -> Void

    /// - Parameters:
    ///   - configuration: the look of the button.
    ///   - onLink: receives the link behind the pasted text; nil if the text holds none.
    public init(
      _ client: Throughline, configuration: UIPasteControl.Configuration = .init(),
      onLink: @escaping @MainActor (Throughline.DeepLink?) -> Void
    ) {
      self.client = client
      self.onLink = onLink
      super.init(frame: .zero)
      pasteConfiguration = UIPasteConfiguration(forAccepting: NSString.self)
      let button = UIPasteControl(configuration: configuration)
      button.target = self
      button.frame = bounds
      button.autoresizingMask = [.flexibleWidth, .flexibleHeight]
      addSubview(button)
    }

    /// Not for storyboards: it needs a client.
    @available(*, unavailable)
    public required init?(coder: NSCoder) { nil }

    /// As large as the system's button wants to be.
    public override var intrinsicContentSize: CGSize { subviews.first?.intrinsicContentSize ?? .zero }

    /// The system calls this after a tap on the button.
    public override func paste(itemProviders: [NSItemProvider]) {
      let (client, onLink) = (client, onLink)
      guard let provider = itemProviders.first(where: { $0.canLoadObject(ofClass: NSString.self) }) else { return }
      _ = provider.loadObject(ofClass: NSString.self) { text, _ in
        guard let text = (text as? NSString).map({ String(describing: $0) }) else { return }
        Task { @MainActor in onLink(await client.claim(text)) }
      }
    }
  }

  #if !targetEnvironment(macCatalyst)
    extension Throughline {
      /// Reads the clipboard for the link that the landing page copied, for iOS 15, which has no paste button. Call it when
      /// the person asked for it: the system tells that the app read the clipboard, and iOS 16 asks the person first. It
      /// reads nothing if the clipboard holds no address.
      ///
      /// - Returns: nil if the clipboard holds no link of the app.
      @MainActor
      public func claimFromClipboard() async -> DeepLink? {
        let clipboard = UIPasteboard.general
        // This alone tells nobody, and reads nothing.
        let hasAddress = await withCheckedContinuation { continuation in
          clipboard.detectPatterns(for: [\.probableWebURL], inItemSet: nil) { @Sendable found in
            continuation.resume(returning: (try? found.get())?.contains { !$0.isEmpty } == true)
          }
        }
        guard hasAddress, let text = clipboard.string else { return nil }
        return await claim(text)
      }
    }
  #endif
#endif
