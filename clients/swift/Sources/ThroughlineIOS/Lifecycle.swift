#if os(iOS) || THROUGHLINE_STUBS
  import Network
  import Throughline
  import UIKit

  /// Sends what waits when the app leaves the screen or returns, and when the network is back.
  @MainActor
  final class Lifecycle {
    private let client: Throughline
    private let monitor = NWPathMonitor()
    private var connectivity = Connectivity()

    /// Lives as long as the process, as the client does.
    init(_ client: Throughline) {
      self.client = client
      observe(UIApplication.didEnterBackgroundNotification) { $0.leave() }
      observe(UIApplication.willEnterForegroundNotification) { $0.flush() }
      monitor.pathUpdateHandler = { @Sendable path in
        let isConnected = path.status == .satisfied
        Task { @MainActor in
          if self.connectivity.isBack(isConnected: isConnected) { self.flush() }
        }
      }
      monitor.start(queue: DispatchQueue(label: "dev.throughline.network"))
    }

    private func observe(
      _ name: Notification.Name, _ action: @escaping @MainActor @Sendable (Lifecycle) -> Void
    ) {
      _ = NotificationCenter.default.addObserver(forName: name, object: nil, queue: .main) { _ in
        MainActor.assumeIsolated { action(self) }
      }
    }

    private func flush() {
      Task { await client.flush() }
    }

    private func leave() {
      let time = BackgroundTime()
      Task {
        await client.flush()
        time.end()
      }
    }
  }

  /// Some seconds that the system lets the app run on after it left the screen.
  @MainActor
  private final class BackgroundTime {
    private var task = UIBackgroundTaskIdentifier.invalid

    init() {
      task = UIApplication.shared.beginBackgroundTask(withName: "Throughline") { self.end() }
    }

    /// The system ends an app that does not end its time itself.
    func end() {
      if task == .invalid { return }
      UIApplication.shared.endBackgroundTask(task)
      task = .invalid
    }
  }
#endif
