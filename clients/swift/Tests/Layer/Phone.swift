// Plays an iPhone on the stub modules: what the system does, line by line of standard input, and what the layer did.
import AdServices
import Network
import ThroughlineIOS
import UIKit

@main
struct Phone {
  @MainActor
  static func main() async throws {
    let arguments = CommandLine.arguments
    let config = Throughline.Config(
      baseUrl: arguments[1], key: arguments[2], hosts: ["go.example.test"],
      onLog: { said("log \($0.level.rawValue): \($0.message)") })
    let client = try Throughline.start(config)
    client.onDeepLink { said("link \($0.path) \($0.method.rawValue)") }
    let control = PasteLinkControl(client) { said("pasted \($0?.path ?? "nil")") }
    for await line in lines() {
      let (word, rest) = split(line)
      switch word {
      case "connect":
        let contexts = URL(string: rest).map { Set([UIOpenURLContext(url: $0)]) } ?? []
        Throughline.scene(UIScene(), willConnectTo: UISceneSession(), options: .init(urlContexts: contexts))
      case "open":
        guard let url = URL(string: rest) else { continue }
        Throughline.scene(UIScene(), openURLContexts: [UIOpenURLContext(url: url)])
      case "continue":
        let activity = NSUserActivity(activityType: NSUserActivityTypeBrowsingWeb)
        activity.webpageURL = URL(string: rest)
        Throughline.scene(UIScene(), continue: activity)
        // An app delegate that reports the same tap.
        _ = client.application(.shared, continue: activity) { _ in }
      case "paste": (control.subviews.first as? UIPasteControl)?.tap(clipboard: rest)
      case "clipboard":
        UIPasteboard.general.string = rest
        let link = await client.claimFromClipboard()
        said("claimed \(link?.path ?? "nil")")
      case "background": post(UIApplication.didEnterBackgroundNotification)
      case "network": NWPathMonitor.change(to: rest == "back" ? .satisfied : .unsatisfied)
      case "track": client.track(rest)
      default: fatalError("There is no \(word)")
      }
    }
  }

  /// Linux's `post` waits for the main thread, and so must not be called on it.
  private static func post(_ name: Notification.Name) {
    DispatchQueue.global().async { NotificationCenter.default.post(name: name, object: nil) }
  }

  private static func split(_ line: String) -> (String, String) {
    let parts = line.split(separator: " ", maxSplits: 1).map(String.init)
    return (parts[0], parts.count > 1 ? parts[1] : "")
  }

  private static func lines() -> AsyncStream<String> {
    AsyncStream { stream in
      Thread.detachNewThread {
        while let line = readLine() { stream.yield(line) }
        stream.finish()
      }
    }
  }
}
